/* SPDX-License-Identifier: GPL-2.0 */
/* What a marker with six numbers is compared with. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM marker_bench

#if !defined(_BENCH_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _BENCH_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(bench_event,
	    TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		     unsigned long d, unsigned long e, unsigned long f),
	    TP_ARGS(a, b, c, d, e, f),
	    TP_STRUCT__entry(__field(unsigned long, a)
			     __field(unsigned long, b)
			     __field(unsigned long, c)
			     __field(unsigned long, d)
			     __field(unsigned long, e)
			     __field(unsigned long, f)),
	    TP_fast_assign(__entry->a = a;
			   __entry->b = b;
			   __entry->c = c;
			   __entry->d = d;
			   __entry->e = e;
			   __entry->f = f;),
	    TP_printk("a %lx b %lx c %lx d %lx e %lx f %lx",
		      __entry->a, __entry->b, __entry->c,
		      __entry->d, __entry->e, __entry->f));

#endif /* _BENCH_EVENT_H */

/* This part must be outside protection */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bench_event
#include <trace/define_trace.h>
