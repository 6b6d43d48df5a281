// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that is refused, for its formats are wrong.
 *
 *	insmod marker-wrong-probe.ko		fails: Operation not permitted
 *	dmesg | tail
 *
 * A handler takes its arguments from the stack by the types it believes in. So
 * its format has to be that of the sites, to the letter, or it is not attached:
 * -EPERM, and a line in the log that has both formats. A format that is outside
 * of the grammar gives -EINVAL, whatever the sites have.
 *
 * It also shows what to do in an init function when a registration fails: what
 * was registered before must go, and must be waited for.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/marker.h>
#include <linux/module.h>

static const struct {
	const char	*what;
	const char	*format;
} wrong[] = {
	{
		"expires %ld where the sites have %lu",
		"timer %p expires %ld function %pS cpu #4u%u flags %x ## base_lock %p",
	}, {
		"no trace type #1",
		"timer %p expires %lu function %pS cpu #1%d",
	},
};

static void wrong_handler(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
}

static int __init wrong_init(void)
{
	int i, ret, first = 0;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		ret = marker_probe_register("kernel_timer_set", wrong[i].format,
					    wrong_handler, NULL);
		pr_info("registered with %s: %pe\n", wrong[i].what,
			ERR_PTR(ret));
		if (!ret)
			marker_probe_unregister("kernel_timer_set",
						wrong_handler, NULL);
		else if (!first)
			first = ret;
	}
	marker_synchronize_unregister();

	/* Not loaded, in any case. */
	return first ?: -EINVAL;
}
module_init(wrong_init);

MODULE_DESCRIPTION("Kernel markers: a probe that is refused");
MODULE_LICENSE("GPL");
