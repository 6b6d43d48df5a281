/* SPDX-License-Identifier: GPL-2.0 */
/* Inside of the kernel markers: what their parts know of each other. */
#ifndef _KERNEL_MARKERS_MARKERS_H
#define _KERNEL_MARKERS_MARKERS_H

#include <linux/list.h>
#include <linux/marker.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

/* A marker's name may become the name of a directory. */
#define MARKER_NAME_LEN		255

/* What happened where a marker's sites were on; any context adds to these. */
struct marker_counts {
	unsigned long	hits;		/* delivered to at least one handler */
	unsigned long	recursions;	/* skipped: reached from a handler */
	unsigned long	unwatched;	/* skipped: RCU was not watching */
	unsigned long	lost;		/* records that found no room */
};

/*
 * What marker_hit() calls, and all that it looks at. Only @next is ever changed
 * while a site may use it.
 */
struct marker_handler {
	marker_probe_func	*func;
	void			*private;
	struct marker_counts __percpu *counts;
	struct marker_handler	*next;		/* for call_all() */
};

/*
 * For a marker whose sites lie in code that nobody comes to by itself: it is
 * attached to something, and only while there is a handler. Called from process
 * context with markers_mutex held, in turns.
 */
struct marker_ops {
	int	(*reg)(void);		/* before the sites go on; 0 or an errno */
	void	(*unreg)(void);		/* after they went off; cannot fail */
};

struct marker_event;

/*
 * All that goes by one name. It exists while it has a site or a probe. All but
 * what a struct marker_handler leads to is protected by markers_mutex.
 */
struct marker {
	struct hlist_node	hash;		/* in the table by name */
	struct list_head	list;		/* in markers_list */
	struct list_head	sites;		/* in order of appearance */
	struct list_head	probes;		/* in order of registration */
	const char		*format;	/* that of the first good site */
	struct marker_counts __percpu *counts;
	struct marker_handler	all;		/* calls each active probe */
	const struct marker_ops	*ops;		/* NULL for most */
	struct marker_event	*event;		/* the last it had, or NULL */
	bool			reached;	/* ops->reg() was called */
	bool			stale;		/* sites came or went */
	struct rcu_head		rcu;
	char			name[];
};

enum marker_probe_state {
	MARKER_PROBE_PENDING,		/* the marker has no good site yet */
	MARKER_PROBE_ACTIVE,		/* called on each hit */
	MARKER_PROBE_PARKED,		/* the sites have another format */
};

/* A handler attached to a marker. */
struct marker_probe {
	struct list_head	node;		/* in marker->probes */
	struct marker_handler	handler;
	enum marker_probe_state	state;
	bool			exact;		/* %s is not as good as %p */
	struct rcu_head		rcu;
	const char		*format;	/* NULL: whatever the site has */
	char			format_copy[];
};

enum marker_site_state {
	MARKER_SITE_OFF,		/* no handler is active */
	MARKER_SITE_ON,
	MARKER_SITE_DIFFERS,		/* off: not the format of the first */
	MARKER_SITE_BAD_FORMAT,		/* off: outside of the grammar */
};

extern struct mutex markers_mutex;
extern struct list_head markers_list;

const char *marker_site_module(const struct marker_site *site);
enum marker_site_state marker_site_state(const struct marker *marker,
					 const struct marker_site *site);
int marker_sites_add(struct marker_site *begin, struct marker_site *end);
void marker_sites_remove(struct marker_site *begin, struct marker_site *end);
int marker_set_ops(const char *name, const struct marker_ops *ops);
void marker_read_counts(const struct marker *marker,
			struct marker_counts *sum);
int marker_probe_register_exact(const char *name, const char *format,
				marker_probe_func *func, void *private,
				struct marker_counts __percpu **counts);
void markers_add_vmlinux(void);

#ifdef CONFIG_MARKERS_SYSCALLS
const char *marker_syscall_name(u32 arch, long nr);
#else
static inline
const char *marker_syscall_name(u32 arch, long nr)
{
	return NULL;
}
#endif

#if IS_ENABLED(CONFIG_KUNIT)
const char *marker_syscall_traced_name(unsigned long nr);
#endif

/* Locks in this order: that of the events, then markers_mutex. */
#ifdef CONFIG_MARKERS_EVENTS
void marker_events_lock(void);
void marker_events_unlock(void);
void marker_events_update(void);
#else
static inline void marker_events_lock(void)
{
}

static inline void marker_events_unlock(void)
{
}

static inline void marker_events_update(void)
{
}
#endif

#endif /* _KERNEL_MARKERS_MARKERS_H */
