// SPDX-License-Identifier: GPL-2.0
/*
 * Does what the markers of tasks, signals and timers are about, and tells in
 * assignments of the shell what it was that it did.
 *
 *	test_rows_sched CASE
 *
 * Exit status: 0, or 1 and a message when something could not be done.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest.h"

#define EVENTS		"/sys/kernel/tracing/events/markers/"
#define ROUNDS		5

/* What sigaction() of the C library adds to the flags. */
#ifdef __x86_64__
#define ADDED_FLAGS	0x04000000UL
#else
#define ADDED_FLAGS	0UL
#endif

static __noreturn void die(const char *what)
{
	printf("# cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

static pid_t gettid_raw(void)
{
	return syscall(SYS_gettid);
}

/* File @file of event @name gets what follows. */
static __printf(3, 4) void event(const char *name, const char *file,
				 const char *fmt, ...)
{
	char path[256];
	va_list args;
	FILE *f;

	snprintf(path, sizeof(path), EVENTS "%s/%s", name, file);
	f = fopen(path, "w");
	if (!f)
		die(path);
	va_start(args, fmt);
	vfprintf(f, fmt, args);
	va_end(args);
	if (fclose(f))
		die(path);
}

static void pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		die("set the affinity");
}

/* Waits until @pid sleeps. */
static void wait_asleep(pid_t pid)
{
	char path[64], state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		sched_yield();
		f = fopen(path, "r");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			die(path);
		fclose(f);
	} while (state != 'S');
}

static pid_t fork_or_die(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	return pid;
}

static void reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("wait");
}

/* A child that reads bytes until there is no writer any more, on @cpu. */
static pid_t start_reader(int fds[2], int cpu)
{
	char byte;
	pid_t pid;

	if (pipe(fds))
		die("make a pipe");
	pid = fork_or_die();
	if (pid)
		return pid;
	close(fds[1]);
	pin(0, cpu);
	while (read(fds[0], &byte, 1) == 1)
		;
	_exit(0);
}

/* === Signals ============================================================== */

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void change_mask(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	if (sigprocmask(how, &set, NULL))
		die("block a signal");
}

static void send_self(int sig)
{
	if (kill(getpid(), sig))
		die("send a signal");
}

/* Sent and handled, ignored, blocked, sent twice, and by a timer. */
static void do_signals(void)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART | SA_NODEFER,
	};
	struct sigevent sigev = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGRTMIN,
	};
	struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	sigset_t set;
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	signal(SIGUSR2, SIG_IGN);

	send_self(SIGUSR1);
	send_self(SIGUSR2);
	/* Those that are blocked are not thrown away. */
	change_mask(SIG_BLOCK, SIGUSR2);
	send_self(SIGUSR2);
	change_mask(SIG_UNBLOCK, SIGUSR2);
	change_mask(SIG_BLOCK, SIGWINCH);
	send_self(SIGWINCH);
	change_mask(SIG_UNBLOCK, SIGWINCH);
	/* One that is pending already is not queued again. */
	change_mask(SIG_BLOCK, SIGUSR1);
	send_self(SIGUSR1);
	send_self(SIGUSR1);
	change_mask(SIG_UNBLOCK, SIGUSR1);

	change_mask(SIG_BLOCK, SIGRTMIN);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	if (timer_create(CLOCK_MONOTONIC, &sigev, &timer) ||
	    timer_settime(timer, 0, &soon, NULL) ||
	    sigwaitinfo(&set, NULL) != SIGRTMIN)
		die("get a signal from a timer");
	timer_delete(timer);

	printf("pid=%d handled=%d handler=%lx flags=%lx\n", getpid(), handled,
	       (unsigned long)on_signal, action.sa_flags | ADDED_FLAGS);
}

/* One that kills another. */
static void do_killed(void)
{
	pid_t child = fork_or_die();

	if (!child) {
		for (;;)
			pause();
	}
	wait_asleep(child);
	if (kill(child, SIGKILL))
		die("kill");
	reap(child);
	printf("pid=%d child=%d\n", getpid(), child);
}

/* === Processes ============================================================ */

static void *in_thread(void *arg)
{
	*(pid_t *)arg = gettid_raw();
	return NULL;
}

static void do_fork(void)
{
	/* A flag above 32 bits, if there is such a call. */
	struct clone_args args = {
		.flags = CLONE_CLEAR_SIGHAND,
		.exit_signal = SIGCHLD,
	};
	pid_t forked, vforked, cloned, tid;
	pthread_t thread;

	fflush(stdout);
	forked = syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L);
	if (!forked)
		_exit(0);
	reap(forked);
	vforked = vfork();
	if (!vforked)
		_exit(0);
	reap(vforked);
	cloned = syscall(SYS_clone3, &args, sizeof(args));
	if (!cloned)
		_exit(0);
	reap(cloned);
	if (pthread_create(&thread, NULL, in_thread, &tid) ||
	    pthread_join(thread, NULL))
		die("make a thread");
	printf("pid=%d forked=%d vforked=%d cloned=%d tid=%d\n", getpid(),
	       forked, vforked, cloned, tid);
}

static char self[4096];

static void *exec_thread(void *arg)
{
	(void)arg;
	printf("tid=%d\n", gettid_raw());
	fflush(stdout);
	execl(self, self, "pid", NULL);
	die("execute");
}

static void do_exec(void)
{
	pthread_t thread;

	if (execl("/nowhere/to/be/found", "found", NULL) != -1 ||
	    execl("/proc/self/stat", "stat", NULL) != -1)
		die("fail");
	if (pthread_create(&thread, NULL, exec_thread, NULL))
		die("make a thread");
	pthread_join(thread, NULL);
}

static void do_pid(void)
{
	printf("pid=%d\n", getpid());
}

static void do_exits(void)
{
	pid_t exited, killed, tid;
	pthread_t thread;

	exited = fork_or_die();
	if (!exited)
		_exit(3);
	reap(exited);
	killed = fork_or_die();
	if (!killed) {
		for (;;)
			pause();
	}
	kill(killed, SIGKILL);
	reap(killed);
	if (pthread_create(&thread, NULL, in_thread, &tid) ||
	    pthread_join(thread, NULL))
		die("make a thread");
	printf("pid=%d exited=%d killed=%d tid=%d\n", getpid(), exited, killed,
	       tid);
	exit(0);
}

/* What a perf event of one task counts of its exit. */
static void do_perf_exit(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
	};
	uint64_t count;
	int fds[2], fd;
	pid_t child;
	FILE *f;
	int id;

	f = fopen(EVENTS "kernel_process_exit/id", "r");
	if (!f || fscanf(f, "%d", &id) != 1)
		die("read the id");
	attr.config = id;
	child = start_reader(fds, 0);
	fd = syscall(SYS_perf_event_open, &attr, child, -1, -1, 0);
	if (fd < 0)
		die("open the event");
	close(fds[0]);
	close(fds[1]);
	reap(child);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		die("read the event");
	printf("count=%llu\n", (unsigned long long)count);
}

static void do_wait(void)
{
	siginfo_t info;
	pid_t first, any, group;

	first = fork_or_die();
	if (!first)
		_exit(0);
	reap(first);
	any = fork_or_die();
	if (!any)
		_exit(0);
	if (wait(NULL) != any)
		die("wait for any");
	group = fork_or_die();
	if (!group) {
		for (;;)
			pause();
	}
	if (setpgid(group, group))
		die("make a process group");
	kill(group, SIGKILL);
	if (waitid(P_PGID, group, &info, WEXITED))
		die("wait for a group");
	printf("pid=%d first=%d group=%d\n", getpid(), first, group);
}

static void do_rename(void)
{
	prctl(PR_SET_NAME, "a name longer than fifteen");
	prctl(PR_SET_NAME, "short");
	printf("pid=%d\n", getpid());
}

/* === Scheduler ============================================================ */

/* Switches to something else, asleep. */
static void do_sleep(void)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	int i;

	event("kernel_sched_schedule", "filter", "prev_pid == %d", getpid());
	event("kernel_sched_schedule", "enable", "1");
	for (i = 0; i < ROUNDS; i++)
		nanosleep(&ms, NULL);
	event("kernel_sched_schedule", "enable", "0");
	printf("pid=%d rounds=%d\n", getpid(), ROUNDS);
}

/* Wakes a task that sleeps on the other CPU. */
static void do_wake(void)
{
	static const char * const names[] = {
		"kernel_sched_try_wakeup", "kernel_sched_wakeup",
	};
	unsigned int i;
	pid_t child;
	int fds[2];

	pin(0, 0);
	child = start_reader(fds, 1);
	wait_asleep(child);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		event(names[i], "filter", "pid == %d", child);
		event(names[i], "enable", "1");
	}
	for (i = 0; i < ROUNDS; i++) {
		if (write(fds[1], "", 1) != 1)
			die("write");
		wait_asleep(child);
	}
	for (i = 0; i < ARRAY_SIZE(names); i++)
		event(names[i], "enable", "0");
	close(fds[1]);
	reap(child);
	printf("pid=%d child=%d rounds=%d\n", getpid(), child, ROUNDS);
}

static void do_new(void)
{
	pid_t child;

	pin(0, 1);
	child = fork_or_die();
	if (!child)
		_exit(0);
	reap(child);
	printf("pid=%d child=%d\n", getpid(), child);
}

/* A tracer makes sure that what it traces does not run. */
static void do_ptrace(void)
{
	pid_t child;
	int i;

	child = fork_or_die();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	reap(child);
	/* From now on it is off its CPU. */
	ptrace(PTRACE_PEEKUSER, child, 0, NULL);
	event("kernel_sched_wait_task", "filter", "pid == %d", child);
	event("kernel_sched_wait_task", "enable", "1");
	for (i = 0; i < ROUNDS; i++) {
		errno = 0;
		ptrace(PTRACE_PEEKUSER, child, 0, NULL);
		if (errno)
			die("peek");
	}
	event("kernel_sched_wait_task", "enable", "0");
	kill(child, SIGKILL);
	reap(child);
	printf("pid=%d child=%d rounds=%d\n", getpid(), child, ROUNDS);
}

/* One task that runs, and one that sleeps. */
static void do_migrate(void)
{
	pid_t child;
	int fds[2];

	pin(0, 0);
	child = start_reader(fds, 0);
	wait_asleep(child);
	event("kernel_sched_migrate_task", "filter", "pid == %d || pid == %d",
	      getpid(), child);
	event("kernel_sched_migrate_task", "enable", "1");
	pin(child, 1);
	if (write(fds[1], "", 1) != 1)
		die("write");
	wait_asleep(child);
	pin(0, 1);
	pin(0, 0);
	event("kernel_sched_migrate_task", "enable", "0");
	close(fds[1]);
	reap(child);
	printf("pid=%d child=%d\n", getpid(), child);
}

/* === Timers =============================================================== */

/* Keeps each CPU busy for some ticks. */
static void do_burn(void)
{
	struct timespec begin, now;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		pin(0, cpu);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
		do {
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		} while ((now.tv_sec - begin.tv_sec) * 1000 +
			 (now.tv_nsec - begin.tv_nsec) / 1000000 < 100);
	}
}

static void set_itimer(int which, int sig, struct itimerval value)
{
	struct sigaction action = { .sa_handler = on_signal };

	handled = 0;
	sigaction(sig, &action, NULL);
	if (setitimer(which, &value, NULL))
		die("set a timer");
	while (!handled)
		;
}

static void do_itimer(void)
{
	struct itimerval value = { .it_value = { 0, 20003 } };
	struct itimerval off = { .it_value = { 0, 0 } };

	event("kernel_timer_itimer_expired", "filter", "pid == %d", getpid());
	event("kernel_timer_itimer_expired", "enable", "1");
	if (syscall(SYS_setitimer, 17, &value, NULL) != -1)
		die("fail");
	set_itimer(ITIMER_REAL, SIGALRM, value);
	set_itimer(ITIMER_VIRTUAL, SIGVTALRM, value);
	set_itimer(ITIMER_PROF, SIGPROF, value);
	value.it_interval.tv_sec = 77;
	value.it_interval.tv_usec = 400009;
	value.it_value.tv_sec = 99;
	setitimer(ITIMER_VIRTUAL, &value, NULL);
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	setitimer(ITIMER_REAL, &value, NULL);
	alarm(1000);
	alarm(0);
	event("kernel_timer_itimer_expired", "enable", "0");
	printf("pid=%d\n", getpid());
}

static const struct {
	const char *name;
	void (*func)(void);
} cases[] = {
	{ "signals",	do_signals },
	{ "killed",	do_killed },
	{ "fork",	do_fork },
	{ "exec",	do_exec },
	{ "pid",	do_pid },
	{ "exits",	do_exits },
	{ "perf-exit",	do_perf_exit },
	{ "wait",	do_wait },
	{ "rename",	do_rename },
	{ "sleep",	do_sleep },
	{ "wake",	do_wake },
	{ "new",	do_new },
	{ "ptrace",	do_ptrace },
	{ "migrate",	do_migrate },
	{ "burn",	do_burn },
	{ "itimer",	do_itimer },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2)
		return 1;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("read our path");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].func();
			return 0;
		}
	}
	printf("# no such case: %s\n", argv[1]);
	return 1;
}
