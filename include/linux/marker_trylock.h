/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks in the handlers of markers.
 *
 * A handler runs wherever its marker stands: in an NMI, in the middle of code
 * that has the very lock that the handler wants. So it must not wait for one. It
 * may try:
 *
 *	static void on_queue(void *probe_private, void *call_private,
 *			     const char *fmt, va_list *args)
 *	{
 *		struct my_stats *stats = probe_private;
 *
 *		marker_trylock(&stats->lock) {
 *			stats->queued++;
 *			list_for_each_entry(...)
 *				...
 *		}
 *	}
 *
 * The block runs with the lock held and interrupts disabled, or not at all, and
 * then the handler's count of aborts in the tracefs file "markers" grows by one.
 * The lock is released at the end of the block, however it is left: also by
 * break, return or goto.
 */
#ifndef _LINUX_MARKER_TRYLOCK_H
#define _LINUX_MARKER_TRYLOCK_H

#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/marker.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rwlock.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>

enum marker_trylock_kind {
	MARKER_TRYLOCK_NOT_FREE,
	MARKER_TRYLOCK_RAW,
	MARKER_TRYLOCK_SPIN,
	MARKER_TRYLOCK_READ,
	MARKER_TRYLOCK_WRITE,
};

struct marker_trylock {
	enum marker_trylock_kind kind;
	void *lock;
	unsigned long flags;
};

static __always_inline struct marker_trylock
__marker_try_raw(raw_spinlock_t *lock)
{
	struct marker_trylock try = { .lock = lock };

	if (raw_spin_trylock_irqsave(lock, try.flags)) {
		__release(lock);
		try.kind = MARKER_TRYLOCK_RAW;
	} else {
		marker_handler_abort();
	}
	return try;
}

/*
 * Who wants a semaphore takes the lock in it first. So while that is held, and
 * the count says that the semaphore is free, it is as good as down, and there is
 * nobody to be woken up afterwards, which a handler must not do.
 */
static __always_inline struct marker_trylock
__marker_try_semaphore(struct semaphore *sem)
{
	struct marker_trylock try = { .lock = &sem->lock };

	if (!in_nmi() && raw_spin_trylock_irqsave(&sem->lock, try.flags)) {
		if (sem->count) {
			__release(&sem->lock);
			try.kind = MARKER_TRYLOCK_RAW;
			return try;
		}
		raw_spin_unlock_irqrestore(&sem->lock, try.flags);
	}
	marker_handler_abort();
	return try;
}

#ifndef CONFIG_PREEMPT_RT
static __always_inline struct marker_trylock __marker_try_spin(spinlock_t *lock)
{
	struct marker_trylock try = { .lock = lock };

	if (spin_trylock_irqsave(lock, try.flags)) {
		__release(lock);
		try.kind = MARKER_TRYLOCK_SPIN;
	} else {
		marker_handler_abort();
	}
	return try;
}

static __always_inline struct marker_trylock __marker_try_read(rwlock_t *lock)
{
	struct marker_trylock try = { .lock = lock };

	local_irq_save(try.flags);
	if (read_trylock(lock)) {
		__release(lock);
		try.kind = MARKER_TRYLOCK_READ;
	} else {
		local_irq_restore(try.flags);
		marker_handler_abort();
	}
	return try;
}

static __always_inline struct marker_trylock __marker_try_write(rwlock_t *lock)
{
	struct marker_trylock try = { .lock = lock };

	local_irq_save(try.flags);
	if (write_trylock(lock)) {
		__release(lock);
		try.kind = MARKER_TRYLOCK_WRITE;
	} else {
		local_irq_restore(try.flags);
		marker_handler_abort();
	}
	return try;
}
#else
struct marker_trylock __marker_try_spin(spinlock_t *lock)
__compiletime_error("marker_trylock(): a spinlock_t sleeps on PREEMPT_RT, and a handler must not; use a raw_spinlock_t");
struct marker_trylock __marker_try_read(rwlock_t *lock)
__compiletime_error("marker_trylock_read(): a rwlock_t sleeps on PREEMPT_RT, and a handler must not; use a raw_spinlock_t");
struct marker_trylock __marker_try_write(rwlock_t *lock)
__compiletime_error("marker_trylock(): a rwlock_t sleeps on PREEMPT_RT, and a handler must not; use a raw_spinlock_t");
#endif

struct marker_trylock __marker_try_mutex(struct mutex *lock)
__compiletime_error("marker_trylock(): a mutex is unlocked by code that sleeps and wakes, which a handler must not; use a spinlock_t");
struct marker_trylock __marker_try_rwsem(struct rw_semaphore *lock)
__compiletime_error("marker_trylock(): a rw_semaphore is released by code that sleeps and wakes, which a handler must not; use a rwlock_t");
struct marker_trylock __marker_try_other(const volatile void *lock)
__compiletime_error("marker_trylock() takes a spinlock_t, raw_spinlock_t, rwlock_t or struct semaphore; marker_trylock_read() a rwlock_t");

static __always_inline void __marker_trylock_end(struct marker_trylock *try)
{
	switch (try->kind) {
	case MARKER_TRYLOCK_NOT_FREE:
		return;
	case MARKER_TRYLOCK_RAW:
		__acquire((raw_spinlock_t *)try->lock);
		raw_spin_unlock_irqrestore((raw_spinlock_t *)try->lock,
					   try->flags);
		return;
#ifndef CONFIG_PREEMPT_RT
	case MARKER_TRYLOCK_SPIN:
		__acquire((spinlock_t *)try->lock);
		spin_unlock_irqrestore((spinlock_t *)try->lock, try->flags);
		return;
	case MARKER_TRYLOCK_READ:
		__acquire((rwlock_t *)try->lock);
		read_unlock_irqrestore((rwlock_t *)try->lock, try->flags);
		return;
	case MARKER_TRYLOCK_WRITE:
		__acquire((rwlock_t *)try->lock);
		write_unlock_irqrestore((rwlock_t *)try->lock, try->flags);
		return;
#endif
	default:
		return;
	}
}

#define __marker_trylock(try)						\
	for (struct marker_trylock __marker_try				\
		__cleanup(__marker_trylock_end) = (try), *__done = NULL; \
	     __marker_try.kind != MARKER_TRYLOCK_NOT_FREE && !__done;	\
	     __done = &__marker_try)

/**
 * marker_trylock - run a block with a lock held, if the lock is free
 * @lock: pointer to a spinlock_t, a raw_spinlock_t, a rwlock_t, which is taken
 *	  for writing, or a struct semaphore. Anything else does not compile
 *
 * Followed by the block, in which interrupts are disabled. Never waits: when the
 * lock is not free, or is a semaphore and this an NMI, the block is passed over
 * and the handler's aborts are counted.
 *
 * A semaphore is held by the lock in it, so that another CPU that wants it or
 * gives it back spins until the end of the block.
 *
 * Context: A handler of a marker, wherever that stands, also where the lock is
 * held already. On PREEMPT_RT only raw_spinlock_t and struct semaphore are to
 * be had.
 */
#define marker_trylock(lock)						\
	__marker_trylock(_Generic((lock),				\
		raw_spinlock_t *:	__marker_try_raw,		\
		spinlock_t *:		__marker_try_spin,		\
		rwlock_t *:		__marker_try_write,		\
		struct semaphore *:	__marker_try_semaphore,		\
		struct mutex *:		__marker_try_mutex,		\
		struct rw_semaphore *:	__marker_try_rwsem,		\
		default:		__marker_try_other)(lock))

/**
 * marker_trylock_read - run a block with a rwlock held for reading, if it is free
 * @lock: pointer to a rwlock_t
 *
 * As marker_trylock(). Other readers do not keep the block from running, this
 * CPU among them.
 *
 * Context: As marker_trylock().
 */
#define marker_trylock_read(lock)					\
	__marker_trylock(_Generic((lock),				\
		rwlock_t *:		__marker_try_read,		\
		default:		__marker_try_other)(lock))

#endif /* _LINUX_MARKER_TRYLOCK_H */
