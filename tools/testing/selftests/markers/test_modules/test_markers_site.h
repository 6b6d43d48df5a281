/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module with one site of the marker test_markers_event. It is built once for
 * each format, from files that define TEST_FORMAT and include this one.
 *
 * fire=N	hit the site N times
 * hammer=1|0	start or stop a thread on each CPU that keeps hitting it
 * fired	how often it was hit in all
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "test_markers.h"

static atomic_long_t fired;
static DEFINE_PER_CPU(struct task_struct *, hammer_task);
static bool hammer;
static bool live;

static noinline void hit(int dev)
{
	trace_mark(test_markers_event, TEST_FORMAT, dev, test_event_blocks(dev),
		   TEST_EVENT_NOTE);
	atomic_long_inc(&fired);
}

static int hammer_thread(void *unused)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 32; i++)
			hit(raw_smp_processor_id() + 1);
		usleep_range(1000, 2000);
	}
	return 0;
}

static void hammer_stop(void)
{
	struct task_struct **task;
	int cpu;

	for_each_possible_cpu(cpu) {
		task = per_cpu_ptr(&hammer_task, cpu);
		if (*task)
			kthread_stop(*task);
		*task = NULL;
	}
}

static int hammer_start(void)
{
	struct task_struct *task;
	int cpu;

	hammer_stop();
	for_each_online_cpu(cpu) {
		task = kthread_create_on_cpu(hammer_thread, NULL, cpu,
					     "test_markers/%u");
		if (IS_ERR(task)) {
			hammer_stop();
			return PTR_ERR(task);
		}
		*per_cpu_ptr(&hammer_task, cpu) = task;
		wake_up_process(task);
	}
	return 0;
}

static int hammer_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	/* A load-time parameter waits for the init function. */
	if (ret || !live)
		return ret;
	if (hammer)
		return hammer_start();
	hammer_stop();
	return 0;
}

static const struct kernel_param_ops hammer_ops = {
	.set = hammer_set,
	.get = param_get_bool,
};
module_param_cb(hammer, &hammer_ops, &hammer, 0600);

static int fire_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i, n;
	int ret = kstrtouint(val, 0, &n);

	if (ret)
		return ret;
	for (i = 1; i <= n; i++)
		hit(i);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire_set,
};
module_param_cb(fire, &fire_ops, NULL, 0200);

static int fired_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(&fired));
}

static const struct kernel_param_ops fired_ops = {
	.get = fired_get,
};
module_param_cb(fired, &fired_ops, NULL, 0400);

static int __init test_markers_site_init(void)
{
	live = true;
	return hammer ? hammer_start() : 0;
}
module_init(test_markers_site_init);

static void __exit test_markers_site_exit(void)
{
	hammer_stop();
}
module_exit(test_markers_site_exit);

MODULE_DESCRIPTION("A site for the tests of kernel markers");
MODULE_LICENSE("GPL");
