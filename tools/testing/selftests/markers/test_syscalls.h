/* SPDX-License-Identifier: GPL-2.0 */
/* What test_syscalls and its 32-bit program agree on. */
#ifndef _TEST_SYSCALLS_H
#define _TEST_SYSCALLS_H

/* Numbers that no call has. */
#define CALL_NONE	9999
#define CALL_FAST_ENTRY	9998		/* first argument: enum fast_entry */
#define CALL_NOOP	9997		/* made by "test_syscalls noop" */

enum fast_entry {
	ENTRY_NONE,
	ENTRY_SYSENTER,
	ENTRY_SYSCALL,
};

#define ARG32(n)	(0x81020304 + 0x01010101 * (n))

#define NR32_EXIT	1
#define NR32_CLOSE	6
#define NR32_EXECVE	11
#define NR32_GETPID	20
#define NR32_BRK	45
#define NR32_SOCKETCALL	102
#define NR32_CLOCK_NANOSLEEP 407	/* with 64-bit times */

/* One call of the 32-bit program, by int 0x80 and by the vDSO. */
struct call {
	long	number;
	long	args[6];
};

long by_int80(const struct call *call);
long by_vdso(const struct call *call);

/*
 * A call with the arguments a0 to a5, all long; what it returns is what the
 * kernel did. after_call is the address behind the instruction.
 */
long raw_call(long number, ...);
extern const char after_call[];

/* The same by int 0x80: eax, ebx, ecx, edx, esi, edi, ebp. */
long int80_call(const long regs[7]);
extern const char after_int80[];

#endif /* _TEST_SYSCALLS_H */
