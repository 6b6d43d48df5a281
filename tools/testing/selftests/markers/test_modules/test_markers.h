/* SPDX-License-Identifier: GPL-2.0 */
/* What the test modules have in common. */
#ifndef _TEST_MARKERS_H
#define _TEST_MARKERS_H

#include <linux/kconfig.h>
#include <linux/marker.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/string.h>

/*
 * The marker test_markers_event has these arguments in all of its formats:
 * any number, another that is made from it, and always the same string.
 */
#define TEST_EVENT_NOTE		"hello"

static inline unsigned long test_event_blocks(int dev)
{
	return dev * 1000UL + 7;
}

static inline bool test_event_is(const char *fmt)
{
	return !strncmp(fmt, "dev %d b", 8);
}

/* Whether a handler of test_markers_event got what the site passed. */
static inline bool test_event_ok(va_list *args)
{
	int dev = va_arg(*args, int);
	unsigned long blocks = va_arg(*args, unsigned long);
	const char *note = va_arg(*args, const char *);

	return blocks == test_event_blocks(dev) &&
	       !strcmp(note, TEST_EVENT_NOTE);
}

/* What all handlers may rely on. */
static inline bool test_handler_atomic(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_COUNT) || preempt_count();
}

#endif /* _TEST_MARKERS_H */
