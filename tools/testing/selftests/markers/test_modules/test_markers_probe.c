// SPDX-License-Identifier: GPL-2.0
/*
 * A handler that is attached as long as the module is loaded.
 *
 * name=S format=S	what to register for; no format takes any
 * privates=N		so many registrations, each with data of its own
 * linger=N		the handler takes N microseconds
 * forget=1		do not unregister, as a careless author
 * hits, bad		calls of the handler, and those where something was off
 *
 * The exit function poisons the private data right after the grace period, and
 * logs the two counts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "test_markers.h"

#define MAX_PRIVATES	8
#define MAGIC		0x6d61726b
#define POISON		0x6b

static char *name = "test_markers_event";
module_param(name, charp, 0400);

static char *format;
module_param(format, charp, 0400);

static unsigned int privates = 1;
module_param(privates, uint, 0400);

static unsigned int linger;
module_param(linger, uint, 0400);

static bool forget;
module_param(forget, bool, 0400);

struct private {
	unsigned int	magic;
	unsigned int	index;
};

static struct private data[MAX_PRIVATES];
static atomic_long_t hits;
static atomic_long_t bad;

static bool private_ok(const struct private *private)
{
	unsigned int i = READ_ONCE(private->index);

	return READ_ONCE(private->magic) == MAGIC && i < MAX_PRIVATES &&
	       private == &data[i];
}

static bool call_ok(const struct private *private, const char *fmt,
		    va_list *args)
{
	return private_ok(private) && test_handler_atomic() &&
	       (!format || !strcmp(fmt, format)) &&
	       (!test_event_is(fmt) || test_event_ok(args));
}

static void on_hit(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
	bool ok = !call_private && call_ok(probe_private, fmt, args);

	/* Long enough to be there when it is unregistered. */
	if (linger)
		udelay(linger);
	if (!ok || !private_ok(probe_private))
		atomic_long_inc(&bad);
	atomic_long_inc(&hits);
}

static int count_get(char *buffer, const struct kernel_param *kp)
{
	atomic_long_t *count = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(count));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};
module_param_cb(hits, &count_ops, &hits, 0400);
module_param_cb(bad, &count_ops, &bad, 0400);

static void detach(unsigned int n)
{
	while (n--) {
		if (marker_probe_unregister(name, on_hit, &data[n]))
			pr_err("cannot unregister\n");
	}
	marker_synchronize_unregister();
}

static int __init test_markers_probe_init(void)
{
	unsigned int i;
	int ret;

	if (privates > MAX_PRIVATES)
		return -EINVAL;
	for (i = 0; i < privates; i++) {
		data[i].magic = MAGIC;
		data[i].index = i;
		ret = marker_probe_register(name, format, on_hit, &data[i]);
		if (ret) {
			detach(i);
			return ret;
		}
	}
	return 0;
}
module_init(test_markers_probe_init);

static void __exit test_markers_probe_exit(void)
{
	if (!forget) {
		detach(privates);
		memset(data, POISON, sizeof(data));
		/* Who still comes now is counted as bad. */
		usleep_range(1000, 2000);
	}
	pr_info("hits %ld bad %ld\n", atomic_long_read(&hits),
		atomic_long_read(&bad));
}
module_exit(test_markers_probe_exit);

MODULE_DESCRIPTION("A probe for the tests of kernel markers");
MODULE_LICENSE("GPL");
