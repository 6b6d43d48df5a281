// SPDX-License-Identifier: GPL-2.0
/* kmark mask use: the change from the events that are on to those of a set. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "kmark.h"
#include "mask.h"

/* What the kernel takes for a word in set_event, with a ! in front of it. */
#define WORD_MAX	126

/* An event that goes on or off. */
struct change {
	const struct event	*event;
	bool			on;
};

/* Whether the kernel changed it; errno tells why not. */
static bool write_all(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t ret;

	while (len) {
		ret = write(fd, text, len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return false;
		text += ret;
		len -= ret;
	}
	return true;
}

/* set_event has no room for a long name, the file of the event needs none. */
static bool write_enable(struct tracefs_instance *instance,
			 const struct event *event, bool on)
{
	char *file;
	bool good;
	int fd;

	file = xasprintf("events/%s/%s/enable", group_names[event->group],
			 event->name);
	fd = tracefs_instance_file_open(instance, file, O_WRONLY);
	free(file);
	if (fd < 0)
		return false;
	good = write_all(fd, on ? "1" : "0");
	close(fd);
	return good;
}

static bool write_change(struct tracefs_instance *instance, int fd,
			 const struct event *event, bool on)
{
	char *word;
	bool good;

	word = xasprintf("%s%s:%s\n", on ? "" : "!", group_names[event->group],
			 event->name);
	if (strlen(word) > WORD_MAX)
		good = write_enable(instance, event, on);
	else
		good = write_all(fd, word);
	free(word);
	return good;
}

/*
 * Makes all changes through one open set_event, what comes before what goes. If
 * the kernel refuses one, those before it are taken back.
 */
static void make_changes(struct tracefs_instance *instance, int fd,
			 const struct change *changes, size_t nr)
{
	size_t i, j;
	int error;

	for (i = 0; i < nr; i++) {
		if (write_change(instance, fd, changes[i].event, changes[i].on))
			continue;
		error = errno;
		for (j = i; j > 0; j--)
			write_change(instance, fd, changes[j - 1].event,
				     !changes[j - 1].on);
		errno = error;
		die_errno("cannot switch %s:%s %s, all is as before",
			  group_names[changes[i].event->group],
			  changes[i].event->name, changes[i].on ? "on" : "off");
	}
}

static size_t add_changes(struct change *changes, size_t nr,
			  const struct events *events, bool on)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct event *event = &events->list[i];

		if (event->on != event->wanted && event->wanted == on)
			changes[nr++] = (struct change) { event, on };
	}
	return nr;
}

static void tell_name(struct tracefs_instance *instance, const char *name)
{
	int fd = tracefs_instance_file_open(instance, "lkst_mset", O_WRONLY);

	if (fd < 0 && errno == ENOENT) {
		warn("the kernel has no lkst_mset, and does not learn the name of the set");
		return;
	}
	if (fd < 0 || !write_all(fd, name))
		die_errno("the events are switched, but the name cannot be written to lkst_mset");
	close(fd);
}

/* To be stopped halfway would leave a bit of both sets. */
static void block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGPIPE);
	sigprocmask(SIG_BLOCK, &signals, NULL);
}

int cmd_mask_use(const struct options *options, char **args)
{
	struct tracefs_instance *instance;
	struct change *changes;
	struct events events;
	struct set set;
	size_t nr, i;
	int fd;

	kernel_check();
	instance = instance_open(options->instance);
	events_read(&events);
	if (strcmp(args[0], MASK_NONE)) {
		mask_load(&set, args[0]);
		if (!set_choose(&set, &events))
			return STATUS_UNKNOWN;
		for (i = 0; i < events.nr && !events.list[i].wanted; i++)
			;
		if (i == events.nr)
			die(STATUS_UNKNOWN, "%s: this kernel has none of its events",
			    set.label);
	}

	/* Opened without O_TRUNC, which would switch off all that is on. */
	fd = tracefs_instance_file_open(instance, "set_event", O_WRONLY);
	if (fd < 0)
		die_errno("cannot write the tracefs file \"set_event\"");
	/* One kmark at a time. */
	if (flock(fd, LOCK_EX))
		die_errno("cannot lock the tracefs file \"set_event\"");
	events_read_on(&events, instance);
	changes = xrealloc(NULL, events.nr, sizeof(*changes));
	nr = add_changes(changes, 0, &events, true);
	nr = add_changes(changes, nr, &events, false);
	block_signals();
	make_changes(instance, fd, changes, nr);
	tell_name(instance, args[0]);
	close(fd);
	free(changes);
	tracefs_instance_free(instance);
	return STATUS_OK;
}
