/* SPDX-License-Identifier: GPL-2.0 */
/* The names of LKST, for the events, the list of markers, and the tests. */
#ifndef _KERNEL_MARKERS_LKST_H
#define _KERNEL_MARKERS_LKST_H

#include <linux/types.h>

#ifdef CONFIG_MARKERS_LKST
const char *lkst_name(const char *marker);
const char *lkst_name_at(unsigned int nr, const char **marker);
#else
static inline const char *lkst_name(const char *marker)
{
	return NULL;
}

static inline
const char *lkst_name_at(unsigned int nr, const char **marker)
{
	return NULL;
}
#endif

/* What the tracer tells of itself is for one instance, or for all. */

struct trace_array;

#ifdef CONFIG_MARKERS_TRACER
bool tracer_event_for(const struct trace_array *tr);
void tracer_event_on(struct trace_array *tr, const char *marker);
void tracer_event_off(struct trace_array *tr, const char *marker);
#else
static inline bool tracer_event_for(const struct trace_array *tr)
{
	return true;
}

static inline void tracer_event_on(struct trace_array *tr,
				   const char *marker) { }
static inline void tracer_event_off(struct trace_array *tr,
				    const char *marker) { }
#endif

#endif /* _KERNEL_MARKERS_LKST_H */
