// SPDX-License-Identifier: GPL-2.0
/*
 * Names and globs in both systems of names. A word is
 *
 *	[!][markers:|lkst:]NAME
 *
 * where NAME may have the * ? [ ] of glob(7).
 */

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "kmark.h"

const char * const group_names[NR_GROUPS] = {
	[GROUP_MARKERS]	= "markers",
	[GROUP_LKST]	= "lkst",
};

/* A [ without its ] would stand for itself, and so for nothing. */
static bool brackets_closed(const char *name)
{
	while ((name = strchr(name, '['))) {
		name++;
		if (*name == '!' || *name == '^')
			name++;
		/* The first character is in the class, even a ]. */
		if (!*name)
			return false;
		name = strchr(name + 1, ']');
		if (!name)
			return false;
	}
	return true;
}

/*
 * Returns NULL, or what is wrong with the word; to be freed by those who go on
 * then.
 */
char *pattern_parse(struct pattern *pattern, const char *word)
{
	const char *name = word, *colon, *c;

	pattern->not = *name == '!';
	if (pattern->not)
		name++;
	pattern->group = GROUP_ANY;
	colon = strchr(name, ':');
	if (colon) {
		for (pattern->group = 0; pattern->group < NR_GROUPS; pattern->group++) {
			const char *group = group_names[pattern->group];

			if (strlen(group) == (size_t)(colon - name) &&
			    !strncmp(group, name, colon - name))
				break;
		}
		if (pattern->group == NR_GROUPS)
			return xasprintf("\"%s\" is in neither of the groups markers and lkst",
					 word);
		name = colon + 1;
	}

	if (!*name)
		return xasprintf("\"%s\" has no name", word);
	for (c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_*?[]!^-", *c))
			return xasprintf("\"%s\" has a '%c', which no name has",
					 word, *c);
	}
	if (!brackets_closed(name))
		return xasprintf("\"%s\" has a [ without its ]", word);
	pattern->name = xstrdup(name);
	return NULL;
}

bool pattern_is_glob(const struct pattern *pattern)
{
	return strpbrk(pattern->name, "*?[");
}

bool pattern_matches(const struct pattern *pattern, const char *name)
{
	return !fnmatch(pattern->name, name, 0);
}
