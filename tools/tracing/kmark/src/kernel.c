// SPDX-License-Identifier: GPL-2.0
/* What the kernel tells in tracefs. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmark.h"

/* The columns of the file "markers". */
#define NR_COLUMNS	10

/* Where tracefs is, or NULL. Once it is known it stays known. */
static const char *tracing_dir(void)
{
	static const char *dir;
	char *env;

	if (dir)
		return dir;
	env = getenv("KMARK_TRACEFS");
	if (env && *env) {
		if (tracefs_set_tracing_dir(env))
			die(STATUS_NO_TRACEFS, "cannot use tracefs at %s", env);
		dir = env;
	} else if (tracefs_tracing_dir_is_mounted(false, &dir) <= 0) {
		dir = NULL;
	}
	return dir;
}

/* Are there markers, and may we see them? If not, errno tells why. */
bool kernel_present(void)
{
	const char *dir = tracing_dir();
	char *path;
	int ret;

	if (!dir) {
		errno = ENODEV;
		return false;
	}
	path = xasprintf("%s/events/markers", dir);
	ret = access(path, R_OK | X_OK);
	free(path);
	return !ret;
}

/* The same for those who cannot go on without. */
void kernel_check(void)
{
	const char *dir = tracing_dir();
	struct stat st;
	char *path;

	if (kernel_present())
		return;
	if (!dir)
		die(STATUS_NO_TRACEFS,
		    "tracefs is not mounted; mount -t tracefs nodev /sys/kernel/tracing");
	if (errno == EACCES || errno == EPERM)
		die(STATUS_DENIED, "may not read %s; run this as root", dir);

	path = xasprintf("%s/set_event", dir);
	if (stat(path, &st)) {
		if (errno == EACCES)
			die(STATUS_DENIED, "may not read %s; run this as root", dir);
		die(STATUS_NO_TRACEFS, "there is no tracefs at %s", dir);
	}
	free(path);
	path = xasprintf("%s/markers", dir);
	if (stat(path, &st))
		die(STATUS_NO_MARKERS,
		    "this kernel has no markers; it needs CONFIG_MARKERS");
	die(STATUS_NO_MARKERS,
	    "this kernel has markers, but no trace events of them");
}

static bool instance_exists(const char *name)
{
	struct stat st;
	char *path;
	int ret;

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") ||
	    strchr(name, '/'))
		return false;
	path = xasprintf("%s/instances/%s", tracing_dir(), name);
	ret = stat(path, &st);
	free(path);
	return !ret && S_ISDIR(st.st_mode);
}

/* The top one for NULL. */
struct tracefs_instance *instance_open(const char *name)
{
	struct tracefs_instance *instance;

	if (name && !instance_exists(name))
		die(STATUS_NO_INSTANCE, "there is no instance \"%s\" in %s/instances",
		    name, tracing_dir());
	instance = tracefs_instance_alloc(NULL, name);
	if (!instance)
		die_errno("instance %s", name ?: "at the top");
	return instance;
}

/* All of a file; NULL if there is none, and nothing else may go wrong. */
char *instance_read(struct tracefs_instance *instance, const char *file)
{
	char *text = NULL;
	int fd;

	fd = tracefs_instance_file_open(instance, file, O_RDONLY);
	if (fd >= 0)
		text = read_fd(fd, 0, NULL);
	if (!text && errno != ENOENT)
		die_errno("cannot read the tracefs file \"%s\"", file);
	if (fd >= 0)
		close(fd);
	return text;
}

/* The same without the end of the line. */
char *instance_read_word(struct tracefs_instance *instance, const char *file)
{
	char *text = instance_read(instance, file);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Splits a line in place. Returns how many fields it has, of which @max at most. */
unsigned int split(char *line, char separator, char **fields, unsigned int max)
{
	unsigned int nr = 0;
	char *end;

	while (nr < max) {
		fields[nr++] = line;
		end = strchr(line, separator);
		if (!end)
			break;
		*end = '\0';
		line = end + 1;
	}
	return nr;
}

/* The kernel writes what would break the line as \ooo. */
void unescape(char *string)
{
	char *to = string;

	for (; *string; string++) {
		if (string[0] == '\\' && strspn(string + 1, "01234567") >= 3) {
			*to++ = (string[1] - '0') << 6 | (string[2] - '0') << 3 |
				(string[3] - '0');
			string += 3;
		} else {
			*to++ = *string;
		}
	}
	*to = '\0';
}

static char *unless_dash(char *column)
{
	return strcmp(column, "-") ? column : NULL;
}

static bool parse_marker(struct marker *marker, char *line)
{
	unsigned long *numbers[] = {
		&marker->sites, &marker->handlers, &marker->hits,
		&marker->recursions, &marker->unwatched, &marker->lost,
	};
	char *columns[NR_COLUMNS];
	unsigned int i;
	char *end;

	if (split(line, '\t', columns, NR_COLUMNS) != NR_COLUMNS)
		return false;
	memset(marker, 0, sizeof(*marker));
	marker->name = columns[0];
	marker->lkst = unless_dash(columns[1]);
	marker->state = columns[2];
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		*numbers[i] = strtoul(columns[3 + i], &end, 10);
		if (*end || end == columns[3 + i])
			return false;
	}
	marker->format = unless_dash(columns[9]);
	return true;
}

/* All that is in @markers points into the text, which is kept. */
void markers_read(struct markers *markers)
{
	char *text, *line, *end;
	struct marker *marker = NULL;
	unsigned int nr;

	memset(markers, 0, sizeof(*markers));
	text = instance_read(NULL, "markers");
	if (!text)
		die(STATUS_NO_MARKERS,
		    "this kernel has no markers; it needs CONFIG_MARKERS");

	for (line = text, nr = 1; *line; line = end, nr++) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (*line == '\t' && marker) {
			marker->details = xrealloc(marker->details,
						   marker->nr_details + 1,
						   sizeof(*marker->details));
			marker->details[marker->nr_details++] = line + 1;
		} else if (!strncmp(line, "# reserved\t", 11)) {
			markers->reserved = xrealloc(markers->reserved,
						     markers->nr_reserved + 1,
						     sizeof(*markers->reserved));
			markers->reserved[markers->nr_reserved++] = line + 11;
		} else if (*line != '#') {
			markers->list = xrealloc(markers->list, markers->nr + 1,
						 sizeof(*markers->list));
			marker = &markers->list[markers->nr++];
			if (!parse_marker(marker, line))
				die(STATUS_FAILED,
				    "the tracefs file \"markers\" has a line %u that kmark does not know",
				    nr);
		}
	}
}

static int by_group_and_name(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The trace events of all markers, sorted. */
void events_read(struct events *events)
{
	enum group group;
	char **names;
	int i;

	memset(events, 0, sizeof(*events));
	for (group = 0; group < NR_GROUPS; group++) {
		names = tracefs_system_events(tracing_dir(), group_names[group]);
		for (i = 0; names && names[i]; i++) {
			events->list = xrealloc(events->list, events->nr + 1,
						sizeof(*events->list));
			events->list[events->nr++] = (struct event) {
				.group	= group,
				.name	= xstrdup(names[i]),
			};
		}
		tracefs_list_free(names);
	}
	if (events->nr)
		qsort(events->list, events->nr, sizeof(*events->list),
		      by_group_and_name);
}

/*
 * In set_event there is also what a trigger holds in readiness, off by itself.
 * The file of the event tells these apart.
 */
static bool event_is_on(const struct event *event,
			struct tracefs_instance *instance)
{
	char *file, *text;
	bool on;

	file = xasprintf("events/%s/%s/enable", group_names[event->group],
			 event->name);
	text = instance_read(instance, file);
	on = text && *text == '1';
	free(text);
	free(file);
	return on;
}

/* Which of them are on in @instance? */
void events_read_on(struct events *events, struct tracefs_instance *instance)
{
	char *text, *line, *end, *fields[2];
	struct event key, *event;

	text = instance_read(instance, "set_event");
	if (!text)
		die(STATUS_NO_TRACEFS, "the instance has no file \"set_event\"");
	for (line = text; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (split(line, ':', fields, 2) != 2)
			continue;
		for (key.group = 0; key.group < NR_GROUPS; key.group++) {
			if (strcmp(fields[0], group_names[key.group]))
				continue;
			key.name = fields[1];
			event = events->nr ? bsearch(&key, events->list, events->nr,
						     sizeof(key), by_group_and_name) : NULL;
			if (event)
				event->on = event_is_on(event, instance);
		}
	}
	free(text);
}
