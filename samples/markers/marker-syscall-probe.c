// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that decodes what system calls point at: how long a task wants to
 * sleep, and where to it connects.
 *
 *	insmod marker-syscall-probe.ko comm=wget max_events=20
 *	wget -q http://127.0.0.1/
 *	rmmod marker_syscall_probe
 *	dmesg | grep marker_syscall_probe
 *
 * kernel_arch_syscall_entry has the arguments as the numbers that were in the
 * registers. Which of them is a pointer, and what it points at, depends on the
 * call and on the ABI: x86-64, i386 or x32. That is what the table below says,
 * so another call with such a structure is one more line.
 *
 * A handler cannot wait for a page of user memory to come in. It reads with
 * copy_from_user_nofault(), which fails where the page is not there, and where
 * the address is none of user space. What it has read is what the call is going
 * to read only if no other thread writes to it in between.
 *
 * With raw=1 every call is logged, with its six arguments and what it returned.
 *
 * The way of an event into the log is that of marker-log-probe.c. The buffer is
 * simpler: system calls come from tasks, never from interrupts, so on one CPU
 * the handlers do not interrupt each other. Events are printed a moment later;
 * what is left of them, when the module goes.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/audit.h>
#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/marker.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/time32.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include <linux/un.h>
#include <linux/workqueue.h>
#include <asm/byteorder.h>

#define ENTRY_FORMAT \
	"syscall_id #4d%ld arch #4u%u ip #p%lu a0 %lx a1 %lx a2 %lx a3 %lx a4 %lx a5 %lx pt_regs #0%p"
#define EXIT_FORMAT \
	"syscall_id #4d%ld success #1u%u ret %ld"

static char comm[TASK_COMM_LEN];
module_param_string(comm, comm, sizeof(comm), 0444);
MODULE_PARM_DESC(comm, "log tasks of that name (default: all)");

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "log the task with that id (default: all)");

static bool raw;
module_param(raw, bool, 0444);
MODULE_PARM_DESC(raw, "log all calls, with the numbers in the registers");

static unsigned int max_events = 100;
module_param(max_events, uint, 0444);
MODULE_PARM_DESC(max_events, "stop after so many events (0: never)");

/* === Buffer =============================================================== */

#define CALL_EVENTS	64		/* of each CPU; a power of two */

struct call_type;

struct call_event {
	u64		time;
	int		pid;
	bool		exit;
	long		number;
	union {
		struct {
			unsigned int	success;
			long		ret;
		};
		struct {
			unsigned int	arch;
			unsigned long	ip;
			unsigned long	args[6];
			const struct call_type *type; /* or NULL */
			bool		missing; /* what an argument points at */
			union {
				struct __kernel_timespec time_arg;
				struct {
					int	len;
					union {
						struct sockaddr		any;
						struct sockaddr_in	in;
						struct sockaddr_in6	in6;
						struct sockaddr_un	un;
					};
				} addr;
			};
		};
	};
};

/* The handlers on that CPU advance the head, only the work item the tail. */
struct call_buffer {
	unsigned int	head;
	unsigned int	tail;
	unsigned long	lost;
	struct call_event events[CALL_EVENTS];
};

static struct call_buffer __percpu *buffers;

static bool stopped;

static void call_print(struct work_struct *work);
static DECLARE_WORK(call_work, call_print);

static void call_kick(struct irq_work *work)
{
	schedule_work(&call_work);
}

static DEFINE_IRQ_WORK(call_irq_work, call_kick);

/* NULL if there is no place. Else the event is gone unless it is committed. */
static struct call_event *call_reserve(long number, bool exit)
{
	struct call_buffer *buffer = this_cpu_ptr(buffers);
	struct call_event *event;

	/* The place was read before it is free. Pairs with call_print() */
	if (buffer->head - smp_load_acquire(&buffer->tail) >= CALL_EVENTS) {
		WRITE_ONCE(buffer->lost, buffer->lost + 1);
		return NULL;
	}

	event = &buffer->events[buffer->head % CALL_EVENTS];
	memset(event, 0, sizeof(*event));
	event->time = local_clock();
	event->pid = current->pid;
	event->number = number;
	event->exit = exit;
	return event;
}

static void call_commit(void)
{
	struct call_buffer *buffer = this_cpu_ptr(buffers);

	/* The values come before it. Pairs with call_peek() */
	smp_store_release(&buffer->head, buffer->head + 1);
	irq_work_queue(&call_irq_work);
}

/* === What an argument points at: read it in the handler =================== */

static bool read_user(void *to, unsigned long from, size_t size)
{
	return !copy_from_user_nofault(to, (const void __user *)from, size);
}

static void read_time(struct call_event *event, const unsigned long *arg)
{
	event->missing = !read_user(&event->time_arg, *arg,
				    sizeof(event->time_arg));
}

/* The upper half of the nanoseconds is padding for 32-bit programs. */
static void read_time_compat(struct call_event *event,
			     const unsigned long *arg)
{
	read_time(event, arg);
	event->time_arg.tv_nsec = (u32)event->time_arg.tv_nsec;
}

static void read_time32(struct call_event *event, const unsigned long *arg)
{
	struct old_timespec32 time = {};

	event->missing = !read_user(&time, *arg, sizeof(time));
	event->time_arg.tv_sec = time.tv_sec;
	event->time_arg.tv_nsec = time.tv_nsec;
}

static bool addr_len_valid(int len)
{
	return len >= 0 && len <= sizeof(struct sockaddr_storage);
}

/* @arg is followed by the length. It may be anything, so it says little. */
static void read_addr(struct call_event *event, const unsigned long *arg)
{
	event->addr.len = arg[1];
	if (!addr_len_valid(event->addr.len))
		return;
	event->missing = !read_user(&event->addr.un, arg[0],
				    min_t(size_t, event->addr.len,
					  sizeof(event->addr.un)));
}

/* The first argument says which call it is, the second where its own are. */
static void read_socketcall(struct call_event *event,
			    const unsigned long *arg)
{
	unsigned long addr[2];
	u32 args[3];

	if (event->args[0] != SYS_CONNECT) {
		event->type = NULL;
		return;
	}
	if (!read_user(args, *arg, sizeof(args))) {
		event->missing = true;
		return;
	}
	addr[0] = args[1];
	addr[1] = args[2];
	read_addr(event, addr);
}

/* === and print it in the work item ======================================== */

static void print_time(const struct call_event *event, char *buf,
		       size_t size)
{
	scnprintf(buf, size, "%lld s %lld ns", event->time_arg.tv_sec,
		  event->time_arg.tv_nsec);
}

/*
 * A path ends at a NUL or with the length. The name of an abstract socket,
 * shown with @ for the NUL in front of it, may have more of them.
 */
static void print_unix(const struct sockaddr_un *un, int len, char *buf,
		       size_t size)
{
	const char *path = un->sun_path;

	len = min_t(int, len, sizeof(*un)) - offsetof(typeof(*un), sun_path);
	if (len <= 0)
		scnprintf(buf, size, "unix, no path");
	else if (path[0])
		scnprintf(buf, size, "unix %*pE", (int)strnlen(path, len),
			  path);
	else
		scnprintf(buf, size, "unix @%*pE", len - 1, path + 1);
}

static void print_addr(const struct call_event *event, char *buf,
		       size_t size)
{
	const struct sockaddr *any = &event->addr.any;
	int len = event->addr.len;

	if (!addr_len_valid(len) || len < sizeof(any->sa_family))
		scnprintf(buf, size, "length %d", len);
	else if (any->sa_family == AF_UNIX)
		print_unix(&event->addr.un, len, buf, size);
	else if (any->sa_family == AF_INET && len >= sizeof(event->addr.in))
		scnprintf(buf, size, "inet %pI4 port %u",
			  &event->addr.in.sin_addr,
			  ntohs(event->addr.in.sin_port));
	else if (any->sa_family == AF_INET6 &&
		 len >= offsetof(struct sockaddr_in6, sin6_scope_id))
		scnprintf(buf, size, "inet6 %pI6c port %u",
			  &event->addr.in6.sin6_addr,
			  ntohs(event->addr.in6.sin6_port));
	else
		scnprintf(buf, size, "family %u length %d", any->sa_family,
			  len);
}

/* === The calls that are decoded =========================================== */

/* A bit in the number; <asm/unistd.h> has it on x86 alone. */
#define X32		0x40000000

static const struct call_type {
	unsigned int	arch;
	long		number;
	const char	*name;
	unsigned int	arg;		/* the pointer, counted from 0 */
	void (*read)(struct call_event *event, const unsigned long *arg);
	void (*print)(const struct call_event *event, char *buf,
		      size_t size);
} call_types[] = {
	{ AUDIT_ARCH_X86_64, 35, "nanosleep", 0, read_time, print_time },
	{ AUDIT_ARCH_X86_64, 230, "clock_nanosleep", 2, read_time, print_time },
	{ AUDIT_ARCH_X86_64, 42, "connect", 1, read_addr, print_addr },

	{ AUDIT_ARCH_X86_64, X32 + 35, "nanosleep", 0, read_time_compat,
	  print_time },
	{ AUDIT_ARCH_X86_64, X32 + 230, "clock_nanosleep", 2, read_time_compat,
	  print_time },
	{ AUDIT_ARCH_X86_64, X32 + 42, "connect", 1, read_addr, print_addr },

	{ AUDIT_ARCH_I386, 162, "nanosleep", 0, read_time32, print_time },
	{ AUDIT_ARCH_I386, 267, "clock_nanosleep", 2, read_time32, print_time },
	{ AUDIT_ARCH_I386, 407, "clock_nanosleep_time64", 2, read_time_compat,
	  print_time },
	{ AUDIT_ARCH_I386, 362, "connect", 1, read_addr, print_addr },
	{ AUDIT_ARCH_I386, 102, "connect", 1, read_socketcall, print_addr },
};

static const struct call_type *type_of(unsigned int arch, long number)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(call_types); i++) {
		if (call_types[i].arch == arch &&
		    call_types[i].number == number)
			return &call_types[i];
	}
	return NULL;
}

static const char *abi_name(unsigned int arch, long number)
{
	switch (arch) {
	case AUDIT_ARCH_X86_64:
		return number > 0 && (number & X32) ? "x32" : "x86-64";
	case AUDIT_ARCH_I386:
		return "i386";
	default:
		return "other";
	}
}

/* === Handlers: collect ==================================================== */

/*
 * Who is in a call that was decoded, so that its return is logged. Of two tasks
 * that share a place one may go without; nobody gets the other's.
 */
static int in_call[256];

static int *my_place(void)
{
	return &in_call[current->pid % ARRAY_SIZE(in_call)];
}

static bool wanted(void)
{
	if (READ_ONCE(stopped))
		return false;
	if (pid && current->pid == pid)
		return true;
	if (comm[0] && !strncmp(current->comm, comm, sizeof(comm)))
		return true;
	return !pid && !comm[0];
}

static void collect_entry(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
	long number = va_arg(*args, long);
	unsigned int arch = va_arg(*args, unsigned int);
	unsigned long ip = va_arg(*args, unsigned long);
	const struct call_type *type;
	struct call_event *event;
	int i;

	if (!wanted())
		return;
	type = type_of(arch, number);
	if (!type && !raw)
		return;

	event = call_reserve(number, false);
	if (!event)
		return;
	event->arch = arch;
	event->ip = ip;
	for (i = 0; i < ARRAY_SIZE(event->args); i++)
		event->args[i] = va_arg(*args, unsigned long);
	event->type = type;
	if (type)
		type->read(event, &event->args[type->arg]);
	if (event->type)
		WRITE_ONCE(*my_place(), event->pid);
	if (event->type || raw)
		call_commit();
}

static void collect_exit(void *probe_private, void *call_private,
			 const char *fmt, va_list *args)
{
	long number = va_arg(*args, long);
	unsigned int success = va_arg(*args, unsigned int);
	long ret = va_arg(*args, long);
	struct call_event *event;
	int self = current->pid;
	bool decoded;

	/* The first read is there to save what the second does. */
	decoded = READ_ONCE(*my_place()) == self &&
		  cmpxchg(my_place(), self, 0) == self;
	if (!(raw || decoded) || !wanted())
		return;

	event = call_reserve(number, true);
	if (!event)
		return;
	event->success = success;
	event->ret = ret;
	call_commit();
}

/* === Work item: print ===================================================== */

/* An event is logged by its own time, which is not the one when it is printed. */
static void print_line(const struct call_event *event, int cpu,
		       const char *text)
{
	u64 usecs = div_u64(event->time, NSEC_PER_USEC);
	u32 fraction;
	u64 secs = div_u64_rem(usecs, USEC_PER_SEC, &fraction);

	pr_info("%llu.%06u cpu %d pid %d %s\n", secs, fraction, cpu,
		event->pid, text);
}

static void print_raw(const struct call_event *event, char *buf, size_t size)
{
	const unsigned long *args = event->args;

	scnprintf(buf, size,
		  "syscall_id %ld arch %s ip 0x%lx a0 0x%lx a1 0x%lx a2 0x%lx a3 0x%lx a4 0x%lx a5 0x%lx",
		  event->number, abi_name(event->arch, event->number),
		  event->ip, args[0], args[1], args[2], args[3], args[4],
		  args[5]);
}

static void print_decoded(const struct call_event *event, char *buf,
			  size_t size)
{
	int len = scnprintf(buf, size, "%s %s: ",
			    abi_name(event->arch, event->number),
			    event->type->name);

	if (event->missing)
		scnprintf(buf + len, size - len, "(not there)");
	else
		event->type->print(event, buf + len, size - len);
}

static void print_exit(const struct call_event *event, char *buf,
		       size_t size)
{
	scnprintf(buf, size, "syscall_id %ld success %u ret %ld",
		  event->number, event->success, event->ret);
}

static void print_event(const struct call_event *event, int cpu)
{
	/* Enough for a path of which each byte is escaped. */
	static char text[512];

	if (event->exit) {
		print_exit(event, text, sizeof(text));
		print_line(event, cpu, text);
		return;
	}
	if (raw) {
		print_raw(event, text, sizeof(text));
		print_line(event, cpu, text);
	}
	if (event->type) {
		print_decoded(event, text, sizeof(text));
		print_line(event, cpu, text);
	}
}

/* The next event of that CPU, or NULL. */
static struct call_event *call_peek(int cpu)
{
	struct call_buffer *buffer = per_cpu_ptr(buffers, cpu);

	/* Pairs with call_commit() */
	if (smp_load_acquire(&buffer->head) == buffer->tail)
		return NULL;
	return &buffer->events[buffer->tail % CALL_EVENTS];
}

/* The CPU whose next event is the oldest, or -1 if there is none. */
static int call_oldest(void)
{
	struct call_event *event;
	int cpu, oldest = -1;
	u64 time = U64_MAX;

	for_each_possible_cpu(cpu) {
		event = call_peek(cpu);
		if (event && event->time < time) {
			time = event->time;
			oldest = cpu;
		}
	}
	return oldest;
}

static unsigned long call_lost(void)
{
	unsigned long lost = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		lost += READ_ONCE(per_cpu_ptr(buffers, cpu)->lost);
	return lost;
}

/* The workqueue runs it on one CPU at a time only. */
static void call_print(struct work_struct *work)
{
	static unsigned int printed;
	static unsigned long lost;
	struct call_buffer *buffer;
	int cpu;

	while ((cpu = call_oldest()) >= 0) {
		buffer = per_cpu_ptr(buffers, cpu);
		if (!max_events || printed < max_events)
			print_event(call_peek(cpu), cpu);
		if (max_events && ++printed == max_events) {
			WRITE_ONCE(stopped, true);
			pr_info("stopped after %u events\n", max_events);
		}
		/* The place is free. Pairs with call_reserve() */
		smp_store_release(&buffer->tail, buffer->tail + 1);
		cond_resched();
	}
	if (lost != call_lost()) {
		lost = call_lost();
		pr_info("%lu events lost, the buffer was full\n", lost);
	}
}

/* === Module =============================================================== */

static const struct call_probe {
	const char		*name;
	const char		*format;
	marker_probe_func	*collect;
} probes[] = {
	{ "kernel_arch_syscall_entry", ENTRY_FORMAT, collect_entry },
	{ "kernel_arch_syscall_exit", EXIT_FORMAT, collect_exit },
};

/* Detach the first @n probes, and leave nothing running. */
static void call_detach(int n)
{
	while (n--)
		marker_probe_unregister(probes[n].name, probes[n].collect,
					NULL);
	/* No handler runs that could queue the irq_work, */
	marker_synchronize_unregister();
	/* nor the irq_work that could schedule the work item, */
	irq_work_sync(&call_irq_work);
	/* nor the work item, which has printed all that was collected. */
	schedule_work(&call_work);
	flush_work(&call_work);
}

static int __init call_init(void)
{
	int i, ret;

	buffers = alloc_percpu(struct call_buffer);
	if (!buffers)
		return -ENOMEM;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		ret = marker_probe_register(probes[i].name, probes[i].format,
					    probes[i].collect, NULL);
		if (ret) {
			call_detach(i);
			free_percpu(buffers);
			return ret;
		}
	}
	return 0;
}
module_init(call_init);

static void __exit call_exit(void)
{
	call_detach(ARRAY_SIZE(probes));
	pr_info("unloaded, %lu events lost\n", call_lost());
	free_percpu(buffers);
}
module_exit(call_exit);

MODULE_DESCRIPTION("Kernel markers: a probe that decodes system calls");
MODULE_LICENSE("GPL");
