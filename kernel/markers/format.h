/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format strings of markers: what each argument is, how it is read from
 * the caller and how it is recorded. See format.c for the grammar.
 *
 * Pure functions: no allocation, no lock, no state but the caller's, so they
 * may be called in any context. The same source is compiled into the kernel,
 * into the check that runs when the kernel is built and into the fuzzer: what
 * the build accepts is what the kernel accepts.
 */
#ifndef _KERNEL_MARKERS_FORMAT_H
#define _KERNEL_MARKERS_FORMAT_H

#ifdef __KERNEL__
#include <linux/stdarg.h>
#include <linux/types.h>
#else
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The types of <stdint.h>, so that another header may say the same. */
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT64_TYPE__ u64;
#endif

/*
 * Limits. A format beyond them is refused, never cut: two names that differ
 * only behind a cut would become one.
 */
#define MARKER_FORMAT_MAX_LEN	1023	/* both formats fit a log line or two */
#define MARKER_FORMAT_MAX_ARGS	127	/* what C promises for one call */
#define MARKER_FORMAT_MAX_WIDTH	255	/* strings are cut there anyway */

/* Room for every name marker_field_name() makes: a word and "_127". */
#define MARKER_FIELD_NAME_SIZE	64
#define MARKER_FIELD_WORD_MAX	(MARKER_FIELD_NAME_SIZE - sizeof("_127"))

enum marker_field_kind {
	MARKER_FIELD_INT,
	MARKER_FIELD_CHAR,		/* one unsigned byte shown as %c */
	MARKER_FIELD_POINTER,		/* the address itself */
	MARKER_FIELD_STRING,		/* the kernel string at that address */
	MARKER_FIELD_USER_STRING,	/* the string at that user address */
};

/* The type that va_arg() must be given, after C's default promotions. */
enum marker_arg_pass {
	MARKER_PASS_INT,
	MARKER_PASS_LONG,		/* size_t and ptrdiff_t too */
	MARKER_PASS_LLONG,
	MARKER_PASS_POINTER,
};

/**
 * struct marker_type - type of a value
 * @kind: what it is
 * @size: its width in bytes: 1, 2, 4 or 8; that of a pointer for addresses
 *        and strings
 * @base: 8, 10 or 16 for an integer, otherwise 0
 * @is_signed: extended with its sign
 * @upper: hexadecimal digits in upper case
 * @network: the bytes are in network order. A property only: the value is
 *        recorded as it comes from the packet and nothing swaps it but
 *        marker_field_host()
 */
struct marker_type {
	enum marker_field_kind kind;
	u8 size;
	u8 base;
	bool is_signed;
	bool upper;
	bool network;
};

/**
 * struct marker_field - one argument of a format
 * @format: the format it is in
 * @start: offset of its first byte, '#' or '%'
 * @percent: offset of its '%'
 * @end: offset behind its last byte
 * @name: offset of the word it is named after
 * @name_len: length of that word; 0 if there is none. marker_field_name()
 *        gives the full name
 * @index: number of the argument, from 0, unrecorded ones counted
 * @precision: the number behind the '.', -1 if there is none
 * @suffix: the letter behind %p: x, K, S, s, B or NUL
 * @recorded: false for #0 and for everything behind ##
 * @pass: how the caller passes it
 * @arg: the C type it has once it is read: an int for %hhd is passed as int,
 *        but has size 1
 * @trace: the type it is recorded as
 *
 * The text in front of a field is what lies between the @end of the field
 * before it (or the begin of the format) and its @start.
 */
struct marker_field {
	const char *format;
	u16 start;
	u16 percent;
	u16 end;
	u16 name;
	u8 name_len;
	u8 index;
	short precision;
	char suffix;
	bool recorded;
	enum marker_arg_pass pass;
	struct marker_type arg;
	struct marker_type trace;
};

/**
 * struct marker_format_error - why a format is refused
 * @what: the reason, a static string without a newline
 * @offset: offset of what is refused: a text byte, a name, or the '#' or '%'
 *        that starts a field
 */
struct marker_format_error {
	const char *what;
	unsigned int offset;
};

/**
 * struct marker_format_iter - a walk over a format
 * @format: the format
 * @pos: where the walk is
 * @fields: number of fields seen
 * @recorded: number of those that are recorded
 * @tail: a ## was seen: nothing is recorded any more
 * @error: why the format was refused; @error.what is NULL as long as it is not
 */
struct marker_format_iter {
	const char *format;
	const char *pos;
	unsigned int fields;
	unsigned int recorded;
	bool tail;
	struct marker_format_error error;
};

void marker_format_start(struct marker_format_iter *it, const char *format);
int marker_format_next(struct marker_format_iter *it,
		       struct marker_field *field);

int marker_format_check(const char *format, struct marker_format_error *error);
int marker_format_count(const char *format, unsigned int *recorded);
bool marker_format_equal(const char *a, const char *b);
bool marker_format_match(const char *site, const char *registered);

int marker_field_name(const struct marker_field *field, char *buf, size_t size);

u64 marker_field_read(const struct marker_field *field, va_list *args);
u64 marker_field_slot(const struct marker_field *field, u64 slot);
u64 marker_field_convert(const struct marker_field *field, u64 value);
u64 marker_field_host(const struct marker_field *field, u64 recorded);

#endif /* _KERNEL_MARKERS_FORMAT_H */
