/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_MARKER_H
#define _ASM_X86_MARKER_H

#include <linux/compiler.h>
#include <linux/stdarg.h>
#include <linux/types.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#ifdef CONFIG_X86_64

/*
 * What va_list is an array of one of, by the System V ABI (section 3.5.7). The
 * compilers know the type, but give no name to it that they agree on.
 */
struct arch_marker_va_list {
	unsigned int	gp_offset;		/* of the next one in @reg_save */
	unsigned int	fp_offset;
	void		*overflow_arg_area;	/* the next one on the stack */
	void		*reg_save_area;
};

#define ARCH_MARKER_REG_SAVE_SIZE	(6 * sizeof(u64))

/**
 * arch_marker_arg - read an argument of a marker hit without walking there
 * @args: the arguments
 * @index: which one, 0 being the next that va_arg() would give
 *
 * Each scalar of up to 64 bits takes one slot of eight bytes, in the area where
 * the six argument registers are saved or, after those, on the stack. The bits
 * of a slot above the width of its argument are undefined.
 *
 * Context: Any. The caller knows that there is such an argument.
 * Return: the slot.
 */
static __always_inline u64 arch_marker_arg(va_list *args, unsigned int index)
{
	const struct arch_marker_va_list *va = (const void *)*args;
	unsigned int offset = va->gp_offset + index * sizeof(u64);

	if (offset < ARCH_MARKER_REG_SAVE_SIZE)
		return *(const u64 *)(va->reg_save_area + offset);

	/* Once the registers are used up gp_offset stays at their end. */
	return *(const u64 *)(va->overflow_arg_area +
			      (offset - ARCH_MARKER_REG_SAVE_SIZE));
}

#define arch_marker_arg arch_marker_arg

/* The first register carries the site. */
#define ARCH_MARKER_REG_SLOTS	5

/**
 * struct arch_marker_slots - where the arguments of a marker hit lie
 * @regs: the slots of the first ARCH_MARKER_REG_SLOTS arguments
 * @stack: those of the others
 *
 * The lower bytes of a slot are those of the argument, whatever its width.
 */
struct arch_marker_slots {
	const u64 *regs;
	const u64 *stack;
};

/**
 * arch_marker_slots - find the arguments of a marker hit
 * @args: the arguments, none of them read yet
 *
 * Context: Any.
 * Return: where they lie.
 */
static __always_inline struct arch_marker_slots arch_marker_slots(va_list *args)
{
	const struct arch_marker_va_list *va = (const void *)*args;

	return (struct arch_marker_slots) {
		.regs	= va->reg_save_area + va->gp_offset,
		.stack	= va->overflow_arg_area,
	};
}

/**
 * arch_marker_caller_regs - make the registers of a marker site
 * @regs: filled as far as perf and BPF look at them
 * @args: the arguments, none of them read yet
 *
 * Below the arguments on the stack is the address that marker_hit() returns to.
 *
 * Context: Any.
 */
static __always_inline void arch_marker_caller_regs(struct pt_regs *regs,
						    va_list *args)
{
	const struct arch_marker_va_list *va = (const void *)*args;
	const unsigned long *top = va->overflow_arg_area;

	regs->ip = top[-1];
	regs->sp = (unsigned long)&top[-1];
	regs->cs = __KERNEL_CS;
	regs->flags = 0;
}

#endif /* CONFIG_X86_64 */

#endif /* _ASM_X86_MARKER_H */
