/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_MARKERS_MANY_H
#define _TEST_MARKERS_MANY_H

#include <linux/marker.h>

/* One site in each file that includes this, however often it is inlined. */
static __always_inline void many_inline(int n)
{
	trace_mark(test_markers_many, "place %s n %d", "inline", n);
}

void many_b(void);

#endif /* _TEST_MARKERS_MANY_H */
