// SPDX-License-Identifier: GPL-2.0
/*
 * kmark: shows the markers of the kernel, and switches sets of their events.
 * trace-cmd records and reports what they say.
 */

#define _GNU_SOURCE
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmark.h"

static const struct command {
	const char	*name;
	const char	*verb;		/* the second word of "mask" */
	const char	*options;	/* the letters of those that it has */
	int		min_args, max_args;
	int		(*run)(const struct options *options, char **args);
	const char	*usage;
	const char	*help;
} commands[] = {
	{ "list", NULL, "jv", 0, 1, cmd_list,
	  "[-v] [--json] [PATTERN]",
	  "the markers, by both names, and what they count" },
	{ "mask", "list", "B", 0, 0, cmd_mask_list,
	  "[-B INSTANCE]",
	  "the mask sets; * marks the one in use" },
	{ "mask", "show", "e", 1, 1, cmd_mask_show,
	  "[-e] NAME",
	  "a mask set, or the events that it chooses" },
	{ "mask", "new", "", 1, INT_MAX, cmd_mask_new,
	  "NAME [EVENT...]",
	  "write a mask set; without events from standard input" },
	{ "mask", "edit", "", 1, 1, cmd_mask_edit,
	  "NAME",
	  "change a mask set in $VISUAL or $EDITOR" },
	{ "mask", "delete", "", 1, 1, cmd_mask_delete,
	  "NAME",
	  "delete a mask set of yours" },
	{ "mask", "use", "B", 1, 1, cmd_mask_use,
	  "[-B INSTANCE] NAME|none",
	  "switch to the events of a mask set" },
	{ "status", NULL, "Bj", 0, 0, cmd_status,
	  "[-B INSTANCE] [--json]",
	  "what instances record, and what they lost" },
	{ "dump", NULL, "B", 0, 0, cmd_dump,
	  "[-B INSTANCE]",
	  "the buffer as text; nothing is taken from it" },
};

static const struct {
	char		letter;
	const char	*help;
} option_help[] = {
	{ 'B', "-B, --instance INSTANCE  that instance, not the one at the top" },
	{ 'e', "-e, --events             the events that it chooses in this kernel" },
	{ 'j', "-j, --json               as JSON" },
	{ 'v', "-v, --verbose            with sites and handlers" },
};

static const struct option long_options[] = {
	{ "instance",	required_argument,	NULL, 'B' },
	{ "events",	no_argument,		NULL, 'e' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "verbose",	no_argument,		NULL, 'v' },
	{ "help",	no_argument,		NULL, 'h' },
	{}
};

static void print_usage(FILE *to, const struct command *command)
{
	fprintf(to, "%skmark %s%s%s %s\n", to == stderr ? "usage: " : "",
		command->name, command->verb ? " " : "", command->verb ?: "",
		command->usage);
}

static void print_help(const struct command *only)
{
	const struct command *command;
	unsigned int i;

	for (command = commands; command < commands + ARRAY_SIZE(commands); command++) {
		if (only && only != command)
			continue;
		print_usage(stdout, command);
		printf("\t%s\n", command->help);
	}
	for (i = 0; only && i < ARRAY_SIZE(option_help); i++) {
		if (strchr(only->options, option_help[i].letter))
			printf("  %s\n", option_help[i].help);
	}
}

/* Takes the words of the command from the arguments. */
static const struct command *find_command(char **args, int nr, int *used)
{
	const struct command *command;
	bool mask = nr && !strcmp(args[0], "mask");

	*used = mask ? 2 : 1;
	for (command = commands; command < commands + ARRAY_SIZE(commands); command++) {
		if (nr >= *used && !strcmp(args[0], command->name) &&
		    (!mask || !strcmp(args[1], command->verb)))
			return command;
	}
	return NULL;
}

static void __noreturn die_no_command(char **args, int nr)
{
	if (!nr)
		die(STATUS_USAGE, "say what to do: list, mask, status or dump; kmark -h");
	if (strcmp(args[0], "mask"))
		die(STATUS_USAGE,
		    "there is no command \"%s\": list, mask, status or dump; kmark -h",
		    args[0]);
	if (nr < 2)
		die(STATUS_USAGE, "mask list, show, new, edit, delete or use; kmark -h");
	die(STATUS_USAGE, "there is no \"mask %s\": list, show, new, edit, delete or use; kmark -h",
	    args[1]);
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct options options = {};
	char given[8] = "";
	bool help = false;
	int letter, used, status;

	while ((letter = getopt_long(argc, argv, "B:ejvh", long_options, NULL)) != -1) {
		switch (letter) {
		case 'B':
			options.instance = optarg;
			break;
		case 'e':
			options.events = true;
			break;
		case 'j':
			options.json = true;
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'h':
			help = true;
			continue;
		default:
			return STATUS_USAGE;
		}
		if (!strchr(given, letter))
			given[strlen(given)] = letter;
	}

	command = find_command(argv + optind, argc - optind, &used);
	if (help) {
		print_help(command);
		finish_output();
		return STATUS_OK;
	}
	if (!command)
		die_no_command(argv + optind, argc - optind);
	argv += optind + used;
	argc -= optind + used;
	if (strspn(given, command->options) != strlen(given) ||
	    argc < command->min_args || argc > command->max_args) {
		print_usage(stderr, command);
		return STATUS_USAGE;
	}
	status = command->run(&options, argv);
	finish_output();
	return status;
}
