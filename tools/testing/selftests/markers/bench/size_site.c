// SPDX-License-Identifier: GPL-2.0
#include <linux/marker.h>

#define mark(...)							\
	trace_mark(bench_event, "a %lx b %lx c %lx d %lx e %lx f %lx",	\
		   __VA_ARGS__)
#include "size.h"
