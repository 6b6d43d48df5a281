// SPDX-License-Identifier: GPL-2.0
/*
 * Does what the markers of interrupts and exceptions are about, and tells in
 * assignments of the shell what it was that it did.
 *
 *	test_rows_irq CASE
 *
 * Exit status: 0, or 1 and a message when something could not be done.
 */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../kselftest.h"

static __noreturn void die(const char *what)
{
	printf("# cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

/* === Exceptions =========================================================== */

extern const char end_de[], end_db[], end_bp[], end_of[], end_ud[], end_np[],
	end_gp[], end_gp_int[], end_mf[], end_pf_read[], end_pf_write[],
	end_pf_run[];

#define TRAP_FLAG	0x100

/* What the last signal said of the exception, and where to go on. */
static volatile unsigned long trap, ip, error;
static const char *volatile go_on;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	trap = regs[REG_TRAPNO];
	error = regs[REG_ERR];
	ip = regs[REG_RIP];
	regs[REG_RIP] = (unsigned long)go_on;
	regs[REG_EFL] &= ~TRAP_FLAG;
}

static void catch_signal(int sig)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = on_signal;
	if (sigaction(sig, &action, NULL))
		die("catch a signal");
}

static void catch_all(void)
{
	catch_signal(SIGFPE);
	catch_signal(SIGTRAP);
	catch_signal(SIGILL);
	catch_signal(SIGBUS);
	catch_signal(SIGSEGV);
}

/* An exception of vector @expected, if @happened. */
static void tell(const char *name, unsigned long expected)
{
	if (trap != expected) {
		printf("# %s was %lu and not %lu\n", name, trap, expected);
		exit(1);
	}
	printf("%s='trap_id %lu ip 0x%lx error_code %lx'\n", name, trap, ip,
	       error);
	trap = -1UL;
}

/* Each goes on at the label behind it. */
#define RAISE(name, expected, code, ...)				\
do {									\
	go_on = end_##name;						\
	asm volatile(code "\nend_" #name ":" __VA_ARGS__);		\
	tell(#name, expected);						\
} while (0)

static void do_traps(void)
{
	struct user_desc absent = {
		.entry_number = 0, .limit = 0xfffff, .seg_32bit = 1,
		.limit_in_pages = 1, .seg_not_present = 1, .useable = 1,
	};
	unsigned short selector = 7, control = 0x37b;

	catch_all();
	RAISE(de, 0, "xor %%edx, %%edx\n\txor %%ecx, %%ecx\n\tdiv %%ecx",
	      : : : "eax", "ecx", "edx", "cc", "memory");
	/* A single step, which is the last instruction here. */
	RAISE(db, 1, "lea -128(%%rsp), %%rsp\n\tpushfq\n\torl $0x100, (%%rsp)\n\t"
	      "popfq\n\tlea 128(%%rsp), %%rsp", : : : "cc", "memory");
	RAISE(bp, 3, "int3", : : : "memory");
	RAISE(of, 4, "int $4", : : : "memory");
	RAISE(ud, 6, "ud2", : : : "memory");
	RAISE(gp, 13, "hlt", : : : "memory");
	RAISE(gp_int, 13, "int $0x21", : : : "memory");
	/* The next instruction that waits for the FPU has it. */
	RAISE(mf, 16, "fninit\n\tfldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait",
	      : : "m" (control) : "memory");
	asm volatile("fninit");
	/* Not everywhere is there a table for it. */
	if (!syscall(SYS_modify_ldt, 0x11, &absent, sizeof(absent))) {
		go_on = end_np;
		asm volatile("mov %0, %%es\nend_np:" : : "r" (selector)
			     : "memory");
		if (trap == 11)
			tell("np", 11);
	}
	printf("pid=%d\n", getpid());
}

/* Reads, writes and runs what cannot be. */
static void do_faults(void)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		die("map a page");
	catch_all();
	RAISE(pf_read, 14, "mov (%0), %%al", : : "r" (16UL) : "al", "memory");
	asm volatile("mov (%0), %%al" : : "r" (page) : "al", "memory");
	RAISE(pf_write, 14, "movb $1, (%0)", : : "r" (page) : "memory");
	RAISE(pf_run, 14, "jmp *%0", : : "r" (page) : "memory");
	printf("pid=%d\n", getpid());
}

/* By what the kernel does for us with a bad address. */
static void do_kernel_fault(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	int fds[2];

	if (page == MAP_FAILED || pipe(fds))
		die("prepare");
	if (write(fds[1], page, 1) != -1 || errno != EFAULT)
		die("fault");
	printf("pid=%d\n", getpid());
}

/* A child is killed by it. */
static void do_killed(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (!pid) {
		asm volatile("ud2");
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		die("be killed");
	printf("pid=%d signal=%d\n", pid, WTERMSIG(status));
}

/* === Others =============================================================== */

/* On each CPU a process that never leaves user mode by itself. */
static void do_spin(void)
{
	extern const char spin_begin[], spin_end[];
	int cpu, n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	printf("begin=%#lx end=%#lx\n", (unsigned long)spin_begin,
	       (unsigned long)spin_end);
	fflush(stdout);
	for (cpu = 1; cpu < n; cpu++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		break;
	}
	CPU_ZERO(&set);
	CPU_SET(cpu % n, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("set the affinity");
	alarm(60);
	asm volatile("spin_begin: pause\n\tjmp spin_begin\nspin_end:");
}

/* A string that cannot be read. */
static void do_event_fault(void)
{
	int fd = open("/sys/kernel/tracing/marker_event", O_WRONLY);

	if (fd < 0)
		die("open marker_event");
	if (syscall(SYS_write, fd, (void *)16, 10) != -1)
		die("fail");
	printf("error=%d\n", errno);
}

/*
 * What there is of another kernel: it says a word on the first serial line and
 * resets the machine.
 */
extern const char other_kernel[], other_kernel_end[];
asm(".pushsection .rodata\n"
	"other_kernel:\n"
	"	leaq	3f(%rip), %rsi\n"
	"1:	movw	$0x3fd, %dx\n"
	"2:	inb	%dx, %al\n"
	"	testb	$0x20, %al\n"
	"	jz	2b\n"
	"	movb	(%rsi), %al\n"
	"	testb	%al, %al\n"
	"	jz	4f\n"
	"	movw	$0x3f8, %dx\n"
	"	outb	%al, %dx\n"
	"	incq	%rsi\n"
	"	jmp	1b\n"
	"3:	.asciz	\"\\r\\nanother kernel\\r\\n\"\n"
	"4:	movb	$0xfe, %al\n"
	"	outb	%al, $0x64\n"
	"5:	hlt\n"
	"	jmp	5b\n"
	"other_kernel_end:\n"
	".popsection\n");

static void load_other(unsigned long at, unsigned long flags)
{
	struct {
		const void *buf;
		size_t bufsz;
		unsigned long mem;
		size_t memsz;
	} segment = {
		other_kernel, other_kernel_end - other_kernel, at, 4096,
	};

	if (syscall(SYS_kexec_load, at, 1L, &segment, flags))
		die("load another kernel");
	printf("start=%#lx\n", at);
	fflush(stdout);
}

static void do_kexec(void)
{
	load_other(128UL << 20, 0);
	reboot(RB_KEXEC);
	die("start another kernel");
}

/* For when this one crashes: into what was set aside for that at boot. */
static void do_kexec_crash(void)
{
	FILE *f = fopen("/proc/iomem", "r");
	unsigned long at = 0;
	char line[100];

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, ": Crash kernel"))
			at = strtoul(line, NULL, 16);
	}
	if (!at) {
		errno = ENOENT;
		die("find memory for another kernel");
	}
	load_other(at, KEXEC_ON_CRASH);
}

static const struct {
	const char *name;
	void (*func)(void);
} cases[] = {
	{ "traps",		do_traps },
	{ "faults",		do_faults },
	{ "kernel-fault",	do_kernel_fault },
	{ "killed",		do_killed },
	{ "spin",		do_spin },
	{ "event-fault",	do_event_fault },
	{ "kexec",		do_kexec },
	{ "kexec-crash",	do_kexec_crash },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2)
		return 1;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].func();
			return 0;
		}
	}
	printf("# no such case: %s\n", argv[1]);
	return 1;
}
