// SPDX-License-Identifier: GPL-2.0
#define mark(...)
#include "size.h"
