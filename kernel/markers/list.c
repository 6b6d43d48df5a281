// SPDX-License-Identifier: GPL-2.0
/*
 * The tracefs file "markers": what markers there are, and what they do.
 *
 * A line for each marker, with columns separated by tabs, and below it one for
 * each of its sites and of its handlers, indented by a tab:
 *
 *	name lkst on|off sites handlers hits recursions unwatched lost format
 *		site module on|off|differs|bad-format places format
 *		handler function active|pending|parked format
 *
 * The second column is the name that LKST has for it, or "-". The names that are
 * reserved there stand in comments at the end.
 *
 * A marker that has no good site shows "-" for its format, and so does a
 * handler that takes any.
 *
 * A site's places are where the compiler put it, as function+0xoffset, with
 * commas between them: one in an inline function or in an unrolled loop has
 * several. They are those of its jump label, so that of _trace_mark() is "-",
 * as are all without jump labels or kallsyms. Places in init code are left out.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "lkst.h"
#include "markers.h"

static const char * const site_states[] = {
	[MARKER_SITE_OFF]		= "off",
	[MARKER_SITE_ON]		= "on",
	[MARKER_SITE_DIFFERS]		= "differs",
	[MARKER_SITE_BAD_FORMAT]	= "bad-format",
};

static const char * const probe_states[] = {
	[MARKER_PROBE_PENDING]		= "pending",
	[MARKER_PROBE_ACTIVE]		= "active",
	[MARKER_PROBE_PARKED]		= "parked",
};

static void show_format(struct seq_file *m, const char *format)
{
	seq_putc(m, '\t');
	/* A site's format may be bad in that it would break the line. */
	seq_escape(m, format ?: "-", "\t\n\r\\");
	seq_putc(m, '\n');
}

#ifdef CONFIG_JUMP_LABEL
/* The end of the jump table of the image that the site is in. */
static const struct jump_entry *jump_table_stop(const struct marker_site *site)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	preempt_disable();
	mod = __module_address((unsigned long)site);
	preempt_enable();
	/* A module with sites cannot go while we hold the mutex. */
	if (mod)
		return mod->jump_entries + mod->num_jump_entries;
#endif
	return __stop___jump_table;
}

static bool show_place(struct seq_file *m, unsigned long addr, char before)
{
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];

	if (!kallsyms_lookup(addr, &size, &offset, NULL, name))
		return false;
	seq_printf(m, "%c%s+0x%lx", before, name, offset);
	return true;
}

/*
 * The entries of a key lie together, sorted by their code. All those of a site
 * are in its own image, as the site is static: no other has its key, which then
 * would be linked to the entries of each.
 */
static bool show_jump_entries(struct seq_file *m,
			      const struct marker_site *site)
{
	const struct jump_entry *stop = jump_table_stop(site), *entry;
	const struct static_key *key = &site->key.key;
	bool shown = false;

	if (key->type & JUMP_TYPE_LINKED)
		return false;
	entry = (const struct jump_entry *)(key->type & ~JUMP_TYPE_MASK);
	if (!entry)
		return false;
	for (; entry < stop && jump_entry_key(entry) == key; entry++) {
		/* The code may be gone, and be something else by now. */
		if (jump_entry_is_init(entry))
			continue;
		shown |= show_place(m, jump_entry_code(entry),
				    shown ? ',' : '\t');
	}
	return shown;
}
#else
static bool show_jump_entries(struct seq_file *m,
			      const struct marker_site *site)
{
	return false;
}
#endif

static void show_site(struct seq_file *m, const struct marker *marker,
		      const struct marker_site *site)
{
	seq_printf(m, "\tsite\t%s\t%s", marker_site_module(site),
		   site_states[marker_site_state(marker, site)]);
	if (!show_jump_entries(m, site))
		seq_puts(m, "\t-");
	show_format(m, site->format);
}

static void show_marker(struct seq_file *m, const struct marker *marker)
{
	unsigned int sites = 0, probes = 0;
	const struct marker_probe *probe;
	const struct marker_site *site;
	struct marker_counts counts;
	bool on = false;

	list_for_each_entry(site, &marker->sites, node) {
		sites++;
		on |= marker_site_state(marker, site) == MARKER_SITE_ON;
	}
	list_for_each_entry(probe, &marker->probes, node)
		probes++;
	marker_read_counts(marker, &counts);

	seq_printf(m, "%s\t%s\t%s\t%u\t%u\t%lu\t%lu\t%lu\t%lu",
		   marker->name, lkst_name(marker->name) ?: "-",
		   on ? "on" : "off", sites, probes, counts.hits,
		   counts.recursions, counts.unwatched, counts.lost);
	show_format(m, marker->format);

	list_for_each_entry(site, &marker->sites, node)
		show_site(m, marker, site);
	list_for_each_entry(probe, &marker->probes, node) {
		seq_printf(m, "\thandler\t%ps\t%s", probe->handler.func,
			   probe_states[probe->state]);
		show_format(m, probe->format);
	}
}

/* All in one go, so that the reader gets what was true at one moment. */
static int markers_show(struct seq_file *m, void *unused)
{
	const char *name, *lkst_marker;
	const struct marker *marker;
	unsigned int i;

	seq_puts(m, "# name\tlkst\tstate\tsites\thandlers\thits\trecursions\tunwatched\tlost\tformat\n");

	mutex_lock(&markers_mutex);
	list_for_each_entry(marker, &markers_list, list)
		show_marker(m, marker);
	mutex_unlock(&markers_mutex);

	for (i = 0; (name = lkst_name_at(i, &lkst_marker)); i++) {
		if (!lkst_marker)
			seq_printf(m, "# reserved\t%s\n", name);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(markers);

static int __init markers_list_init(void)
{
	if (!tracefs_create_file("markers", 0440, NULL, NULL, &markers_fops))
		pr_warn("could not create the tracefs file \"markers\"\n");
	return 0;
}
fs_initcall(markers_list_init);
