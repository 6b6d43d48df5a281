/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KMARK_H
#define KMARK_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/compiler.h>
#include <linux/kernel.h>

#include <tracefs.h>

/* What kmark exits with; kmark.1 tells of them. */
enum status {
	STATUS_OK,
	STATUS_FAILED,		/* a file could not be read or written */
	STATUS_USAGE,
	STATUS_UNKNOWN,		/* no marker, event or mask set of that name */
	STATUS_BAD_SET,		/* the file of a mask set is broken */
	STATUS_DENIED,		/* not permitted */
	STATUS_NO_TRACEFS,
	STATUS_NO_MARKERS,	/* this kernel has none */
	STATUS_NO_INSTANCE,
};

struct options {
	const char	*instance;	/* NULL: the top one */
	bool		json;
	bool		verbose;
	bool		events;
};

/* util.c */
void __printf(1, 2) warn(const char *fmt, ...);
void __printf(2, 3) __noreturn die(enum status status, const char *fmt, ...);
void __printf(1, 2) __noreturn die_errno(const char *fmt, ...);
void *xrealloc(void *ptr, size_t nr, size_t size);
char *xstrdup(const char *string);
char *__printf(1, 2) xasprintf(const char *fmt, ...);
char *read_fd(int fd, size_t max, size_t *len);
void finish_output(void);
void json_string(const char *string);
void json_string_or_null(const char *string);

/* A list of the names that are nearest to a wrong one. */
#define NEAREST	3

struct nearest {
	const char	*wrong;
	const char	*names[NEAREST];
	size_t		distance[NEAREST];
	unsigned int	nr;
};

void nearest_add(struct nearest *near, const char *name);
char *nearest_text(const struct nearest *near);

/* pattern.c */

/* The groups of trace events that markers have. */
enum group {
	GROUP_MARKERS,
	GROUP_LKST,
	NR_GROUPS,
	GROUP_ANY = NR_GROUPS,
};

extern const char * const group_names[NR_GROUPS];

/* A name or a glob, in the names of markers or in those of LKST. */
struct pattern {
	bool		not;	/* takes away what the ones before chose */
	enum group	group;
	char		*name;
};

char *pattern_parse(struct pattern *pattern, const char *word);
bool pattern_is_glob(const struct pattern *pattern);
bool pattern_matches(const struct pattern *pattern, const char *name);

/* kernel.c */

/* A line of the tracefs file "markers", and those below it. */
struct marker {
	char		*name;
	char		*lkst;		/* or NULL */
	char		*state;
	char		*format;	/* or NULL */
	unsigned long	sites, handlers;
	unsigned long	hits, recursions, unwatched, lost;
	char		**details;
	unsigned int	nr_details;
};

struct markers {
	struct marker	*list;
	size_t		nr;
	char		**reserved;	/* names of LKST without an event */
	size_t		nr_reserved;
};

/* A trace event of a marker. */
struct event {
	enum group	group;
	char		*name;
	bool		on;
	bool		wanted;
};

struct events {
	struct event	*list;
	size_t		nr;
};

bool kernel_present(void);
void kernel_check(void);
struct tracefs_instance *instance_open(const char *name);
char *instance_read(struct tracefs_instance *instance, const char *file);
char *instance_read_word(struct tracefs_instance *instance, const char *file);
void markers_read(struct markers *markers);
void unescape(char *string);
unsigned int split(char *line, char separator, char **fields, unsigned int max);
void events_read(struct events *events);
void events_read_on(struct events *events, struct tracefs_instance *instance);

/* set.c */

/* What a mask set consists of, and where it stands, for messages. */
struct set_line {
	unsigned int	nr;
	struct pattern	pattern;
};

struct set {
	const char	*label;
	struct set_line	*lines;
	size_t		nr;
};

void set_parse(struct set *set, const char *label, const char *text, size_t len);
bool set_choose(const struct set *set, struct events *events);

/* The commands */
int cmd_list(const struct options *options, char **args);
int cmd_status(const struct options *options, char **args);
int cmd_dump(const struct options *options, char **args);
int cmd_mask_list(const struct options *options, char **args);
int cmd_mask_show(const struct options *options, char **args);
int cmd_mask_new(const struct options *options, char **args);
int cmd_mask_edit(const struct options *options, char **args);
int cmd_mask_delete(const struct options *options, char **args);
int cmd_mask_use(const struct options *options, char **args);

#endif /* KMARK_H */
