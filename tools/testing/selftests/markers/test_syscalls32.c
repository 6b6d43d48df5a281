// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program for test_syscalls, which knows what it calls. It has no C
 * library, so that it builds where there is none for 32 bits.
 *
 * It makes the same calls by int 0x80 and by the fast entry that the vDSO has,
 * says by a call without a meaning which one that is, and executes its argument
 * if it has one.
 */

#include "test_syscalls.h"

#define AT_SYSINFO	32
#define CLOCK_MONOTONIC	1
#define SYS_CONNECT	3

long vdso_entry;

asm("	.globl _start\n"
"_start:\n"
"	mov	%esp, %eax\n"
"	push	%eax\n"
"	call	run\n"
"	hlt\n"

"	.macro	enter_function name, how:vararg\n"
"\\name:\n"
"	push	%ebx\n"
"	push	%esi\n"
"	push	%edi\n"
"	push	%ebp\n"
"	mov	20(%esp), %eax\n"
"	mov	4(%eax), %ebx\n"
"	mov	8(%eax), %ecx\n"
"	mov	12(%eax), %edx\n"
"	mov	16(%eax), %esi\n"
"	mov	20(%eax), %edi\n"
"	mov	24(%eax), %ebp\n"
"	mov	(%eax), %eax\n"
"	\\how\n"
"	pop	%ebp\n"
"	pop	%edi\n"
"	pop	%esi\n"
"	pop	%ebx\n"
"	ret\n"
"	.endm\n"

"	enter_function by_int80, int $0x80\n"
"	enter_function by_vdso, call *vdso_entry\n"
"	.section .note.GNU-stack,\"\",@progbits\n"
"	.text\n"
);

static enum fast_entry fast_entry(void)
{
	const unsigned char *code = (const unsigned char *)vdso_entry;
	int i;

	for (i = 0; code && i < 16; i++) {
		if (code[i] == 0x0f && code[i + 1] == 0x34)
			return ENTRY_SYSENTER;
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return ENTRY_SYSCALL;
	}
	return ENTRY_NONE;
}

/* 20 ms, and port 9 of the loopback address. */
static const long long nap[2] = { 0, 20000000 };
static const unsigned char addr[16] = { 2, 0, 0, 9, 127, 0, 0, 1 };
static const long connect_args[3] = { -1, (long)addr, sizeof(addr) };

static void make_calls(long (*enter)(const struct call *call))
{
	static const struct call calls[] = {
		{ CALL_NONE, {
			ARG32(0), ARG32(1), ARG32(2),
			ARG32(3), ARG32(4), ARG32(5),
		} },
		{ NR32_GETPID, {} },
		{ NR32_CLOSE, { -1 } },
		{ NR32_BRK, {} },
		{ NR32_CLOCK_NANOSLEEP, { CLOCK_MONOTONIC, 0, (long)nap } },
		{ NR32_SOCKETCALL, { SYS_CONNECT, (long)connect_args } },
		{}
	};
	const struct call *call;

	for (call = calls; call->number; call++)
		enter(call);
}

/* The stack of a new program: argc, argv, NULL, envp, NULL, auxv. */
void run(long *stack);
void run(long *stack)
{
	long argc = stack[0];
	long *argv = stack + 1;
	long *env = argv + argc + 1;
	long *aux = env;
	struct call call;

	while (*aux++)
		;
	for (; aux[0]; aux += 2) {
		if (aux[0] == AT_SYSINFO)
			vdso_entry = aux[1];
	}

	call = (struct call) { CALL_FAST_ENTRY, { fast_entry() } };
	by_int80(&call);
	make_calls(by_int80);
	if (vdso_entry)
		make_calls(by_vdso);

	call = (struct call) {
		NR32_EXECVE, { argv[1], (long)(argv + 1), (long)env }
	};
	if (argc > 1)
		by_int80(&call);
	call = (struct call) { NR32_EXIT, { argc > 1 } };
	by_int80(&call);
}
