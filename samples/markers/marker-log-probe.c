// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that logs: events of several markers, decoded, in the kernel log.
 *
 *	insmod marker-log-probe.ko comm=sleep max_events=50
 *	sleep 1
 *	dmesg | grep marker_log_probe
 *	rmmod marker_log_probe
 *
 * Some sites are hit with a run queue's lock or a timer base's lock held, or in
 * an NMI. There a handler may neither print nor wake anything: both could need
 * the lock that is held. So the way of an event is
 *
 *	handler		takes the values into a buffer of this CPU, without any
 *			lock, and queues an irq_work, which may be done anywhere
 *	irq_work	runs when the interrupt comes through, thus when no such
 *			lock is held; may wake, so it schedules a work item
 *	work item	runs in a thread of its own; decodes and prints
 *
 * The buffer holds values only: by the time they are printed, the task or the
 * timer that a pointer led to may be gone. Strings are copied by the handler.
 *
 * Printing causes events as well. The probe does not log itself for ever: what
 * kernel workers do, one of which does the printing, waits in the buffer for an
 * event of others. If someone reads the log as it grows, as dmesg -w does, then
 * comm= or pid= leave that out, or it ends with max_events.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/marker.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <asm/local.h>

static char comm[TASK_COMM_LEN];
module_param_string(comm, comm, sizeof(comm), 0444);
MODULE_PARM_DESC(comm, "log tasks of that name (default: all)");

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "log the task with that id (default: all)");

static unsigned int max_events = 100;
module_param(max_events, uint, 0444);
MODULE_PARM_DESC(max_events, "stop after so many events (0: never)");

/* === Buffer =============================================================== */

#define LOG_EVENTS	128		/* of each CPU; a power of two */

struct log_probe;

struct log_event {
	const struct log_probe *probe;
	unsigned long	ticket;
	unsigned long	ready;		/* ticket + 1: all values are there */
	u64		time;
	int		pid;		/* 0 in an interrupt */
	union {
		struct {
			int		prev_pid;
			int		next_pid;
			unsigned int	prev_state;
		} sched;
		struct {
			void		*function;
			unsigned long	expires;
			long		delay;
			unsigned int	cpu;
		} timer;
		struct {
			int		integer;
			char		string[24];
		} sample;
	};
};

/*
 * Any kind of context of this CPU takes a place at the head, also while it
 * interrupts another one that is doing the same. Only the work item advances
 * the tail.
 */
struct log_buffer {
	local_t		head;
	local_t		lost;
	unsigned long	tail;
	struct log_event events[LOG_EVENTS];
};

static struct log_buffer __percpu *buffers;

static bool log_stopped;

static void log_print(struct work_struct *work);
static DECLARE_WORK(log_work, log_print);

static void log_kick(struct irq_work *work)
{
	schedule_work(&log_work);
}

static DEFINE_IRQ_WORK(log_irq_work, log_kick);

/* NULL if there is no place. Else log_commit() has to follow. */
static struct log_event *log_reserve(const struct log_probe *probe)
{
	struct log_buffer *buffer = this_cpu_ptr(buffers);
	struct log_event *event;
	unsigned long head, seen;

	head = local_read(&buffer->head);
	for (;;) {
		/* The place was read before it is free. Pairs with log_print() */
		if (head - smp_load_acquire(&buffer->tail) >= LOG_EVENTS) {
			local_inc(&buffer->lost);
			return NULL;
		}
		seen = local_cmpxchg(&buffer->head, head, head + 1);
		if (seen == head)
			break;
		head = seen;
	}

	event = &buffer->events[head % LOG_EVENTS];
	event->probe = probe;
	event->ticket = head;
	event->time = local_clock();
	event->pid = in_task() ? current->pid : 0;
	return event;
}

/* An event that @may_wait is printed with the next, or when it gets narrow. */
static void log_commit(struct log_event *event, bool may_wait)
{
	unsigned long tail = READ_ONCE(this_cpu_ptr(buffers)->tail);
	bool narrow = event->ticket - tail >= LOG_EVENTS / 2;

	/* The values come before it. Pairs with log_peek() */
	smp_store_release(&event->ready, event->ticket + 1);
	if (!may_wait || narrow)
		irq_work_queue(&log_irq_work);
}

/* === Handlers: collect ==================================================== */

static bool log_wants_all(void)
{
	return !pid && !comm[0];
}

static bool log_wants(const struct task_struct *task)
{
	if (pid && task->pid == pid)
		return true;
	if (comm[0] && !strncmp(task->comm, comm, sizeof(comm)))
		return true;
	return log_wants_all();
}

static bool is_kworker(const struct task_struct *task)
{
	return task->flags & PF_WQ_WORKER;
}

static void collect_schedule(void *probe_private, void *call_private,
			     const char *fmt, va_list *args)
{
	int prev_pid = va_arg(*args, int);
	int next_pid = va_arg(*args, int);
	long prev_state = va_arg(*args, long);
	void *rq __maybe_unused = va_arg(*args, void *);
	struct task_struct *prev = va_arg(*args, struct task_struct *);
	struct task_struct *next = va_arg(*args, struct task_struct *);
	struct log_event *event;

	/* The run queue's lock keeps both tasks here until we return. */
	if (READ_ONCE(log_stopped) || !(log_wants(prev) || log_wants(next)))
		return;

	event = log_reserve(probe_private);
	if (!event)
		return;
	event->sched.prev_pid = prev_pid;
	event->sched.next_pid = next_pid;
	event->sched.prev_state = prev_state;
	log_commit(event, is_kworker(prev) || is_kworker(next));
}

static void collect_timer(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
	void *timer __maybe_unused = va_arg(*args, void *);
	unsigned long expires = va_arg(*args, unsigned long);
	void *function = va_arg(*args, void *);
	unsigned int cpu = va_arg(*args, unsigned int);
	struct log_event *event;

	/* An interrupt arms timers for others than the task it interrupts. */
	if (READ_ONCE(log_stopped) ||
	    !(in_task() ? log_wants(current) : log_wants_all()))
		return;

	event = log_reserve(probe_private);
	if (!event)
		return;
	event->timer.function = function;
	event->timer.expires = expires;
	event->timer.delay = expires - jiffies;
	event->timer.cpu = cpu;
	log_commit(event, in_task() && is_kworker(current));
}

static void collect_integer_string(void *probe_private, void *call_private,
				   const char *fmt, va_list *args)
{
	int integer = va_arg(*args, int);
	const char *string = va_arg(*args, const char *);
	struct log_event *event;

	if (READ_ONCE(log_stopped))
		return;

	event = log_reserve(probe_private);
	if (!event)
		return;
	event->sample.integer = integer;
	strscpy(event->sample.string, string, sizeof(event->sample.string));
	log_commit(event, false);
}

static void collect_string(void *probe_private, void *call_private,
			   const char *fmt, va_list *args)
{
	const char *string = va_arg(*args, const char *);
	struct log_event *event;

	if (READ_ONCE(log_stopped))
		return;

	event = log_reserve(probe_private);
	if (!event)
		return;
	strscpy(event->sample.string, string, sizeof(event->sample.string));
	log_commit(event, false);
}

/* === Work item: print ===================================================== */

static void print_schedule(const struct log_event *event, char *buf, size_t size)
{
	scnprintf(buf, size, "prev_pid %d next_pid %d prev_state 0x%x",
		  event->sched.prev_pid, event->sched.next_pid,
		  event->sched.prev_state);
}

/* %ps looks up an address and is content with one that has gone. */
static void print_timer(const struct log_event *event, char *buf, size_t size)
{
	scnprintf(buf, size, "function %ps expires %lu (in %ld ms) cpu %u",
		  event->timer.function, event->timer.expires,
		  event->timer.delay * (long)MSEC_PER_SEC / HZ,
		  event->timer.cpu);
}

static void print_integer_string(const struct log_event *event, char *buf,
				 size_t size)
{
	scnprintf(buf, size, "integer %d string %s", event->sample.integer,
		  event->sample.string);
}

static void print_string(const struct log_event *event, char *buf, size_t size)
{
	scnprintf(buf, size, "module %s", event->sample.string);
}

/*
 * Each handler reads its arguments by the types in its format. A site with
 * another format is not delivered to it, so this is safe to rely on.
 */
static const struct log_probe {
	const char		*name;
	const char		*format;
	marker_probe_func	*collect;
	void (*print)(const struct log_event *event, char *buf, size_t size);
} log_probes[] = {
	{
		"kernel_sched_schedule",
		"prev_pid %d next_pid %d prev_state #4u%ld ## rq %p prev %p next %p",
		collect_schedule, print_schedule,
	}, {
		"kernel_timer_set",
		"timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p",
		collect_timer, print_timer,
	}, {
		"sample_subsystem_event", "integer %d string %s",
		collect_integer_string, print_integer_string,
	}, {
		"sample_site_init", "module %s",
		collect_string, print_string,
	},
};

/* The next event of that CPU if it is complete. */
static struct log_event *log_peek(int cpu)
{
	struct log_buffer *buffer = per_cpu_ptr(buffers, cpu);
	struct log_event *event = &buffer->events[buffer->tail % LOG_EVENTS];

	/* Pairs with log_commit() */
	if (smp_load_acquire(&event->ready) != buffer->tail + 1)
		return NULL;
	return event;
}

/* The CPU whose next event is the oldest, or -1 if there is none. */
static int log_oldest(void)
{
	struct log_event *event;
	int cpu, oldest = -1;
	u64 time = U64_MAX;

	for_each_possible_cpu(cpu) {
		event = log_peek(cpu);
		if (event && event->time < time) {
			time = event->time;
			oldest = cpu;
		}
	}
	return oldest;
}

/* By their own time, which is not the one when they are printed. */
static void log_print_event(const struct log_event *event, int cpu)
{
	u64 usecs = div_u64(event->time, NSEC_PER_USEC);
	u32 fraction;
	u64 secs = div_u64_rem(usecs, USEC_PER_SEC, &fraction);
	char text[128];

	event->probe->print(event, text, sizeof(text));
	pr_info("%llu.%06u cpu %d pid %d %s: %s\n", secs, fraction, cpu,
		event->pid, event->probe->name, text);
}

static unsigned long log_lost(void)
{
	unsigned long lost = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		lost += local_read(&per_cpu_ptr(buffers, cpu)->lost);
	return lost;
}

/* The workqueue runs it on one CPU at a time only. */
static void log_print(struct work_struct *work)
{
	static unsigned int printed;
	static unsigned long lost;
	struct log_buffer *buffer;
	int cpu;

	while ((cpu = log_oldest()) >= 0) {
		buffer = per_cpu_ptr(buffers, cpu);
		if (!max_events || printed < max_events)
			log_print_event(log_peek(cpu), cpu);
		if (max_events && ++printed == max_events) {
			WRITE_ONCE(log_stopped, true);
			pr_info("stopped after %u events\n", max_events);
		}
		/* The place is free. Pairs with log_reserve() */
		smp_store_release(&buffer->tail, buffer->tail + 1);
		cond_resched();
	}
	if (lost != log_lost()) {
		lost = log_lost();
		pr_info("%lu events lost, the buffer was full\n", lost);
	}
}

/* === Module =============================================================== */

/* Detach the first @n probes, and leave nothing running. */
static void log_detach(int n)
{
	while (n--)
		marker_probe_unregister(log_probes[n].name,
					log_probes[n].collect,
					(void *)&log_probes[n]);
	/* No handler runs that could queue the irq_work, */
	marker_synchronize_unregister();
	/* nor the irq_work that could schedule the work item, */
	irq_work_sync(&log_irq_work);
	/* nor the work item, which has printed all that was collected. */
	schedule_work(&log_work);
	flush_work(&log_work);
}

static int __init log_init(void)
{
	int i, ret;

	buffers = alloc_percpu(struct log_buffer);
	if (!buffers)
		return -ENOMEM;

	for (i = 0; i < ARRAY_SIZE(log_probes); i++) {
		ret = marker_probe_register(log_probes[i].name,
					    log_probes[i].format,
					    log_probes[i].collect,
					    (void *)&log_probes[i]);
		if (ret) {
			log_detach(i);
			free_percpu(buffers);
			return ret;
		}
	}
	return 0;
}
module_init(log_init);

static void __exit log_exit(void)
{
	log_detach(ARRAY_SIZE(log_probes));
	pr_info("unloaded, %lu events lost\n", log_lost());
	free_percpu(buffers);
}
module_exit(log_exit);

MODULE_DESCRIPTION("Kernel markers: a probe that logs");
MODULE_LICENSE("GPL");
