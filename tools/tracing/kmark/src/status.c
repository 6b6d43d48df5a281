// SPDX-License-Identifier: GPL-2.0
/* kmark status, kmark dump */

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmark.h"

/* The lines of per_cpu/cpuN/stats that are shown, and how. */
static const struct {
	const char *line;
	const char *name;
} stats[] = {
	{ "entries",		"entries" },
	{ "overrun",		"overrun" },
	{ "commit overrun",	"commit_overrun" },
	{ "dropped events",	"dropped" },
};

struct totals {
	size_t		nr;
	size_t		on;
	unsigned long	recursions, unwatched, lost;
};

static void get_totals(struct totals *totals)
{
	struct markers markers;
	size_t i;

	markers_read(&markers);
	memset(totals, 0, sizeof(*totals));
	totals->nr = markers.nr;
	for (i = 0; i < markers.nr; i++) {
		totals->on += !strcmp(markers.list[i].state, "on");
		totals->recursions += markers.list[i].recursions;
		totals->unwatched += markers.list[i].unwatched;
		totals->lost += markers.list[i].lost;
	}
}

static char *must_read(struct tracefs_instance *instance, const char *file)
{
	char *text = instance_read_word(instance, file);

	if (!text)
		die(STATUS_FAILED, "the instance has no file \"%s\"", file);
	return text;
}

/* The clock that is used is the one in brackets. */
static char *get_clock(struct tracefs_instance *instance)
{
	char *text = must_read(instance, "trace_clock"), *clock;

	clock = strchr(text, '[');
	if (clock) {
		clock++;
		clock[strcspn(clock, "]")] = '\0';
	}
	clock = xstrdup(clock ?: text);
	free(text);
	return clock;
}

static void print_size(struct tracefs_instance *instance, const char *file,
		       bool json)
{
	char *text = must_read(instance, file);

	if (!json)
		printf("\t%-22s%s\n", file, text);
	else if (isdigit((unsigned char)*text))
		printf("\"%s\": %lu, ", file, strtoul(text, NULL, 10));
	else
		printf("\"%s\": null, ", file);	/* not the same on all CPUs */
	free(text);
}

static void print_cpu(unsigned int cpu, const char *text, bool json)
{
	const char *line;
	unsigned int i;
	size_t len;

	if (json)
		printf("{\"cpu\": %u", cpu);
	else
		printf("\t%-22s", "cpu");
	if (!json)
		printf("%u:", cpu);
	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		for (i = 0; i < ARRAY_SIZE(stats); i++) {
			len = strlen(stats[i].line);
			if (strncmp(line, stats[i].line, len) || line[len] != ':')
				continue;
			printf(json ? ", \"%s\": %lu" : " %s %lu", stats[i].name,
			       strtoul(line + len + 1, NULL, 10));
		}
	}
	printf(json ? "}" : "\n");
}

/* CPUs that never were there have no directory. */
static void print_cpus(struct tracefs_instance *instance, bool json)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	bool first = true;

	for (cpu = 0; cpu < nr; cpu++) {
		char *file = xasprintf("per_cpu/cpu%ld/stats", cpu);
		char *text = instance_read(instance, file);

		if (text) {
			if (json && !first)
				printf(", ");
			print_cpu(cpu, text, json);
			first = false;
		}
		free(text);
		free(file);
	}
}

static void print_instance(const char *name, struct events *events, bool json)
{
	struct tracefs_instance *instance = instance_open(name);
	size_t on[NR_GROUPS] = {}, i;
	char *tracing, *clock, *set;

	for (i = 0; i < events->nr; i++)
		events->list[i].on = false;
	events_read_on(events, instance);
	for (i = 0; i < events->nr; i++)
		on[events->list[i].group] += events->list[i].on;
	tracing = must_read(instance, "tracing_on");
	clock = get_clock(instance);
	set = instance_read_word(instance, "lkst_mset");

	if (json) {
		printf("{\"name\": ");
		json_string_or_null(name);
		printf(", \"tracing_on\": %s, \"clock\": ",
		       strcmp(tracing, "0") ? "true" : "false");
		json_string(clock);
		printf(", ");
	} else {
		printf("instance %s\n", name ?: "(top)");
		printf("\t%-22s%s\n", "tracing_on",
		       strcmp(tracing, "0") ? "on" : "off");
		printf("\t%-22s%s\n", "clock", clock);
	}
	print_size(instance, "buffer_size_kb", json);
	print_size(instance, "buffer_total_size_kb", json);
	if (json) {
		printf("\"mask_set\": ");
		json_string_or_null(set);
		printf(", \"events_on\": {\"markers\": %zu, \"lkst\": %zu}, \"cpus\": [",
		       on[GROUP_MARKERS], on[GROUP_LKST]);
		print_cpus(instance, json);
		printf("]}");
	} else {
		printf("\t%-22s%s\n", "mask_set", set ?: "-");
		printf("\t%-22smarkers %zu lkst %zu\n", "events_on",
		       on[GROUP_MARKERS], on[GROUP_LKST]);
		print_cpus(instance, json);
	}
	free(set);
	free(clock);
	free(tracing);
	tracefs_instance_free(instance);
}

static void print_totals(bool json)
{
	struct totals totals;

	get_totals(&totals);
	if (json)
		printf("{\"markers\": {\"markers\": %zu, \"on\": %zu, ",
		       totals.nr, totals.on);
	else
		printf("markers %zu on %zu ", totals.nr, totals.on);
	printf(json ? "\"recursions\": %lu, \"unwatched\": %lu, \"lost\": %lu},\n" :
	       "recursions %lu unwatched %lu lost %lu\n",
	       totals.recursions, totals.unwatched, totals.lost);
	if (json)
		printf("\"instances\": [\n");
}

int cmd_status(const struct options *options, char **args)
{
	struct events events;
	char **names;
	int i;

	(void)args;
	kernel_check();
	if (options->instance)
		tracefs_instance_free(instance_open(options->instance));
	events_read(&events);
	print_totals(options->json);
	print_instance(options->instance, &events, options->json);
	names = options->instance ? NULL : tracefs_instances(NULL);
	for (i = 0; names && names[i]; i++) {
		if (options->json)
			printf(",\n");
		print_instance(names[i], &events, options->json);
	}
	tracefs_list_free(names);
	if (options->json)
		printf("\n]}\n");
	return STATUS_OK;
}

/*
 * An instance whose buffer outlives a reboot tells how far the kernel has moved
 * since, until it is used again.
 */
static bool is_of_last_boot(struct tracefs_instance *instance)
{
	char *text = instance_read(instance, "last_boot_info"), *c;
	bool moved = false;

	for (c = text; c && *c; c++)
		moved |= *c >= '1' && *c <= '9';
	free(text);
	return moved;
}

int cmd_dump(const struct options *options, char **args)
{
	struct tracefs_instance *instance;
	char buf[65536];
	ssize_t len;
	int fd;

	(void)args;
	kernel_check();
	instance = instance_open(options->instance);
	fd = tracefs_instance_file_open(instance, "trace", O_RDONLY);
	if (fd < 0)
		die_errno("cannot read the tracefs file \"trace\"");
	if (is_of_last_boot(instance))
		printf("# recorded by the boot before this one\n");
	while ((len = read(fd, buf, sizeof(buf)))) {
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			die_errno("cannot read the tracefs file \"trace\"");
		if (fwrite(buf, 1, len, stdout) != (size_t)len)
			die_errno("cannot write to standard output");
	}
	close(fd);
	tracefs_instance_free(instance);
	return STATUS_OK;
}
