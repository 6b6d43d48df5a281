// SPDX-License-Identifier: GPL-2.0
/*
 * The markers of system calls.
 *
 * While one of them is on, its function here is a probe of the tracepoint
 * sys_enter or sys_exit. So there is one place that tells the entry code of a
 * task to take the slow path, one count of those who want that, and one lock
 * for it: those of the tracepoints. While both are off a system call runs
 * through no instruction that it would not run through without markers.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/init.h>
#include <linux/limits.h>
#include <linux/marker.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "markers.h"
#include "syscall.h"

/* The last of all probes sees what the others made of the call. */
#define LAST_PRIO	INT_MIN

/*
 * The number comes from the registers: the tracepoint's own argument is what it
 * was before other probes, or a BPF program, changed it.
 */
static void mark_sys_enter(void *unused, struct pt_regs *regs, long id)
{
	unsigned int arch = syscall_get_arch(current);
	unsigned long args[6];

	marker_syscall_arguments(regs, arch, args);
	trace_mark(kernel_arch_syscall_entry,
		   "syscall_id #4d%ld arch #4u%u ip #p%lu a0 %lx a1 %lx a2 %lx a3 %lx a4 %lx a5 %lx pt_regs #0%p",
		   (long)syscall_get_nr(current, regs), arch,
		   instruction_pointer(regs), args[0], args[1], args[2],
		   args[3], args[4], args[5], regs);
}

/*
 * An error that a tracer wrote into the register of a 32-bit task has no sign
 * there; syscall_get_error() gives it one.
 */
static void mark_sys_exit(void *unused, struct pt_regs *regs, long ret)
{
	long error = syscall_get_error(current, regs);

	trace_mark(kernel_arch_syscall_exit,
		   "syscall_id #4d%ld success #1u%u ret %ld",
		   (long)syscall_get_nr(current, regs), !error,
		   error ?: syscall_get_return_value(current, regs));
}

static int entry_reg(void)
{
	return register_trace_prio_sys_enter(mark_sys_enter, NULL, LAST_PRIO);
}

static void entry_unreg(void)
{
	unregister_trace_sys_enter(mark_sys_enter, NULL);
}

static int exit_reg(void)
{
	return register_trace_prio_sys_exit(mark_sys_exit, NULL, LAST_PRIO);
}

static void exit_unreg(void)
{
	unregister_trace_sys_exit(mark_sys_exit, NULL);
}

static const struct marker_ops entry_ops = {
	.reg	= entry_reg,
	.unreg	= entry_unreg,
};

static const struct marker_ops exit_ops = {
	.reg	= exit_reg,
	.unreg	= exit_unreg,
};

static int __init markers_syscall_init(void)
{
	if (marker_set_ops("kernel_arch_syscall_entry", &entry_ops) ||
	    marker_set_ops("kernel_arch_syscall_exit", &exit_ops))
		pr_warn("no markers of system calls\n");
	return 0;
}
early_initcall(markers_syscall_init);
