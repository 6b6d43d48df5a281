/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KMARK_MASK_H
#define KMARK_MASK_H

#include "kmark.h"

/* What lkst_mset reads while no set is in use; no set has this name. */
#define MASK_NONE	"none"

void mask_load(struct set *set, const char *name);

#endif /* KMARK_MASK_H */
