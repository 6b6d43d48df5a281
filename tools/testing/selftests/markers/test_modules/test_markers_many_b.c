// SPDX-License-Identifier: GPL-2.0
/* The other half of test_markers_many. */

#include "test_markers_many.h"

void many_b(void)
{
	many_inline(3);
	trace_mark(test_markers_many, "place %s n %d", "other file", 4);
}
