/* SPDX-License-Identifier: GPL-2.0 */
/* What a trace event of a marker is made of, for event.c and its tests. */
#ifndef _KERNEL_MARKERS_EVENT_H
#define _KERNEL_MARKERS_EVENT_H

#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/marker.h>
#include <linux/trace_events.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include "format.h"
#include "markers.h"

/* How long a recorded string may be, and all those of a record, NULs counted. */
#define MARKER_STRING_MAX	256
#define MARKER_STRINGS_MAX	2048

/* An argument in front of the ## of the format, be it recorded or not. */
struct event_arg {
	struct marker_field	field;
	u16			offset;		/* in the record */
	char			*name;		/* NULL: not recorded */
};

/* What is done with the slot of an argument, or with several of them. */
enum event_op_kind {
	OP_END,
	OP_MOVE,			/* @count whole slots to as many u64 */
	OP_MOVE4,			/* the lower bytes of one */
	OP_MOVE2,
	OP_MOVE1,
	OP_CONVERT,			/* recorded wider than it is passed */
	OP_STRING,			/* number @count, fetched before */
};

struct event_op {
	u8			kind;		/* enum event_op_kind */
	u8			count;
	u16			slot;		/* offset of the first one */
	u16			offset;		/* in the record */
	u16			arg;		/* that of the first slot */
};

struct marker_event {
	struct trace_event_call	call;
	struct trace_event_class class;
	struct tracepoint	tp;		/* only ever a name */
	struct list_head	list;		/* in marker_events */
	struct marker_event	*lkst;		/* its twin, or NULL */
	const char		*marker;	/* the name that it has */
	const char		*format;
	struct marker_counts __percpu *counts;	/* those of the marker */
	struct event_op		*ops;		/* registers, end, stack, end */
	struct event_arg	*args;
	const struct event_arg	*call_nr;	/* a system call, and */
	const struct event_arg	*call_arch;	/* its ABI; mostly NULL */
	u16			nr_args;
	u16			nr_defined;	/* of them tracing knows */
	u16			nr_strings;
	u16			size;		/* of a record without strings */
	bool			live;		/* tracing knows it */
	bool			wanted;		/* a site has its format */
	bool			used;		/* since it came to live */
	bool			refused;	/* and that was told */
};

/* The strings of one record. */
struct strings_level {
	char	text[MARKER_STRINGS_MAX];
	u16	end[MARKER_FORMAT_MAX_ARGS];	/* of each one, in @text */
};

#if IS_ENABLED(CONFIG_KUNIT)
struct marker_event *marker_event_alloc(const char *name, const char *format);
void marker_event_free(struct marker_event *event);
unsigned int marker_event_fill(const struct marker_event *event, va_list *args,
			       void *record, struct strings_level *strings);
#endif

#endif /* _KERNEL_MARKERS_EVENT_H */
