// SPDX-License-Identifier: GPL-2.0
/* The format that most tests use. */

#define TEST_FORMAT "dev %d blocks %lu note %s"

#include "test_markers_site.h"
