/* SPDX-License-Identifier: GPL-2.0 */
/* Inside of the kernel markers: the locks that are told of. */
#ifndef _KERNEL_MARKERS_LOCKS_H
#define _KERNEL_MARKERS_LOCKS_H

#include <linux/err.h>

struct lock_watch;
struct seq_file;

#ifdef CONFIG_MARKERS_LOCKS
void marker_show_locks(struct seq_file *m, const char *marker);
#else
static inline void marker_show_locks(struct seq_file *m, const char *marker)
{
}
#endif

#ifdef CONFIG_MARKERS_LOCK_WATCH
struct lock_watch *lock_watch_begin(const void *lock);
void lock_watch_end(struct lock_watch *watch);
#else
static inline struct lock_watch *lock_watch_begin(const void *lock)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void lock_watch_end(struct lock_watch *watch)
{
}
#endif

#endif /* _KERNEL_MARKERS_LOCKS_H */
