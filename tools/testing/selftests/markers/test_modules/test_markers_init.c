// SPDX-License-Identifier: GPL-2.0
/*
 * Sites in the init and the exit function of a module.
 *
 * fail=1	the init function fails after its sites were hit
 * careless=1	the init function also registers handlers, and neither it nor
 *		the exit function takes them away
 * fire=N	hit the site in the module's other code N times
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>

#include "test_markers.h"

static bool fail;
module_param(fail, bool, 0400);

static bool careless;
module_param(careless, bool, 0400);

static int fire_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(val, 0, &n);

	if (ret)
		return ret;
	while (n--)
		trace_mark(test_markers_init, "step %d", 2);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire_set,
};
module_param_cb(fire, &fire_ops, NULL, 0200);

static void on_hit(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
}

static int __init test_markers_init_init(void)
{
	int ret;

	trace_mark(test_markers_init, "step %d", 1);
	_trace_mark(test_markers_init_plain, "step %d", 1);

	if (careless) {
		ret = marker_probe_register("test_markers_event", NULL, on_hit,
					    NULL);
		if (!ret)
			ret = marker_probe_register("test_markers_init", NULL,
						    on_hit, &fail);
		if (ret)
			pr_err("cannot register: %d\n", ret);
	}
	return fail ? -EIO : 0;
}
module_init(test_markers_init_init);

static void __exit test_markers_init_exit(void)
{
	trace_mark(test_markers_init, "step %d", 3);
	_trace_mark(test_markers_init_plain, "step %d", 3);
}
module_exit(test_markers_init_exit);

MODULE_DESCRIPTION("Sites in init code for the tests of kernel markers");
MODULE_LICENSE("GPL");
