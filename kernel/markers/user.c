// SPDX-License-Identifier: GPL-2.0
/*
 * The marker that programs hit: what is written to the tracefs file
 * marker_event is the string of userspace_event.
 *
 *	echo "request 17 begins" >/sys/kernel/tracing/marker_event
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/marker.h>
#include <linux/printk.h>
#include <linux/tracefs.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/* What a string of a marker may be long. */
#define USER_TEXT_MAX	255

/*
 * Each write is one event, in whole or not at all, and it ends the same whether
 * somebody listens or not; to writev() each of its buffers is a write. A newline
 * at the end, or a NUL, or both, belong to the program that writes; other control
 * characters could make one record look like several, so they become question
 * marks.
 */
static ssize_t marker_event_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *pos)
{
	char text[USER_TEXT_MAX + sizeof("\n")];
	size_t len, i;

	if (!count)
		return 0;
	if (count > sizeof(text))
		return -EMSGSIZE;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;

	len = count;
	if (text[len - 1] == '\0')
		len--;
	if (len && text[len - 1] == '\n')
		len--;
	if (len > USER_TEXT_MAX)
		return -EMSGSIZE;
	for (i = 0; i < len; i++) {
		if (iscntrl(text[i]))
			text[i] = '?';
	}
	text[len] = '\0';

	trace_mark(userspace_event, "string %s", text);
	return count;
}

static const struct file_operations marker_event_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = marker_event_write,
};

static int __init marker_event_init(void)
{
	if (!tracefs_create_file("marker_event", 0220, NULL, NULL,
				 &marker_event_fops))
		pr_warn("could not create the tracefs file \"marker_event\"\n");
	return 0;
}
fs_initcall(marker_event_init);
