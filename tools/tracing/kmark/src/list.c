// SPDX-License-Identifier: GPL-2.0
/* kmark list */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kmark.h"

#define NR_COLUMNS	10

static const char * const titles[NR_COLUMNS] = {
	"NAME", "LKST", "STATE", "SITES", "HANDLERS", "HITS", "RECURSIONS",
	"UNWATCHED", "LOST", "FORMAT",
};

static bool matches(const struct pattern *pattern, const struct marker *marker)
{
	if (pattern->group != GROUP_LKST &&
	    pattern_matches(pattern, marker->name))
		return true;
	return pattern->group != GROUP_MARKERS && marker->lkst &&
	       pattern_matches(pattern, marker->lkst);
}

/* Leaves those that match. */
static void choose(struct markers *markers, const char *word)
{
	struct nearest near = {};
	struct pattern pattern;
	size_t i, nr = 0;
	char *error;

	error = pattern_parse(&pattern, word);
	if (error)
		die(STATUS_USAGE, "%s", error);
	if (pattern.not)
		die(STATUS_USAGE, "\"%s\": a ! has a meaning in mask sets only", word);
	near.wrong = pattern.name;
	for (i = 0; i < markers->nr; i++) {
		struct marker *marker = &markers->list[i];

		if (matches(&pattern, marker)) {
			markers->list[nr++] = *marker;
			continue;
		}
		if (pattern.group != GROUP_LKST)
			nearest_add(&near, marker->name);
		if (pattern.group != GROUP_MARKERS && marker->lkst)
			nearest_add(&near, marker->lkst);
	}
	markers->nr = nr;
	if (nr)
		return;

	for (i = 0; i < markers->nr_reserved; i++) {
		if (pattern_matches(&pattern, markers->reserved[i]))
			die(STATUS_UNKNOWN,
			    "LKST reserves the name \"%s\": there is no such marker",
			    markers->reserved[i]);
	}
	if (pattern_is_glob(&pattern))
		die(STATUS_UNKNOWN, "no marker matches \"%s\"", word);
	die(STATUS_UNKNOWN, "there is no marker \"%s\"%s", word, nearest_text(&near));
}

static void get_columns(const struct marker *marker, char **columns)
{
	columns[0] = xstrdup(marker->name);
	columns[1] = xstrdup(marker->lkst ?: "-");
	columns[2] = xstrdup(marker->state);
	columns[3] = xasprintf("%lu", marker->sites);
	columns[4] = xasprintf("%lu", marker->handlers);
	columns[5] = xasprintf("%lu", marker->hits);
	columns[6] = xasprintf("%lu", marker->recursions);
	columns[7] = xasprintf("%lu", marker->unwatched);
	columns[8] = xasprintf("%lu", marker->lost);
	columns[9] = xstrdup(marker->format ?: "-");
}

/* How much of the format there is room for. */
static int format_room(const size_t *widths)
{
	struct winsize size;
	size_t used = 0;
	unsigned int i;

	if (!isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return -1;
	for (i = 0; i < NR_COLUMNS - 1; i++)
		used += widths[i] + 2;
	/* A little of it is of use even if the line breaks. */
	return used + 20 < size.ws_col ? (int)(size.ws_col - used) : 20;
}

static void print_row(const char * const *columns, const size_t *widths, int room)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS - 1; i++)
		printf(i < 3 ? "%-*s  " : "%*s  ", (int)widths[i], columns[i]);
	printf("%.*s\n", room, columns[i]);
}

static void print_table(const struct markers *markers, bool verbose)
{
	size_t widths[NR_COLUMNS], i;
	char *(*rows)[NR_COLUMNS];
	unsigned int j;
	int room;

	rows = xrealloc(NULL, markers->nr, sizeof(*rows));
	for (j = 0; j < NR_COLUMNS; j++)
		widths[j] = strlen(titles[j]);
	for (i = 0; i < markers->nr; i++) {
		get_columns(&markers->list[i], rows[i]);
		for (j = 0; j < NR_COLUMNS; j++) {
			if (strlen(rows[i][j]) > widths[j])
				widths[j] = strlen(rows[i][j]);
		}
	}

	room = format_room(widths);
	print_row(titles, widths, room);
	for (i = 0; i < markers->nr; i++) {
		print_row((const char * const *)rows[i], widths, room);
		for (j = 0; verbose && j < markers->list[i].nr_details; j++)
			printf("\t%s\n", markers->list[i].details[j]);
		for (j = 0; j < NR_COLUMNS; j++)
			free(rows[i][j]);
	}
	free(rows);
}

static void json_member(const char *name, const char *string)
{
	printf("\"%s\": ", name);
	json_string(string);
	printf(", ");
}

static void json_format(char *format)
{
	if (format)
		unescape(format);
	printf("\"format\": ");
	json_string_or_null(format);
	putchar('}');
}

/* Places with commas between them, or "-". */
static void json_places(char *places)
{
	bool first = true;
	char *place;

	printf("\"places\": [");
	if (!strcmp(places, "-"))
		places = NULL;
	while ((place = strsep(&places, ","))) {
		if (!first)
			printf(", ");
		first = false;
		json_string(place);
	}
	printf("], ");
}

/* The lines below a marker of one kind, "site" or "handler". */
static void json_details(const struct marker *marker, const char *kind)
{
	char *fields[5], *copy;
	unsigned int i, nr;
	bool first = true;

	printf("\"%ss\": [", kind);
	for (i = 0; i < marker->nr_details; i++) {
		copy = xstrdup(marker->details[i]);
		nr = split(copy, '\t', fields, ARRAY_SIZE(fields));
		if (!strcmp(fields[0], kind) && nr == (*kind == 's' ? 5 : 4)) {
			printf("%s\n\t\t{", first ? "" : ",");
			first = false;
			json_member(*kind == 's' ? "module" : "function",
				    fields[1]);
			json_member("state", fields[2]);
			if (*kind == 's')
				json_places(fields[3]);
			json_format(strcmp(fields[nr - 1], "-") ? fields[nr - 1] : NULL);
		}
		free(copy);
	}
	printf("], ");
}

static void print_json(const struct markers *markers)
{
	size_t i;

	putchar('[');
	for (i = 0; i < markers->nr; i++) {
		const struct marker *marker = &markers->list[i];

		printf("%s\n\t{", i ? "," : "");
		json_member("name", marker->name);
		printf("\"lkst\": ");
		json_string_or_null(marker->lkst);
		printf(", \"on\": %s, ",
		       strcmp(marker->state, "on") ? "false" : "true");
		json_details(marker, "site");
		json_details(marker, "handler");
		printf("\"hits\": %lu, \"recursions\": %lu, \"unwatched\": %lu, \"lost\": %lu, ",
		       marker->hits, marker->recursions, marker->unwatched,
		       marker->lost);
		json_format(marker->format);
	}
	printf("\n]\n");
}

int cmd_list(const struct options *options, char **args)
{
	struct markers markers;

	kernel_check();
	markers_read(&markers);
	if (args[0])
		choose(&markers, args[0]);
	if (options->json)
		print_json(&markers);
	else
		print_table(&markers, options->verbose);
	return STATUS_OK;
}
