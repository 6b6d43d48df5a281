// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers for the markers of the scheduler and of timers that check what they
 * are told, and that the locks are held that should be.
 *
 * timer=add,CPU	arm a timer of ours with add_timer_on()
 * timer=mod,N		arm it, or move it, to N s from now with mod_timer()
 * timer=del		delete it
 * timer_ours		how often kernel_timer_set told of that timer
 * timer_cpu		the CPU that the timer is on
 * timer_hits		how often it told of any timer
 * timer_bad		how often something was off with what it told
 *
 * sleep=STATE,N	a thread of ours sleeps N times in that task state
 * sleep=0,N		it shares a CPU with another thread, both busy, for N ticks
 * sched_states		prev_state when that thread went, as "state:times" ...
 * sched_in		how often it came
 * sched_hits		how often kernel_sched_schedule told of any task
 * sched_bad		how often something was off with what it told
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "test_markers.h"

/* On a kernel without lockdep another CPU may be the one that holds it. */
static bool lock_is_ours(raw_spinlock_t *lock)
{
#ifdef CONFIG_LOCKDEP
	if (debug_locks)
		return lockdep_is_held(lock) && irqs_disabled();
#endif
	return raw_spin_is_locked(lock) && irqs_disabled();
}

static int count_get(char *buffer, const struct kernel_param *kp)
{
	atomic_long_t *count = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(count));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};

/* === Timers =============================================================== */

#define TIMER_FORMAT \
	"timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p"

static atomic_long_t timer_hits;
static atomic_long_t timer_bad;
static atomic_long_t timer_ours;
module_param_cb(timer_hits, &count_ops, &timer_hits, 0400);
module_param_cb(timer_bad, &count_ops, &timer_bad, 0400);
module_param_cb(timer_ours, &count_ops, &timer_ours, 0400);

static void timer_func(struct timer_list *unused)
{
}

static DEFINE_TIMER(timer, timer_func);

/* What the next report of our timer has to say. */
static unsigned long want_expires;
static int want_cpu;			/* -1 for any */

static bool our_timer_ok(unsigned long expires, void *function,
			 unsigned int cpu, unsigned int flags)
{
	return expires == want_expires && function == timer_func &&
	       (want_cpu < 0 || cpu == want_cpu) &&
	       cpu == (timer.flags & TIMER_CPUMASK) && flags == timer.flags &&
	       timer_pending(&timer);
}

static void on_timer_set(void *probe_private, void *call_private,
			 const char *fmt, va_list *args)
{
	struct timer_list *which = va_arg(*args, struct timer_list *);
	unsigned long expires = va_arg(*args, unsigned long);
	void *function = va_arg(*args, void *);
	unsigned int cpu = va_arg(*args, unsigned int);
	unsigned int flags = va_arg(*args, unsigned int);
	raw_spinlock_t *base_lock = va_arg(*args, raw_spinlock_t *);
	bool ok = lock_is_ours(base_lock) && test_handler_atomic() &&
		  expires == which->expires && function == which->function;

	if (which == &timer) {
		ok &= our_timer_ok(expires, function, cpu, flags);
		atomic_long_inc(&timer_ours);
	}
	if (!ok)
		atomic_long_inc(&timer_bad);
	atomic_long_inc(&timer_hits);
}

static int timer_add(unsigned int cpu)
{
	if (!cpu_online(cpu))
		return -EINVAL;
	timer_delete_sync(&timer);
	want_expires = jiffies + 3600 * HZ + 17;
	want_cpu = cpu;
	timer.expires = want_expires;
	add_timer_on(&timer, cpu);
	return 0;
}

static int timer_mod(unsigned int secs)
{
	want_expires = jiffies + secs * HZ + 23;
	want_cpu = -1;
	mod_timer(&timer, want_expires);
	return 0;
}

static int timer_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;

	if (sysfs_streq(val, "del")) {
		timer_delete_sync(&timer);
		return 0;
	}
	if (sscanf(val, "add,%u", &n) == 1)
		return timer_add(n);
	if (sscanf(val, "mod,%u", &n) == 1)
		return timer_mod(n);
	return -EINVAL;
}

static const struct kernel_param_ops timer_ops = {
	.set = timer_set,
};
module_param_cb(timer, &timer_ops, NULL, 0200);

static int timer_cpu_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n",
			 READ_ONCE(timer.flags) & TIMER_CPUMASK);
}

static const struct kernel_param_ops timer_cpu_ops = {
	.get = timer_cpu_get,
};
module_param_cb(timer_cpu, &timer_cpu_ops, NULL, 0400);

/* === Scheduler ============================================================ */

#define SCHED_FORMAT \
	"prev_pid %d next_pid %d prev_state #4u%ld ## rq %p prev %p next %p"

#define MAX_STATES	8

static atomic_long_t sched_hits;
static atomic_long_t sched_bad;
static atomic_long_t sched_in;
module_param_cb(sched_hits, &count_ops, &sched_hits, 0400);
module_param_cb(sched_bad, &count_ops, &sched_bad, 0400);
module_param_cb(sched_in, &count_ops, &sched_in, 0400);

/* Switches from the watched task; it is on one CPU at a time. */
static struct task_struct *watched;
static struct {
	long		state;
	unsigned int	times;
} states[MAX_STATES];
static unsigned int nr_states;
static long sched_out;

static void count_state(long state)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		if (states[i].state == state)
			break;
	}
	if (i == MAX_STATES) {
		atomic_long_inc(&sched_bad);
		return;
	}
	if (i == nr_states)
		nr_states++;
	states[i].state = state;
	states[i].times++;
	WRITE_ONCE(sched_out, sched_out + 1);
}

static void on_schedule(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
	int prev_pid = va_arg(*args, int);
	int next_pid = va_arg(*args, int);
	long prev_state = va_arg(*args, long);
	void *rq = va_arg(*args, void *);
	struct task_struct *prev = va_arg(*args, struct task_struct *);
	struct task_struct *next = va_arg(*args, struct task_struct *);

	/* The lock is the first member of what struct rq is. */
	if (!lock_is_ours(rq) || !test_handler_atomic() || prev != current ||
	    next == prev || prev_pid != prev->pid || next_pid != next->pid)
		atomic_long_inc(&sched_bad);

	if (prev == READ_ONCE(watched))
		count_state(prev_state);
	if (next == READ_ONCE(watched))
		atomic_long_inc(&sched_in);
	atomic_long_inc(&sched_hits);
}

static unsigned int sleep_state;
static unsigned int sleep_times;

static DECLARE_COMPLETION(slept);

static void sleep_once(void)
{
	unsigned long end = jiffies + 1;

	if (sleep_state) {
		set_current_state(sleep_state);
		schedule_timeout(1);
		return;
	}
	while (time_before(jiffies, end))
		cond_resched();
}

static int sleeper(void *unused)
{
	unsigned int i;

	for (i = 0; i < sleep_times; i++)
		sleep_once();
	complete(&slept);
	while (!kthread_should_stop())
		sleep_once();
	return 0;
}

static int busy(void *unused)
{
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static struct task_struct *thread_on(int (*func)(void *), unsigned int cpu)
{
	return kthread_create_on_cpu(func, NULL, cpu, "test_markers/%u");
}

/* The last switch from a task comes after kthread_stop(). */
static int wait_until_gone(struct task_struct *task)
{
	int i;

	for (i = 0; i < 1000; i++) {
		if (READ_ONCE(sched_out) == atomic_long_read(&sched_in) &&
		    READ_ONCE(task->__state) == TASK_DEAD)
			return 0;
		usleep_range(1000, 2000);
	}
	return -ETIMEDOUT;
}

static int sleep_on(unsigned int cpu)
{
	struct task_struct *task, *other = NULL;
	int ret;

	task = thread_on(sleeper, cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (!sleep_state) {
		other = thread_on(busy, cpu);
		if (IS_ERR(other)) {
			kthread_stop(task);
			return PTR_ERR(other);
		}
		wake_up_process(other);
	}
	get_task_struct(task);
	nr_states = 0;
	memset(states, 0, sizeof(states));
	sched_out = 0;
	atomic_long_set(&sched_in, 0);
	WRITE_ONCE(watched, task);
	reinit_completion(&slept);
	wake_up_process(task);
	wait_for_completion(&slept);
	kthread_stop(task);
	if (other)
		kthread_stop(other);
	ret = wait_until_gone(task);
	WRITE_ONCE(watched, NULL);
	synchronize_rcu();
	put_task_struct(task);
	return ret;
}

static int sleep_set(const char *val, const struct kernel_param *kp)
{
	if (sscanf(val, "%u,%u", &sleep_state, &sleep_times) != 2)
		return -EINVAL;
	return sleep_on(cpumask_first(cpu_online_mask));
}

static const struct kernel_param_ops sleep_ops = {
	.set = sleep_set,
};
module_param_cb(sleep, &sleep_ops, NULL, 0200);

static int states_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < nr_states; i++)
		len += scnprintf(buffer + len, PAGE_SIZE - len, "%ld:%u\n",
				 states[i].state, states[i].times);
	return len;
}

static const struct kernel_param_ops states_ops = {
	.get = states_get,
};
module_param_cb(sched_states, &states_ops, NULL, 0400);

static int __init test_markers_core_init(void)
{
	int ret;

	ret = marker_probe_register("kernel_timer_set", TIMER_FORMAT,
				    on_timer_set, NULL);
	if (ret)
		return ret;
	ret = marker_probe_register("kernel_sched_schedule", SCHED_FORMAT,
				    on_schedule, NULL);
	if (ret) {
		marker_probe_unregister("kernel_timer_set", on_timer_set, NULL);
		marker_synchronize_unregister();
	}
	return ret;
}
module_init(test_markers_core_init);

static void __exit test_markers_core_exit(void)
{
	timer_shutdown_sync(&timer);
	marker_probe_unregister("kernel_sched_schedule", on_schedule, NULL);
	marker_probe_unregister("kernel_timer_set", on_timer_set, NULL);
	marker_synchronize_unregister();
}
module_exit(test_markers_core_exit);

MODULE_DESCRIPTION("Probes of the core kernel for the tests of kernel markers");
MODULE_LICENSE("GPL");
