// SPDX-License-Identifier: GPL-2.0
/*
 * What is allocated at run time for the marker of size_site.c and the event of
 * size_event.c, each as a symbol of that size.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include "event.h"
#include "internal.h"
#include "markers.h"
#include "trace.h"

#define SIZE(what, size)	char allocated_##what[size] __used

/* struct marker with its name behind it; a counter of each kind for a CPU */
static SIZE(marker, sizeof(struct marker) + sizeof("bench_event"));
static SIZE(marker_counts, sizeof(struct marker_counts));

/* the trace event of the marker: all that its format is turned into */
static SIZE(marker_event, sizeof(struct marker_event));
static SIZE(event_args, 6 * sizeof(struct event_arg));
static SIZE(event_names, 6 * sizeof(u64));
static SIZE(event_ops, (6 + 2) * sizeof(struct event_op));
static SIZE(event_name, sizeof("bench_event"));
static SIZE(event_format, sizeof("a %lx b %lx c %lx d %lx e %lx f %lx"));
static SIZE(event_print_fmt,
	    sizeof("\"a %llx b %llx c %llx d %llx e %llx f %llx\", ") +
	    6 * sizeof("REC->a,"));

/* of each of the two, in one instance: file, directory, six fields */
static SIZE(event_file, sizeof(struct trace_event_file));
static SIZE(event_directory, sizeof(struct eventfs_inode));
static SIZE(event_field, sizeof(struct ftrace_event_field));

MODULE_DESCRIPTION("An object to look at the symbols of");
MODULE_LICENSE("GPL");
