// SPDX-License-Identifier: GPL-2.0
/* Another module with the same marker in the same format. */

#define TEST_FORMAT "dev %d blocks %lu note %s"

#include "test_markers_site.h"
