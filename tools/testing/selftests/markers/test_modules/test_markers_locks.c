// SPDX-License-Identifier: GPL-2.0
/*
 * Tells whether a lock is held where a marker is hit, as lockdep knows it.
 *
 * watch	"MARKER LOCK": look at each hit of MARKER from now on, whether
 *		current holds a lock that lockdep calls LOCK, such as
 *		"&p->pi_lock"; "LOCK|LOCK" is any of these. The counts begin
 *		anew. An empty line: stop, and forget the counts
 * held		hits with the lock held
 * missing	hits without
 *
 * On a kernel without lockdep it does not load.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/debug_locks.h>
#include <linux/lockdep.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>

#define MAX_NAME	128

/* Empty while nothing is watched. */
static char marker[MAX_NAME];
static char lock[MAX_NAME];
static atomic_long_t held;
static atomic_long_t missing;

#ifdef CONFIG_LOCKDEP
/* Whether @name is one of those in @lock. */
static bool is_watched(const char *name)
{
	const char *one = lock;
	size_t len;

	for (;;) {
		len = strcspn(one, "|");
		if (strlen(name) == len && !strncmp(one, name, len))
			return true;
		if (!one[len])
			return false;
		one += len + 1;
	}
}

static bool is_held(void)
{
	unsigned int i;

	for (i = 0; i < current->lockdep_depth; i++) {
		if (is_watched(current->held_locks[i].instance->name))
			return true;
	}
	return false;
}
#else
static bool is_held(void)
{
	return false;
}
#endif

static void on_hit(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
	if (is_held())
		atomic_long_inc(&held);
	else
		atomic_long_inc(&missing);
}

static void unwatch(void)
{
	if (marker[0]) {
		marker_probe_unregister(marker, on_hit, NULL);
		marker_synchronize_unregister();
	}
	marker[0] = '\0';
	atomic_long_set(&held, 0);
	atomic_long_set(&missing, 0);
}

static int watch_set(const char *val, const struct kernel_param *kp)
{
	size_t len = strcspn(val, "\n ");
	size_t lock_len;
	int err;

	unwatch();
	if (!len)
		return 0;
	if (len >= sizeof(marker) || val[len] != ' ')
		return -EINVAL;
	lock_len = strcspn(val + len + 1, "\n");
	if (!lock_len || lock_len >= sizeof(lock))
		return -EINVAL;
	/* Lockdep knows nothing any more when it has found a mistake. */
	if (!debug_locks)
		return -EIO;
	memcpy(marker, val, len);
	marker[len] = '\0';
	memcpy(lock, val + len + 1, lock_len);
	lock[lock_len] = '\0';
	err = marker_probe_register(marker, NULL, on_hit, NULL);
	if (err)
		marker[0] = '\0';
	return err;
}

static int watch_get(char *buffer, const struct kernel_param *kp)
{
	if (!marker[0])
		return scnprintf(buffer, PAGE_SIZE, "\n");
	return scnprintf(buffer, PAGE_SIZE, "%s %s\n", marker, lock);
}

static const struct kernel_param_ops watch_ops = {
	.set = watch_set,
	.get = watch_get,
};
module_param_cb(watch, &watch_ops, NULL, 0600);

static int count_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(kp->arg));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};
module_param_cb(held, &count_ops, &held, 0400);
module_param_cb(missing, &count_ops, &missing, 0400);

static int __init test_markers_locks_init(void)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return -EOPNOTSUPP;
	return 0;
}
module_init(test_markers_locks_init);

static void __exit test_markers_locks_exit(void)
{
	unwatch();
}
module_exit(test_markers_locks_exit);

MODULE_DESCRIPTION("Locks that are held where markers are hit");
MODULE_LICENSE("GPL");
