// SPDX-License-Identifier: GPL-2.0
/*
 * What is allocated at run time for the marker of size_site.c and the event of
 * size_event.c, each as a symbol of that size.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include "internal.h"
#include "markers.h"
#include "trace.h"

#define SIZE(what, size)	char allocated_##what[size] __used

/* struct marker with its name behind it; a counter of each kind for a CPU */
static SIZE(marker, sizeof(struct marker) + sizeof("bench_event"));
static SIZE(marker_counts, sizeof(struct marker_counts));

/* the event in one instance, its directory, the six fields */
static SIZE(event_file, sizeof(struct trace_event_file));
static SIZE(event_directory, sizeof(struct eventfs_inode));
static SIZE(event_field, sizeof(struct ftrace_event_field));

MODULE_DESCRIPTION("An object to look at the symbols of");
MODULE_LICENSE("GPL");
