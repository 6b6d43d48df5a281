// SPDX-License-Identifier: GPL-2.0
/* The same marker with a slip of the pen in its format, as ext4 once had it. */

#define TEST_FORMAT "dev %d bocks %lu note %s"

#include "test_markers_site.h"
