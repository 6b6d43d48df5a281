// SPDX-License-Identifier: GPL-2.0
/*
 * Mask sets: the text of one, and the events that it chooses. A line has one
 * pattern; a # starts a comment, anywhere.
 */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "kmark.h"

/* The longest name of a marker has 255 characters. */
#define LINE_MAX_LEN	511

#define BLANKS		" \t"

/* Dies unless this is a line of text. */
static void check_line(const char *label, unsigned int nr, const char *line,
		       size_t len)
{
	const char *c;

	if (len > LINE_MAX_LEN)
		die(STATUS_BAD_SET, "%s:%u: the line is longer than %d bytes",
		    label, nr, LINE_MAX_LEN);
	for (c = line; c < line + len; c++) {
		if (*c == '\r')
			die(STATUS_BAD_SET,
			    "%s:%u: there is a carriage return in the line; lines end with a newline only",
			    label, nr);
		/* Comments may be in any language. */
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 127)
			die(STATUS_BAD_SET, "%s:%u: byte 0x%02x is not text",
			    label, nr, (unsigned char)*c);
	}
}

static void parse_line(struct set *set, unsigned int nr, char *line)
{
	struct pattern pattern;
	char *word, *error;

	line[strcspn(line, "#")] = '\0';
	word = line + strspn(line, BLANKS);
	if (!*word)
		return;
	line = word + strcspn(word, BLANKS);
	if (line[strspn(line, BLANKS)])
		die(STATUS_BAD_SET, "%s:%u: there is more than one name in the line",
		    set->label, nr);
	*line = '\0';
	error = pattern_parse(&pattern, word);
	if (error)
		die(STATUS_BAD_SET, "%s:%u: %s", set->label, nr, error);

	/* Twice as much when it is a power of 2. */
	if (!(set->nr & (set->nr - 1)))
		set->lines = xrealloc(set->lines, set->nr ? 2 * set->nr : 1,
				      sizeof(*set->lines));
	set->lines[set->nr++] = (struct set_line) {
		.nr		= nr,
		.pattern	= pattern,
	};
}

/* Dies if anything is wrong with it. @label, the name of the file, is kept. */
void set_parse(struct set *set, const char *label, const char *text, size_t len)
{
	const char *end = text + len, *newline;
	char copy[LINE_MAX_LEN + 1];
	unsigned int nr = 0;
	size_t line_len;

	memset(set, 0, sizeof(*set));
	set->label = label;
	for (; text < end; text = newline + 1) {
		nr++;
		newline = memchr(text, '\n', end - text) ?: end;
		line_len = newline - text;
		check_line(label, nr, text, line_len);
		memcpy(copy, text, line_len);
		copy[line_len] = '\0';
		parse_line(set, nr, copy);
	}
	if (!set->nr)
		die(STATUS_BAD_SET, "%s:%u: there is no event in it", label, nr ?: 1);
}

/* Does as the pattern says with the events of one group. Are there any? */
static bool choose_in(const struct pattern *pattern, enum group group,
		      struct events *events)
{
	bool found = false;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->list[i];

		if (event->group != group ||
		    !pattern_matches(pattern, event->name))
			continue;
		event->wanted = !pattern->not;
		found = true;
	}
	return found;
}

/*
 * A name without a group is one of markers, unless only LKST has it: so that *
 * does not record everything twice. What is taken away goes in both.
 */
static bool choose(const struct pattern *pattern, struct events *events)
{
	bool found;

	if (pattern->group != GROUP_ANY)
		return choose_in(pattern, pattern->group, events);
	found = choose_in(pattern, GROUP_MARKERS, events);
	if (!found || pattern->not)
		found |= choose_in(pattern, GROUP_LKST, events);
	return found;
}

static bool is_reserved(const char *name)
{
	struct markers markers;
	size_t i;

	markers_read(&markers);
	for (i = 0; i < markers.nr_reserved; i++) {
		if (!strcmp(markers.reserved[i], name))
			return true;
	}
	return false;
}

static void warn_unknown(const struct set *set, const struct set_line *line,
			 const struct events *events)
{
	struct nearest near = { .wrong = line->pattern.name };
	char *text;
	size_t i;

	if (is_reserved(near.wrong)) {
		warn("%s:%u: LKST reserves the name \"%s\": there is no such event",
		     set->label, line->nr, near.wrong);
		return;
	}
	for (i = 0; i < events->nr; i++) {
		if (line->pattern.group == GROUP_ANY ||
		    line->pattern.group == events->list[i].group)
			nearest_add(&near, events->list[i].name);
	}
	text = nearest_text(&near);
	warn("%s:%u: there is no event \"%s\" in this kernel%s", set->label,
	     line->nr, near.wrong, text);
	free(text);
}

/*
 * Marks the events that are wanted. A name that is not there is told of and
 * makes it false; a glob may match nothing.
 */
bool set_choose(const struct set *set, struct events *events)
{
	bool good = true;
	size_t i;

	for (i = 0; i < set->nr; i++) {
		const struct set_line *line = &set->lines[i];

		if (choose(&line->pattern, events) ||
		    pattern_is_glob(&line->pattern))
			continue;
		warn_unknown(set, line, events);
		good = false;
	}
	return good;
}
