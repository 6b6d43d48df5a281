// SPDX-License-Identifier: GPL-2.0
#define CREATE_TRACE_POINTS
#include "bench_event.h"

#define mark	trace_bench_event
#include "size.h"
