/* SPDX-License-Identifier: GPL-2.0 */
/* What the markers of system calls and the benchmark of them have in common. */
#ifndef _KERNEL_MARKERS_SYSCALL_H
#define _KERNEL_MARKERS_SYSCALL_H

#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/syscall.h>

/*
 * What the call is going to see of its arguments: of one that came in by a
 * 32-bit entry nobody looks at the upper halves of the registers, in which a
 * 64-bit program can leave anything.
 */
static inline void marker_syscall_arguments(struct pt_regs *regs,
					    unsigned int arch,
					    unsigned long args[6])
{
	int i;

	syscall_get_arguments(current, regs, args);
	if (arch & __AUDIT_ARCH_64BIT)
		return;
	for (i = 0; i < 6; i++)
		args[i] = (u32)args[i];
}

#endif /* _KERNEL_MARKERS_SYSCALL_H */
