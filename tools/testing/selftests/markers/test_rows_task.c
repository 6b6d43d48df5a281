// SPDX-License-Identifier: GPL-2.0
/*
 * Changes what identifies a task, and prints what it was and is: "pid OLD NEW".
 * A change that the kernel refuses is an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void print(int pid, long old, long new)
{
	printf("%d %ld %ld\n", pid, old, new);
	fflush(stdout);
}

static int check(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		exit(1);
	}
	return ret;
}

/* Only the calls themselves, not what the C library adds for its threads. */
static void set_uid(unsigned int uid)
{
	unsigned int old = getuid();

	check(syscall(SYS_setresuid, uid, -1, -1), "setresuid");
	print(getpid(), old, getuid());
}

static void set_gid(unsigned int gid)
{
	unsigned int old = getgid();

	check(syscall(SYS_setresgid, gid, -1, -1), "setresgid");
	print(getpid(), old, getgid());
}

/* No change of the real ones. */
static void set_others(void)
{
	check(syscall(SYS_setresuid, -1, 1000, -1), "setresuid");
	check(syscall(SYS_setresuid, 0, 0, 0), "setresuid");
	check(syscall(SYS_setresgid, -1, 1000, -1), "setresgid");
	setfsgid(1000);
	print(getpid(), getuid(), getgid());
}

static void set_pgid(void)
{
	int old = getpgrp();

	check(setpgid(0, 0), "setpgid");
	print(getpid(), old, getpgrp());
	/* That changes nothing. */
	check(setpgid(0, 0), "setpgid");
}

/* The leader of a group cannot have a session of its own, so a child. */
static void set_sid(void)
{
	int pid = check(fork(), "fork");
	int old = getpgrp();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	check(setsid(), "setsid");
	print(getpid(), old, getpgrp());
}

static void *exec(void *name)
{
	print(gettid(), gettid(), getpid());
	execl(name, name, "nothing", NULL);
	perror(name);
	exit(1);
}

/* A thread that is not the leader goes on as the leader. */
static void exec_in_thread(char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec, name))
		exit(1);
	pthread_join(thread, NULL);
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int id = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "uid"))
		set_uid(id);
	else if (!strcmp(what, "gid"))
		set_gid(id);
	else if (!strcmp(what, "others"))
		set_others();
	else if (!strcmp(what, "pgid"))
		set_pgid();
	else if (!strcmp(what, "sid"))
		set_sid();
	else if (!strcmp(what, "exec"))
		exec_in_thread(argv[0]);
	else if (strcmp(what, "nothing"))
		return 2;
	return 0;
}
