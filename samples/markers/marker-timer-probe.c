// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that looks at what a lock protects, because its marker is hit with
 * the lock held.
 *
 *	insmod marker-timer-probe.ko
 *	cat /proc/marker-timer
 *	rmmod marker_timer_probe
 *
 * kernel_timer_set is hit after a timer was queued and before its base is
 * unlocked. Until the handler returns the timer can neither expire nor be
 * changed or freed, so it may be looked into. The lock itself is the argument
 * behind the ## of the format, where a site passes what is of use only to a
 * handler in the kernel.
 *
 * The file shows how far ahead timers are set and whether they were found as
 * they must be under the lock. It also shows what was seen of two timers that
 * the module arms, one with mod_timer() and one with add_timer_on().
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/marker.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define TIMER_SET_FORMAT \
	"timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p"

/* Delays of 0 jiffies and less, of 1 to 3, 4 to 15, 16 to 63, ... */
#define BUCKETS		12

struct stats {
	unsigned long	set;
	unsigned long	unlocked;	/* the base was not: must be 0 */
	unsigned long	not_pending;	/* must be 0 */
	unsigned long	differing;	/* from the arguments: must be 0 */
	unsigned long	pinned;
	unsigned long	deferrable;
	unsigned long	irqsafe;
	unsigned long	delay[BUCKETS];
};

/*
 * With the base lock held interrupts are off, and no NMI arms a timer: on one
 * CPU the handler is never interrupted by itself.
 */
static DEFINE_PER_CPU(struct stats, stats);

static void known_expired(struct timer_list *timer)
{
}

/* Timers of our own, what they are armed with, and what the handler saw. */
static struct known {
	const char	*how;
	unsigned long	delay;
	unsigned long	expires;
	struct timer_list timer;
	unsigned long	seen_expires;
	void		*seen_function;
	unsigned int	seen_cpu;
} known[] = {
	{ .how = "mod_timer", .delay = 10 * HZ },
	{ .how = "add_timer_on", .delay = 20 * HZ },
};

static bool base_locked(raw_spinlock_t *lock)
{
	/* Complains if it is not this CPU that holds it. */
	lockdep_assert_held(lock);

	/* Without SMP there is nothing in the lock to look at. */
	return !IS_ENABLED(CONFIG_SMP) || raw_spin_is_locked(lock);
}

static void look_at_timer(struct timer_list *timer, unsigned long expires,
			  void *function, unsigned int cpu)
{
	long delay = timer->expires - jiffies;
	int bucket = delay > 0 ? ilog2(delay) / 2 + 1 : 0;
	int i;

	if (!timer_pending(timer))
		this_cpu_inc(stats.not_pending);
	if (timer->expires != expires || timer->function != function ||
	    (timer->flags & TIMER_CPUMASK) != cpu)
		this_cpu_inc(stats.differing);
	if (timer->flags & TIMER_PINNED)
		this_cpu_inc(stats.pinned);
	if (timer->flags & TIMER_DEFERRABLE)
		this_cpu_inc(stats.deferrable);
	if (timer->flags & TIMER_IRQSAFE)
		this_cpu_inc(stats.irqsafe);
	this_cpu_inc(stats.delay[min(bucket, BUCKETS - 1)]);

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (timer != &known[i].timer)
			continue;
		known[i].seen_expires = timer->expires;
		known[i].seen_function = timer->function;
		known[i].seen_cpu = timer->flags & TIMER_CPUMASK;
	}
}

static void timer_set(void *probe_private, void *call_private, const char *fmt,
		      va_list *args)
{
	struct timer_list *timer = va_arg(*args, struct timer_list *);
	unsigned long expires = va_arg(*args, unsigned long);
	void *function = va_arg(*args, void *);
	unsigned int cpu = va_arg(*args, unsigned int);
	unsigned int flags __maybe_unused = va_arg(*args, unsigned int);
	raw_spinlock_t *lock = va_arg(*args, raw_spinlock_t *);

	this_cpu_inc(stats.set);
	if (base_locked(lock))
		look_at_timer(timer, expires, function, cpu);
	else
		this_cpu_inc(stats.unlocked);
}

static void stats_add_up(struct stats *sum)
{
	unsigned long *to = (unsigned long *)sum;
	const unsigned long *from;
	int cpu, i;

	*sum = (struct stats) {};
	for_each_possible_cpu(cpu) {
		from = (const unsigned long *)per_cpu_ptr(&stats, cpu);
		for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
			to[i] += READ_ONCE(from[i]);
	}
}

static void show_delays(struct seq_file *m, const struct stats *sum)
{
	int i;

	seq_puts(m, "set in advance, jiffies:\n");
	for (i = 0; i < BUCKETS; i++) {
		if (sum->delay[i])
			seq_printf(m, "  %s%-7lu %lu\n", i ? "from " : "up to ",
				   i ? 1UL << 2 * (i - 1) : 0, sum->delay[i]);
	}
}

static void show_known(struct seq_file *m, const struct known *k)
{
	seq_printf(m, "%s armed: expires %lu function %ps\n", k->how, k->expires,
		   known_expired);
	seq_printf(m, "%s seen:  expires %lu function %ps cpu %u\n", k->how,
		   k->seen_expires, k->seen_function, k->seen_cpu);
}

static int timer_show(struct seq_file *m, void *unused)
{
	struct stats sum;
	int i;

	stats_add_up(&sum);
	seq_printf(m, "timers set %lu\n", sum.set);
	seq_printf(m, "base not locked %lu\n", sum.unlocked);
	seq_printf(m, "not pending %lu\n", sum.not_pending);
	seq_printf(m, "unlike the arguments %lu\n", sum.differing);
	seq_printf(m, "pinned %lu deferrable %lu irqsafe %lu\n", sum.pinned,
		   sum.deferrable, sum.irqsafe);
	show_delays(m, &sum);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		show_known(m, &known[i]);
	return 0;
}

static void known_arm(struct known *k)
{
	timer_setup(&k->timer, known_expired, 0);
	k->expires = jiffies + k->delay;
}

static int __init timer_probe_init(void)
{
	int ret;

	ret = marker_probe_register("kernel_timer_set", TIMER_SET_FORMAT,
				    timer_set, NULL);
	if (ret)
		return ret;

	if (!proc_create_single("marker-timer", 0444, NULL, timer_show)) {
		marker_probe_unregister("kernel_timer_set", timer_set, NULL);
		marker_synchronize_unregister();
		return -ENOMEM;
	}

	known_arm(&known[0]);
	mod_timer(&known[0].timer, known[0].expires);

	known_arm(&known[1]);
	known[1].timer.expires = known[1].expires;
	add_timer_on(&known[1].timer, cpumask_first(cpu_online_mask));
	return 0;
}
module_init(timer_probe_init);

static void __exit timer_probe_exit(void)
{
	int i;

	remove_proc_entry("marker-timer", NULL);
	marker_probe_unregister("kernel_timer_set", timer_set, NULL);
	marker_synchronize_unregister();
	for (i = 0; i < ARRAY_SIZE(known); i++)
		timer_delete_sync(&known[i].timer);
}
module_exit(timer_probe_exit);

MODULE_DESCRIPTION("Kernel markers: a probe that reads timers under their lock");
MODULE_LICENSE("GPL");
