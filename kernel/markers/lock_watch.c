// SPDX-License-Identifier: GPL-2.0
/*
 * The marker of locks that are watched by debug register: lock_watch is hit
 * after each write to the word of a lock, whatever code wrote it, a trylock that
 * did not get the lock among them where that writes.
 *
 * A breakpoint is reserved on each online CPU for as long as a lock is in the
 * set, but traps only while the marker has a handler.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/marker.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "locks.h"
#include "markers.h"

struct lock_watch {
	struct list_head node;
	const void *lock;
	struct perf_event * __percpu *events;	/* NULL for a CPU that is offline */
};

/*
 * Changed with watch_mutex held and the CPUs kept from coming and going, so that
 * the callbacks for these find them at rest without the mutex, which would be
 * the wrong order.
 */
static LIST_HEAD(watches);
static bool watches_armed;

static DEFINE_MUTEX(watch_mutex);

/* How often CPUs came or went. */
static unsigned int cpu_changes;

/* In the exception of the debug register, which is as an NMI. */
static void lock_watch_hit(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
	const void *lock = (void *)(unsigned long)event->attr.bp_addr;
	u32 value;

	if (copy_from_kernel_nofault(&value, lock, sizeof(value)))
		return;
	trace_mark(lock_watch, "lock %pS ip %pS value #4u%u", lock,
		   (void *)instruction_pointer(regs), value);
}

static void watch_attr(struct perf_event_attr *attr, const void *lock)
{
	hw_breakpoint_init(attr);
	attr->bp_addr = (unsigned long)lock;
	attr->bp_len = HW_BREAKPOINT_LEN_4;
	attr->bp_type = HW_BREAKPOINT_W;
	attr->disabled = !watches_armed;
}

/**
 * lock_watch_begin - have each write to a lock hit the marker lock_watch
 * @lock: the lock, whose first four bytes are watched
 *
 * Context: Process context, may sleep.
 * Return: what lock_watch_end() takes; ERR_PTR(-ENOSPC) if the debug registers
 * of a CPU are all in use, ERR_PTR(-ENOMEM), or what else the breakpoint meets.
 */
struct lock_watch *lock_watch_begin(const void *lock)
{
	struct perf_event_attr attr;
	struct lock_watch *watch;
	unsigned int changes;

	watch = kzalloc(sizeof(*watch), GFP_KERNEL);
	if (!watch)
		return ERR_PTR(-ENOMEM);
	watch->lock = lock;

	mutex_lock(&watch_mutex);
	watch_attr(&attr, lock);
	for (;;) {
		long error;

		changes = READ_ONCE(cpu_changes);
		watch->events = register_wide_hw_breakpoint(&attr,
							    lock_watch_hit,
							    NULL);
		error = PTR_ERR_OR_ZERO((void __force *)watch->events);
		if (error) {
			mutex_unlock(&watch_mutex);
			kfree(watch);
			return ERR_PTR(error);
		}
		/* From now on the callbacks know of it. */
		cpus_read_lock();
		if (changes == cpu_changes)
			break;
		cpus_read_unlock();
		unregister_wide_hw_breakpoint(watch->events);
	}
	list_add_tail(&watch->node, &watches);
	cpus_read_unlock();
	mutex_unlock(&watch_mutex);
	return watch;
}

/**
 * lock_watch_end - give back the debug registers of a watch
 * @watch: what lock_watch_begin() returned
 *
 * Context: Process context, may sleep.
 */
void lock_watch_end(struct lock_watch *watch)
{
	mutex_lock(&watch_mutex);
	cpus_read_lock();
	list_del(&watch->node);
	cpus_read_unlock();
	mutex_unlock(&watch_mutex);

	unregister_wide_hw_breakpoint(watch->events);
	kfree(watch);
}

/* === The marker goes on and off =========================================== */

static void watches_arm(bool arm)
{
	struct lock_watch *watch;
	struct perf_event *event;
	int cpu;

	mutex_lock(&watch_mutex);
	cpus_read_lock();
	watches_armed = arm;
	list_for_each_entry(watch, &watches, node) {
		for_each_online_cpu(cpu) {
			event = *per_cpu_ptr(watch->events, cpu);
			if (event && arm)
				perf_event_enable(event);
			else if (event)
				perf_event_disable(event);
		}
	}
	cpus_read_unlock();
	mutex_unlock(&watch_mutex);
}

static int lock_watch_reg(void)
{
	watches_arm(true);
	return 0;
}

static void lock_watch_unreg(void)
{
	watches_arm(false);
}

static const struct marker_ops lock_watch_ops = {
	.reg	= lock_watch_reg,
	.unreg	= lock_watch_unreg,
};

/* === CPUs come and go ===================================================== */

static int watch_cpu_online(unsigned int cpu)
{
	struct perf_event_attr attr;
	struct lock_watch *watch;
	struct perf_event *event;

	cpu_changes++;
	list_for_each_entry(watch, &watches, node) {
		watch_attr(&attr, watch->lock);
		event = perf_event_create_kernel_counter(&attr, cpu, NULL,
							 lock_watch_hit, NULL);
		if (IS_ERR(event)) {
			pr_notice("lock %pS is not watched on CPU %u (error %ld)\n",
				  watch->lock, cpu, PTR_ERR(event));
			continue;
		}
		*per_cpu_ptr(watch->events, cpu) = event;
	}
	return 0;
}

static int watch_cpu_offline(unsigned int cpu)
{
	struct lock_watch *watch;
	struct perf_event **event;

	cpu_changes++;
	list_for_each_entry(watch, &watches, node) {
		event = per_cpu_ptr(watch->events, cpu);
		unregister_hw_breakpoint(*event);
		*event = NULL;
	}
	return 0;
}

static int __init lock_watch_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "markers/lock_watch:online",
				watch_cpu_online, watch_cpu_offline);
	if (ret < 0)
		return ret;
	ret = marker_set_ops("lock_watch", &lock_watch_ops);
	if (ret)
		pr_warn("locks cannot be watched (error %d)\n", ret);
	return ret;
}
fs_initcall(lock_watch_init);
