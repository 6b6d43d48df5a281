// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program whose system calls the demo looks for in the log: known
 * numbers and arguments, by both ways into the kernel. Freestanding, so that it
 * needs no 32-bit libraries; demo.sh builds it.
 *
 * The exit status is 0 if each call returned what it had to.
 */

#define NR_EXIT			1
#define NR_SOCKETCALL		102
#define NR_CLOCK_NANOSLEEP	407	/* with 64-bit times */
#define NR_NONE			9999	/* no call has that number */

#define SYS_CONNECT		3

#define AF_INET			2
#define CLOCK_MONOTONIC		1
#define AT_SYSINFO		32

#define NO_SUCH_FILE		(-9)
#define NO_SUCH_CALL		(-38)

struct timespec {
	long long		tv_sec;
	long long		tv_nsec;
};

struct sockaddr_in {
	unsigned short		sin_family;
	unsigned char		sin_port[2];
	unsigned char		sin_addr[4];
	unsigned char		sin_zero[8];
};

/* The vdso's way into the kernel; where it is the auxiliary vector tells. */
void *fast_entry;

/*
 * Takes the number in eax, and six arguments in ebx, ecx, edx, esi, edi and
 * ebp. No C compiler hands out that many registers.
 */
#define DEFINE_CALL(name, instruction)		\
	asm(".text\n"				\
	    #name ":\n"				\
	    "	push %ebx\n"			\
	    "	push %esi\n"			\
	    "	push %edi\n"			\
	    "	push %ebp\n"			\
	    "	mov 20(%esp), %eax\n"		\
	    "	mov 24(%esp), %ebp\n"		\
	    "	mov (%ebp), %ebx\n"		\
	    "	mov 4(%ebp), %ecx\n"		\
	    "	mov 8(%ebp), %edx\n"		\
	    "	mov 12(%ebp), %esi\n"		\
	    "	mov 16(%ebp), %edi\n"		\
	    "	mov 20(%ebp), %ebp\n"		\
	    "	" instruction "\n"		\
	    "	pop %ebp\n"			\
	    "	pop %edi\n"			\
	    "	pop %esi\n"			\
	    "	pop %ebx\n"			\
	    "	ret\n");			\
	long name(long number, const unsigned long *arguments)

DEFINE_CALL(call_slow, "int $0x80");
DEFINE_CALL(call_fast, "call *fast_entry");

/* The stack as the kernel set it up becomes the argument of start(). */
asm(".globl _start\n"
	"_start:\n"
	"	mov %esp, %eax\n"
	"	push %eax\n"
	"	call start\n");

static void find_fast_entry(unsigned long *stack)
{
	unsigned long *p = stack + 1 + *stack + 1;	/* argc, argv, NULL */

	while (*p++)					/* environment */
		;
	for (; p[0]; p += 2) {
		if (p[0] == AT_SYSINFO)
			fast_entry = (void *)p[1];
	}
}

/* How many calls returned something else than they had to. */
static int call_all(long (*call)(long number, const unsigned long *arguments),
		    unsigned long base, int nsec)
{
	struct timespec time = { .tv_nsec = nsec };
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = { 0, 9 },
		.sin_addr = { 127, 0, 0, 1 },
	};
	unsigned long connect[3] = {
		-1, (unsigned long)&addr, sizeof(addr)
	};
	unsigned long of_none[6] = {
		base + 1, base + 2, base + 3, base + 4, base + 5, base + 6
	};
	unsigned long of_nanosleep[6] = {
		CLOCK_MONOTONIC, 0, (unsigned long)&time
	};
	unsigned long of_socketcall[6] = {
		SYS_CONNECT, (unsigned long)connect
	};

	return (call(NR_NONE, of_none) != NO_SUCH_CALL) +
		(call(NR_CLOCK_NANOSLEEP, of_nanosleep) != 0) +
		(call(NR_SOCKETCALL, of_socketcall) != NO_SUCH_FILE);
}

void start(unsigned long *stack)
{
	unsigned long of_exit[6] = {};

	find_fast_entry(stack);
	of_exit[0] = call_all(call_slow, 0xa0000000, 20000000);
	if (fast_entry)
		of_exit[0] += call_all(call_fast, 0xb0000000, 30000000);
	else
		of_exit[0] += 10;
	call_slow(NR_EXIT, of_exit);
}
