// SPDX-License-Identifier: GPL-2.0
/*
 * A handler that takes a lock.
 *
 * run=KIND,WHERE[,N]	hit test_markers_trylock N times, 1 if not given. Its
 *			handler tries a lock of KIND raw, spin, read, write or
 *			sem. WHERE it is: free, held (by this context, as a
 *			writer), reading (by this context), other (another CPU
 *			has it), down (it is a semaphore, and that is down), nmi
 *			(free, in an NMI)
 * leave=HOW		how the handler leaves its block: end, break, return, goto
 * got			how often it got the lock
 * bad			how often something was off in the block or behind it
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/marker.h>
#include <linux/marker_trylock.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#if defined(CONFIG_X86_LOCAL_APIC) && defined(CONFIG_SMP)
#include <asm/apic.h>
#include <asm/nmi.h>
#define HAVE_NMI	1
#else
#define HAVE_NMI	0
#endif

static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_SPINLOCK(spin);
static DEFINE_RWLOCK(rw);
static DEFINE_SEMAPHORE(sem, 1);

static char kind[8];
static char leave[8] = "end";
module_param_string(leave, leave, sizeof(leave), 0600);

static unsigned int got;
module_param(got, uint, 0600);
static unsigned int bad;
module_param(bad, uint, 0600);

static void in_block(bool is_held)
{
	got++;
	if (!irqs_disabled() || !is_held)
		bad++;
}

/* Each of the ways out, which all release the lock. */
#define TRY(try, is_held)						\
do {									\
	try {								\
		in_block(is_held);					\
		if (sysfs_streq(leave, "break"))			\
			break;						\
		if (sysfs_streq(leave, "return"))			\
			return;						\
		if (sysfs_streq(leave, "goto"))				\
			goto out;					\
	}								\
} while (0)

static void handler_body(void)
{
	if (!strcmp(kind, "raw"))
		TRY(marker_trylock(&raw), raw_spin_is_locked(&raw));
	else if (!strcmp(kind, "spin"))
		TRY(marker_trylock(&spin), spin_is_locked(&spin));
	else if (!strcmp(kind, "read"))
		TRY(marker_trylock_read(&rw), !write_can_lock(&rw));
	else if (!strcmp(kind, "write"))
		TRY(marker_trylock(&rw), !read_can_lock(&rw));
	else if (!strcmp(kind, "sem"))
		TRY(marker_trylock(&sem), raw_spin_is_locked(&sem.lock));
out:
	return;
}

static void on_hit(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
	bool off = irqs_disabled();

	handler_body();
	if (irqs_disabled() != off)
		bad++;
}

static void hit(void)
{
	trace_mark(test_markers_trylock, MARK_NOARGS);
}

/* === Where the lock is ==================================================== */

static void hit_held(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw, flags);
	spin_lock(&spin);
	write_lock(&rw);
	raw_spin_lock(&sem.lock);
	hit();
	raw_spin_unlock(&sem.lock);
	write_unlock(&rw);
	spin_unlock(&spin);
	raw_spin_unlock_irqrestore(&raw, flags);
}

static void hit_reading(void)
{
	read_lock(&rw);
	hit();
	read_unlock(&rw);
}

static void hit_down(void)
{
	down(&sem);
	hit();
	up(&sem);
}

static bool other_has, other_ends;

static int other_thread(void *unused)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw, flags);
	spin_lock(&spin);
	write_lock(&rw);
	raw_spin_lock(&sem.lock);
	WRITE_ONCE(other_has, true);
	while (!READ_ONCE(other_ends))
		cpu_relax();
	raw_spin_unlock(&sem.lock);
	write_unlock(&rw);
	spin_unlock(&spin);
	raw_spin_unlock_irqrestore(&raw, flags);
	return 0;
}

static int hit_other(unsigned int nr)
{
	struct task_struct *thread;
	unsigned int cpu;

	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids) {
		migrate_enable();
		return -ENODEV;
	}
	other_has = false;
	other_ends = false;
	thread = kthread_create_on_cpu(other_thread, NULL, cpu,
				       "test_markers_has%u");
	if (IS_ERR(thread)) {
		migrate_enable();
		return PTR_ERR(thread);
	}
	get_task_struct(thread);
	wake_up_process(thread);
	while (!READ_ONCE(other_has))
		cond_resched();
	while (nr--)
		hit();
	WRITE_ONCE(other_ends, true);
	migrate_enable();
	kthread_stop(thread);
	put_task_struct(thread);
	return 0;
}

#if HAVE_NMI
static bool nmi_wanted, nmi_done;

static int nmi_func(unsigned int val, struct pt_regs *regs)
{
	if (!nmi_wanted)
		return NMI_DONE;
	nmi_wanted = false;
	hit();
	WRITE_ONCE(nmi_done, true);
	return NMI_HANDLED;
}

static int hit_nmi(void)
{
	unsigned int ms = 2000;

	preempt_disable();
	nmi_done = false;
	nmi_wanted = true;
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	while (!READ_ONCE(nmi_done) && ms--)
		mdelay(1);
	preempt_enable();
	return READ_ONCE(nmi_done) ? 0 : -ETIMEDOUT;
}

static int nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_func, 0, KBUILD_MODNAME);
}

static void nmi_exit_handler(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}
#else
static int hit_nmi(void) { return -EOPNOTSUPP; }
static int nmi_init(void) { return 0; }
static void nmi_exit_handler(void) { }
#endif

static int run_set(const char *val, const struct kernel_param *kp)
{
	char where[8];
	unsigned int nr = 1;
	int ret = 0;

	if (sscanf(val, "%7[a-z],%7[a-z],%u", kind, where, &nr) < 2)
		return -EINVAL;
	if (!strcmp(where, "other"))
		return hit_other(nr);
	while (nr-- && !ret) {
		if (!strcmp(where, "free"))
			hit();
		else if (!strcmp(where, "held"))
			hit_held();
		else if (!strcmp(where, "reading"))
			hit_reading();
		else if (!strcmp(where, "down"))
			hit_down();
		else if (!strcmp(where, "nmi"))
			ret = hit_nmi();
		else
			return -EINVAL;
	}
	return ret;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int __init test_markers_trylock_init(void)
{
	int ret;

	ret = nmi_init();
	if (ret)
		return ret;
	ret = marker_probe_register("test_markers_trylock", NULL, on_hit, NULL);
	if (ret)
		nmi_exit_handler();
	return ret;
}
module_init(test_markers_trylock_init);

static void __exit test_markers_trylock_exit(void)
{
	marker_probe_unregister("test_markers_trylock", on_hit, NULL);
	marker_synchronize_unregister();
	nmi_exit_handler();
}
module_exit(test_markers_trylock_exit);

MODULE_DESCRIPTION("Test of kernel markers: a handler that takes a lock");
MODULE_LICENSE("GPL");
