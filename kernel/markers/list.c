// SPDX-License-Identifier: GPL-2.0
/*
 * The tracefs file "markers": what markers there are, and what they do.
 *
 * A line for each marker, with columns separated by tabs, and below it one for
 * each of its sites and of its handlers, indented by a tab:
 *
 *	name	on|off	sites	handlers	hits	recursions	unwatched	format
 *		site	module	on|off|differs|bad-format	format
 *		handler	function	active|pending|parked	format
 *
 * A marker that has no good site shows "-" for its format, and so does a
 * handler that takes any.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

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

	seq_printf(m, "%s\t%s\t%u\t%u\t%lu\t%lu\t%lu", marker->name,
		   on ? "on" : "off", sites, probes, counts.hits,
		   counts.recursions, counts.unwatched);
	show_format(m, marker->format);

	list_for_each_entry(site, &marker->sites, node) {
		seq_printf(m, "\tsite\t%s\t%s", marker_site_module(site),
			   site_states[marker_site_state(marker, site)]);
		show_format(m, site->format);
	}
	list_for_each_entry(probe, &marker->probes, node) {
		seq_printf(m, "\thandler\t%ps\t%s", probe->handler.func,
			   probe_states[probe->state]);
		show_format(m, probe->format);
	}
}

/* All in one go, so that the reader gets what was true at one moment. */
static int markers_show(struct seq_file *m, void *unused)
{
	const struct marker *marker;

	seq_puts(m, "# name\tstate\tsites\thandlers\thits\trecursions\tunwatched\tformat\n");

	mutex_lock(&markers_mutex);
	list_for_each_entry(marker, &markers_list, list)
		show_marker(m, marker);
	mutex_unlock(&markers_mutex);
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
