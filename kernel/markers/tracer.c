// SPDX-License-Identifier: GPL-2.0
/*
 * What the tracer tells of itself, in the trace that it is about: that a trace
 * begins and which tasks there are then, that another mask set was chosen, that
 * a snapshot was taken, that events are overwritten.
 *
 * There is a trace for each instance, but a marker has one set of handlers. So
 * each hit here names its instance, and the recorder leaves the others out
 * (tracer_event_for()). Handlers of modules are reached by all.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/marker.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "../trace/trace.h"
#include "lkst.h"

/* The instance that the hit at hand is for. */
static DEFINE_PER_CPU(struct trace_array *, tracer_instance);

#define trace_mark_in(tr, name, fmt, args...)				\
do {									\
	struct trace_array *__outer;					\
									\
	preempt_disable();						\
	__outer = __this_cpu_xchg(tracer_instance, tr);		\
	trace_mark(name, fmt, ##args);					\
	__this_cpu_write(tracer_instance, __outer);			\
	preempt_enable();						\
} while (0)

/* Is the hit at hand one to be recorded in instance @tr? */
bool tracer_event_for(const struct trace_array *tr)
{
	const struct trace_array *only = this_cpu_read(tracer_instance);

	return !only || only == tr;
}

static const char *instance_name(const struct trace_array *tr)
{
	return tr->name ?: "top";
}

/* === The begin ============================================================ */

/* So that every pid in the trace has a name and a parent. */
static void tell_tasks(struct trace_array *tr)
{
	struct task_struct *process, *task;
	char comm[TASK_COMM_LEN];

	rcu_read_lock();
	for_each_process_thread(process, task) {
		get_task_comm(comm, task);
		trace_mark_in(tr, lkst_state_task,
			      "pid %d ppid %d tgid %d comm %s", task_pid_nr(task),
			      task_tgid_nr(rcu_dereference(task->real_parent)),
			      task_tgid_nr(task), comm);
	}
	rcu_read_unlock();
}

static void tell_init(struct trace_array *tr)
{
	trace_mark_in(tr, lkst_init, "buffer_kb %lu cpus %u clock %s",
		      ring_buffer_size(tr->array_buffer.buffer,
				       cpumask_first(cpu_online_mask)) >> 10,
		      num_online_cpus(), trace_array_clock(tr));
}

/* What is told of the begin, each when its event is on. */
static const struct {
	const char *marker;
	void (*tell)(struct trace_array *tr);
} tellers[] = {
	{ "lkst_init", tell_init },
	{ "lkst_state_task", tell_tasks },
};

static_assert(ARRAY_SIZE(tellers) ==
	      ARRAY_SIZE(((struct trace_array *)NULL)->markers.nr_tellers));

/*
 * Comes when what began the trace is done, as it holds event_mutex: many events
 * may be switched on in one go, those for this among them. If they were not,
 * their turn is when they are. The mutex is not waited for, since the instance
 * goes away with it held, and waits for this.
 */
static void begin_work(struct work_struct *work)
{
	struct trace_array *tr = container_of(to_delayed_work(work),
					      struct trace_array,
					      markers.begin_work);

	if (!mutex_trylock(&event_mutex)) {
		schedule_delayed_work(&tr->markers.begin_work, 1);
		return;
	}
	for (int nr = 0; nr < ARRAY_SIZE(tellers); nr++) {
		if (tr->markers.nr_tellers[nr] && tracer_tracing_is_on(tr) &&
		    test_and_clear_bit(nr, &tr->markers.to_tell))
			tellers[nr].tell(tr);
	}
	mutex_unlock(&event_mutex);
}

static void tell_begin(struct trace_array *tr)
{
	for (int nr = 0; nr < ARRAY_SIZE(tellers); nr++)
		set_bit(nr, &tr->markers.to_tell);
	schedule_delayed_work(&tr->markers.begin_work, 0);
}

/* The file tracing_on of instance @tr was 0 and is 1. */
void tracer_switched_on(struct trace_array *tr)
{
	tell_begin(tr);
}

/* What of the begin @marker tells, or ARRAY_SIZE(tellers). */
static int teller(const char *marker)
{
	int nr;

	for (nr = 0; nr < ARRAY_SIZE(tellers); nr++) {
		if (!strcmp(marker, tellers[nr].marker))
			break;
	}
	return nr;
}

/* An event of @marker is being switched on in instance @tr. */
void tracer_event_on(struct trace_array *tr, const char *marker)
{
	int nr = teller(marker);

	lockdep_assert_held(&event_mutex);

	if (nr < ARRAY_SIZE(tellers)) {
		tr->markers.nr_tellers[nr]++;
		schedule_delayed_work(&tr->markers.begin_work, 0);
	}
	if (!tr->markers.nr_events++)
		tell_begin(tr);
}

void tracer_event_off(struct trace_array *tr, const char *marker)
{
	int nr = teller(marker);

	lockdep_assert_held(&event_mutex);

	if (nr < ARRAY_SIZE(tellers))
		tr->markers.nr_tellers[nr]--;
	tr->markers.nr_events--;
}

/* === Buffers ============================================================== */

/* The instance of which a shift is being told here. */
static DEFINE_PER_CPU(struct trace_array *, shifted_instance);

static void shift_work(struct irq_work *work)
{
	struct trace_array *tr = container_of(work, struct trace_array,
					      markers.shift_work);
	int shifts = atomic_xchg(&tr->markers.shifts, 0);

	preempt_disable();
	__this_cpu_write(shifted_instance, tr);
	while (shifts--)
		trace_mark_in(tr, lkst_buff_shift, "instance %s",
			      instance_name(tr));
	__this_cpu_write(shifted_instance, NULL);
	preempt_enable();
}

/*
 * The buffer of instance @tr is its snapshot now, and the other one is used.
 * That may be a trigger's work, and so within the handler of another marker,
 * where a hit is not heard. If it is one of lkst_buff_shift, to tell of that
 * would trigger it again, without end.
 */
void tracer_buffer_shifted(struct trace_array *tr)
{
	if (raw_cpu_read(shifted_instance) == tr)
		return;
	atomic_inc(&tr->markers.shifts);
	irq_work_queue(&tr->markers.shift_work);
}

/* From irq_work: what is overwritten is found out within the ring buffer. */
static void buffer_overwritten(void *data, int cpu)
{
	struct trace_array *tr = data;

	trace_mark_in(tr, lkst_buff_ovwrtn, "cpu %d overrun %lu", cpu,
		      ring_buffer_overrun_cpu(tr->array_buffer.buffer, cpu));
}

/*
 * The last event of what is dumped to the console, and of what is kept: in all
 * instances, also when an interrupt or an NMI dumps in the midst of a hit that
 * is for one.
 */
void tracer_dump_begins(const char *reason)
{
	trace_mark_in(NULL, lkst_kernel_dump, "reason %s", reason);
}

/* === Mask sets ============================================================ */

/*
 * Which events are on is what set_event says. A tool that has switched on a set
 * of them writes the name of the set here, for the trace and for the next tool.
 */
static ssize_t mset_read(struct file *file, char __user *to, size_t count,
			 loff_t *pos)
{
	struct trace_array *tr = file->private_data;
	char line[sizeof(tr->markers.mset) + 1];
	int len;

	mutex_lock(&event_mutex);
	len = scnprintf(line, sizeof(line), "%s\n", tr->markers.mset);
	mutex_unlock(&event_mutex);
	return simple_read_from_buffer(to, count, pos, line, len);
}

static ssize_t mset_write(struct file *file, const char __user *from,
			  size_t count, loff_t *pos)
{
	struct trace_array *tr = file->private_data;
	char line[sizeof(tr->markers.mset) + 1], *name, *p;

	if (count >= sizeof(line)) {
		pr_notice("lkst_mset: a name has at most %zu characters\n",
			  sizeof(tr->markers.mset) - 1);
		return -ENAMETOOLONG;
	}
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = '\0';
	name = strim(line);
	for (p = name; *p; p++) {
		if (!isascii(*p) || !isgraph(*p))
			break;
	}
	if (p == name || *p || strlen(name) >= sizeof(tr->markers.mset)) {
		pr_notice("lkst_mset: a name is one word of printable ASCII\n");
		return -EINVAL;
	}

	mutex_lock(&event_mutex);
	trace_mark_in(tr, lkst_mset_xchg, "from %s to %s", tr->markers.mset,
		      name);
	strscpy(tr->markers.mset, name);
	mutex_unlock(&event_mutex);
	*pos += count;
	return count;
}

static const struct file_operations mset_fops = {
	.open		= tracing_open_generic_tr,
	.read		= mset_read,
	.write		= mset_write,
	.release	= tracing_release_generic_tr,
	.llseek		= default_llseek,
};

/* === Instances ============================================================ */

/* @tr is new and has its buffers. */
void tracer_instance_init(struct trace_array *tr)
{
	INIT_DELAYED_WORK(&tr->markers.begin_work, begin_work);
	init_irq_work(&tr->markers.shift_work, shift_work);
	strscpy(tr->markers.mset, "none");
	ring_buffer_notify_overwrite(tr->array_buffer.buffer,
				     buffer_overwritten, tr);
#ifdef CONFIG_TRACER_MAX_TRACE
	if (tr->max_buffer.buffer)
		ring_buffer_notify_overwrite(tr->max_buffer.buffer,
					     buffer_overwritten, tr);
#endif
}

/* @tr has no events any more, and its buffers are about to go. */
void tracer_instance_exit(struct trace_array *tr)
{
	cancel_delayed_work_sync(&tr->markers.begin_work);
	irq_work_sync(&tr->markers.shift_work);
}

/* @tr gets its files, in @dir. */
void tracer_instance_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("lkst_mset", TRACE_MODE_WRITE, dir, tr, &mset_fops);
}
