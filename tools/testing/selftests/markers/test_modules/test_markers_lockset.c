// SPDX-License-Identifier: GPL-2.0
/*
 * Locks of its own, taken as often as is asked for.
 *
 * call=WAY[,N]		take and release the lock that WAY is for N times, 1 if
 *			not given; the ways are below
 * contend=WAY		the same once, while another CPU has the lock for 20 ms;
 *			also for a WAY that only tries
 * busy=N		N threads take all of the locks, over and over, and each
 *			counts spin; 0: they end
 * taken		how often spin was taken by the threads
 * at			the address of spin
 * size			what a spinlock_t has in bytes
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define MAX_THREADS	8

static DEFINE_SPINLOCK(spin);
static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_RWLOCK(rw);

/* Two that lie in a structure, behind something else. */
static struct {
	unsigned long	before[4];
	spinlock_t	lock;
	spinlock_t	other;
} inside = {
	.lock	= __SPIN_LOCK_UNLOCKED(inside.lock),
	.other	= __SPIN_LOCK_UNLOCKED(inside.other),
};

static spinlock_t many[129];

/* What is no lock: neither a count of readers nor a queue looks like this. */
static u32 no_lock[8] = { [0 ... 7] = 0x7ffffe55 };

static void way_spin(void)
{
	spin_lock(&spin);
	spin_unlock(&spin);
}

static void way_spin_irq(void)
{
	spin_lock_irq(&spin);
	spin_unlock_irq(&spin);
}

static void way_spin_irqsave(void)
{
	unsigned long flags;

	spin_lock_irqsave(&spin, flags);
	spin_unlock_irqrestore(&spin, flags);
}

static void way_spin_bh(void)
{
	spin_lock_bh(&spin);
	spin_unlock_bh(&spin);
}

static void way_spin_nested(void)
{
	spin_lock_nested(&spin, SINGLE_DEPTH_NESTING);
	spin_unlock(&spin);
}

static void way_spin_irqsave_nested(void)
{
	unsigned long flags;

	spin_lock_irqsave_nested(&spin, flags, SINGLE_DEPTH_NESTING);
	spin_unlock_irqrestore(&spin, flags);
}

static void way_spin_nest_lock(void)
{
	spin_lock(&inside.lock);
	spin_lock_nest_lock(&spin, &inside.lock);
	spin_unlock(&spin);
	spin_unlock(&inside.lock);
}

static void way_spin_try(void)
{
	if (spin_trylock(&spin))
		spin_unlock(&spin);
}

static void way_spin_try_bh(void)
{
	if (spin_trylock_bh(&spin))
		spin_unlock_bh(&spin);
}

static void way_spin_try_irq(void)
{
	if (spin_trylock_irq(&spin))
		spin_unlock_irq(&spin);
}

static void way_spin_try_irqsave(void)
{
	unsigned long flags;

	if (spin_trylock_irqsave(&spin, flags))
		spin_unlock_irqrestore(&spin, flags);
}

static void way_raw(void)
{
	raw_spin_lock(&raw);
	raw_spin_unlock(&raw);
}

static void way_raw_irq(void)
{
	raw_spin_lock_irq(&raw);
	raw_spin_unlock_irq(&raw);
}

static void way_raw_irqsave(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw, flags);
	raw_spin_unlock_irqrestore(&raw, flags);
}

static void way_raw_bh(void)
{
	raw_spin_lock_bh(&raw);
	raw_spin_unlock_bh(&raw);
}

static void way_raw_try(void)
{
	if (raw_spin_trylock(&raw))
		raw_spin_unlock(&raw);
}

static void way_read(void)
{
	read_lock(&rw);
	read_unlock(&rw);
}

static void way_read_irq(void)
{
	read_lock_irq(&rw);
	read_unlock_irq(&rw);
}

static void way_read_irqsave(void)
{
	unsigned long flags;

	read_lock_irqsave(&rw, flags);
	read_unlock_irqrestore(&rw, flags);
}

static void way_read_bh(void)
{
	read_lock_bh(&rw);
	read_unlock_bh(&rw);
}

static void way_read_try(void)
{
	if (read_trylock(&rw))
		read_unlock(&rw);
}

static void way_write(void)
{
	write_lock(&rw);
	write_unlock(&rw);
}

static void way_write_irq(void)
{
	write_lock_irq(&rw);
	write_unlock_irq(&rw);
}

static void way_write_irqsave(void)
{
	unsigned long flags;

	write_lock_irqsave(&rw, flags);
	write_unlock_irqrestore(&rw, flags);
}

static void way_write_bh(void)
{
	write_lock_bh(&rw);
	write_unlock_bh(&rw);
}

static void way_write_nested(void)
{
	write_lock_nested(&rw, SINGLE_DEPTH_NESTING);
	write_unlock(&rw);
}

static void way_write_try(void)
{
	if (write_trylock(&rw))
		write_unlock(&rw);
}

static void way_inside(void)
{
	spin_lock(&inside.lock);
	spin_unlock(&inside.lock);
}

static void way_other(void)
{
	spin_lock(&inside.other);
	spin_unlock(&inside.other);
}

static void way_many(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		spin_lock(&many[i]);
		spin_unlock(&many[i]);
	}
}

static const struct {
	const char *name;
	void (*func)(void);
} ways[] = {
	{ "spin", way_spin },
	{ "spin_irq", way_spin_irq },
	{ "spin_irqsave", way_spin_irqsave },
	{ "spin_bh", way_spin_bh },
	{ "spin_nested", way_spin_nested },
	{ "spin_irqsave_nested", way_spin_irqsave_nested },
	{ "spin_nest_lock", way_spin_nest_lock },
	{ "spin_try", way_spin_try },
	{ "spin_try_bh", way_spin_try_bh },
	{ "spin_try_irq", way_spin_try_irq },
	{ "spin_try_irqsave", way_spin_try_irqsave },
	{ "raw", way_raw },
	{ "raw_irq", way_raw_irq },
	{ "raw_irqsave", way_raw_irqsave },
	{ "raw_bh", way_raw_bh },
	{ "raw_try", way_raw_try },
	{ "read", way_read },
	{ "read_irq", way_read_irq },
	{ "read_irqsave", way_read_irqsave },
	{ "read_bh", way_read_bh },
	{ "read_try", way_read_try },
	{ "write", way_write },
	{ "write_irq", way_write_irq },
	{ "write_irqsave", way_write_irqsave },
	{ "write_bh", way_write_bh },
	{ "write_nested", way_write_nested },
	{ "write_try", way_write_try },
	{ "inside", way_inside },
	{ "other", way_other },
	{ "many", way_many },
};

/* Way @val up to @len, or NULL. */
static void (*find_way(const char *val, size_t len))(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strlen(ways[i].name) == len &&
		    !strncmp(ways[i].name, val, len))
			return ways[i].func;
	}
	return NULL;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	size_t len = strcspn(val, ",\n");
	void (*way)(void) = find_way(val, len);
	unsigned long nr = 1;

	if (!way || (val[len] == ',' && kstrtoul(val + len + 1, 10, &nr)))
		return -EINVAL;
	while (nr--)
		way();
	return 0;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};
module_param_cb(call, &call_ops, NULL, 0200);

/* === Another CPU has the lock ============================================= */

static bool held, coming;

/*
 * What the other CPU does: it has the locks until we are about to take one, and
 * then long enough for us to find it taken.
 */
static void hold_for(unsigned int ms)
{
	WRITE_ONCE(held, true);
	while (!READ_ONCE(coming))
		cpu_relax();
	mdelay(ms);
}

static int hold_thread(void *data)
{
	local_irq_disable();
	spin_lock(&spin);
	raw_spin_lock(&raw);
	write_lock(&rw);
	hold_for((unsigned long)data);
	write_unlock(&rw);
	raw_spin_unlock(&raw);
	spin_unlock(&spin);
	local_irq_enable();
	return 0;
}

static int with_held(const char *val, unsigned long ms)
{
	void (*way)(void) = find_way(val, strcspn(val, "\n"));
	struct task_struct *thread;
	unsigned int cpu;

	if (!way)
		return -EINVAL;
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids) {
		migrate_enable();
		return -ENODEV;
	}
	held = false;
	coming = false;
	thread = kthread_create_on_cpu(hold_thread, (void *)ms, cpu,
				       "test_markers_hold%u");
	if (IS_ERR(thread)) {
		migrate_enable();
		return PTR_ERR(thread);
	}
	get_task_struct(thread);
	wake_up_process(thread);
	while (!READ_ONCE(held))
		cond_resched();

	preempt_disable();
	WRITE_ONCE(coming, true);
	way();
	preempt_enable();
	migrate_enable();

	kthread_stop(thread);
	put_task_struct(thread);
	return 0;
}

static int contend_set(const char *val, const struct kernel_param *kp)
{
	return with_held(val, 20);
}

static const struct kernel_param_ops contend_ops = {
	.set = contend_set,
};
module_param_cb(contend, &contend_ops, NULL, 0200);

/* === All CPUs take locks ================================================== */

static struct task_struct *threads[MAX_THREADS];
static unsigned int nr_threads;
static atomic_long_t taken;

static int busy_thread(void *unused)
{
	size_t i;

	while (!kthread_should_stop()) {
		for (i = 0; i < ARRAY_SIZE(ways); i++) {
			if (strstarts(ways[i].name, "spin"))
				continue;
			ways[i].func();
		}
		way_spin_irqsave();
		atomic_long_inc(&taken);
		cond_resched();
	}
	return 0;
}

static void stop_threads(void)
{
	while (nr_threads)
		kthread_stop(threads[--nr_threads]);
}

static int busy_set(const char *val, const struct kernel_param *kp)
{
	struct task_struct *thread;
	unsigned int nr;

	if (kstrtouint(val, 10, &nr) || nr > MAX_THREADS)
		return -EINVAL;
	stop_threads();
	while (nr_threads < nr) {
		thread = kthread_run(busy_thread, NULL, "test_markers_busy");
		if (IS_ERR(thread)) {
			stop_threads();
			return PTR_ERR(thread);
		}
		threads[nr_threads++] = thread;
	}
	return 0;
}

static const struct kernel_param_ops busy_ops = {
	.set = busy_set,
};
module_param_cb(busy, &busy_ops, NULL, 0200);

static int taken_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(&taken));
}

static const struct kernel_param_ops taken_ops = {
	.get = taken_get,
};
module_param_cb(taken, &taken_ops, NULL, 0400);

static int at_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "0x%lx\n", (unsigned long)&spin);
}

static const struct kernel_param_ops at_ops = {
	.get = at_get,
};
module_param_cb(at, &at_ops, NULL, 0400);

static unsigned int size = sizeof(spinlock_t);
module_param(size, uint, 0400);

static int __init test_markers_lockset_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		spin_lock_init(&many[i]);
	/* So that it is there. */
	OPTIMIZER_HIDE_VAR(no_lock[0]);
	return 0;
}
module_init(test_markers_lockset_init);

static void __exit test_markers_lockset_exit(void)
{
	stop_threads();
}
module_exit(test_markers_lockset_exit);

MODULE_DESCRIPTION("Test of kernel markers: locks to be told of");
MODULE_LICENSE("GPL");
