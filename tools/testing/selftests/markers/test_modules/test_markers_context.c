// SPDX-License-Identifier: GPL-2.0
/*
 * Markers that are hit while a handler runs, from the same context level and
 * from those above it.
 *
 * run=FROM,TO	hit test_markers_outer at level FROM. Its handler goes to level
 *		TO and hits test_markers_inner and test_markers_outer there.
 *		Levels: 0 task, 1 softirq, 2 hardirq, 3 NMI. On one CPU.
 * run=chain	hit test_markers_outer at level 0, the handler hits it at level
 *		1, and so on up to 3
 * nmi		whether NMIs can be had here; else level 3 gives -EOPNOTSUPP
 * seen		deliveries by level, of the outer and of the inner marker
 * bad		calls of a handler where something was off
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#if defined(CONFIG_X86_LOCAL_APIC) && defined(CONFIG_SMP)
#include <asm/apic.h>
#include <asm/nmi.h>
#define HAVE_NMI	1
#else
#define HAVE_NMI	0
#endif

#include "test_markers.h"

enum level {
	LEVEL_TASK,
	LEVEL_SOFTIRQ,
	LEVEL_HARDIRQ,
	LEVEL_NMI,
	NR_LEVELS,
};

/* Where run_at() left something to do for a level, and whether it was done. */
static void (*todo)(void);
static bool done;

static unsigned int seen_outer[NR_LEVELS];
static unsigned int seen_inner[NR_LEVELS];
static unsigned int bad;
static enum level go_to;
static bool chain;
static bool nested;

static void do_todo(void)
{
	void (*func)(void) = todo;

	func();
	WRITE_ONCE(done, true);
}

static void tasklet_func(struct tasklet_struct *unused)
{
	do_todo();
}

static DECLARE_TASKLET(tasklet, tasklet_func);

static void irq_func(struct irq_work *unused)
{
	do_todo();
}

static struct irq_work irq_work = IRQ_WORK_INIT_HARD(irq_func);

#if HAVE_NMI
static bool nmi_wanted;

static int nmi_func(unsigned int val, struct pt_regs *regs)
{
	if (!nmi_wanted)
		return NMI_DONE;
	nmi_wanted = false;
	do_todo();
	return NMI_HANDLED;
}

static void send_nmi(void)
{
	nmi_wanted = true;
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
}

static int nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_func, 0, KBUILD_MODNAME);
}

static void nmi_exit_handler(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}
#else
static void send_nmi(void) { }
static int nmi_init(void) { return 0; }
static void nmi_exit_handler(void) { }
#endif

/* Have func() called on this CPU at a level that is above ours, or ours. */
static void run_at(enum level level, void (*func)(void))
{
	u64 limit = ktime_get_mono_fast_ns() + 2 * NSEC_PER_SEC;

	if (level == interrupt_context_level()) {
		func();
		return;
	}
	todo = func;
	WRITE_ONCE(done, false);
	switch (level) {
	case LEVEL_SOFTIRQ:
		local_bh_disable();
		tasklet_hi_schedule(&tasklet);
		local_bh_enable();
		break;
	case LEVEL_HARDIRQ:
		irq_work_queue(&irq_work);
		break;
	case LEVEL_NMI:
		send_nmi();
		break;
	default:
		break;
	}
	while (!READ_ONCE(done)) {
		if (ktime_get_mono_fast_ns() > limit) {
			bad++;
			return;
		}
		cpu_relax();
	}
}

static void hit_outer(void)
{
	trace_mark(test_markers_outer, "level %d", interrupt_context_level());
}

static void hit_inner(void)
{
	trace_mark(test_markers_inner, "level %d", interrupt_context_level());
}

static void hit_both(void)
{
	hit_inner();
	hit_outer();
}

static void check(va_list *args)
{
	int level = va_arg(*args, int);

	if (level != interrupt_context_level() || !preempt_count())
		bad++;
}

static void on_inner(void *probe_private, void *call_private, const char *fmt,
		     va_list *args)
{
	check(args);
	seen_inner[interrupt_context_level()]++;
}

static void on_outer(void *probe_private, void *call_private, const char *fmt,
		     va_list *args)
{
	enum level level = interrupt_context_level();

	check(args);
	seen_outer[level]++;
	if (chain) {
		if (level < (HAVE_NMI ? LEVEL_NMI : LEVEL_HARDIRQ))
			run_at(level + 1, hit_outer);
		return;
	}
	if (nested)
		return;
	nested = true;
	run_at(go_to, hit_both);
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned int from = LEVEL_TASK, to = LEVEL_TASK;

	chain = sysfs_streq(val, "chain");
	if (!chain) {
		if (sscanf(val, "%u,%u", &from, &to) != 2 || to < from ||
		    to >= NR_LEVELS)
			return -EINVAL;
		if (to == LEVEL_NMI && !HAVE_NMI)
			return -EOPNOTSUPP;
	}
	memset(seen_outer, 0, sizeof(seen_outer));
	memset(seen_inner, 0, sizeof(seen_inner));
	bad = 0;
	nested = false;
	go_to = to;

	migrate_disable();
	run_at(from, hit_outer);
	migrate_enable();

	tasklet_kill(&tasklet);
	irq_work_sync(&irq_work);
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static bool nmi = HAVE_NMI;
module_param(nmi, bool, 0400);
module_param(bad, uint, 0400);

static int seen_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE,
			 "outer %u %u %u %u inner %u %u %u %u\n",
			 seen_outer[0], seen_outer[1], seen_outer[2],
			 seen_outer[3], seen_inner[0], seen_inner[1],
			 seen_inner[2], seen_inner[3]);
}

static const struct kernel_param_ops seen_ops = {
	.get = seen_get,
};
module_param_cb(seen, &seen_ops, NULL, 0400);

static void detach(void)
{
	marker_probe_unregister("test_markers_outer", on_outer, NULL);
	marker_probe_unregister("test_markers_inner", on_inner, NULL);
	marker_synchronize_unregister();
}

static int __init test_markers_context_init(void)
{
	int ret;

	ret = marker_probe_register("test_markers_outer", NULL, on_outer, NULL);
	if (ret)
		return ret;
	ret = marker_probe_register("test_markers_inner", NULL, on_inner, NULL);
	if (!ret)
		ret = nmi_init();
	if (ret)
		detach();
	return ret;
}
module_init(test_markers_context_init);

static void __exit test_markers_context_exit(void)
{
	nmi_exit_handler();
	detach();
}
module_exit(test_markers_context_exit);

MODULE_DESCRIPTION("Recursion and interrupts for the tests of kernel markers");
MODULE_LICENSE("GPL");
