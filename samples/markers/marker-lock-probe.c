// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that takes a lock in its handler, while another CPU fights for it.
 *
 *	insmod marker-lock-probe.ko
 *	cat /proc/marker-lock
 *	grep context_switched /sys/kernel/tracing/markers
 *	rmmod marker_lock_probe
 *
 * The structure has two numbers that are equal whenever its lock is free. A
 * thread changes them all the time. The handler of kernel_sched_schedule, which
 * runs wherever a task is switched to another with the lock of the run queue
 * held, looks at both. It may not wait for the lock: the task that is switched
 * from could be the one that has it. So it tries, and passes over what follows
 * when the lock is not free. How often it did so is what the tracefs file
 * "markers" shows for the handler.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/marker.h>
#include <linux/marker_trylock.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

static struct {
	spinlock_t	lock;
	unsigned long	begun;
	unsigned long	done;
} work = {
	.lock = __SPIN_LOCK_UNLOCKED(work.lock),
};

static atomic_long_t switches;		/* that the handler was called for */
static atomic_long_t looks;		/* for which it got the lock */
static atomic_long_t differing;		/* when the two were not equal: must be 0 */

static struct task_struct *worker;

static void context_switched(void *probe_private, void *call_private,
			     const char *fmt, va_list *args)
{
	atomic_long_inc(&switches);
	marker_trylock(&work.lock) {
		atomic_long_inc(&looks);
		if (work.begun != work.done)
			atomic_long_inc(&differing);
	}
}

static int work_thread(void *unused)
{
	while (!kthread_should_stop()) {
		spin_lock(&work.lock);
		WRITE_ONCE(work.begun, work.begun + 1);
		udelay(50);
		WRITE_ONCE(work.done, work.done + 1);
		spin_unlock(&work.lock);
		cond_resched();
	}
	return 0;
}

static int lock_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "switches %ld\n", atomic_long_read(&switches));
	seq_printf(m, "looks %ld\n", atomic_long_read(&looks));
	seq_printf(m, "differing %ld\n", atomic_long_read(&differing));
	seq_printf(m, "work done %lu\n", READ_ONCE(work.done));
	return 0;
}

static int __init lock_probe_init(void)
{
	int ret = -ENOMEM;

	worker = kthread_run(work_thread, NULL, "marker-lock");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	if (!proc_create_single("marker-lock", 0444, NULL, lock_show))
		goto stop;
	ret = marker_probe_register("kernel_sched_schedule", NULL,
				    context_switched, NULL);
	if (ret)
		goto remove;
	return 0;

remove:
	remove_proc_entry("marker-lock", NULL);
stop:
	kthread_stop(worker);
	return ret;
}
module_init(lock_probe_init);

static void __exit lock_probe_exit(void)
{
	marker_probe_unregister("kernel_sched_schedule", context_switched, NULL);
	marker_synchronize_unregister();
	remove_proc_entry("marker-lock", NULL);
	kthread_stop(worker);
}
module_exit(lock_probe_exit);

MODULE_DESCRIPTION("Kernel markers: a probe that takes a lock in its handler");
MODULE_LICENSE("GPL");
