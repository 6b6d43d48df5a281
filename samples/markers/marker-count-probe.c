// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that counts: attaches to any marker, whatever its format.
 *
 *	insmod marker-count-probe.ko marker=kernel_sched_schedule arg=2
 *	cat /proc/marker-count
 *	rmmod marker_count_probe
 *
 * With arg=N it also keeps the smallest and the largest value of the marker's
 * Nth argument, counted from 1. Unloading says the final values in the log.
 *
 * It shows counters that need no atomic operation in a handler that may be
 * interrupted by itself, marker_arg(), and how to go: unregister, synchronize,
 * then free.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/marker.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static char *marker;
module_param(marker, charp, 0444);
MODULE_PARM_DESC(marker, "name of the marker to count");

static unsigned int arg;
module_param(arg, uint, 0444);
MODULE_PARM_DESC(arg, "argument to keep the extremes of, counted from 1");

struct count {
	unsigned long	hits;
	unsigned long	values;		/* hits that had such an argument */
	s64		min;
	s64		max;
};

/*
 * A hit in an interrupt is delivered while this CPU runs the handler in a task,
 * but never two hits in the same kind of context. So with a set of counters for
 * each kind nobody else writes to those that the handler uses.
 */
struct counts {
	struct count	level[4];	/* by interrupt_context_level() */
};

static struct counts __percpu *counts;

static void count_hit(void *probe_private, void *call_private, const char *fmt,
		      va_list *args)
{
	struct count *count;
	u64 value;

	count = &this_cpu_ptr(counts)->level[interrupt_context_level()];
	WRITE_ONCE(count->hits, count->hits + 1);

	/* Taken as signed: process ids, errors and differences of times are. */
	if (arg && marker_arg(fmt, args, arg, &value)) {
		WRITE_ONCE(count->min, min_t(s64, count->min, value));
		WRITE_ONCE(count->max, max_t(s64, count->max, value));
		WRITE_ONCE(count->values, count->values + 1);
	}
}

static const struct count count_none = { .min = S64_MAX, .max = S64_MIN };

static void count_add_up(struct count *sum)
{
	const struct count *count;
	int cpu, level;

	*sum = count_none;
	for_each_possible_cpu(cpu) {
		for (level = 0; level < 4; level++) {
			count = &per_cpu_ptr(counts, cpu)->level[level];
			sum->hits += READ_ONCE(count->hits);
			sum->values += READ_ONCE(count->values);
			sum->min = min(sum->min, READ_ONCE(count->min));
			sum->max = max(sum->max, READ_ONCE(count->max));
		}
	}
}

static int count_show(struct seq_file *m, void *unused)
{
	struct count sum;

	count_add_up(&sum);
	seq_printf(m, "%s hits %lu", marker, sum.hits);
	if (sum.values)
		seq_printf(m, " arg %u min %lld max %lld", arg, sum.min,
			   sum.max);
	seq_putc(m, '\n');
	return 0;
}

static int __init count_init(void)
{
	int cpu, level, ret;

	if (!marker) {
		pr_err("say which marker to count: marker=NAME\n");
		return -EINVAL;
	}

	/* All that the handler uses is ready before it is registered. */
	counts = alloc_percpu(struct counts);
	if (!counts)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		for (level = 0; level < 4; level++)
			per_cpu_ptr(counts, cpu)->level[level] = count_none;
	}

	ret = marker_probe_register(marker, NULL, count_hit, NULL);
	if (ret)
		goto err_free;

	if (!proc_create_single("marker-count", 0444, NULL, count_show)) {
		ret = -ENOMEM;
		goto err_unregister;
	}
	return 0;

err_unregister:
	marker_probe_unregister(marker, count_hit, NULL);
	marker_synchronize_unregister();
err_free:
	free_percpu(counts);
	return ret;
}
module_init(count_init);

static void __exit count_exit(void)
{
	struct count sum;

	remove_proc_entry("marker-count", NULL);

	/*
	 * The order matters: no new call of the handler, then none that is
	 * still running, then what it uses may go, this module's code last.
	 */
	marker_probe_unregister(marker, count_hit, NULL);
	marker_synchronize_unregister();

	count_add_up(&sum);
	pr_info("%s hits %lu\n", marker, sum.hits);
	free_percpu(counts);
}
module_exit(count_exit);

MODULE_DESCRIPTION("Kernel markers: a probe that counts");
MODULE_LICENSE("GPL");
