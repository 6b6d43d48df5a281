// SPDX-License-Identifier: GPL-2.0
/* Random formats, and what the arguments of them have to become. */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "random_format.h"

unsigned int random_roll(struct rnd_state *rnd, unsigned int sides)
{
	return prandom_u32_state(rnd) % sides;
}

/* @count times @text, behind what is in @buf. */
void format_repeat(char *buf, const char *text, unsigned int count)
{
	size_t len = strlen(text);

	buf += strlen(buf);
	for (; count--; buf += len)
		memcpy(buf, text, len + 1);
}

/* Converts as C does, and extends to 64 bits again. */
u64 c_convert(enum ctype type, u64 value)
{
	switch (type) {
	case SCHAR:
		return (signed char)value;
	case UCHAR:
		return (unsigned char)value;
	case SHORT:
		return (short)value;
	case USHORT:
		return (unsigned short)value;
	case SINT:
		return (int)value;
	case UINT:
		return (unsigned int)value;
	case SLONG:
		return (long)value;
	case ULONG:
		return (unsigned long)value;
	case SLLONG:
		return (long long)value;
	case ULLONG:
		break;
	}
	return value;
}

/* Classes of C types, for what goes with which trace type. */
#define C_INT	1
#define C_CHAR	2
#define C_PTR	4	/* no suffix */
#define C_SYM	8	/* with a suffix */
#define C_STR	16
#define C_ANY	31

static const struct {
	const char *text;
	enum ctype type;
	unsigned int class;
} random_args[] = {
	{ "hhd", SCHAR, C_INT }, { "hhi", SCHAR, C_INT },
	{ "hhu", UCHAR, C_INT }, { "hhx", UCHAR, C_INT },
	{ "hd", SHORT, C_INT }, { "hX", USHORT, C_INT },
	{ "d", SINT, C_INT }, { "i", SINT, C_INT }, { "u", UINT, C_INT },
	{ "x", UINT, C_INT }, { "X", UINT, C_INT }, { "o", UINT, C_INT },
	{ "ld", SLONG, C_INT }, { "lu", ULONG, C_INT }, { "lx", ULONG, C_INT },
	{ "lld", SLLONG, C_INT }, { "llo", ULLONG, C_INT },
	{ "Li", SLLONG, C_INT }, { "Lu", ULLONG, C_INT },
	{ "zd", SLONG, C_INT }, { "zu", ULONG, C_INT },
	{ "td", SLONG, C_INT }, { "tx", ULONG, C_INT },
	{ "c", UCHAR, C_CHAR },
	{ "p", ULONG, C_PTR },
	{ "px", ULONG, C_SYM }, { "pK", ULONG, C_SYM }, { "pS", ULONG, C_SYM },
	{ "ps", ULONG, C_SYM }, { "pB", ULONG, C_SYM },
	{ "s", ULONG, C_STR },
};

static const struct {
	const char *text;
	enum ctype type;
	unsigned int class;
} random_traces[] = {
	{ "1d", SCHAR, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "1u", UCHAR, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "hi", SHORT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "2x", USHORT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "4d", SINT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "d", SINT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "o", UINT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "4X", UINT, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "ld", SLONG, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "zu", ULONG, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "8d", SLLONG, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "llu", ULLONG, C_INT | C_CHAR | C_PTR | C_SYM },
	{ "n2u", USHORT, C_INT },
	{ "n4u", UINT, C_INT },
	{ "n8x", ULLONG, C_INT },
	{ "p", ULONG, C_INT | C_PTR | C_SYM | C_STR },
	{ "c", UCHAR, C_INT | C_CHAR },
	{ "s", ULONG, C_PTR | C_STR },
	{ "us", ULONG, C_PTR },
};

/*
 * Makes a random format within the grammar. @traced: with trace types and ##,
 * else snprintf() takes it too.
 */
void random_format(struct rnd_state *rnd, struct random_format *f, bool traced)
{
	static const char *const texts[] = {
		"", " ", "pid ", "a_b=", "0x", " %% ", "# ", "x y ", "common_a ",
		"(%%d)", " #%%",
	};
	static const struct {
		const char *text;
		unsigned int precision;
	} flags[] = {
		{ "", UINT_MAX }, { "", UINT_MAX }, { "-", UINT_MAX },
		{ "0", UINT_MAX }, { "+ ", UINT_MAX }, { "#", UINT_MAX },
		{ "-#0", UINT_MAX }, { "5", UINT_MAX }, { "08", UINT_MAX },
		{ "255", UINT_MAX }, { ".3", 3 }, { "-10.4", 4 }, { ".0", 0 },
		{ ".", UINT_MAX },
	};
	unsigned int i, a, t, flag;
	bool tail = false;

	f->text[0] = '\0';
	f->recorded = 0;
	f->fields = random_roll(rnd, RANDOM_FIELDS_MAX + 1);
	for (i = 0; i < f->fields; i++) {
		bool dropped = tail;

		/* Never directly behind %p, where letters are a suffix. */
		format_repeat(f->text, " ", 1);
		format_repeat(f->text, texts[random_roll(rnd, ARRAY_SIZE(texts))], 1);
		if (traced && !random_roll(rnd, 30)) {
			format_repeat(f->text, "## ", 1);
			tail = true;
			dropped = true;
		}

		a = random_roll(rnd, ARRAY_SIZE(random_args));
		t = random_roll(rnd, ARRAY_SIZE(random_traces));
		f->type[i] = random_args[a].type;
		f->trace[i] = f->type[i];
		if (traced && !random_roll(rnd, 8)) {
			format_repeat(f->text, "#0", 1);
			dropped = true;
		} else if (traced &&
			   random_traces[t].class & random_args[a].class) {
			format_repeat(f->text, "#", 1);
			format_repeat(f->text, random_traces[t].text, 1);
			f->trace[i] = random_traces[t].type;
		}
		format_repeat(f->text, "%", 1);
		flag = random_roll(rnd, ARRAY_SIZE(flags));
		format_repeat(f->text, flags[flag].text, 1);
		f->precision[i] = flags[flag].precision;
		format_repeat(f->text, random_args[a].text, 1);
		f->recorded += !dropped;
	}
}
