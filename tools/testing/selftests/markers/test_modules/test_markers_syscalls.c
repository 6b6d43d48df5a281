// SPDX-License-Identifier: GPL-2.0
/*
 * What the markers of system calls tell, for a program that compares it with
 * what was called.
 *
 * pgrp=N		record the system calls of that process group
 * number=N		and those with that number, whoever makes them; 0 for none
 * entry=Y, exit=Y	attach the handler of kernel_arch_syscall_entry, _exit;
 *			writing N detaches it
 * change=FROM,TO	a probe of sys_enter that gives calls of the group with
 *			the first number the second; 0,0 ends it
 * flags		tasks that have the work flag of the tracepoints, and that
 *			have not
 * helper=COMMAND	run that by the kernel, the entry handler being attached in
 *			between: when its thread exists and is no program yet
 *
 * /proc/test_markers_syscalls is what was recorded, a line each:
 *	entry pid number arch ip a0 a1 a2 a3 a4 a5
 *	exit pid number success ret
 * and begins with a line "lost N". Writing to it empties it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/umh.h>
#include <linux/vmalloc.h>
#include <asm/syscall.h>

#include "test_markers.h"

#define ENTRY_FORMAT	"syscall_id #4d%ld arch #4u%u ip #p%lu a0 %lx a1 %lx a2 %lx a3 %lx a4 %lx a5 %lx pt_regs #0%p"
#define EXIT_FORMAT	"syscall_id #4d%ld success #1u%u ret %ld"
#define MAX_RECORDS	8192

struct record {
	bool		entry;
	int		pid;
	long		number;
	union {
		struct {
			unsigned int	arch;
			unsigned long	ip;
			unsigned long	args[6];
		};
		struct {
			unsigned int	success;
			long		ret;
		};
	};
};

static struct record *records;
static unsigned int nr_records;
static unsigned long lost;
static DEFINE_RAW_SPINLOCK(records_lock);

static int pgrp;
module_param(pgrp, int, 0600);

static long number;
module_param(number, long, 0600);

static bool of_group(void)
{
	return task_pgrp_nr(current) == READ_ONCE(pgrp);
}

static struct record *wanted(long nr)
{
	bool wanted = of_group() || (READ_ONCE(number) && nr == number);

	lockdep_assert_held(&records_lock);

	if (!wanted)
		return NULL;
	if (nr_records == MAX_RECORDS) {
		lost++;
		return NULL;
	}
	return &records[nr_records++];
}

static void on_entry(void *probe_private, void *call_private, const char *fmt,
		     va_list *args)
{
	long nr = va_arg(*args, long);
	struct record *record;
	struct pt_regs *regs;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&records_lock, flags);
	record = wanted(nr);
	if (record) {
		record->entry = true;
		record->pid = current->pid;
		record->number = nr;
		record->arch = va_arg(*args, unsigned int);
		record->ip = va_arg(*args, unsigned long);
		for (i = 0; i < 6; i++)
			record->args[i] = va_arg(*args, unsigned long);
		regs = va_arg(*args, struct pt_regs *);
		/* They are the caller's, which the program cannot see. */
		if (regs != task_pt_regs(current) ||
		    instruction_pointer(regs) != record->ip)
			record->ip = 0;
	}
	raw_spin_unlock_irqrestore(&records_lock, flags);
}

static void on_exit(void *probe_private, void *call_private, const char *fmt,
		    va_list *args)
{
	long nr = va_arg(*args, long);
	struct record *record;
	unsigned long flags;

	raw_spin_lock_irqsave(&records_lock, flags);
	record = wanted(nr);
	if (record) {
		record->entry = false;
		record->pid = current->pid;
		record->number = nr;
		record->success = va_arg(*args, unsigned int);
		record->ret = va_arg(*args, long);
	}
	raw_spin_unlock_irqrestore(&records_lock, flags);
}

/* === What was recorded ==================================================== */

static int records_show(struct seq_file *m, void *unused)
{
	const struct record *r;

	seq_printf(m, "lost %lu\n", lost);
	/* The program reads when nothing is recorded any more. */
	for (r = records; r < records + nr_records; r++) {
		if (r->entry)
			seq_printf(m, "entry %d %ld %x %lx %lx %lx %lx %lx %lx %lx\n",
				   r->pid, r->number, r->arch, r->ip,
				   r->args[0], r->args[1], r->args[2],
				   r->args[3], r->args[4], r->args[5]);
		else
			seq_printf(m, "exit %d %ld %u %ld\n", r->pid,
				   r->number, r->success, r->ret);
	}
	return 0;
}

static int records_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, records_show, NULL, 1 << 20);
}

static ssize_t records_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *ppos)
{
	raw_spin_lock_irq(&records_lock);
	nr_records = 0;
	lost = 0;
	raw_spin_unlock_irq(&records_lock);
	return count;
}

static const struct proc_ops records_ops = {
	.proc_open	= records_open,
	.proc_read	= seq_read,
	.proc_write	= records_write,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
};

/* === Handlers come and go ================================================= */

struct handler {
	const char		*name;
	const char		*format;
	marker_probe_func	*func;
	bool			attached;
};

static struct handler entry_handler = {
	"kernel_arch_syscall_entry", ENTRY_FORMAT, on_entry,
};

static struct handler exit_handler = {
	"kernel_arch_syscall_exit", EXIT_FORMAT, on_exit,
};

static DEFINE_MUTEX(handlers_mutex);

static int handler_attach(struct handler *handler, bool attach)
{
	int ret = 0;

	mutex_lock(&handlers_mutex);
	if (attach != handler->attached) {
		if (attach)
			ret = marker_probe_register(handler->name,
						    handler->format,
						    handler->func, NULL);
		else
			ret = marker_probe_unregister(handler->name,
						      handler->func, NULL);
		if (!ret)
			handler->attached = attach;
	}
	mutex_unlock(&handlers_mutex);
	return ret;
}

static int handler_set(const char *val, const struct kernel_param *kp)
{
	bool attach;
	int ret;

	ret = kstrtobool(val, &attach);
	return ret ?: handler_attach(kp->arg, attach);
}

static int handler_get(char *buffer, const struct kernel_param *kp)
{
	const struct handler *handler = kp->arg;

	return sysfs_emit(buffer, "%c\n", handler->attached ? 'Y' : 'N');
}

static const struct kernel_param_ops handler_ops = {
	.set = handler_set,
	.get = handler_get,
};
module_param_cb(entry, &handler_ops, &entry_handler, 0600);
module_param_cb(exit, &handler_ops, &exit_handler, 0600);

/* === A probe that changes the number ====================================== */

static struct tracepoint *sys_enter;
static long change_from, change_to;
static bool changing;

static void find_sys_enter(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sys_enter"))
		sys_enter = tp;
}

static void set_number(struct pt_regs *regs, long nr)
{
#if defined(CONFIG_X86)
	regs->orig_ax = nr;
#elif defined(CONFIG_ARM64)
	regs->syscallno = nr;
#endif
}

static void change_number(void *unused, struct pt_regs *regs, long id)
{
	if (of_group() && id == change_from)
		set_number(regs, change_to);
}

static int change_set(const char *val, const struct kernel_param *kp)
{
	long from, to;
	bool wanted;
	int ret = 0;

	if (sscanf(val, "%ld,%ld", &from, &to) != 2)
		return -EINVAL;
	wanted = from || to;
	mutex_lock(&handlers_mutex);
	if (changing) {
		tracepoint_probe_unregister(sys_enter, change_number, NULL);
		changing = false;
	}
	change_from = from;
	change_to = to;
	if (wanted) {
		ret = tracepoint_probe_register(sys_enter, change_number, NULL);
		changing = !ret;
	}
	mutex_unlock(&handlers_mutex);
	return ret;
}

static const struct kernel_param_ops change_ops = {
	.set = change_set,
};
module_param_cb(change, &change_ops, NULL, 0200);

/* === The work flag ======================================================== */

static int flags_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int with = 0, without = 0;
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process_thread(p, t) {
		if (test_task_syscall_work(t, SYSCALL_TRACEPOINT))
			with++;
		else
			without++;
	}
	rcu_read_unlock();
	return sysfs_emit(buffer, "%u %u\n", with, without);
}

static const struct kernel_param_ops flags_ops = {
	.get = flags_get,
};
module_param_cb(flags, &flags_ops, NULL, 0400);

/* === A kernel thread that becomes a program =============================== */

static int helper_init(struct subprocess_info *info, struct cred *new)
{
	return handler_attach(&entry_handler, true);
}

static int helper_set(const char *val, const struct kernel_param *kp)
{
	static char * const envp[] = { "HOME=/", "PATH=/usr/bin:/bin", NULL };
	struct subprocess_info *info;
	char **argv;
	int ret;

	argv = argv_split(GFP_KERNEL, val, NULL);
	if (!argv)
		return -ENOMEM;
	info = call_usermodehelper_setup(argv[0], argv, (char **)envp,
					 GFP_KERNEL, helper_init, NULL, NULL);
	ret = info ? call_usermodehelper_exec(info, UMH_WAIT_PROC) : -ENOMEM;
	argv_free(argv);
	return ret;
}

static const struct kernel_param_ops helper_ops = {
	.set = helper_set,
};
module_param_cb(helper, &helper_ops, NULL, 0200);

static int __init test_markers_syscalls_init(void)
{
	for_each_kernel_tracepoint(find_sys_enter, NULL);
	if (!sys_enter)
		return -EOPNOTSUPP;
	records = vzalloc(array_size(MAX_RECORDS, sizeof(*records)));
	if (!records)
		return -ENOMEM;
	if (!proc_create(KBUILD_MODNAME, 0600, NULL, &records_ops)) {
		vfree(records);
		return -ENOMEM;
	}
	return 0;
}
module_init(test_markers_syscalls_init);

static void __exit test_markers_syscalls_exit(void)
{
	handler_attach(&entry_handler, false);
	handler_attach(&exit_handler, false);
	if (changing)
		tracepoint_probe_unregister(sys_enter, change_number, NULL);
	tracepoint_synchronize_unregister();
	marker_synchronize_unregister();
	remove_proc_entry(KBUILD_MODNAME, NULL);
	vfree(records);
}
module_exit(test_markers_syscalls_exit);

MODULE_DESCRIPTION("Records system calls for the tests of kernel markers");
MODULE_LICENSE("GPL");
