// SPDX-License-Identifier: GPL-2.0
/*
 * A marker of its own name: as no test but test-failslab.sh loads it, its fields
 * are new to tracing there.
 *
 * fire=N	hit it with this number
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "test_markers.h"

static int fire_set(const char *val, const struct kernel_param *kp)
{
	int n, ret = kstrtoint(val, 0, &n);

	if (ret)
		return ret;
	trace_mark(test_fields_event, "one %d two %d three %d", n, n + 1,
		   n + 2);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire_set,
};
module_param_cb(fire, &fire_ops, NULL, 0200);

MODULE_DESCRIPTION("Fields that are new, for the tests of kernel markers");
MODULE_LICENSE("GPL");
