/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sites of the markers of spin locks and rwlocks. With MARKERS_LOCKS none of
 * the functions that take and release these is inlined, so the sites are all in
 * kernel/locking/spinlock.c, also those that stand in its headers.
 */
#ifndef _LINUX_MARKER_LOCKS_H
#define _LINUX_MARKER_LOCKS_H

#ifdef CONFIG_MARKERS_LOCKS

#include <linux/hash.h>
#include <linux/marker.h>

#define MARKER_LOCK_BITS	10
#define MARKER_LOCK_SLOTS	(1U << MARKER_LOCK_BITS)

extern const void *marker_lock_slots[MARKER_LOCK_SLOTS];
extern bool marker_locks_all;

/*
 * Is @lock one that is to be told of? Here rather than in a function, as this
 * is all that the other locks have to pay for it. There is always a slot that
 * is NULL, and mostly it is the first.
 */
static __always_inline bool marker_lock_chosen(const void *lock)
{
	unsigned long nr = hash_ptr(lock, MARKER_LOCK_BITS);
	const void *slot;

	if (READ_ONCE(marker_locks_all))
		return true;
	while ((slot = READ_ONCE(marker_lock_slots[nr]))) {
		if (slot == lock)
			return true;
		nr = (nr + 1) % MARKER_LOCK_SLOTS;
	}
	return false;
}

/*
 * What takes a lock that is told of, in a function of its own, for which the one
 * with the sites needs no stack. It tries first, so as to know whether another CPU
 * has the lock; LOCK_CONTENDED() tries again, for the statistics of lockdep.
 */
#define DECLARE_MARKED_LOCK(kind, locktype)				\
void __lockfunc marked_##kind##_lock(locktype * lock,			\
				     struct marker_site *site,		\
				     struct marker_site *wait_site,	\
				     void *ip)

DECLARE_MARKED_LOCK(spin, raw_spinlock_t);
DECLARE_MARKED_LOCK(read, rwlock_t);
DECLARE_MARKED_LOCK(write, rwlock_t);

#define BUILD_MARKED_LOCK(kind, locktype)				\
DECLARE_MARKED_LOCK(kind, locktype)					\
{									\
	bool contended = !do_raw_##kind##_trylock(lock);		\
									\
	if (contended) {						\
		if (static_key_enabled(&wait_site->key))		\
			marker_hit(wait_site, lock, ip);		\
		LOCK_CONTENDED(lock, do_raw_##kind##_trylock,		\
			       do_raw_##kind##_lock);			\
	} else {							\
		__acquire(lock);					\
		lock_acquired(&lock->dep_map, _RET_IP_);		\
	}								\
	if (static_key_enabled(&site->key))				\
		marker_hit(site, lock, ip, contended);			\
}

#define LOCK_MARKED(kind, lock)						\
do {									\
	__define_marker_site(__lock_site, "lock_" #kind "_lock",	\
			     "lock %pS ip %pS contended #1u%u");	\
	__define_marker_site(__wait_site, "lock_" #kind "_wait",	\
			     "lock %pS ip %pS");			\
									\
	if ((static_branch_unlikely(&__lock_site.key) ||		\
	     static_branch_unlikely(&__wait_site.key)) &&		\
	    marker_lock_chosen(lock))					\
		marked_##kind##_lock(lock, &__lock_site, &__wait_site,	\
				     (void *)_RET_IP_);			\
	else								\
		LOCK_CONTENDED(lock, do_raw_##kind##_trylock,		\
			       do_raw_##kind##_lock);			\
} while (0)

#define __mark_lock(name, fmt, lock, args...)				\
	__trace_mark(static_branch_unlikely(&__marker_site.key) &&	\
		     marker_lock_chosen(lock), name, fmt, marker_hit,	\
		     lock, (void *)_RET_IP_, ##args)

#define mark_spin_trylock(lock, taken)					\
	__mark_lock("lock_spin_trylock", "lock %pS ip %pS taken #1u%u",	\
		    lock, (unsigned int)(taken))

/* There is no marker of its own for a rwlock that was tried, and taken. */
#define mark_rw_trylock(name, lock)					\
	__mark_lock(#name, "lock %pS ip %pS contended #1u%u", lock, 0U)

/*
 * A lock is told of before it is released, by a function that does both, so that
 * the one with the site needs no stack for what it would have to keep.
 */
#define BUILD_MARKED_UNLOCK(unlock, locktype)				\
static noinline void __lockfunc						\
marked##unlock(locktype * lock, struct marker_site *site, void *ip)	\
{									\
	marker_hit(site, lock, ip);					\
	unlock(lock);							\
}

#define BUILD_MARKED_UNLOCK_IRQRESTORE(unlock, locktype)		\
static noinline void __lockfunc						\
marked##unlock(locktype * lock, unsigned long flags,			\
	       struct marker_site *site, void *ip)			\
{									\
	marker_hit(site, lock, ip);					\
	unlock(lock, flags);						\
}

#define UNLOCK_MARKED(name, unlock, lock, flags...)			\
do {									\
	__define_marker_site(__marker_site, #name, "lock %pS ip %pS");	\
									\
	if (static_branch_unlikely(&__marker_site.key) &&		\
	    marker_lock_chosen(lock))					\
		marked##unlock(lock, ##flags, &__marker_site,		\
			       (void *)_RET_IP_);			\
	else								\
		unlock(lock, ##flags);					\
} while (0)

#else /* !CONFIG_MARKERS_LOCKS */

#define LOCK_MARKED(kind, lock)						\
	LOCK_CONTENDED(lock, do_raw_##kind##_trylock, do_raw_##kind##_lock)

#define BUILD_MARKED_LOCK(kind, locktype)
#define BUILD_MARKED_UNLOCK(unlock, locktype)
#define BUILD_MARKED_UNLOCK_IRQRESTORE(unlock, locktype)
#define UNLOCK_MARKED(name, unlock, lock, flags...)	unlock(lock, ##flags)

#define mark_spin_trylock(lock, taken)		do {} while (0)
#define mark_rw_trylock(name, lock)		do {} while (0)

#endif /* CONFIG_MARKERS_LOCKS */

#endif /* _LINUX_MARKER_LOCKS_H */
