// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marker sites in a module.
 *
 * Each open of /proc/marker-site hits sample_subsystem_event once, with known
 * values, and sample_subsystem_eventb ten times. Each read of it hits
 * sample_site_read with the number of bytes that were asked for, and each load
 * of the module hits sample_site_init.
 *
 *	insmod marker-site.ko
 *	dd if=/proc/marker-site bs=42 count=1
 *	grep sample_ /sys/kernel/tracing/markers
 *	rmmod marker_site
 *
 * A site needs neither declaration nor registration: it is known as soon as its
 * module is loaded, and gone with it. With no handler attached all this is a
 * few NOPs; marker-count-probe.c and marker-log-probe.c have handlers for it.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/proc_fs.h>

/*
 * Inlined wherever it is called, and then each copy is a site of the same
 * marker. Values are best cast to a plain type; what reads the format in user
 * space may not know %zu.
 */
static inline void mark_read(size_t count)
{
	trace_mark(sample_site_read, "count %lu", (unsigned long)count);
}

static int site_open(struct inode *inode, struct file *file)
{
	int i;

	trace_mark(sample_subsystem_event, "integer %d string %s", 123,
		   "example string");
	for (i = 0; i < 10; i++)
		trace_mark(sample_subsystem_eventb, MARK_NOARGS);
	return 0;
}

static ssize_t site_read(struct file *file, char __user *buf, size_t count,
			 loff_t *pos)
{
	mark_read(count);
	return 0;
}

static const struct proc_ops site_proc_ops = {
	.proc_open	= site_open,
	.proc_read	= site_read,
};

static int __init site_init(void)
{
	/*
	 * Code that is thrown away after it ran is not worth patching:
	 * _trace_mark() tests a variable instead. Only a handler that was
	 * registered before the module is loaded sees this one.
	 */
	_trace_mark(sample_site_init, "module %s", THIS_MODULE->name);

	if (!proc_create("marker-site", 0444, NULL, &site_proc_ops))
		return -ENOMEM;
	return 0;
}
module_init(site_init);

static void __exit site_exit(void)
{
	remove_proc_entry("marker-site", NULL);
}
module_exit(site_exit);

MODULE_DESCRIPTION("Kernel markers: a module with sites");
MODULE_LICENSE("GPL");
