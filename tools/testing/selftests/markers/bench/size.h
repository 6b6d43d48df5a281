/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object that holds one function with whatever mark() is in it: what is in
 * one object and not in another is what a mark costs.
 */
#include <linux/compiler.h>
#include <linux/module.h>

static noinline __used void marked(unsigned long a, unsigned long b,
				   unsigned long c, unsigned long d,
				   unsigned long e, unsigned long f)
{
	mark(a, b, c, d, e, f);
	/* Not at the end of the function, as most marks are not. */
	barrier();
}

MODULE_DESCRIPTION("An object to look at the size of");
MODULE_LICENSE("GPL");
