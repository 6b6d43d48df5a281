// SPDX-License-Identifier: GPL-2.0
/* Messages, memory, output, and names that are near to a wrong one. */

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmark.h"

/* One line, whatever is in the names that it tells of. */
static void vwarn(const char *fmt, va_list args)
{
	char text[2048];
	char *c;

	vsnprintf(text, sizeof(text), fmt, args);
	for (c = text; *c; c++) {
		if (!isprint((unsigned char)*c))
			*c = '?';
	}
	fprintf(stderr, "kmark: %s\n", text);
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vwarn(fmt, args);
	va_end(args);
}

void die(enum status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vwarn(fmt, args);
	va_end(args);
	exit(status);
}

/* The same with what errno says, from which the status follows. */
void die_errno(const char *fmt, ...)
{
	int error = errno;
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	die(error == EACCES || error == EPERM ? STATUS_DENIED : STATUS_FAILED,
	    "%s: %s", text ?: "no memory", strerror(error));
}

void *xrealloc(void *ptr, size_t nr, size_t size)
{
	ptr = reallocarray(ptr, nr ?: 1, size);
	if (!ptr)
		die(STATUS_FAILED, "no memory");
	return ptr;
}

char *xstrdup(const char *string)
{
	char *copy = strdup(string);

	if (!copy)
		die(STATUS_FAILED, "no memory");
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		die(STATUS_FAILED, "no memory");
	va_end(args);
	return text;
}

/*
 * Reads until the end, but no more than @max bytes, which is 0 for all. Returns
 * the text with a NUL behind it, or NULL with errno set.
 */
char *read_fd(int fd, size_t max, size_t *len)
{
	size_t size = 0, used = 0, want;
	char *text = NULL;
	ssize_t ret;

	do {
		if (used + 1 >= size) {
			size = size ? size * 2 : 16384;
			text = xrealloc(text, size, 1);
		}
		want = size - used - 1;
		if (max && want > max - used)
			want = max - used;
		ret = want ? read(fd, text + used, want) : 0;
		if (ret < 0 && errno != EINTR) {
			free(text);
			return NULL;
		}
		if (ret > 0)
			used += ret;
	} while (ret);

	text[used] = '\0';
	if (len)
		*len = used;
	return text;
}

/* What was printed may not have arrived. */
void finish_output(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) || failed || fclose(stdout)) {
		if (errno)
			die_errno("cannot write to standard output");
		die(STATUS_FAILED, "cannot write to standard output");
	}
}

void json_string(const char *string)
{
	const unsigned char *c;

	putchar('"');
	for (c = (const unsigned char *)string; *c; c++) {
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if (*c < ' ' || *c > '~')
			printf("\\u%04x", *c);
		else
			putchar(*c);
	}
	putchar('"');
}

void json_string_or_null(const char *string)
{
	if (string)
		json_string(string);
	else
		printf("null");
}

/*
 * How many letters must be inserted, deleted or replaced to make @a of @b, in
 * whatever case they are.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t len = strlen(b), i, above, diagonal, *row;

	row = xrealloc(NULL, len + 1, sizeof(*row));
	for (i = 0; i <= len; i++)
		row[i] = i;
	for (; *a; a++) {
		diagonal = row[0]++;
		for (i = 1; i <= len; i++) {
			above = row[i];
			row[i] = diagonal + (tolower((unsigned char)*a) !=
					     tolower((unsigned char)b[i - 1]));
			if (row[i] > above + 1)
				row[i] = above + 1;
			if (row[i] > row[i - 1] + 1)
				row[i] = row[i - 1] + 1;
			diagonal = above;
		}
	}
	i = row[len];
	free(row);
	return i;
}

/*
 * Keeps @name if it is among the nearest. One that has the whole wrong one in it
 * is nearer than one that has other letters.
 */
void nearest_add(struct nearest *near, const char *name)
{
	size_t len = strlen(near->wrong), distance;
	unsigned int i, j;

	distance = 2 * edit_distance(near->wrong, name);
	if (len > 2 && strcasestr(name, near->wrong) && distance > 3)
		distance = 3;
	else if (distance > 4 && distance > 2 * len / 3)
		return;
	for (i = 0; i < near->nr; i++) {
		if (!strcmp(near->names[i], name))
			return;
	}

	for (i = 0; i < near->nr && near->distance[i] <= distance; i++)
		;
	if (i == NEAREST)
		return;
	if (near->nr < NEAREST)
		near->nr++;
	for (j = near->nr - 1; j > i; j--) {
		near->names[j] = near->names[j - 1];
		near->distance[j] = near->distance[j - 1];
	}
	near->names[i] = name;
	near->distance[i] = distance;
}

/* As the end of a message; empty when there is none. */
char *nearest_text(const struct nearest *near)
{
	char *text = xstrdup(""), *longer;
	unsigned int i;

	for (i = 0; i < near->nr; i++) {
		longer = xasprintf("%s%s%s", text, i ? ", " : "; nearest: ",
				   near->names[i]);
		free(text);
		text = longer;
	}
	return text;
}
