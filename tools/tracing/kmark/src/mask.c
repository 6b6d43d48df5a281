// SPDX-License-Identifier: GPL-2.0
/*
 * kmark mask list|show|new|edit|delete: the files of mask sets. Those that came
 * with kmark are in one directory, those of the user in another, where a set
 * hides one of the same name in the first.
 */

#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmark.h"
#include "mask.h"

/* Much more than the names of all markers that there could be. */
#define SET_MAX		(1024 * 1024)
#define NAME_MAX_LEN	63

enum place { PLACE_USER, PLACE_INSTALLED, NR_PLACES };

static const struct {
	const char *name;
	const char *env;
	const char *dir;
} places[NR_PLACES] = {
	[PLACE_USER]		= { "user", "KMARK_ETC", KMARK_ETC_DIR },
	[PLACE_INSTALLED]	= { "installed", "KMARK_SETS", KMARK_SETS_DIR },
};

static const char *place_dir(enum place place)
{
	const char *dir = getenv(places[place].env);

	return dir && *dir ? dir : places[place].dir;
}

static char *place_path(enum place place, const char *name)
{
	return xasprintf("%s/%s", place_dir(place), name);
}

/* No hidden files, and none that editors leave behind. */
static bool is_name(const char *name)
{
	const char *c;

	if (!isalnum((unsigned char)*name) || strlen(name) > NAME_MAX_LEN ||
	    !strcmp(name, MASK_NONE))
		return false;
	for (c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_-", *c))
			return false;
	}
	return true;
}

static void check_name(const char *name)
{
	if (!is_name(name))
		die(STATUS_USAGE,
		    "\"%s\" cannot be the name of a mask set: letters, digits, _ and -, %d at most, and not \"%s\"",
		    name, NAME_MAX_LEN, MASK_NONE);
}

/* The files in a directory that are sets. */
static int is_set(const struct dirent *entry)
{
	return is_name(entry->d_name);
}

static int scan(enum place place, struct dirent ***entries)
{
	int nr = scandir(place_dir(place), entries, is_set, alphasort);

	if (nr < 0 && errno != ENOENT)
		die_errno("cannot read %s", place_dir(place));
	return nr < 0 ? 0 : nr;
}

static void __noreturn die_no_set(const char *name)
{
	struct nearest near = { .wrong = name };
	struct dirent **entries;
	enum place place;
	int i, nr;

	for (place = 0; place < NR_PLACES; place++) {
		nr = scan(place, &entries);
		for (i = 0; i < nr; i++)
			nearest_add(&near, entries[i]->d_name);
	}
	die(STATUS_UNKNOWN, "there is no mask set \"%s\"%s", name,
	    nearest_text(&near));
}

/* Where is set @name? */
static enum place find(const char *name)
{
	enum place place;
	struct stat st;
	char *path;
	int ret;

	check_name(name);
	for (place = 0; place < NR_PLACES; place++) {
		path = place_path(place, name);
		ret = stat(path, &st);
		if (ret && errno != ENOENT && errno != ENOTDIR)
			die_errno("cannot read %s", path);
		free(path);
		if (!ret)
			return place;
	}
	die_no_set(name);
}

static char *read_text(int fd, const char *label, size_t *len)
{
	char *text = read_fd(fd, SET_MAX + 1, len);

	if (!text)
		die_errno("cannot read %s", label);
	return text;
}

/* A set that is too large is told of where it begins to be so. */
static void parse(struct set *set, const char *label, const char *text, size_t len)
{
	unsigned int nr = 1;

	set_parse(set, label, text, len);
	if (len <= SET_MAX)
		return;
	while (len--)
		nr += *text++ == '\n';
	die(STATUS_BAD_SET, "%s:%u: the file is larger than %d bytes", label, nr,
	    SET_MAX);
}

static char *read_file(const char *path, size_t *len)
{
	struct stat st;
	char *text;
	int fd;

	/* Not to wait for a writer of what is a pipe. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		die_errno("cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		die(STATUS_BAD_SET, "%s: this is not a file", path);
	text = read_text(fd, path, len);
	close(fd);
	return text;
}

/* Dies if there is none, and if it is broken. */
void mask_load(struct set *set, const char *name)
{
	char *path = place_path(find(name), name);
	char *text;
	size_t len;

	text = read_file(path, &len);
	parse(set, path, text, len);
	free(text);
}

/* Are all names in it known? Without a kernel that has markers none can be. */
static void check_events(const struct set *set)
{
	struct events events;

	if (!kernel_present()) {
		warn("cannot see the events of this kernel, so no name in the set is checked");
		return;
	}
	events_read(&events);
	if (!set_choose(set, &events))
		exit(STATUS_UNKNOWN);
}

/* === list and show ======================================================== */

/* The first comment, which tells what the set is for. */
static char *describe(const char *path)
{
	char line[256] = "", *text = line;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* What is not a file has nothing to read yet, or an error. */
	if (fd >= 0 && read(fd, line, sizeof(line) - 1) < 0)
		*line = '\0';
	if (fd >= 0)
		close(fd);
	if (*text != '#')
		return xstrdup("");
	text += strspn(text, "# \t");
	text[strcspn(text, "\r\n")] = '\0';
	for (char *c = text; *c; c++) {
		if (!isprint((unsigned char)*c))
			*c = '?';
	}
	return xstrdup(text);
}

static void print_set(enum place place, const char *name, const char *active)
{
	char *path = place_path(place, name), *text = describe(path);

	printf("%c %-20s  %-9s%s%s\n", active && !strcmp(active, name) ? '*' : ' ',
	       name, places[place].name, *text ? "  " : "", text);
	free(text);
	free(path);
}

static char *active_set(const char *name)
{
	struct tracefs_instance *instance;
	char *set;

	/* Only who asks for an instance must be able to see it. */
	if (name)
		kernel_check();
	else if (!kernel_present())
		return NULL;
	instance = instance_open(name);
	set = instance_read_word(instance, "lkst_mset");
	tracefs_instance_free(instance);
	return set;
}

int cmd_mask_list(const struct options *options, char **args)
{
	struct dirent **user, **installed;
	char *active = active_set(options->instance);
	int nr_user, nr_installed, i = 0, j = 0, order;

	(void)args;
	nr_user = scan(PLACE_USER, &user);
	nr_installed = scan(PLACE_INSTALLED, &installed);
	while (i < nr_user || j < nr_installed) {
		order = i == nr_user ? 1 : j == nr_installed ? -1 :
			strcmp(user[i]->d_name, installed[j]->d_name);
		if (order <= 0)
			print_set(PLACE_USER, user[i]->d_name, active);
		else
			print_set(PLACE_INSTALLED, installed[j]->d_name, active);
		i += order <= 0;
		j += order >= 0;
	}
	return STATUS_OK;
}

/* The text of a set, or the events that it chooses. */
int cmd_mask_show(const struct options *options, char **args)
{
	char *path = place_path(find(args[0]), args[0]);
	struct events events;
	struct set set;
	char *text;
	size_t len, i;

	text = read_file(path, &len);
	parse(&set, path, text, len);
	if (!options->events) {
		fwrite(text, 1, len, stdout);
		return STATUS_OK;
	}

	kernel_check();
	events_read(&events);
	if (!set_choose(&set, &events))
		return STATUS_UNKNOWN;
	for (i = 0; i < events.nr; i++) {
		if (events.list[i].wanted)
			printf("%s:%s\n", group_names[events.list[i].group],
			       events.list[i].name);
	}
	return STATUS_OK;
}

/* === new, edit and delete ================================================= */

/* A file beside the user's sets, with @text in it. Its name is not one of a set. */
static char *write_copy(const char *name, const char *text, size_t len)
{
	const char *dir = place_dir(PLACE_USER);
	ssize_t ret = 0;
	char *path;
	int fd;

	if (mkdir(dir, 0755) && errno != EEXIST)
		die_errno("cannot make the directory %s", dir);
	path = xasprintf("%s/.%s.XXXXXX", dir, name);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		die_errno("cannot write in %s", dir);
	while (len) {
		ret = write(fd, text, len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			break;
		text += ret;
		len -= ret;
	}
	if (len || fchmod(fd, 0644) || fsync(fd) || close(fd)) {
		int error = errno;

		unlink(path);
		errno = error;
		die_errno("cannot write in %s", dir);
	}
	return path;
}

static char *text_of_args(char **args, size_t *len)
{
	char *text = xstrdup(""), *longer;

	for (; *args; args++) {
		longer = xasprintf("%s%s\n", text, *args);
		free(text);
		text = longer;
	}
	*len = strlen(text);
	return text;
}

/* From the names and globs that follow, or from standard input. */
int cmd_mask_new(const struct options *options, char **args)
{
	const char *name = args[0];
	char *path, *copy, *text;
	struct set set;
	size_t len;

	(void)options;
	check_name(name);
	path = place_path(PLACE_USER, name);
	if (!access(path, F_OK))
		die(STATUS_FAILED, "there is %s already; kmark mask edit %s", path,
		    name);
	if (args[1]) {
		text = text_of_args(args + 1, &len);
		parse(&set, name, text, len);
	} else {
		text = read_text(STDIN_FILENO, "standard input", &len);
		parse(&set, "standard input", text, len);
	}
	check_events(&set);

	copy = write_copy(name, text, len);
	/* Unlike rename() this fails if it came to be there meanwhile. */
	if (link(copy, path)) {
		int error = errno;

		unlink(copy);
		errno = error;
		die_errno("cannot write %s", path);
	}
	unlink(copy);
	free(copy);
	free(path);
	free(text);
	return STATUS_OK;
}

static bool run_editor(const char *path)
{
	const char *editor = getenv("VISUAL");
	int status;
	pid_t pid;

	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		editor = "vi";
	pid = fork();
	if (pid < 0)
		die_errno("cannot start the editor");
	if (!pid) {
		/* It may be a command with arguments. */
		char *command = xasprintf("%s \"$1\"", editor);

		execl("/bin/sh", "sh", "-c", command, "sh", path, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die_errno("cannot wait for the editor");
	}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* What is wrong with the copy is told of before this, so nothing is lost. */
static const char *kept_copy;

static void tell_of_copy(void)
{
	if (kept_copy)
		warn("the set is as before; what you wrote is in %s", kept_copy);
}

int cmd_mask_edit(const struct options *options, char **args)
{
	const char *name = args[0];
	enum place place = find(name);
	char *path, *copy, *old, *new;
	size_t old_len, new_len;
	struct set set;
	bool edited;

	(void)options;
	path = place_path(place, name);
	old = read_file(path, &old_len);
	copy = write_copy(name, old, old_len);
	edited = run_editor(copy);

	/* From here on the user's work is in it. */
	kept_copy = copy;
	atexit(tell_of_copy);
	new = read_file(copy, &new_len);
	if (new_len == old_len && !memcmp(new, old, old_len)) {
		kept_copy = NULL;
		unlink(copy);
		if (!edited)
			die(STATUS_FAILED, "the editor failed");
		return STATUS_OK;
	}
	if (!edited)
		die(STATUS_FAILED, "the editor failed");
	parse(&set, copy, new, new_len);
	check_events(&set);

	free(path);
	path = place_path(PLACE_USER, name);
	if (rename(copy, path))
		die_errno("cannot write %s", path);
	kept_copy = NULL;
	return STATUS_OK;
}

int cmd_mask_delete(const struct options *options, char **args)
{
	const char *name = args[0];
	char *path;

	(void)options;
	if (find(name) == PLACE_INSTALLED)
		die(STATUS_FAILED,
		    "the mask set \"%s\" came with kmark, and is not one of yours",
		    name);
	path = place_path(PLACE_USER, name);
	if (unlink(path))
		die_errno("cannot delete %s", path);
	free(path);
	return STATUS_OK;
}
