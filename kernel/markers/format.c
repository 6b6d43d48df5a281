// SPDX-License-Identifier: GPL-2.0
/*
 * Parser for the format strings of markers.
 *
 *   format := { text | '%%' | '##' | field }
 *   field  := [ '#' trace ] '%' c-type
 *   trace  := '0'
 *           | [ 'n' ] [ '1'|'2'|'4'|'8'|h|l|ll|z|t ] ( d|i|u|x|X|o )
 *           | 'p' | 'c' | 's' | 'us'
 *   c-type := { '-'|'+'|' '|'#'|'0' } [ width ] [ '.' [ precision ] ]
 *             ( [ hh|h|l|ll|L|z|t ] ( d|i|u|x|X|o )
 *             | 'c' | 's' | 'p' [ x|K|S|s|B ] )
 *
 * Text
 *   Printable ASCII, since formats stand in files that have lines and columns
 *   and are read by tools in every locale. '##' may come any number of times;
 *   the first one ends the recorded part. It is looked for first: in "##%d"
 *   and "##4u%d" there is no trace type. "%%" is the only way to print a '%'.
 *
 * A lone '#'
 *   Literal in front of '%' and of a blank. In front of anything else, the end
 *   of the format included, it has to be a trace type with its '%' directly
 *   behind, or the format is refused: whoever wrote "#1%d" or "#2u %u" meant a
 *   trace type and would not get one.
 *
 * C types
 *   What format_decode() of lib/vsprintf.c takes, without '*' (it is an
 *   argument of its own), without length modifiers on c, s and p (wide
 *   characters to gcc, ignored by the kernel), without "%5%", and width and
 *   precision up to MARKER_FORMAT_MAX_WIDTH. A '.' without a number, 0 to C, is
 *   no precision, as it is to the kernel. %c is read as unsigned char, as
 *   vsnprintf() does. vsnprintf() swallows all letters and digits behind %p,
 *   and which of them dereference changes between kernels: so everything but
 *   x, K, S, s and B is refused, and also a second one (%pSR, %pxyz).
 *
 * Which trace type goes with which C type
 *   0         all
 *   integer   integers, %c and %p; with 'n' integers only. No width is int
 *   p         integers, %p and %s (then the address, not the string)
 *   c         integers and %c
 *   s         %s and %p, no suffix
 *   us        %p, no suffix
 *
 * Names
 *   A word is [A-Za-z_][A-Za-z0-9_]* with none of [A-Za-z0-9_] and no
 *   conversion directly before it: "0x%lX" and the "ms" of "%dms" are no
 *   words. A field is named after the last word between the conversion before
 *   it and its own '#' or '%' ('##' and '%%' are not in the way). Without one
 *   it is argN, N counting all arguments from 1.
 *
 *   Names are unique within a format. The first field with a name keeps it.
 *   Each later one gets the next of _2, _3, ... that no field of the format is
 *   called by itself: "x %d x %d x_2 %d" are x, x_3 and x_2. So does every one
 *   that cannot keep its name: that is called common_*, as the fields of all
 *   trace events are, or by a word that C has for itself, as tools make a struct
 *   of C from the fields: a keyword, one that begins with "__" or with '_' and a
 *   capital, or a macro like linux ("unsigned %u" is unsigned_2).
 */
#include "format.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/string.h>
#include <kunit/visibility.h>
#else
#include <errno.h>
#include <string.h>

/* Nothing to export, but something for the semicolon behind it to end. */
#define EXPORT_SYMBOL_IF_KUNIT(symbol)	struct symbol
#endif

/* Longest name of a field without a word, "arg127", and its NUL. */
#define MARKER_ARGN_SIZE	sizeof("arg127")

/*
 * Not <linux/ctype.h>: to that, the upper half of Latin-1 has letters, and user
 * space asks the locale.
 */
static bool marker_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool marker_is_alnum(char c)
{
	return marker_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool marker_is_word(char c)
{
	return marker_is_alnum(c) || c == '_';
}

static bool marker_is_text(char c)
{
	return c >= ' ' && c <= '~';
}

static int marker_refuse(struct marker_format_iter *it, size_t offset,
			 const char *what)
{
	it->error.what = what;
	it->error.offset = offset;
	return -EINVAL;
}

/* The integer that a conversion letter stands for; false: it is none. */
static bool marker_int_letter(char c, struct marker_type *type)
{
	type->kind = MARKER_FIELD_INT;
	type->base = 10;

	switch (c) {
	case 'd':
	case 'i':
		type->is_signed = true;
		return true;
	case 'u':
		return true;
	case 'X':
		type->upper = true;
		type->base = 16;
		return true;
	case 'x':
		type->base = 16;
		return true;
	case 'o':
		type->base = 8;
		return true;
	}
	return false;
}

/*
 * The width of an integer trace type. In Linux size_t and ptrdiff_t are as
 * wide as long, whatever type they are.
 */
static const char *marker_trace_size(const char *p, struct marker_type *trace)
{
	switch (*p) {
	case '1':
	case '2':
	case '4':
	case '8':
		trace->size = *p - '0';
		return p + 1;
	case 'h':
		trace->size = sizeof(short);
		return p + 1;
	case 'l':
		if (p[1] == 'l') {
			trace->size = sizeof(long long);
			return p + 2;
		}
		trace->size = sizeof(long);
		return p + 1;
	case 'z':
	case 't':
		trace->size = sizeof(long);
		return p + 1;
	}
	trace->size = sizeof(int);
	return p;
}

/*
 * Reads the trace type at @p, behind its '#'. Returns where its '%' is, NULL
 * with a reason if there is no trace type or no '%' directly behind.
 */
static const char *marker_parse_trace(const char *p, struct marker_field *field,
				      const char **what)
{
	struct marker_type *trace = &field->trace;
	const char *letter;

	trace->network = *p == 'n';
	letter = marker_trace_size(p + trace->network, trace);

	if (*p == '0') {
		field->recorded = false;
		p++;
	} else if (*p == 'p') {
		trace->kind = MARKER_FIELD_POINTER;
		p++;
	} else if (*p == 'c') {
		trace->kind = MARKER_FIELD_CHAR;
		p++;
	} else if (*p == 's') {
		trace->kind = MARKER_FIELD_STRING;
		p++;
	} else if (p[0] == 'u' && p[1] == 's') {
		trace->kind = MARKER_FIELD_USER_STRING;
		p += 2;
	} else if (marker_int_letter(*letter, trace)) {
		p = letter + 1;
	} else {
		*what = letter == p ?
			"'#' without trace type, '%' or blank behind it" :
			"trace type without one of d i u x X o";
		return NULL;
	}

	if (*p != '%') {
		*what = "no '%' directly behind the trace type";
		return NULL;
	}
	if (p[1] == '%') {
		*what = "trace type in front of '%%'";
		return NULL;
	}
	return p;
}

/* A width or precision; larger ones are read to their end and refused later. */
static const char *marker_parse_number(const char *p, unsigned int *number)
{
	*number = 0;
	for (; marker_is_digit(*p); p++) {
		if (*number <= MARKER_FORMAT_MAX_WIDTH)
			*number = *number * 10 + (*p - '0');
	}
	return p;
}

/* The length modifier, if there is one, as format_decode() takes it. */
static const char *marker_parse_length(const char *p,
				       struct marker_field *field)
{
	field->pass = MARKER_PASS_INT;
	field->arg.size = sizeof(int);

	switch (*p) {
	case 'h':
		if (p[1] == 'h') {
			field->arg.size = sizeof(char);
			return p + 2;
		}
		field->arg.size = sizeof(short);
		return p + 1;
	case 'l':
		if (p[1] != 'l') {
			field->pass = MARKER_PASS_LONG;
			field->arg.size = sizeof(long);
			return p + 1;
		}
		p++;
		break;
	case 'L':
		break;
	case 'z':
	case 't':
		field->pass = MARKER_PASS_LONG;
		field->arg.size = sizeof(long);
		return p + 1;
	default:
		return p;
	}
	field->pass = MARKER_PASS_LLONG;
	field->arg.size = sizeof(long long);
	return p + 1;
}

/* Why the conversion letter at @p is none of ours. */
static const char *marker_bad_letter(const char *p)
{
	switch (*p) {
	case '\0':
		return "format ends within a conversion";
	case '%':
		return "only %% prints a '%'";
	case '*':
		return "'*' as width or precision";
	case 'n':
		return "%n writes to memory";
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return "floating point";
	}
	return "unknown conversion";
}

/*
 * Reads the conversion at @p, its '%'. Returns what is behind it, NULL with a
 * reason if it is refused.
 */
static const char *marker_parse_arg(const char *p, struct marker_field *field,
				    const char **what)
{
	struct marker_type *arg = &field->arg;
	unsigned int width, precision = 0;
	const char *length;

	do
		p++;
	while (*p == '-' || *p == '+' || *p == ' ' || *p == '#' || *p == '0');

	p = marker_parse_number(p, &width);
	field->precision = -1;
	if (*p == '.') {
		length = p + 1;
		p = marker_parse_number(length, &precision);
		if (p > length)
			field->precision = precision;
	}
	if (width > MARKER_FORMAT_MAX_WIDTH ||
	    precision > MARKER_FORMAT_MAX_WIDTH) {
		*what = "width or precision over 255";
		return NULL;
	}

	length = p;
	p = marker_parse_length(p, field);

	if (marker_int_letter(*p, arg))
		return p + 1;

	arg->base = 0;
	if (*p != 'c' && *p != 's' && *p != 'p') {
		*what = marker_bad_letter(p);
		return NULL;
	}
	if (p != length) {
		*what = "length modifier on %c, %s or %p";
		return NULL;
	}
	if (*p == 'c') {
		arg->kind = MARKER_FIELD_CHAR;
		arg->size = sizeof(char);
		return p + 1;
	}

	field->pass = MARKER_PASS_POINTER;
	arg->size = sizeof(void *);
	if (*p++ == 's') {
		arg->kind = MARKER_FIELD_STRING;
		return p;
	}
	arg->kind = MARKER_FIELD_POINTER;
	if (*p == 'x' || *p == 'K' || *p == 'S' || *p == 's' || *p == 'B')
		field->suffix = *p++;
	if (marker_is_alnum(*p)) {
		*what = "%p with a suffix other than x K S s B";
		return NULL;
	}
	return p;
}

/*
 * Brings the trace type together with the C type. Returns why they do not go
 * together, or NULL.
 */
static const char *marker_join(struct marker_field *field, bool typed)
{
	const struct marker_type *arg = &field->arg;
	struct marker_type *trace = &field->trace;
	bool plain_pointer = arg->kind == MARKER_FIELD_POINTER &&
			     !field->suffix;

	if (!typed) {
		*trace = *arg;
		return NULL;
	}

	switch (trace->kind) {
	case MARKER_FIELD_INT:
		if (arg->kind == MARKER_FIELD_STRING)
			return "integer trace type with %s";
		if (trace->network && arg->kind != MARKER_FIELD_INT)
			return "network byte order with %c or %p";
		return NULL;
	case MARKER_FIELD_CHAR:
		if (arg->kind != MARKER_FIELD_INT &&
		    arg->kind != MARKER_FIELD_CHAR)
			return "trace type c with %s or %p";
		trace->size = sizeof(char);
		return NULL;
	case MARKER_FIELD_POINTER:
		if (arg->kind == MARKER_FIELD_CHAR)
			return "trace type p with %c";
		break;
	case MARKER_FIELD_STRING:
		if (arg->kind != MARKER_FIELD_STRING && !plain_pointer)
			return "trace type s without %s or plain %p";
		break;
	case MARKER_FIELD_USER_STRING:
		if (!plain_pointer)
			return "trace type us without plain %p";
		break;
	}
	trace->size = sizeof(void *);
	return NULL;
}

/*
 * Reads the field at @p, its '#' or '%', and steps the walk over it. @name and
 * @name_len are the word before it.
 */
static int marker_parse_field(struct marker_format_iter *it, const char *p,
			      const char *name, size_t name_len,
			      struct marker_field *field)
{
	size_t start = p - it->format;
	/* #0 drops the value: its type is that of the argument. */
	bool typed = p[0] == '#' && p[1] != '0';
	const char *what;

	*field = (struct marker_field) {
		.format = it->format,
		.recorded = !it->tail,
	};

	if (*p == '#') {
		p = marker_parse_trace(p + 1, field, &what);
		if (!p)
			return marker_refuse(it, start, what);
	}
	field->percent = p - it->format;

	p = marker_parse_arg(p, field, &what);
	if (!p)
		return marker_refuse(it, start, what);

	what = marker_join(field, typed);
	if (what)
		return marker_refuse(it, start, what);

	/* A run of flags may have led past the limit of the text loop. */
	if (p - it->format > MARKER_FORMAT_MAX_LEN)
		return marker_refuse(it, MARKER_FORMAT_MAX_LEN,
				     "longer than 1023 bytes");
	if (it->fields == MARKER_FORMAT_MAX_ARGS)
		return marker_refuse(it, start, "more than 127 arguments");
	if (name_len > MARKER_FIELD_WORD_MAX)
		return marker_refuse(it, name - it->format,
				     "field name longer than 59 bytes");

	field->start = start;
	field->end = p - it->format;
	if (name) {
		field->name = name - it->format;
		field->name_len = name_len;
	}
	field->index = it->fields++;
	if (field->recorded)
		it->recorded++;
	it->pos = p;
	return 1;
}

/**
 * marker_format_start - begin a walk over a format
 * @it: the walk
 * @format: the format, which has to stay as long as @it and the fields are used
 *
 * NULL is no format: the first marker_format_next() refuses it.
 *
 * Context: any.
 */
void marker_format_start(struct marker_format_iter *it, const char *format)
{
	*it = (struct marker_format_iter) {
		.format = format,
		.pos = format,
	};
	if (!format)
		marker_refuse(it, 0, "no format");
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_start);

/**
 * marker_format_next - get the next field of a format
 * @it: the walk
 * @field: where to put the field
 *
 * There is one field for each argument, the ones that are not recorded
 * included. What comes behind a field has not been looked at: arguments may
 * be taken by the fields of a walk only if marker_format_check() accepted the
 * format as a whole.
 *
 * Context: any.
 * Return: 1 for a field, 0 at the end, -EINVAL with @it->error set if the
 * format is refused. @field is valid in the first case only; the other two
 * repeat themselves.
 */
int marker_format_next(struct marker_format_iter *it,
		       struct marker_field *field)
{
	const char *p = it->pos;
	const char *name = NULL;
	size_t name_len = 0;
	/* What touches the value before it is no word of its own. */
	bool in_word = it->fields;

	if (it->error.what)
		return -EINVAL;

	while (*p) {
		if (p - it->format >= MARKER_FORMAT_MAX_LEN)
			return marker_refuse(it, MARKER_FORMAT_MAX_LEN,
					     "longer than 1023 bytes");
		if (!marker_is_text(*p))
			return marker_refuse(it, p - it->format,
					     "not printable ASCII");

		if (p[0] == '#' && p[1] == '#') {
			it->tail = true;
			in_word = false;
			p += 2;
		} else if (p[0] == '%' && p[1] == '%') {
			in_word = false;
			p += 2;
		} else if (p[0] == '#' && (p[1] == '%' || p[1] == ' ')) {
			in_word = false;
			p++;
		} else if (*p == '#' || *p == '%') {
			return marker_parse_field(it, p, name, name_len, field);
		} else if (!marker_is_word(*p)) {
			in_word = false;
			p++;
		} else if (in_word || marker_is_digit(*p)) {
			in_word = true;
			p++;
		} else {
			name = p;
			while (marker_is_word(*p))
				p++;
			name_len = p - name;
		}
	}
	/* "##" or "%%" may have led past the limit, by one byte. */
	if (p - it->format > MARKER_FORMAT_MAX_LEN)
		return marker_refuse(it, MARKER_FORMAT_MAX_LEN,
				     "longer than 1023 bytes");
	it->pos = p;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_next);

static int marker_format_walk(struct marker_format_iter *it, const char *format)
{
	struct marker_field field;
	int ret;

	marker_format_start(it, format);
	do
		ret = marker_format_next(it, &field);
	while (ret > 0);
	return ret;
}

/**
 * marker_format_check - is this a format
 * @format: the format
 * @error: where to put the reason and place if it is not, or NULL
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int marker_format_check(const char *format, struct marker_format_error *error)
{
	struct marker_format_iter it;
	int ret = marker_format_walk(&it, format);

	if (ret && error)
		*error = it.error;
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_check);

/**
 * marker_format_count - count the arguments of a format
 * @format: the format
 * @recorded: where to put how many of them are recorded, or NULL
 *
 * Context: any.
 * Return: the number of arguments, or -EINVAL for a format that is refused;
 * then @recorded is not written.
 */
int marker_format_count(const char *format, unsigned int *recorded)
{
	struct marker_format_iter it;
	int ret = marker_format_walk(&it, format);

	if (ret)
		return ret;
	if (recorded)
		*recorded = it.recorded;
	return it.fields;
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_count);

/* Leading blanks do not count: MARK_NOARGS is " ", people write "". */
static const char *marker_skip_blanks(const char *format)
{
	while (*format == ' ')
		format++;
	return format;
}

/**
 * marker_format_equal - are two formats equal
 * @a: one format
 * @b: the other
 *
 * Context: any.
 * Return: true if both have the same bytes behind their leading blanks. NULL
 * is equal to nothing.
 */
bool marker_format_equal(const char *a, const char *b)
{
	if (!a || !b)
		return false;
	return !strcmp(marker_skip_blanks(a), marker_skip_blanks(b));
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_equal);

/* Same bytes, or a %s here and a plain %p there that are otherwise alike. */
static bool marker_field_match(const struct marker_field *a,
			       const struct marker_field *b)
{
	const char *start_a = a->format + a->start;
	const char *start_b = b->format + b->start;
	unsigned int len = a->end - a->start;
	unsigned int letter = len - 1;

	if ((unsigned int)(b->end - b->start) != len ||
	    memcmp(start_a, start_b, letter))
		return false;
	if (start_a[letter] == start_b[letter])
		return true;
	return a->pass == MARKER_PASS_POINTER && !a->suffix &&
	       b->pass == MARKER_PASS_POINTER && !b->suffix;
}

/**
 * marker_format_match - may a registration with one format use a site's
 * @site: format of the site
 * @registered: format of the registration
 *
 * SystemTap registers %p for a site's %s, so that these two conversions count
 * as equal where one stands for the other and nothing else differs. "%pS" is
 * no %p, and the "%%s" of a text is no %s.
 *
 * Context: any.
 * Return: true if @registered may be used. NULL matches nothing.
 */
bool marker_format_match(const char *site, const char *registered)
{
	struct marker_format_iter it_a, it_b;
	struct marker_field a, b;
	const char *pos_a, *pos_b;
	int ret;

	if (marker_format_equal(site, registered))
		return true;
	if (!site || !registered)
		return false;

	marker_format_start(&it_a, marker_skip_blanks(site));
	marker_format_start(&it_b, marker_skip_blanks(registered));
	for (;;) {
		pos_a = it_a.pos;
		pos_b = it_b.pos;
		ret = marker_format_next(&it_a, &a);
		if (ret < 0 || marker_format_next(&it_b, &b) != ret)
			return false;
		if (!ret)
			return !strcmp(pos_a, pos_b);

		/* Texts before are equal, and so are their lengths. */
		if (a.start != b.start ||
		    memcmp(pos_a, pos_b, it_a.format + a.start - pos_a) ||
		    !marker_field_match(&a, &b))
			return false;
	}
}
EXPORT_SYMBOL_IF_KUNIT(marker_format_match);

/* Writes a number of at most three digits. Returns its length. */
static size_t marker_put_number(char *buf, unsigned int number)
{
	size_t len = number >= 100 ? 3 : number >= 10 ? 2 : 1;
	size_t i;

	for (i = len; i-- > 0; number /= 10)
		buf[i] = '0' + number % 10;
	return len;
}

/*
 * The name of a field before it is made unique: its word, or argN, which is
 * written to @argn.
 */
static const char *marker_own_name(const struct marker_field *field,
				   char argn[MARKER_ARGN_SIZE], size_t *len)
{
	if (field->name_len) {
		*len = field->name_len;
		return field->format + field->name;
	}
	memcpy(argn, "arg", 3);
	*len = 3 + marker_put_number(argn + 3, field->index + 1);
	return argn;
}

/*
 * Is it a word that no field may be called by? Those that C has for itself, in
 * gcc's dialect and in C23, those that compilers have as macros, and common_*.
 */
static bool marker_is_reserved(const char *name, size_t len)
{
	static const char *const words[] = {
		"alignas", "alignof", "asm", "auto", "bool", "break", "case",
		"char", "const", "constexpr", "continue", "default", "do",
		"double", "else", "enum", "extern", "false", "float", "for",
		"goto", "i386", "if", "inline", "int", "linux", "long",
		"nullptr", "register", "restrict", "return", "short", "signed",
		"sizeof", "static", "static_assert", "struct", "switch",
		"thread_local", "true", "typedef", "typeof", "typeof_unqual",
		"union", "unix", "unsigned", "void", "volatile", "while", NULL
	};
	size_t i;

	if (name[0] == '_' && len >= 2 &&
	    (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
		return true;
	if (len >= 7 && !memcmp(name, "common_", 7))
		return true;
	for (i = 0; words[i]; i++) {
		if (strlen(words[i]) == len && !memcmp(name, words[i], len))
			return true;
	}
	return false;
}

/*
 * The number N if @name is @base with _N, N being written as we would. Else 0,
 * and also if N is more than a format may have fields: it is never needed.
 */
static unsigned int marker_name_suffix(const char *name, size_t name_len,
				       const char *base, size_t base_len)
{
	unsigned int number;
	char digits[3];
	size_t len;

	if (name_len < base_len + 2 || name_len > base_len + 4 ||
	    memcmp(name, base, base_len) || name[base_len] != '_')
		return 0;
	name += base_len + 1;
	len = name_len - base_len - 1;
	if (marker_parse_number(name, &number) < name + len ||
	    number > MARKER_FORMAT_MAX_ARGS)
		return 0;
	if (marker_put_number(digits, number) != len)
		return 0;
	return number;
}

/**
 * marker_field_name - make the name of a field
 * @field: a field that marker_format_next() gave
 * @buf: where to put the name and its NUL
 * @size: size of @buf; MARKER_FIELD_NAME_SIZE is always enough
 *
 * No two fields of a format get the same name. This walks over the format
 * again, since it is the other fields that decide whether a name is free.
 *
 * Context: any.
 * Return: length of the name, or -ENOSPC if @buf is too small.
 */
int marker_field_name(const struct marker_field *field, char *buf, size_t size)
{
	char own[MARKER_ARGN_SIZE], argn[MARKER_ARGN_SIZE];
	/* Bit N: another field is called the same with _N, by itself. */
	u64 taken[MARKER_FORMAT_MAX_ARGS / 64 + 1] = { 0 };
	struct marker_format_iter it;
	struct marker_field other;
	unsigned int number = 1, skip;
	const char *name, *base;
	char digits[3];
	size_t len, name_len, digits_len;
	bool reserved;

	base = marker_own_name(field, own, &len);
	/* No field keeps such a name, not even the first one. */
	reserved = marker_is_reserved(base, len);
	skip = reserved;

	marker_format_start(&it, field->format);
	while (marker_format_next(&it, &other) > 0) {
		name = marker_own_name(&other, argn, &name_len);
		if (name_len == len && !memcmp(name, base, len)) {
			if (other.index < field->index)
				skip++;
		} else if (!marker_is_reserved(name, name_len)) {
			unsigned int n = marker_name_suffix(name, name_len,
							    base, len);

			taken[n / 64] |= 1ULL << (n % 64);
		}
	}

	/*
	 * Ends at MARKER_FORMAT_MAX_ARGS, as each number that is taken or
	 * skipped has a field of its own; one later for a reserved name.
	 */
	for (; skip; skip--) {
		do
			number++;
		while (number <= MARKER_FORMAT_MAX_ARGS &&
		       taken[number / 64] & 1ULL << (number % 64));
	}

	digits_len = number > 1 ? marker_put_number(digits, number) : 0;
	if (len + !!digits_len + digits_len >= size)
		return -ENOSPC;
	memcpy(buf, base, len);
	if (digits_len) {
		buf[len++] = '_';
		memcpy(buf + len, digits, digits_len);
		len += digits_len;
	}
	buf[len] = '\0';
	return len;
}
EXPORT_SYMBOL_IF_KUNIT(marker_field_name);

/* C's conversion to an integer of that type, extended to 64 bits again. */
static u64 marker_extend(u64 value, const struct marker_type *type)
{
	unsigned int shift = 64 - 8 * type->size;

	value <<= shift;
	if (type->is_signed)
		return (long long)value >> shift;
	return value >> shift;
}

/**
 * marker_field_read - take the next argument
 * @field: the field of that argument
 * @args: the arguments; they have to be taken in order, the ones that are not
 *        recorded included
 *
 * Context: any.
 * Return: the value by its C type, extended to 64 bits with the sign of that
 * type; an address for pointers and strings.
 */
u64 marker_field_read(const struct marker_field *field, va_list *args)
{
	switch (field->pass) {
	case MARKER_PASS_LONG:
		return marker_extend(va_arg(*args, long), &field->arg);
	case MARKER_PASS_LLONG:
		return marker_extend(va_arg(*args, long long), &field->arg);
	case MARKER_PASS_POINTER:
		return (unsigned long)va_arg(*args, void *);
	case MARKER_PASS_INT:
		break;
	}
	return marker_extend(va_arg(*args, int), &field->arg);
}
EXPORT_SYMBOL_IF_KUNIT(marker_field_read);

/**
 * marker_field_slot - take an argument from where it lies
 * @field: the field of that argument
 * @slot: the 64 bits of the register or stack slot it was passed in; those that
 *        do not belong to its type may have any value
 *
 * Context: any.
 * Return: what marker_field_read() would.
 */
u64 marker_field_slot(const struct marker_field *field, u64 slot)
{
	return marker_extend(slot, &field->arg);
}
EXPORT_SYMBOL_IF_KUNIT(marker_field_slot);

/**
 * marker_field_convert - convert an argument to its trace type
 * @field: the field
 * @value: what marker_field_read() or marker_field_slot() returned
 *
 * As C does. The lower @field->trace.size bytes are what is to be recorded.
 * For network order this is the value as it is in the packet: that is already
 * how it has to be recorded. For strings it is their address.
 *
 * Context: any.
 * Return: the value, extended to 64 bits with the sign of the trace type.
 */
u64 marker_field_convert(const struct marker_field *field, u64 value)
{
	return marker_extend(value, &field->trace);
}
EXPORT_SYMBOL_IF_KUNIT(marker_field_convert);

/**
 * marker_field_host - what a recorded value means
 * @field: the field
 * @recorded: the recorded value
 *
 * For showing a value only: swaps fields in network byte order, unless that is
 * the order of the machine.
 *
 * Context: any.
 * Return: the value in host byte order, extended with the sign of its type.
 */
u64 marker_field_host(const struct marker_field *field, u64 recorded)
{
	u64 host = 0;
	unsigned int i;

	if (!field->trace.network || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		return marker_extend(recorded, &field->trace);

	for (i = 0; i < field->trace.size; i++, recorded >>= 8)
		host = host << 8 | (recorded & 0xff);
	return marker_extend(host, &field->trace);
}
EXPORT_SYMBOL_IF_KUNIT(marker_field_host);
