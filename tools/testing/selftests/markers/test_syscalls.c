// SPDX-License-Identifier: GPL-2.0
/*
 * Makes system calls, and compares them with what the module
 * test_markers_syscalls recorded of them.
 *
 *	test_syscalls CASE
 *
 * Each case is a program that a child runs in a process group of its own. The
 * child waits for its start in a read(), so that the handlers are attached in
 * the middle of a call: the exit of that is the first thing to be recorded.
 *
 * Exit status: 0 when all was as expected, else 1 and comments that say what was
 * not; 4 when the case cannot be shown here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest.h"
#include "test_syscalls.h"

#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU			31
#endif
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#define PR_SYS_DISPATCH_ON		1
#endif

#define RECORDS		"/proc/test_markers_syscalls"
#define PARAMETERS	"/sys/module/test_markers_syscalls/parameters/"

#define X32_BIT		0x40000000
#define RAW_FORK	57
#define RAW_RESTART	219

/* What the kernel keeps to itself, but an exit has. */
#define ERESTARTSYS		512
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516

/* Where the 32-bit program is. */
static const char *program, *program32;

static int wrong;

static __printf(1, 2) void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	wrong++;
}

static __noreturn void die(const char *what)
{
	printf("# cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

/* === Calls ================================================================ */

asm("	.text\n"
"	.globl raw_call, int80_call, after_call, after_int80\n"
"	.type raw_call, @function\n"
"raw_call:\n"
"	mov	%rdi, %rax\n"
"	mov	%rsi, %rdi\n"
"	mov	%rdx, %rsi\n"
"	mov	%rcx, %rdx\n"
"	mov	%r8, %r10\n"
"	mov	%r9, %r8\n"
"	mov	8(%rsp), %r9\n"
"	syscall\n"
"after_call:\n"
"	ret\n"
"	.type int80_call, @function\n"
"int80_call:\n"
"	push	%rbx\n"
"	push	%rbp\n"
"	mov	(%rdi), %rax\n"
"	mov	8(%rdi), %rbx\n"
"	mov	16(%rdi), %rcx\n"
"	mov	24(%rdi), %rdx\n"
"	mov	32(%rdi), %rsi\n"
"	mov	48(%rdi), %rbp\n"
"	mov	40(%rdi), %rdi\n"
"	int	$0x80\n"
"after_int80:\n"
"	pop	%rbp\n"
"	pop	%rbx\n"
"	ret\n"
);

static long call6(long number, const unsigned long a[6])
{
	return raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define call0(nr)	raw_call(nr, 0L, 0L, 0L, 0L, 0L, 0L)
#define call1(nr, a)	raw_call(nr, (long)(a), 0L, 0L, 0L, 0L, 0L)
#define call2(nr, a, b)	raw_call(nr, (long)(a), (long)(b), 0L, 0L, 0L, 0L)
#define call3(nr, a, b, c) \
	raw_call(nr, (long)(a), (long)(b), (long)(c), 0L, 0L, 0L)

static __noreturn void quit(void)
{
	for (;;)
		call1(SYS_exit_group, 0);
}

/* === The module =========================================================== */

static void put(const char *path, const char *value)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		die(path);
}

static void set(const char *parameter, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), PARAMETERS "%s", parameter);
	put(path, value);
}

static void set_number(const char *parameter, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	set(parameter, text);
}

struct record {
	bool		entry;
	int		pid;
	long		number;
	unsigned int	arch;		/* of an entry, as ip and args */
	unsigned long	ip;
	unsigned long	args[6];
	unsigned int	success;	/* of an exit, as ret */
	long		ret;
};

static struct record records[8192];
static int nr_records;

static bool parse(const char *line, struct record *r)
{
	unsigned long *a = r->args;

	memset(r, 0, sizeof(*r));
	if (sscanf(line, "exit %d %ld %u %ld", &r->pid, &r->number, &r->success,
		   &r->ret) == 4)
		return true;
	r->entry = true;
	return sscanf(line, "entry %d %ld %x %lx %lx %lx %lx %lx %lx %lx",
		      &r->pid, &r->number, &r->arch, &r->ip, &a[0], &a[1],
		      &a[2], &a[3], &a[4], &a[5]) == 10;
}

static void read_records(void)
{
	FILE *f = fopen(RECORDS, "r");
	unsigned long lost;
	char line[256];

	if (!f || !fgets(line, sizeof(line), f) ||
	    sscanf(line, "lost %lu", &lost) != 1)
		die("read " RECORDS);
	if (lost)
		fail("%lu records lost", lost);
	nr_records = 0;
	while (fgets(line, sizeof(line), f)) {
		if (!parse(line, &records[nr_records]))
			die("parse " RECORDS);
		nr_records++;
	}
	fclose(f);
}

/* === A child and what is recorded of it =================================== */

enum {
	ENTRY = 1,
	EXIT = 2,
	BOTH = ENTRY | EXIT,
};

static pid_t child;
static int gate[2];

/* The state of a task, as in /proc: S is asleep. */
static char state_of(pid_t pid)
{
	char path[64], line[512], *s = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		s = strrchr(line, ')');
	fclose(f);
	return s ? s[2] : 0;
}

static void wait_asleep(pid_t pid)
{
	int tries;

	for (tries = 0; tries < 5000; tries++) {
		if (state_of(pid) == 'S')
			return;
		usleep(1000);
	}
	die("see the child go to sleep");
}

static void start_child(void (*run)(void))
{
	char c;

	if (pipe(gate))
		die("make a pipe");
	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		setpgid(0, 0);
		close(gate[1]);
		call3(SYS_read, gate[0], &c, 1);
		run();
		quit();
	}
	close(gate[0]);
	wait_asleep(child);
	set_number("pgrp", child);
	put(RECORDS, "\n");
}

static void attach(int what)
{
	if (what & ENTRY)
		set("entry", "Y");
	if (what & EXIT)
		set("exit", "Y");
}

static void detach(void)
{
	set("entry", "N");
	set("exit", "N");
}

static void release_child(void)
{
	close(gate[1]);
}

static void end_child(void)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		;
	/* Who was forked by the child is ours now. */
	while (waitpid(-child, &status, 0) > 0)
		;
	detach();
	read_records();
}

/* Runs @run in a child and leaves what was recorded of it in @records. */
static void record(void (*run)(void), int what)
{
	start_child(run);
	attach(what);
	release_child();
	end_child();
}

/* === Expectations ========================================================= */

static int at;

static void show(const char *why, const struct record *r)
{
	if (r >= records + nr_records)
		fail("%s: there is nothing more", why);
	else if (r->entry)
		fail("%s: %d is entry pid %d number %ld arch %x ip %lx, %lx %lx %lx %lx %lx %lx",
		     why, (int)(r - records), r->pid, r->number, r->arch,
		     r->ip, r->args[0], r->args[1], r->args[2], r->args[3],
		     r->args[4], r->args[5]);
	else
		fail("%s: record %d is exit pid %d number %ld success %u ret %ld",
		     why, (int)(r - records), r->pid, r->number, r->success,
		     r->ret);
}

/* The next record is an entry of that call; NULL if not. */
static const struct record *expect_entry(long number, unsigned int arch)
{
	const struct record *r = &records[at++];
	char why[80];

	if (r < records + nr_records && r->entry && r->number == number &&
	    r->arch == arch && r->ip)
		return r;
	snprintf(why, sizeof(why), "instead of the entry of %ld", number);
	show(why, r);
	return NULL;
}

static void expect_entry_with(long number, unsigned int arch,
			      const unsigned long args[6])
{
	const struct record *r = expect_entry(number, arch);

	if (r && memcmp(r->args, args, sizeof(r->args)))
		show("not the arguments", r);
}

/* The next record is an exit of that call; NULL if not. */
static const struct record *expect_exit(long number)
{
	const struct record *r = &records[at++];
	char why[80];

	if (r < records + nr_records && !r->entry && r->number == number) {
		if (r->success != !(r->ret < 0 && r->ret >= -4095))
			show("success and value do not fit", r);
		return r;
	}
	snprintf(why, sizeof(why), "instead of the exit of %ld", number);
	show(why, r);
	return NULL;
}

static const struct record *expect_exit_with(long number, long ret)
{
	const struct record *r = expect_exit(number);

	if (r && r->ret != ret) {
		char why[80];

		snprintf(why, sizeof(why), "not the value %ld", ret);
		show(why, r);
	}
	return r;
}

static void expect_both(long number, unsigned int arch, long ret)
{
	expect_entry(number, arch);
	expect_exit_with(number, ret);
}

static void expect_both64(long number, long ret)
{
	expect_both(number, AUDIT_ARCH_X86_64, ret);
}

/* The handlers were attached while the child waited. */
static void begin(int what)
{
	at = 0;
	if (what & EXIT)
		expect_exit_with(SYS_read, 0);
}

/* exit_group() comes in, and never out. */
static void end(int what)
{
	if (what & ENTRY)
		expect_entry(SYS_exit_group, AUDIT_ARCH_X86_64);
	if (at < nr_records)
		show("nothing more was expected", &records[at]);
}

/* Moves the records of @pid to the front, in their order. */
static void only(pid_t pid)
{
	int i, n = 0;

	for (i = 0; i < nr_records; i++) {
		if (records[i].pid == pid)
			records[n++] = records[i];
	}
	nr_records = n;
	at = 0;
}

/* === Cases: values ======================================================== */

static const unsigned long args64[6] = {
	0xfedcba9876543210, 0x8000000000000000, -1UL,
	0x123456789, 0x7fffffffffffffff, 0xcafef00dbeef,
};

static void do_values(void)
{
	call6(CALL_NONE, args64);
	call0(SYS_getppid);
	call1(SYS_close, -1);
	raw_call(SYS_mmap, 0L, 4096L, (long)PROT_READ,
		 (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
}

static void check_values(int what)
{
	const struct record *r;

	begin(what);
	if (what & ENTRY) {
		if (at < nr_records && records[at].ip != (unsigned long)after_call)
			show("not the address of the call", &records[at]);
		expect_entry_with(CALL_NONE, AUDIT_ARCH_X86_64, args64);
	}
	if (what & EXIT)
		expect_exit_with(CALL_NONE, -ENOSYS);
	if (what & ENTRY)
		expect_entry(SYS_getppid, AUDIT_ARCH_X86_64);
	if (what & EXIT)
		expect_exit_with(SYS_getppid, getpid());
	if (what & ENTRY)
		expect_entry(SYS_close, AUDIT_ARCH_X86_64);
	if (what & EXIT)
		expect_exit_with(SYS_close, -EBADF);
	if (what & ENTRY)
		expect_entry(SYS_mmap, AUDIT_ARCH_X86_64);
	if (what & EXIT) {
		r = expect_exit(SYS_mmap);
		if (r && r->ret < 1L << 32)
			show("no address", r);
	}
	end(what);
}

static void test_values(void)
{
	record(do_values, BOTH);
	check_values(BOTH);
}

static void test_entry_only(void)
{
	record(do_values, ENTRY);
	check_values(ENTRY);
}

static void test_exit_only(void)
{
	record(do_values, EXIT);
	check_values(EXIT);
}

/* What a user may put into the register, of which 32 bits count. */
static const struct {
	long	passed;
	long	number;
} numbers[] = {
	{ -1, -1 },
	{ -4096, -4096 },
	{ 512, 512 },			/* x32 has it, with its bit only */
	{ 100000, 100000 },
	{ 0x7fffffff, 0x7fffffff },
	{ 0x80000000, -0x80000000L },
	{ 0x100000000 + CALL_NONE, CALL_NONE },
	{ X32_BIT + CALL_NONE, X32_BIT + CALL_NONE },
};

static void do_numbers(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		call0(numbers[i].passed);
	/* With x32 this is its read(), else none. */
	call3(X32_BIT, -1, 0, 0);
}

static void test_numbers(void)
{
	const struct record *r;
	unsigned int i;

	record(do_numbers, BOTH);
	begin(BOTH);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		expect_both64(numbers[i].number, -ENOSYS);
	expect_entry(X32_BIT, AUDIT_ARCH_X86_64);
	r = expect_exit(X32_BIT);
	if (r && r->ret != -ENOSYS && r->ret != -EBADF)
		show("not the value", r);
	end(BOTH);
}

static void do_x32(void)
{
	call0(X32_BIT + SYS_getpid);
}

static void test_x32(void)
{
	if (call0(X32_BIT + SYS_getpid) == -ENOSYS) {
		printf("# no x32 here\n");
		exit(KSFT_SKIP);
	}
	record(do_x32, BOTH);
	begin(BOTH);
	expect_both64(X32_BIT + SYS_getpid, child);
	end(BOTH);
}

/* === Cases: 32 bits ======================================================= */

static const long int80_none[7] = {
	CALL_NONE | 0xabcd00000000, 0xffffffff81020304, 0x1234567882030405,
	0x7fffffff83040506, 0x100000000, -1, 0xdeadbeef00000005,
};

static void do_int80(void)
{
	static const long getpid_regs[7] = { NR32_GETPID };
	static const long close_regs[7] = { NR32_CLOSE, -1 };

	int80_call(int80_none);
	int80_call(getpid_regs);
	int80_call(close_regs);
	call0(SYS_getpid);
}

/* The upper halves are nothing that a 32-bit call looks at. */
static void test_int80(void)
{
	unsigned long args[6];
	int i;

	for (i = 0; i < 6; i++)
		args[i] = (uint32_t)int80_none[i + 1];
	record(do_int80, BOTH);
	begin(BOTH);
	if (at < nr_records && records[at].ip != (unsigned long)after_int80)
		show("not the address of the call", &records[at]);
	expect_entry_with(CALL_NONE, AUDIT_ARCH_I386, args);
	expect_exit_with(CALL_NONE, -ENOSYS);
	expect_both(NR32_GETPID, AUDIT_ARCH_I386, child);
	expect_both(NR32_CLOSE, AUDIT_ARCH_I386, -EBADF);
	expect_both64(SYS_getpid, child);
	end(BOTH);
}

static void do_exec32(void)
{
	const char * const argv[] = { program32, program, "noop", NULL };
	const char * const envp[] = { NULL };

	call3(SYS_execve, program32, argv, envp);
}

static void calls32(pid_t pid)
{
	static const unsigned long args[6] = {
		ARG32(0), ARG32(1), ARG32(2), ARG32(3), ARG32(4), ARG32(5),
	};
	const struct record *r;

	expect_entry_with(CALL_NONE, AUDIT_ARCH_I386, args);
	expect_exit_with(CALL_NONE, -ENOSYS);
	expect_both(NR32_GETPID, AUDIT_ARCH_I386, pid);
	expect_entry_with(NR32_CLOSE, AUDIT_ARCH_I386,
			  (const unsigned long [6]) { 0xffffffff });
	expect_exit_with(NR32_CLOSE, -EBADF);
	expect_entry(NR32_BRK, AUDIT_ARCH_I386);
	r = expect_exit(NR32_BRK);
	if (r && (r->ret <= 0 || r->ret >= 1L << 32))
		show("no 32-bit address", r);
	expect_both(NR32_CLOCK_NANOSLEEP, AUDIT_ARCH_I386, 0);
	expect_both(NR32_SOCKETCALL, AUDIT_ARCH_I386, -EBADF);
}

/* The fast entry that this processor has for 32-bit programs. */
static enum fast_entry processor_entry(void)
{
	char line[512];
	enum fast_entry entry = ENTRY_NONE;
	FILE *f = fopen("/proc/cpuinfo", "r");

	if (!f)
		die("read /proc/cpuinfo");
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "vendor_id", 9))
			continue;
		entry = strstr(line, "AMD") || strstr(line, "Hygon") ?
			ENTRY_SYSCALL : ENTRY_SYSENTER;
	}
	fclose(f);
	return entry;
}

/* Task @pid executes the 32-bit program, and that one a 64-bit program. */
static void both_execs(pid_t pid)
{
	const struct record *r;

	/* The exit of an execve() has the number of the new image. */
	expect_entry(SYS_execve, AUDIT_ARCH_X86_64);
	expect_exit_with(NR32_EXECVE, 0);

	r = expect_entry(CALL_FAST_ENTRY, AUDIT_ARCH_I386);
	expect_exit_with(CALL_FAST_ENTRY, -ENOSYS);
	if (r && r->args[0] != processor_entry())
		fail("the fast entry is %lu, not %u", r->args[0],
		     processor_entry());
	if (r)
		printf("# int 0x80 and %s\n",
		       r->args[0] == ENTRY_SYSENTER ? "sysenter" : "syscall");
	calls32(pid);
	calls32(pid);

	expect_entry(NR32_EXECVE, AUDIT_ARCH_I386);
	expect_exit_with(SYS_execve, 0);

	/* The C library is on its way. */
	while (at < nr_records && records[at].number != CALL_NOOP) {
		if (records[at].entry && records[at].arch != AUDIT_ARCH_X86_64)
			show("not a 64-bit call", &records[at]);
		at++;
	}
	expect_both64(CALL_NOOP, -ENOSYS);
	end(BOTH);
}

static void test_exec32(void)
{
	record(do_exec32, BOTH);
	begin(BOTH);
	both_execs(child);
}

/* === Cases: new tasks ===================================================== */

static void do_fork(void)
{
	call0(SYS_getpid);
	if (call0(RAW_FORK) == 0) {
		call0(SYS_getppid);
		quit();
	}
}

/* The call by which the child made another task; its pid. */
static pid_t made_by(long number)
{
	int i;

	for (i = 0; i < nr_records; i++) {
		const struct record *r = &records[i];

		if (r->pid == child && !r->entry && r->number == number)
			return r->ret;
	}
	fail("the child made no task by %ld", number);
	return -1;
}

/* A forked child comes out of a call that it did not go into. */
static void test_fork(void)
{
	static struct record all[64];
	int nr_all;
	pid_t forked;

	record(do_fork, BOTH);
	nr_all = nr_records;
	memcpy(all, records, sizeof(all));
	forked = made_by(RAW_FORK);

	only(child);
	begin(BOTH);
	expect_both64(SYS_getpid, child);
	expect_both64(RAW_FORK, forked);
	end(BOTH);

	memcpy(records, all, sizeof(all));
	nr_records = nr_all;
	only(forked);
	expect_exit_with(RAW_FORK, 0);
	expect_entry(SYS_getppid, AUDIT_ARCH_X86_64);
	expect_exit(SYS_getppid);
	end(BOTH);
}

static void do_vfork(void)
{
	const char * const argv[] = { program32, program, "noop", NULL };
	const char * const envp[] = { NULL };

	if (!vfork()) {
		call3(SYS_execve, program32, argv, envp);
		quit();
	}
}

/* The first thing of the new task is the exit of the call that made it. */
static void test_vfork(void)
{
	pid_t forked;

	record(do_vfork, BOTH);
	forked = made_by(SYS_vfork);
	only(forked);
	expect_exit_with(SYS_vfork, 0);
	both_execs(forked);
}

static void *thread(void *unused)
{
	call0(CALL_NOOP);
	return unused;
}

static void do_thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, NULL))
		_exit(1);
	pthread_join(id, NULL);
}

static void test_thread(void)
{
	int i, n = 0;

	record(do_thread, BOTH);
	for (i = 0; i < nr_records; i++) {
		if (records[i].number == CALL_NOOP && records[i].pid != child)
			n++;
	}
	if (n != 2)
		fail("%d records of the thread's call, expected 2", n);
}

/* A kernel thread that is there when the handler comes, and then execs. */
static void test_helper(void)
{
	char command[512];
	int i, n = 0;

	set_number("pgrp", 0);
	set_number("number", CALL_NOOP);
	put(RECORDS, "\n");
	snprintf(command, sizeof(command), "%s noop", program);
	set("helper", command);
	detach();
	set_number("number", 0);
	read_records();
	for (i = 0; i < nr_records; i++) {
		if (records[i].entry && records[i].number == CALL_NOOP &&
		    records[i].arch == AUDIT_ARCH_X86_64)
			n++;
	}
	if (n != 1)
		fail("%d calls of the helper were recorded, expected 1", n);
}

/* === Cases: calls denied and changed ====================================== */

static void do_seccomp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, filter };

	call2(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
	call3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	call0(SYS_getppid);
	call0(SYS_getpid);
}

static void test_seccomp(void)
{
	record(do_seccomp, BOTH);
	begin(BOTH);
	expect_both64(SYS_prctl, 0);
	expect_both64(SYS_prctl, 0);
	expect_exit_with(SYS_getppid, -EACCES);
	expect_both64(SYS_getpid, child);
	end(BOTH);
}

/* Runs the child as its tracer, until it comes to a call with that number. */
static void trace_until(long number, struct user_regs_struct *regs)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, child, 0, 0) ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
		    ptrace(PTRACE_GETREGS, child, 0, regs))
			die("trace the child");
		if (WSTOPSIG(status) == (SIGTRAP | 0x80) &&
		    (int)regs->orig_rax == number)
			return;
	}
}

static void be_traced(void)
{
	if (ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, child, 0, 0))
		die("trace the child");
	while (state_of(child) != 't')
		usleep(1000);
	waitpid(child, NULL, 0);
}

static const long poked[7] = { CALL_NONE - 1 };

static void do_traced(void)
{
	raw_call(CALL_NONE, 1L, 2L, 3L, 4L, 5L, 6L);
	call0(CALL_NOOP);
	int80_call(poked);
	call0(SYS_getpid);
	call0(SYS_getppid);
}

static void test_ptrace(void)
{
	struct user_regs_struct regs;

	start_child(do_traced);
	be_traced();
	attach(BOTH);
	release_child();

	/* Another call, with another argument. */
	trace_until(CALL_NONE, &regs);
	regs.orig_rax = SYS_close;
	regs.rdi = -1;
	ptrace(PTRACE_SETREGS, child, 0, &regs);

	/* None. */
	trace_until(CALL_NOOP, &regs);
	regs.orig_rax = -1;
	regs.rax = -EPERM;
	ptrace(PTRACE_SETREGS, child, 0, &regs);

	/* None for 32 bits, with an error that has no sign in 64. */
	trace_until(poked[0], &regs);
	regs.orig_rax = -1;
	regs.rax = (uint32_t)-EPERM;
	ptrace(PTRACE_SETREGS, child, 0, &regs);

	/* The tracer makes the call: it never gets in. */
	trace_until(SYS_getpid, &regs);		/* entry */
	trace_until(SYS_getpid, &regs);		/* exit */
	if (ptrace(PTRACE_SYSEMU, child, 0, 0))
		die("trace the child");
	waitpid(child, NULL, 0);
	if (ptrace(PTRACE_DETACH, child, 0, 0))
		die("let the child go");
	end_child();

	at = 0;
	/* The read() that the tracer interrupted is begun anew. */
	while (at < nr_records && records[at].number != SYS_close)
		at++;
	expect_entry_with(SYS_close, AUDIT_ARCH_X86_64,
			  (const unsigned long [6]) { -1UL, 2, 3, 4, 5, 6 });
	expect_exit_with(SYS_close, -EBADF);
	expect_both64(-1, -EPERM);
	expect_both(-1, AUDIT_ARCH_I386, -EPERM);
	expect_both64(SYS_getpid, child);
	expect_exit_with(SYS_getppid, -ENOSYS);
	end(BOTH);
}

static void do_none(void)
{
	call0(CALL_NONE);
}

/* A probe of sys_enter changes the number, before our function or behind it. */
static void test_changed(void)
{
	char change[32];

	int first;

	snprintf(change, sizeof(change), "%d,%d", CALL_NONE, SYS_getpid);
	for (first = 1; first >= 0; first--) {
		start_child(do_none);
		if (first)
			set("change", change);
		attach(BOTH);
		if (!first)
			set("change", change);
		release_child();
		end_child();
		set("change", "0,0");
		begin(BOTH);
		expect_both64(SYS_getpid, child);
		end(BOTH);
	}
}

static char selector;

static void on_sigsys(int sig)
{
	(void)sig;
	selector = 0;
}

static void do_dispatch(void)
{
	signal(SIGSYS, on_sigsys);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0,
		  &selector))
		quit();
	selector = 1;
	call0(CALL_NONE);
	call0(SYS_getpid);
}

/* A call that user dispatch turns into a signal is none at all. */
static void test_dispatch(void)
{
	record(do_dispatch, BOTH);
	begin(BOTH);
	expect_both64(SYS_rt_sigaction, 0);
	expect_both64(SYS_prctl, 0);
	expect_entry(SYS_rt_sigreturn, AUDIT_ARCH_X86_64);
	expect_exit(-1);
	expect_both64(SYS_getpid, child);
	end(BOTH);
}

/* === Cases: signals ======================================================= */

static void do_sleep(void)
{
	struct timespec half = { 0, 500000000 };

	call2(SYS_nanosleep, &half, 0);
}

/* A sleep that a stop interrupts goes on as restart_syscall(). */
static void test_restart_block(void)
{
	start_child(do_sleep);
	attach(BOTH);
	release_child();
	usleep(100000);
	wait_asleep(child);
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	kill(child, SIGCONT);
	end_child();
	begin(BOTH);
	expect_both64(SYS_nanosleep, -ERESTART_RESTARTBLOCK);
	expect_both64(RAW_RESTART, 0);
	end(BOTH);
}

static int again[2];

static void on_signal(int sig)
{
	(void)sig;
}

static void do_interrupted(void)
{
	char c;

	call3(SYS_read, again[0], &c, 1);
}

/* A read that a handler interrupts is made anew. */
static void test_restart_handler(void)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART,
	};

	if (pipe(again) || sigaction(SIGUSR1, &action, NULL))
		die("make a pipe");
	start_child(do_interrupted);
	attach(BOTH);
	release_child();
	usleep(100000);
	wait_asleep(child);
	kill(child, SIGUSR1);
	usleep(100000);
	wait_asleep(child);
	if (write(again[1], "x", 1) != 1)
		die("write");
	end_child();
	begin(BOTH);
	expect_both64(SYS_read, -ERESTARTSYS);
	/* A return from a handler has no number any more. */
	expect_entry(SYS_rt_sigreturn, AUDIT_ARCH_X86_64);
	expect_exit(-1);
	expect_both64(SYS_read, 1);
	end(BOTH);
}

static void do_pause(void)
{
	call0(SYS_pause);
}

/* The exit comes before the signal is looked at, also before one that kills. */
static void test_killed(void)
{
	start_child(do_pause);
	attach(BOTH);
	release_child();
	usleep(100000);
	wait_asleep(child);
	kill(child, SIGKILL);
	end_child();
	begin(BOTH);
	expect_both64(SYS_pause, -ERESTARTNOHAND);
	end(0);
}

/* === Cases: the work flag ================================================= */

static void get_flags(int *with, int *without)
{
	FILE *f = fopen(PARAMETERS "flags", "r");

	if (!f || fscanf(f, "%d %d", with, without) != 2)
		die("read the flags");
	fclose(f);
}

/* All tasks have the work flag, or none. */
static void expect_flags(bool all, const char *when)
{
	int with, without;

	get_flags(&with, &without);
	if (all ? without : with)
		fail("%s: %d tasks have the work flag and %d have not", when,
		     with, without);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static pid_t background(void (*job)(void), int cpu)
{
	cpu_set_t set;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;)
		job();
}

static void end_background(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void fork_job(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	do_thread();
	waitpid(pid, NULL, 0);
}

static void entry_job(void)
{
	set("entry", "Y");
	set("entry", "N");
}

static void exit_job(void)
{
	set("exit", "Y");
	set("exit", "N");
}

#define TRACEPOINT "/sys/kernel/tracing/events/raw_syscalls/sys_exit/enable"

/* @stormy: tasks are forked all the while. */
static void flags_in_all_states(const char *stormy)
{
	char when[80];
	int i;

	for (i = 0; i < 8; i++) {
		int what = i & BOTH;
		bool tracepoint = i & 4;

		put(TRACEPOINT, tracepoint ? "1" : "0");
		attach(what);
		snprintf(when, sizeof(when), "%s, entry %d exit %d tracepoint %d",
			 stormy, !!(what & ENTRY), !!(what & EXIT), tracepoint);
		expect_flags(i != 0, when);
		detach();
		expect_flags(tracepoint, "markers detached");
		attach(what);
		put(TRACEPOINT, "0");
		expect_flags(what, "tracepoint off");
		detach();
		expect_flags(false, "all off");
	}
}

static void test_flags(void)
{
	pid_t forkers[2], togglers[2];
	double end;
	int i;

	flags_in_all_states("quiet");

	for (i = 0; i < 2; i++)
		forkers[i] = background(fork_job, i);
	flags_in_all_states("stormy");

	togglers[0] = background(entry_job, 0);
	togglers[1] = background(exit_job, 1);
	for (end = now() + 5; now() < end; )
		fork_job();
	for (i = 0; i < 2; i++)
		end_background(togglers[i]);
	detach();
	expect_flags(false, "after arming and disarming");
	attach(BOTH);
	expect_flags(true, "and armed again");
	for (i = 0; i < 2; i++)
		end_background(forkers[i]);
	expect_flags(true, "and quiet");
	detach();
	expect_flags(false, "and disarmed");
}

/* ========================================================================== */

static const struct {
	const char	*name;
	void		(*run)(void);
} cases[] = {
	{ "values", test_values },
	{ "entry-only", test_entry_only },
	{ "exit-only", test_exit_only },
	{ "numbers", test_numbers },
	{ "x32", test_x32 },
	{ "int80", test_int80 },
	{ "exec32", test_exec32 },
	{ "fork", test_fork },
	{ "vfork", test_vfork },
	{ "thread", test_thread },
	{ "helper", test_helper },
	{ "seccomp", test_seccomp },
	{ "ptrace", test_ptrace },
	{ "changed", test_changed },
	{ "dispatch", test_dispatch },
	{ "restart-block", test_restart_block },
	{ "restart-handler", test_restart_handler },
	{ "killed", test_killed },
	{ "flags", test_flags },
};

int main(int argc, char **argv)
{
	static char path32[512];
	unsigned int i;

	if (argc == 2 && !strcmp(argv[1], "noop")) {
		call0(CALL_NOOP);
		quit();
	}

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		die("become a subreaper");
	program = argv[0];
	snprintf(path32, sizeof(path32), "%s32", argv[0]);
	program32 = path32;
	for (i = 0; argc == 2 && i < ARRAY_SIZE(cases); i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		cases[i].run();
		return wrong ? 1 : 0;
	}
	fprintf(stderr, "usage: %s CASE, one of:\n", argv[0]);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		fprintf(stderr, "\t%s\n", cases[i].name);
	return 2;
}
