// SPDX-License-Identifier: GPL-2.0
/*
 * Many sites with one name, and markers with unusual numbers of arguments.
 *
 * fire=1	hit all of them; test_markers_many has 6 sites and 10 hits
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>

#include "test_markers_many.h"

static noinline void two_in_one_function(void)
{
	trace_mark(test_markers_many, "place %s n %d", "first", 1);
	trace_mark(test_markers_many, "place %s n %d", "second", 2);
}

static noinline void unrolled(void)
{
	int i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		trace_mark(test_markers_many, "place %s n %d", "loop", i);
}

static noinline void inlined_twice(void)
{
	many_inline(1);
	many_inline(2);
}

/* More arguments than registers, of all widths and signs. */
static noinline void wide(void)
{
	trace_mark(test_markers_wide,
		   "c %c h %hd u %u ld %ld llx %llx hhu %hhu x %#x zu %zu d %d ## tail %lu",
		   'A', (short)-2, 3000000000U, -4L, 0x123456789abcdef0ULL,
		   (unsigned char)250, 0xbeefU, (size_t)7, -8, 9UL);
}

static int fire_set(const char *val, const struct kernel_param *kp)
{
	two_in_one_function();
	unrolled();
	inlined_twice();
	many_b();
	trace_mark(test_markers_none, MARK_NOARGS);
	wide();
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire_set,
};
module_param_cb(fire, &fire_ops, NULL, 0200);

MODULE_DESCRIPTION("Many sites for the tests of kernel markers");
MODULE_LICENSE("GPL");
