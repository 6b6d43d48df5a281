// SPDX-License-Identifier: GPL-2.0
/*
 * Marks to be measured, and what can be attached to them. All is done by module
 * parameters:
 *
 * handler="HANDLER MARKER"	attach one of handlers[] to a marker
 * probe=PROBE			attach one of probes[] to its tracepoint
 * detach=1			detach all
 * cost=MARK			measure one of marks[], to be read from cost: ticks
 *				of the processor's counter for each time that it
 *				is reached
 *
 * The counter is one of instructions where QEMU runs with -icount shift=0.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/marker.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/ring_buffer.h>
#include <linux/sizes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>

#include "syscall.h"

#define CREATE_TRACE_POINTS
#include "bench_event.h"

#define ROUNDS	5
#define TIMES	1000

static DEFINE_MUTEX(bench_mutex);

/* === What is measured ===================================================== */

/* Each stands in the middle of a function that has its arguments at hand. */
#define DEFINE_MARK(what, statement)					\
static noinline void what(unsigned long a, unsigned long b,		\
			  unsigned long c, unsigned long d,		\
			  unsigned long e, unsigned long f)		\
{									\
	statement;							\
	barrier();							\
}

DEFINE_MARK(nothing, barrier())
DEFINE_MARK(event, trace_bench_event(a, b, c, d, e, f))
DEFINE_MARK(marker_0, trace_mark(bench_0, MARK_NOARGS))
DEFINE_MARK(marker_2, trace_mark(bench_2, "a %lx b %lx", a, b))
DEFINE_MARK(marker_6, trace_mark(bench_6,
				 "a %lx b %lx c %lx d %lx e %lx f %lx",
				 a, b, c, d, e, f))
DEFINE_MARK(marker_10, trace_mark(bench_10,
				  "a %lx b %lx c %lx d %lx e %lx f %lx g %lx h %lx i %lx j %lx",
				  a, b, c, d, e, f, a, b, c, d))

/* As large as the record of six numbers, in a buffer like that of ftrace. */
static struct trace_buffer *ring_buffer;

static noinline void ring_buffer_alone(unsigned long a, unsigned long b,
				       unsigned long c, unsigned long d,
				       unsigned long e, unsigned long f)
{
	struct ring_buffer_event *event;
	unsigned long *record;

	event = ring_buffer_lock_reserve(ring_buffer, 7 * sizeof(*record));
	if (!event)
		return;
	record = ring_buffer_event_data(event);
	record[0] = 0;
	record[1] = a;
	record[2] = b;
	record[3] = c;
	record[4] = d;
	record[5] = e;
	record[6] = f;
	ring_buffer_unlock_commit(ring_buffer);
}

struct mark {
	const char	*name;
	void		(*reach)(unsigned long a, unsigned long b,
				 unsigned long c, unsigned long d,
				 unsigned long e, unsigned long f);
};

static const struct mark marks[] = {
	{ "event",	event },
	{ "marker_0",	marker_0 },
	{ "marker_2",	marker_2 },
	{ "marker_6",	marker_6 },
	{ "marker_10",	marker_10 },
	{ "ring_buffer", ring_buffer_alone },
};

static u64 one_round(const struct mark *mark)
{
	unsigned long flags;
	u64 start, ticks;
	int i;

	local_irq_save(flags);
	start = get_cycles();
	for (i = 0; i < TIMES; i++)
		mark->reach(1, 2, 3, 4, 5, 6);
	ticks = get_cycles() - start;
	local_irq_restore(flags);
	return ticks;
}

static u64 best_round(const struct mark *mark)
{
	u64 best = U64_MAX;
	int i;

	for (i = 0; i < ROUNDS; i++)
		best = min(best, one_round(mark));
	return best;
}

/* === What is attached to marks ============================================ */

static unsigned long seen;

static void empty_handler(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
}

/* Adds up the six numbers. */
static void sum_handler(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 6; i++)
		sum += va_arg(*args, unsigned long);
	WRITE_ONCE(seen, sum);
}

static void sixth_handler(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
	u64 value;

	if (marker_arg(fmt, args, 6, &value))
		WRITE_ONCE(seen, value);
}

static const struct {
	const char		*name;
	marker_probe_func	*func;
} handlers[] = {
	{ "empty",	empty_handler },
	{ "sum",	sum_handler },
	{ "sixth",	sixth_handler },
};

static void empty_event_probe(void *data, unsigned long a, unsigned long b,
			      unsigned long c, unsigned long d, unsigned long e,
			      unsigned long f)
{
}

static void sum_event_probe(void *data, unsigned long a, unsigned long b,
			    unsigned long c, unsigned long d, unsigned long e,
			    unsigned long f)
{
	WRITE_ONCE(seen, a + b + c + d + e + f);
}

static void empty_enter_probe(void *data, struct pt_regs *regs, long id)
{
}

static void empty_exit_probe(void *data, struct pt_regs *regs, long ret)
{
}

/*
 * The marker of system call entry as it might be, next to how it is: with less
 * in it. It is made as in kernel/markers/syscall.c.
 */
static void mark_enter_short(void *data, struct pt_regs *regs, long id)
{
	trace_mark(bench_entry_short, "syscall_id #4d%ld ip #p%lu",
		   (long)syscall_get_nr(current, regs),
		   instruction_pointer(regs));
}

static void mark_enter_registers(void *data, struct pt_regs *regs, long id)
{
	unsigned int arch = syscall_get_arch(current);
	unsigned long args[6];

	marker_syscall_arguments(regs, arch, args);
	trace_mark(bench_entry_registers,
		   "syscall_id #4d%ld ip #p%lu a0 %lx a1 %lx a2 %lx a3 %lx a4 %lx a5 %lx",
		   (long)syscall_get_nr(current, regs),
		   instruction_pointer(regs), args[0], args[1], args[2],
		   args[3], args[4], args[5]);
}

static void mark_enter_pt_regs(void *data, struct pt_regs *regs, long id)
{
	trace_mark(bench_entry_pt_regs, "pt_regs #0%p", regs);
}

static const struct probe {
	const char	*name;
	const char	*tracepoint;
	void		*func;
} probes[] = {
	{ "empty_event",	"bench_event",	empty_event_probe },
	{ "sum_event",		"bench_event",	sum_event_probe },
	{ "empty_enter",	"sys_enter",	empty_enter_probe },
	{ "empty_exit",		"sys_exit",	empty_exit_probe },
	{ "mark_enter_short",	"sys_enter",	mark_enter_short },
	{ "mark_enter_registers", "sys_enter",	mark_enter_registers },
	{ "mark_enter_pt_regs",	"sys_enter",	mark_enter_pt_regs },
};

/* === Attaching and detaching ============================================== */

/* Its address is the private data, so that one function can be there twice. */
struct attached {
	struct list_head	list;
	char			marker[32];
	marker_probe_func	*handler;	/* NULL for a probe */
	struct tracepoint	*tracepoint;
	void			*probe;
};

static LIST_HEAD(attached_list);

static int attach_handler(struct attached *new, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++) {
		if (!strcmp(handlers[i].name, name)) {
			new->handler = handlers[i].func;
			return marker_probe_register(new->marker, NULL,
						     new->handler, new);
		}
	}
	return -ENOENT;
}

struct search {
	const char		*name;
	struct tracepoint	*found;
};

static void compare_name(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/* That of a system call is not exported. */
static struct tracepoint *find_tracepoint(const char *name)
{
	struct search search = { .name = name };

	compare_name(&__tracepoint_bench_event, &search);
	for_each_kernel_tracepoint(compare_name, &search);
	return search.found;
}

static int attach_probe(struct attached *new, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!strcmp(probes[i].name, name)) {
			new->probe = probes[i].func;
			new->tracepoint = find_tracepoint(probes[i].tracepoint);
			if (!new->tracepoint)
				return -ENOENT;
			return tracepoint_probe_register(new->tracepoint,
							 new->probe, new);
		}
	}
	return -ENOENT;
}

static int attach(const char *name, const char *marker)
{
	struct attached *new = kzalloc(sizeof(*new), GFP_KERNEL);
	int ret;

	if (!new)
		return -ENOMEM;
	mutex_lock(&bench_mutex);
	if (marker) {
		strscpy(new->marker, marker);
		ret = attach_handler(new, name);
	} else {
		ret = attach_probe(new, name);
	}
	if (ret)
		kfree(new);
	else
		list_add(&new->list, &attached_list);
	mutex_unlock(&bench_mutex);
	return ret;
}

static void detach_all(void)
{
	struct attached *old, *next;

	mutex_lock(&bench_mutex);
	list_for_each_entry(old, &attached_list, list) {
		if (old->handler)
			marker_probe_unregister(old->marker, old->handler, old);
		else
			tracepoint_probe_unregister(old->tracepoint, old->probe,
						    old);
	}
	marker_synchronize_unregister();
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(old, next, &attached_list, list) {
		list_del(&old->list);
		kfree(old);
	}
	mutex_unlock(&bench_mutex);
}

/* === Parameters =========================================================== */

static int handler_set(const char *val, const struct kernel_param *kp)
{
	char name[16], marker[32];

	if (sscanf(val, "%15s %31s", name, marker) != 2)
		return -EINVAL;
	return attach(name, marker);
}

static const struct kernel_param_ops handler_ops = {
	.set = handler_set,
};
module_param_cb(handler, &handler_ops, NULL, 0200);

static int probe_set(const char *val, const struct kernel_param *kp)
{
	char name[32];

	if (sscanf(val, "%31s", name) != 1)
		return -EINVAL;
	return attach(name, NULL);
}

static const struct kernel_param_ops probe_ops = {
	.set = probe_set,
};
module_param_cb(probe, &probe_ops, NULL, 0200);

static int detach_set(const char *val, const struct kernel_param *kp)
{
	detach_all();
	return 0;
}

static const struct kernel_param_ops detach_ops = {
	.set = detach_set,
};
module_param_cb(detach, &detach_ops, NULL, 0200);

/* In tenths of a tick. */
static u64 cost;

static int cost_set(const char *val, const struct kernel_param *kp)
{
	static const struct mark empty = { "nothing", nothing };
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (sysfs_streq(marks[i].name, val)) {
			mutex_lock(&bench_mutex);
			cost = div_u64((best_round(&marks[i]) -
					best_round(&empty)) * 10, TIMES);
			mutex_unlock(&bench_mutex);
			return 0;
		}
	}
	return -ENOENT;
}

static int cost_get(char *buffer, const struct kernel_param *kp)
{
	u32 tenths;
	u64 whole = div_u64_rem(cost, 10, &tenths);

	return sysfs_emit(buffer, "%llu.%u\n", whole, tenths);
}

static const struct kernel_param_ops cost_ops = {
	.set = cost_set,
	.get = cost_get,
};
module_param_cb(cost, &cost_ops, NULL, 0600);

static void __exit marker_bench_exit(void)
{
	detach_all();
	ring_buffer_free(ring_buffer);
}

static int __init marker_bench_init(void)
{
	ring_buffer = ring_buffer_alloc(SZ_1M, RB_FL_OVERWRITE);
	return ring_buffer ? 0 : -ENOMEM;
}
module_init(marker_bench_init);
module_exit(marker_bench_exit);

MODULE_DESCRIPTION("Measures what kernel markers cost");
MODULE_LICENSE("GPL");
