/* SPDX-License-Identifier: GPL-2.0 */
/* Random formats for the tests of kernel markers. */
#ifndef _KERNEL_MARKERS_RANDOM_FORMAT_H
#define _KERNEL_MARKERS_RANDOM_FORMAT_H

#include <linux/prandom.h>
#include <linux/types.h>

#define RANDOM_FIELDS_MAX	20

/* C's own types, to have C's own conversions to compare with. */
enum ctype {
	SCHAR, UCHAR, SHORT, USHORT, SINT, UINT, SLONG, ULONG, SLLONG, ULLONG,
};

struct random_format {
	char text[1024];
	unsigned int fields;
	unsigned int recorded;
	/* From every slot to what has to be read and recorded. */
	enum ctype type[RANDOM_FIELDS_MAX];
	enum ctype trace[RANDOM_FIELDS_MAX];
	/* UINT_MAX without one. */
	unsigned int precision[RANDOM_FIELDS_MAX];
};

unsigned int random_roll(struct rnd_state *rnd, unsigned int sides);
void format_repeat(char *buf, const char *text, unsigned int count);
u64 c_convert(enum ctype type, u64 value);
void random_format(struct rnd_state *rnd, struct random_format *f, bool traced);

#endif /* _KERNEL_MARKERS_RANDOM_FORMAT_H */
