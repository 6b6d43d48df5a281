// SPDX-License-Identifier: GPL-2.0
/*
 * Does in the kernel what the markers of tasks and timers are about, and tells
 * what their records should be.
 *
 * call		what to do, one of the names in the table at the end
 * log		for each record that the last call should have made the name of
 *		the marker and the text, in lines
 * jiffies	as they are now
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>

static char log[2048];
static int log_len;

static __printf(1, 2) void tell(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_len += vscnprintf(log + log_len, sizeof(log) - log_len, fmt, args);
	va_end(args);
}

/* === Tasks ================================================================ */

static DECLARE_COMPLETION(reached);
static bool woken;

static int test_rows_thread(void *arg)
{
	complete(&reached);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 1234;
}

static void stopped(struct task_struct *task)
{
	pid_t pid = task->pid;

	tell("kernel_kthread_create fn %pS pid %d\n", test_rows_thread, pid);
	tell("kernel_kthread_stop pid %d\n", pid);
	tell("kernel_kthread_stop_ret ret %d\n", kthread_stop(task));
}

/* One that runs, and one that never did. */
static int do_kthread(void)
{
	struct task_struct *task;

	reinit_completion(&reached);
	task = kthread_run(test_rows_thread, NULL, "test_rows");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&reached);
	stopped(task);
	task = kthread_create(test_rows_thread, NULL, "test_rows");
	if (IS_ERR(task))
		return PTR_ERR(task);
	stopped(task);
	return 0;
}

/* Wakes itself, and tries again when there is nothing to wake. */
static int do_wake_self(void)
{
	preempt_disable();
	set_current_state(TASK_UNINTERRUPTIBLE);
	tell("kernel_sched_try_wakeup pid %d cpu_id %u state %d\n",
	     current->pid, smp_processor_id(), TASK_UNINTERRUPTIBLE);
	wake_up_process(current);
	wake_up_process(current);
	preempt_enable();
	return 0;
}

/* Is about to sleep, and never does. */
static int spin(void *arg)
{
	set_current_state(TASK_INTERRUPTIBLE);
	/* Whoever sees it sees our state, too. */
	smp_store_release((bool *)arg, true);
	while (!READ_ONCE(woken))
		cpu_relax();
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Wakes one that is on its CPU still. */
static int do_wake_running(void)
{
	struct task_struct *task;
	bool ready = false;
	unsigned int cpu;

	woken = false;
	task = kthread_create(spin, &ready, "test_rows");
	if (IS_ERR(task))
		return PTR_ERR(task);
	cpu = cpumask_any_but(cpu_online_mask, get_cpu());
	put_cpu();
	if (cpu >= nr_cpu_ids) {
		kthread_stop(task);
		return -ENODEV;
	}
	kthread_bind(task, cpu);
	wake_up_process(task);
	/* Pairs with the release in spin(). */
	while (!smp_load_acquire(&ready))
		schedule_timeout_uninterruptible(1);
	tell("kernel_sched_try_wakeup pid %d cpu_id %u state %d\n", task->pid,
	     cpu, TASK_INTERRUPTIBLE);
	tell("kernel_sched_wakeup pid %d cpu_id %u\n", task->pid, cpu);
	wake_up_process(task);
	WRITE_ONCE(woken, true);
	kthread_stop(task);
	return 0;
}

/* === Timers =============================================================== */

static struct timer_list timer;
static struct hrtimer hrtimer;
static unsigned int restarts;

static void test_rows_timer(struct timer_list *unused)
{
	complete(&reached);
}

static void tell_set(const char *how, int cpu)
{
	if (cpu >= 0)
		tell("kernel_timer_set timer %p expires %lu function %pS cpu %u flags %x\n",
		     &timer, timer.expires, timer.function, cpu, timer.flags);
	if (!strcmp(how, "mod"))
		tell("kernel_timer_mod timer %p expires %lu\n", &timer,
		     timer.expires);
}

static void tell_del(void)
{
	tell("kernel_timer_del timer %p\n", &timer);
}

/* Armed, changed in all ways and removed in all ways; it never expires. */
static int do_timer(void)
{
	/* Hours away, where a bucket is some minutes wide. */
	unsigned long later = (jiffies & ~0xfffffUL) + 0x480000;
	int cpu;

	timer_setup(&timer, test_rows_timer, TIMER_PINNED);
	preempt_disable();
	cpu = smp_processor_id();
	mod_timer(&timer, later);
	tell_set("add", cpu);
	/* Nothing to change. */
	mod_timer(&timer, later);
	timer_reduce(&timer, later + 1);
	/* Same bucket. */
	mod_timer(&timer, later + 1);
	tell_set("mod", -1);
	timer_reduce(&timer, later);
	tell_set("mod", -1);
	/* Another one. */
	mod_timer(&timer, later + 0x4000000);
	tell_set("mod", cpu);
	mod_timer_pending(&timer, later);
	tell_set("mod", cpu);
	timer_delete(&timer);
	tell_del();
	/* It is not pending any more. */
	timer_delete(&timer);
	mod_timer_pending(&timer, later);
	timer.expires = later + 0x4000000;
	add_timer(&timer);
	tell_set("add", cpu);
	preempt_enable();
	timer_delete_sync(&timer);
	tell_del();
	timer_delete_sync(&timer);
	timer.expires = later;
	cpu = cpumask_last(cpu_online_mask);
	add_timer_on(&timer, cpu);
	tell_set("add", cpu);
	timer_shutdown_sync(&timer);
	tell_del();
	mod_timer(&timer, later);
	return 0;
}

static int do_expire(void)
{
	reinit_completion(&reached);
	timer_setup(&timer, test_rows_timer, 0);
	mod_timer(&timer, jiffies + 2);
	wait_for_completion(&reached);
	timer_shutdown_sync(&timer);
	tell("kernel_timer_run timer %p function %pS\n", &timer,
	     test_rows_timer);
	tell("kernel_timer_done timer %p function %pS\n", &timer,
	     test_rows_timer);
	return 0;
}

static int do_timeout(void)
{
	schedule_timeout_uninterruptible(2);
	tell("kernel_timer_timeout pid %d\n", current->pid);
	return 0;
}

static enum hrtimer_restart test_rows_hrtimer(struct hrtimer *unused)
{
	if (!restarts--) {
		complete(&reached);
		return HRTIMER_NORESTART;
	}
	hrtimer_set_expires(&hrtimer, hrtimer_get_expires(&hrtimer) + 1000);
	return HRTIMER_RESTART;
}

/* Expires twice. What is told of expiry is the least time. */
static int do_hrtimer(void)
{
	ktime_t at = ktime_get() + 2000003;
	int i;

	reinit_completion(&reached);
	restarts = 1;
	hrtimer_init(&hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	hrtimer.function = test_rows_hrtimer;
	hrtimer_start(&hrtimer, at, HRTIMER_MODE_ABS);
	wait_for_completion(&reached);
	hrtimer_cancel(&hrtimer);
	for (i = 0; i < 2; i++) {
		tell("kernel_hrtimer_start hrtimer %p function %pS expires %lld\n",
		     &hrtimer, test_rows_hrtimer, at + i * 1000);
		tell("kernel_hrtimer_expire hrtimer %p function %pS now %lld\n",
		     &hrtimer, test_rows_hrtimer, at + i * 1000);
	}
	return 0;
}

/* === Parameters =========================================================== */

static const struct {
	const char *name;
	int (*func)(void);
} calls[] = {
	{ "kthread",		do_kthread },
	{ "wake_self",		do_wake_self },
	{ "wake_running",	do_wake_running },
	{ "timer",		do_timer },
	{ "expire",		do_expire },
	{ "timeout",		do_timeout },
	{ "hrtimer",		do_hrtimer },
};

static int call_set(const char *val, const struct kernel_param *kp)
{
	size_t i;

	log_len = 0;
	log[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (sysfs_streq(val, calls[i].name))
			return calls[i].func();
	}
	return -EPROTO;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};
module_param_cb(call, &call_ops, NULL, 0200);

static int log_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", log);
}

static const struct kernel_param_ops log_ops = {
	.get = log_get,
};
module_param_cb(log, &log_ops, NULL, 0400);

static int jiffies_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%llu\n", get_jiffies_64());
}

static const struct kernel_param_ops jiffies_ops = {
	.get = jiffies_get,
};
module_param_cb(jiffies, &jiffies_ops, NULL, 0400);

static int __init test_markers_rows_sched_init(void)
{
	return 0;
}
module_init(test_markers_rows_sched_init);

static void __exit test_markers_rows_sched_exit(void)
{
}
module_exit(test_markers_rows_sched_exit);

MODULE_DESCRIPTION("What markers of tasks and timers are about");
MODULE_LICENSE("GPL");
