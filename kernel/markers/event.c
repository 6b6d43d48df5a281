// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder: each marker is a trace event, markers:<name>, and if LKST has a
 * name for it also lkst:<NAME>, its twin, which records the same.
 *
 * The ring buffer, its instances, filters, triggers, perf and BPF are those of
 * all trace events; what is here makes an event from a format and fills its
 * record from the arguments of a hit. Both the recorder and perf are handlers
 * like any other, registered while somebody uses the event.
 *
 * A hit neither parses the format nor, where the architecture tells where the
 * arguments lie, walks through them: when the event is made the format is
 * compiled to a few operations that move them to their places in the record.
 *
 * An event is there for tracefs, perf and BPF while its marker has a site with
 * its format, or while it is in use. After that it is retired: records of it
 * may be in any buffer, so it keeps its id, prints them, and is used again when
 * a site with this name and format comes back.
 *
 * Locks: event_mutex, then markers_mutex. Tracing registers handlers with
 * event_mutex held, which gives the order; so events are never added or removed
 * with markers_mutex held.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <kunit/visibility.h>
#include <linux/align.h>
#include <linux/audit.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/marker.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint-defs.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#ifdef CONFIG_ARCH_HAS_MARKER_ARG
#include <asm/marker.h>
#endif

#include "../trace/trace.h"
#include "../trace/trace_output.h"
#include "event.h"
#include "lkst.h"

#define STRING_NULL	"(null)"
#define STRING_FAULT	"(fault)"

/* However many strings there are, each has room to say that it is bad. */
static_assert(MARKER_FORMAT_MAX_ARGS * sizeof(STRING_FAULT) <=
	      MARKER_STRINGS_MAX);

/* All that ever were, in the order of their ids. Protected by event_mutex. */
static LIST_HEAD(marker_events);

static bool is_string(const struct marker_field *field)
{
	return field->recorded &&
	       (field->trace.kind == MARKER_FIELD_STRING ||
		field->trace.kind == MARKER_FIELD_USER_STRING);
}

/* === Strings ============================================================== */

/*
 * A record's size has to be known before there is a record. So strings are
 * fetched to here first, which also makes them be read but once.
 */
struct event_strings {
	struct strings_level	level[4];	/* interrupt_context_level() */
};

/* Allocated for the first event with strings that is used, and kept. */
static struct event_strings __percpu *event_strings;

/* Where the strings of this hit go. */
static struct strings_level *this_strings(void)
{
	return &raw_cpu_ptr(event_strings)->level[interrupt_context_level()];
}

/*
 * Copies a string, at most @count bytes, the last of which becomes a NUL.
 * Returns how many these are, or a negative error code.
 *
 * Nothing here waits for a page. In NMI context the page tables may be in the
 * middle of a switch, and a kernel thread only borrows those of another task.
 */
static long copy_string(char *to, const struct marker_field *field,
			unsigned long address, long count)
{
	if (field->trace.kind == MARKER_FIELD_STRING)
		return strncpy_from_kernel_nofault(to, (const void *)address,
						   count);
	if (in_nmi() || !current->mm)
		return -EFAULT;
	return strncpy_from_user_nofault(to, (const void __user *)address,
					 count);
}

/*
 * Same for what need not have a NUL: the precision is how many bytes there are.
 * Byte number @count was a NUL, or has been replaced by one, so it is read once
 * more. If it has changed by then, what is recorded ends with it, or without.
 */
static long copy_array(char *to, unsigned long address, long count)
{
	const char *from = (const char *)address;
	long size;

	to[0] = '\0';
	if (!count)
		return 1;
	size = strncpy_from_kernel_nofault(to, from, count);
	if (size != count)
		return size;
	if (copy_from_kernel_nofault(to + count - 1, from + count - 1, 1))
		return -EFAULT;
	if (!to[count - 1])
		return count;
	to[count] = '\0';
	return count + 1;
}

static unsigned int fetch_string(char *to, const struct marker_field *field,
				 unsigned long address, long room)
{
	long size;

	if (!address)
		return strscpy(to, STRING_NULL, room) + 1;

	/* "%.4p" is nothing that gcc would compile. */
	if (field->arg.kind == MARKER_FIELD_STRING &&
	    field->precision >= 0 && field->precision < room)
		size = copy_array(to, address, field->precision);
	else
		size = copy_string(to, field, address, room);
	if (size <= 0)
		size = strscpy(to, STRING_FAULT, room) + 1;
	return size;
}

/* Fetches one more. Each leaves room for those that come after it. */
static void add_string(const struct marker_event *event,
		       struct strings_level *strings, unsigned int nr,
		       const struct marker_field *field, u64 address)
{
	unsigned int start = nr ? strings->end[nr - 1] : 0;
	unsigned int after = event->nr_strings - nr - 1;
	unsigned int room = MARKER_STRINGS_MAX - start - after * sizeof(STRING_FAULT);

	strings->end[nr] = start + fetch_string(strings->text + start, field,
						address,
						min(room, MARKER_STRING_MAX));
}

/* What stands among the fields for a string that is behind them. */
static u32 string_location(const struct marker_event *event,
			   const struct strings_level *strings, unsigned int nr)
{
	unsigned int start = nr ? strings->end[nr - 1] : 0;

	return (strings->end[nr] - start) << 16 | (event->size + start);
}

/* What all strings take. */
static unsigned int strings_size(const struct marker_event *event,
				 const struct strings_level *strings)
{
	return strings->end[event->nr_strings - 1];
}

/* === The record =========================================================== */

static void store_value(void *to, const struct marker_field *field, u64 value)
{
	value = marker_field_convert(field, value);
	switch (field->trace.size) {
	case 1:
		*(u8 *)to = value;
		break;
	case 2:
		*(u16 *)to = value;
		break;
	case 4:
		*(u32 *)to = value;
		break;
	default:
		*(u64 *)to = value;
		break;
	}
}

#ifdef CONFIG_ARCH_HAS_MARKER_ARG

/* Fetches the strings up to OP_END. Returns the operations behind it. */
static const struct event_op *fetch_from(const struct marker_event *event,
					 const struct event_op *op,
					 const void *slots,
					 struct strings_level *strings)
{
	for (; op->kind != OP_END; op++) {
		if (op->kind == OP_STRING)
			add_string(event, strings, op->count,
				   &event->args[op->arg].field,
				   *(const u64 *)(slots + op->slot));
	}
	return op + 1;
}

static void fetch_strings(const struct marker_event *event, va_list *args,
			  struct strings_level *strings)
{
	struct arch_marker_slots slots = arch_marker_slots(args);
	const struct event_op *op;

	op = fetch_from(event, event->ops, slots.regs, strings);
	fetch_from(event, op, slots.stack, strings);
}

/* Out of line, lest the rest need registers for it. */
static noinline void fill_other(const struct marker_event *event,
				const struct event_op *op, u64 slot, void *to,
				const struct strings_level *strings)
{
	const struct marker_field *field = &event->args[op->arg].field;

	switch (op->kind) {
	case OP_MOVE2:
		*(u16 *)to = slot;
		break;
	case OP_MOVE1:
		*(u8 *)to = slot;
		break;
	case OP_CONVERT:
		store_value(to, field, marker_field_slot(field, slot));
		break;
	case OP_STRING:
		*(u32 *)to = string_location(event, strings, op->count);
		break;
	}
}

/* Goes through the operations up to OP_END. Returns those behind it. */
static __always_inline const struct event_op *
run_ops(const struct marker_event *event, const struct event_op *op,
	const void *slots, void *record, const struct strings_level *strings)
{
	for (; op->kind != OP_END; op++) {
		const u64 *slot = slots + op->slot;
		u64 *to = record + op->offset;

		if (op->kind == OP_MOVE) {
			const u64 *end = slot + op->count;

			do {
				*to++ = *slot++;
			} while (slot != end);
		} else if (op->kind == OP_MOVE4) {
			*(u32 *)to = *slot;
		} else {
			fill_other(event, op, *slot, to, strings);
		}
	}
	return op + 1;
}

static __always_inline void fill_record(const struct marker_event *event,
					va_list *args, void *record,
					const struct strings_level *strings)
{
	struct arch_marker_slots slots = arch_marker_slots(args);
	const struct event_op *op;

	op = run_ops(event, event->ops, slots.regs, record, strings);
	run_ops(event, op, slots.stack, record, strings);
}

static enum event_op_kind op_kind(const struct marker_field *field)
{
	if (is_string(field))
		return OP_STRING;
	if (field->trace.size > field->arg.size)
		return OP_CONVERT;
	switch (field->trace.size) {
	case 1:
		return OP_MOVE1;
	case 2:
		return OP_MOVE2;
	case 4:
		return OP_MOVE4;
	}
	return OP_MOVE;
}

static bool op_continues(const struct event_op *op, const struct event_op *next)
{
	return op->kind == OP_MOVE && next->kind == OP_MOVE &&
	       op->slot + op->count * sizeof(u64) == next->slot &&
	       op->offset + op->count * sizeof(u64) == next->offset;
}

/* Compiles the arguments from @first to before @end. Returns what is behind. */
static struct event_op *compile_args(const struct marker_event *event,
				     struct event_op *op, unsigned int first,
				     unsigned int end, unsigned int *nr_strings)
{
	struct event_op *start = op;
	unsigned int i;

	for (i = first; i < end; i++) {
		const struct event_arg *arg = &event->args[i];
		struct event_op next = {
			.kind	= op_kind(&arg->field),
			.count	= 1,
			.slot	= (i - first) * sizeof(u64),
			.offset	= arg->offset,
			.arg	= i,
		};

		if (!arg->field.recorded)
			continue;
		if (next.kind == OP_STRING)
			next.count = (*nr_strings)++;
		if (op > start && op_continues(op - 1, &next))
			op[-1].count++;
		else
			*op++ = next;
	}
	*op++ = (struct event_op) { .kind = OP_END };
	return op;
}

static int compile_ops(struct marker_event *event)
{
	unsigned int in_regs = min(event->nr_args, ARCH_MARKER_REG_SLOTS);
	unsigned int nr_strings = 0;
	struct event_op *op;

	event->ops = kcalloc(event->nr_args + 2, sizeof(*op), GFP_KERNEL);
	if (!event->ops)
		return -ENOMEM;
	op = compile_args(event, event->ops, 0, in_regs, &nr_strings);
	compile_args(event, op, in_regs, event->nr_args, &nr_strings);
	return 0;
}

#else /* !CONFIG_ARCH_HAS_MARKER_ARG */

static void fetch_strings(const struct marker_event *event, va_list *args,
			  struct strings_level *strings)
{
	const struct event_arg *arg;
	unsigned int nr = 0;
	va_list walk;
	u64 value;

	va_copy(walk, *args);
	for (arg = event->args; arg < event->args + event->nr_args; arg++) {
		value = marker_field_read(&arg->field, &walk);
		if (is_string(&arg->field))
			add_string(event, strings, nr++, &arg->field, value);
	}
	va_end(walk);
}

static void fill_record(const struct marker_event *event, va_list *args,
			void *record, const struct strings_level *strings)
{
	const struct event_arg *arg;
	unsigned int nr = 0;
	u64 value;

	for (arg = event->args; arg < event->args + event->nr_args; arg++) {
		void *to = record + arg->offset;

		value = marker_field_read(&arg->field, args);
		if (is_string(&arg->field))
			*(u32 *)to = string_location(event, strings, nr++);
		else if (arg->field.recorded)
			store_value(to, &arg->field, value);
	}
}

static int compile_ops(struct marker_event *event)
{
	return 0;
}

#endif /* CONFIG_ARCH_HAS_MARKER_ARG */

#if IS_ENABLED(CONFIG_KUNIT)
/* Makes a record that is in no buffer. Returns its size. */
unsigned int marker_event_fill(const struct marker_event *event, va_list *args,
			       void *record, struct strings_level *strings)
{
	unsigned int size = 0;

	if (event->nr_strings) {
		fetch_strings(event, args, strings);
		size = strings_size(event, strings);
	}
	fill_record(event, args, record, strings);
	memcpy(record + event->size, strings->text, size);
	return event->size + size;
}
EXPORT_SYMBOL_IF_KUNIT(marker_event_fill);
#endif

/* === Handlers ============================================================= */

static void event_lost(const struct marker_event *event)
{
	this_cpu_inc(event->counts->lost);
}

/*
 * What does not get into a buffer that is on is lost. What a buffer throws away
 * later, to make room, it counts itself.
 */
static void record_failed(const struct marker_event *event,
			  const struct trace_event_file *file)
{
	if (tracer_tracing_is_on(file->tr) &&
	    !(file->flags & EVENT_FILE_FL_PID_FILTER))
		event_lost(event);
}

/* With all that may be asked for: strings, filters, triggers, stack traces. */
static noinline void record_any(struct marker_event *event,
				struct trace_event_file *file, va_list *args)
{
	struct strings_level *strings = NULL;
	struct trace_event_buffer buffer;
	unsigned int strings_len = 0;
	void *record;

	if (trace_trigger_soft_disabled(file))
		return;
	if (event->nr_strings) {
		strings = this_strings();
		fetch_strings(event, args, strings);
		strings_len = strings_size(event, strings);
	}
	record = trace_event_buffer_reserve(&buffer, file,
					    event->size + strings_len);
	if (!record) {
		record_failed(event, file);
		return;
	}
	fill_record(event, args, record, strings);
	if (strings)
		memcpy(record + event->size, strings->text, strings_len);
	trace_event_buffer_commit(&buffer);
}

/*
 * Most of the time there is nothing but a buffer to be written to. That is the
 * same as above, but for the questions that need not be asked.
 */
static void marker_record(void *probe_private, void *call_private,
			  const char *fmt, va_list *args)
{
	struct trace_event_file *file = probe_private;
	struct marker_event *event = container_of(file->event_call,
						  struct marker_event, call);
	struct ring_buffer_event *slot;
	struct trace_buffer *buffer;
	struct trace_entry *record;
	unsigned int trace_ctx;

	if (unlikely(event->nr_strings || !trace_event_only_recorded(file))) {
		record_any(event, file, args);
		return;
	}

	buffer = file->tr->array_buffer.buffer;
	/* A slot disables preemption once more. */
	trace_ctx = tracing_gen_ctx_dec();
	slot = ring_buffer_lock_reserve(buffer, event->size);
	if (unlikely(!slot)) {
		record_failed(event, file);
		return;
	}
	record = ring_buffer_event_data(slot);
	tracing_generic_entry_update(record, event->call.event.type, trace_ctx);
	fill_record(event, args, record, NULL);
	__this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(buffer);
}

/* The same for what the tracer tells of itself, which may be for one only. */
static void marker_record_tracer(void *probe_private, void *call_private,
				 const char *fmt, va_list *args)
{
	struct trace_event_file *file = probe_private;

	if (tracer_event_for(file->tr))
		record_any(container_of(file->event_call, struct marker_event,
					call), file, args);
}

#ifdef CONFIG_PERF_EVENTS
static void marker_perf(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
	struct marker_event *event = probe_private;
	struct hlist_head *head = this_cpu_ptr(event->call.perf_events);
	struct strings_level *strings = NULL;
	unsigned int strings_len = 0, size;
	struct pt_regs *regs;
	void *record;
	int rctx;

	if (!bpf_prog_array_valid(&event->call) && hlist_empty(head))
		return;

	if (event->nr_strings) {
		strings = this_strings();
		fetch_strings(event, args, strings);
		strings_len = strings_size(event, strings);
	}
	/* Perf puts a u32 in front, and wants both together to be whole u64. */
	size = ALIGN(event->size + strings_len + sizeof(u32), sizeof(u64)) -
	       sizeof(u32);
	record = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!record) {
		event_lost(event);
		return;
	}
#ifdef CONFIG_ARCH_HAS_MARKER_ARG
	arch_marker_caller_regs(regs, args);
#else
	perf_fetch_caller_regs(regs);
#endif
	fill_record(event, args, record, strings);
	if (strings)
		memcpy(record + event->size, strings->text, strings_len);
	perf_trace_run_bpf_submit(record, size, rctx, &event->call, 1, regs,
				  head, NULL);
}
#endif /* CONFIG_PERF_EVENTS */

static void events_update(struct work_struct *work)
{
	marker_events_lock();
	marker_events_update();
	marker_events_unlock();
}

/* For an event that was not wanted any more, and now may not be in use. */
static DECLARE_WORK(events_work, events_update);

/**
 * marker_event_released - a reference of a marker's trace event was dropped
 * @call: the event
 *
 * For who uses an event without having a handler registered.
 *
 * Context: Any that may take a spin lock; event_mutex may be held.
 */
void marker_event_released(struct trace_event_call *call)
{
	struct marker_event *event = container_of(call, struct marker_event,
						  call);

	if (!READ_ONCE(event->wanted))
		schedule_work(&events_work);
}

static int event_attach(struct marker_event *event, marker_probe_func *func,
			void *private)
{
	lockdep_assert_held(&event_mutex);

	if (event->nr_strings && !event_strings) {
		event_strings = alloc_percpu(struct event_strings);
		if (!event_strings)
			return -ENOMEM;
	}
	event->used = true;
	return marker_probe_register_exact(event->marker, event->format, func,
					   private, &event->counts);
}

/*
 * Whoever frees what the handler uses waits for those that still run: tracing
 * when an instance goes, perf, and event_retire().
 */
static void event_detach(struct marker_event *event, marker_probe_func *func,
			 void *private)
{
	lockdep_assert_held(&event_mutex);

	marker_probe_unregister(event->marker, func, private);
	if (!event->wanted)
		schedule_work(&events_work);
}

static int event_record(struct marker_event *event,
			struct trace_event_file *file)
{
	int ret = event_attach(event, event->class.probe, file);

	if (!ret)
		tracer_event_on(file->tr, event->marker);
	return ret;
}

static int event_reg(struct trace_event_call *call, enum trace_reg type,
		     void *data)
{
	struct marker_event *event = container_of(call, struct marker_event,
						  call);
	struct trace_event_file *file = data;

	switch (type) {
	case TRACE_REG_REGISTER:
		return event_record(event, data);
	case TRACE_REG_UNREGISTER:
		event_detach(event, event->class.probe, data);
		tracer_event_off(file->tr, event->marker);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return event_attach(event, marker_perf, event);
	case TRACE_REG_PERF_UNREGISTER:
		event_detach(event, marker_perf, event);
		return 0;
	case TRACE_REG_PERF_OPEN:
	case TRACE_REG_PERF_CLOSE:
	case TRACE_REG_PERF_ADD:
	case TRACE_REG_PERF_DEL:
		return 0;
#endif
	}
	return 0;
}

/* === Printing ============================================================= */

/* Room for every flag, width, precision, length, conversion and suffix. */
#define SPEC_SIZE	sizeof("%-+ #0255.255llpS")

static const char spec_flags[] = "-+ #0";

static char *put_number(char *to, const char **from)
{
	while ((*from)[0] == '0' && isdigit((*from)[1]))
		(*from)++;
	while (isdigit(**from))
		*to++ = *(*from)++;
	return to;
}

/* Tools cast an integer to what its length says, which extends its sign. */
static const char *tool_length(const struct marker_field *field)
{
	switch (field->trace.size) {
	case 1:
		return "hh";
	case 2:
		return "h";
	case 4:
		return "";
	}
	return "ll";
}

/*
 * Makes the conversion that prints a field as it is recorded, with the flags,
 * the width and the precision that it has in the format. In the "print fmt" for
 * tools it is one that libtraceevent has: a conversion that it does not know
 * takes no argument, so all behind it would be wrong.
 */
static void make_spec(const struct marker_field *field, bool for_tools,
		      char spec[SPEC_SIZE])
{
	const char *length = for_tools ? tool_length(field) : "ll";
	const struct marker_type *trace = &field->trace;
	bool address = trace->kind == MARKER_FIELD_POINTER;
	const char *from = field->format + field->percent + 1;
	bool given[sizeof(spec_flags)] = {};
	const char *flag;
	char *to = spec;

	for (; *from && (flag = strchr(spec_flags, *from)); from++)
		given[flag - spec_flags] = true;

	*to++ = '%';
	for (flag = spec_flags; *flag; flag++) {
		if (for_tools && (*flag == '+' || *flag == ' '))
			continue;
		/* An address that was passed as an integer has its 0x. */
		if (given[flag - spec_flags] ||
		    (*flag == '#' && address &&
		     field->arg.kind == MARKER_FIELD_INT))
			*to++ = *flag;
	}
	to = put_number(to, &from);
	/* A '.' alone is a 0 to tools, and nothing to the kernel. */
	if (field->precision >= 0) {
		*to++ = *from++;
		to = put_number(to, &from);
	}

	if (is_string(field)) {
		*to++ = 's';
	} else if (trace->kind == MARKER_FIELD_CHAR) {
		*to++ = for_tools ? 'u' : 'c';
	} else if (address && field->arg.kind != MARKER_FIELD_INT) {
		*to++ = 'p';
		if (field->suffix)
			*to++ = field->suffix;
	} else {
		while (*length)
			*to++ = *length++;
		if (address || trace->base == 16)
			*to++ = trace->upper ? 'X' : 'x';
		else if (trace->base == 8)
			*to++ = 'o';
		else
			*to++ = trace->is_signed ? 'd' : 'u';
	}
	*to = '\0';
}

static u64 load_value(const void *from, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const u8 *)from;
	case 2:
		return *(const u16 *)from;
	case 4:
		return *(const u32 *)from;
	}
	return *(const u64 *)from;
}

static void print_value(struct trace_iterator *iter,
			const struct event_arg *arg)
{
	const struct marker_field *field = &arg->field;
	const void *record = iter->ent;
	char spec[SPEC_SIZE];
	u64 value;

	make_spec(field, false, spec);
	if (is_string(field)) {
		value = *(const u32 *)(record + arg->offset) & 0xffff;
		trace_seq_printf(&iter->seq, spec, record + value);
		return;
	}

	value = load_value(record + arg->offset, field->trace.size);
	value = marker_field_host(field, value);
	if (field->trace.kind == MARKER_FIELD_CHAR)
		trace_seq_printf(&iter->seq, spec, (int)value);
	else if (field->trace.kind == MARKER_FIELD_POINTER &&
		 field->arg.kind != MARKER_FIELD_INT)
		/* Hashes the address or not, as the instance is told to. */
		trace_event_printf(iter, spec, (void *)(unsigned long)value);
	else
		trace_seq_printf(&iter->seq, spec, value);
}

/* A system call has its name behind its number, if it has one. */
static void print_call_name(struct trace_iterator *iter,
			    const struct marker_event *event)
{
	const void *record = iter->ent;
	int nr = *(const int *)(record + event->call_nr->offset);
	u32 arch = *(const u32 *)(record + event->call_arch->offset);
	const char *name = marker_syscall_name(arch, nr);

	if (name)
		trace_seq_printf(&iter->seq, " (%s)", name);
}

/*
 * Where the text at @p, behind the last field, ends: at the NUL, or at the ##,
 * which blanks in front belong to.
 */
static const char *text_end(const char *p)
{
	const char *from = p;

	while (*p && !(p[0] == '#' && p[1] == '#'))
		p += p[0] == '%' ? 2 : 1;
	while (*p && p > from && p[-1] == ' ')
		p--;
	return p;
}

static void print_text(struct trace_seq *s, const char *from, const char *to)
{
	for (; from < to; from++) {
		/* "%%" is the only '%' of a text. */
		if (*from == '%')
			from++;
		trace_seq_putc(s, *from);
	}
}

static enum print_line_t print_record(struct trace_iterator *iter, int flags,
				      struct trace_event *trace_event)
{
	struct marker_event *event = container_of(trace_event,
						  struct marker_event,
						  call.event);
	const char *text = event->format;
	const struct event_arg *arg;
	enum print_line_t ret;

	ret = trace_raw_output_prep(iter, trace_event);
	if (ret != TRACE_TYPE_HANDLED)
		return ret;

	for (arg = event->args; arg < event->args + event->nr_args; arg++) {
		/* The text goes with the field behind it. */
		if (arg->field.recorded) {
			print_text(&iter->seq, text,
				   event->format + arg->field.start);
			print_value(iter, arg);
			if (arg == event->call_nr)
				print_call_name(iter, event);
		}
		text = event->format + arg->field.end;
	}
	print_text(&iter->seq, text, text_end(text));
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions event_functions = {
	.trace	= print_record,
};

/* === The format file ====================================================== */

/* Counts what does not fit too, as snprintf() does. */
struct text_out {
	char	*buf;
	size_t	size;
	size_t	len;
};

static __printf(2, 3) void put(struct text_out *out, const char *fmt, ...)
{
	size_t at = min(out->len, out->size);
	va_list args;

	va_start(args, fmt);
	out->len += vsnprintf(out->buf + at, out->size - at, fmt, args);
	va_end(args);
}

static void put_text(struct text_out *out, const char *from, const char *to)
{
	for (; from < to; from++) {
		if (*from == '"' || *from == '\\')
			put(out, "\\");
		put(out, "%c", *from);
	}
}

static void put_swapped(struct text_out *out, const struct event_arg *arg)
{
	unsigned int size = arg->field.trace.size, i;

	for (i = 0; i < size; i++)
		put(out, "%s(((REC->%s >> %u) & 0xff) << %u)",
		    i ? " | " : "(", arg->name, 8 * i, 8 * (size - 1 - i));
	put(out, ")");
}

static void put_value(struct text_out *out, const struct event_arg *arg)
{
	const struct marker_type *trace = &arg->field.trace;

	put(out, ", ");
	if (is_string(&arg->field))
		put(out, "__get_str(%s)", arg->name);
	else if (trace->network && trace->size > 1 &&
		 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		put_swapped(out, arg);
	else
		put(out, "REC->%s", arg->name);
}

/* The numbers of system calls are below. */
#define CALL_NR_END	1024

static void put_call_names(struct text_out *out,
			   const struct marker_event *event, u32 arch)
{
	const char *name;
	unsigned int nr;

	put(out, "__print_symbolic(REC->%s", event->call_nr->name);
	for (nr = 0; nr < CALL_NR_END; nr++) {
		name = marker_syscall_name(arch, nr);
		if (name)
			put(out, ", { %u, \"%s\" }", nr, name);
	}
	put(out, ")");
}

/* The argument that is printed behind the number of a system call. */
static void put_call_name(struct text_out *out,
			  const struct marker_event *event)
{
	put(out, ", ");
#ifdef CONFIG_X86
	put(out, "REC->%s == 0x%x ? ", event->call_arch->name, AUDIT_ARCH_I386);
	put_call_names(out, event, AUDIT_ARCH_I386);
	put(out, " : ");
	put_call_names(out, event, AUDIT_ARCH_X86_64);
#else
	put_call_names(out, event,
		       IS_ENABLED(CONFIG_64BIT) ? __AUDIT_ARCH_64BIT : 0);
#endif
}

static void put_print_fmt(struct text_out *out,
			  const struct marker_event *event)
{
	const struct event_arg *end = event->args + event->nr_args;
	const char *text = event->format;
	const struct event_arg *arg;
	char spec[SPEC_SIZE];

	put(out, "\"");
	for (arg = event->args; arg < end; arg++) {
		if (arg->field.recorded) {
			make_spec(&arg->field, true, spec);
			put_text(out, text, event->format + arg->field.start);
			put(out, "%s", spec);
			if (arg == event->call_nr)
				put(out, " (%%s)");
		}
		text = event->format + arg->field.end;
	}
	put_text(out, text, text_end(text));
	put(out, "\"");
	for (arg = event->args; arg < end; arg++) {
		if (!arg->field.recorded)
			continue;
		put_value(out, arg);
		if (arg == event->call_nr)
			put_call_name(out, event);
	}
}

static int make_print_fmt(struct marker_event *event)
{
	struct text_out out = {};

	put_print_fmt(&out, event);
	out.size = out.len + 1;
	out.buf = kmalloc(out.size, GFP_KERNEL);
	if (!out.buf)
		return -ENOMEM;
	out.len = 0;
	put_print_fmt(&out, event);
	event->call.print_fmt = out.buf;
	return 0;
}

static const char *field_type(const struct marker_field *field)
{
	const struct marker_type *trace = &field->trace;
	bool is_signed = trace->is_signed;

	switch (trace->kind) {
	case MARKER_FIELD_STRING:
	case MARKER_FIELD_USER_STRING:
		return "__data_loc char[]";
	case MARKER_FIELD_POINTER:
		return "void *";
	case MARKER_FIELD_CHAR:
		return "unsigned char";
	case MARKER_FIELD_INT:
		break;
	}
	switch (trace->size) {
	case 1:
		return is_signed ? "signed char" : "unsigned char";
	case 2:
		if (trace->network)
			return "__be16";
		return is_signed ? "short" : "unsigned short";
	case 4:
		if (trace->network)
			return "__be32";
		return is_signed ? "int" : "unsigned int";
	}
	if (trace->network)
		return "__be64";
	if (sizeof(long) == sizeof(u64))
		return is_signed ? "long" : "unsigned long";
	return is_signed ? "long long" : "unsigned long long";
}

static unsigned int field_size(const struct marker_field *field)
{
	return is_string(field) ? sizeof(u32) : field->trace.size;
}

/*
 * Tracing would go on with those of the fields that there was memory for, so
 * they are all there before it is told of the event. They are kept as long as
 * the event; after a failure the next call goes on where this one ended.
 */
static int event_define_fields(struct marker_event *event)
{
	for (; event->nr_defined < event->nr_args; event->nr_defined++) {
		const struct event_arg *arg = &event->args[event->nr_defined];
		const struct marker_type *trace = &arg->field.trace;
		int ret;

		if (!arg->field.recorded)
			continue;
		/* In network order the sign is not where a filter looks. */
		ret = trace_define_field(&event->call, field_type(&arg->field),
					 arg->name, arg->offset,
					 field_size(&arg->field),
					 trace->is_signed && !trace->network,
					 FILTER_OTHER);
		if (ret)
			return ret;
	}
	return 0;
}

/* Empty: tracing has nothing left to define. */
static struct trace_event_fields event_fields[] = { {} };

/* === Events =============================================================== */

/* The id is taken once and for all. */
static int event_raw_init(struct trace_event_call *call)
{
	if (call->event.type)
		return 0;
	return register_trace_event(&call->event) ? 0 : -ENODEV;
}

VISIBLE_IF_KUNIT void marker_event_free(struct marker_event *event)
{
	unsigned int i;

	for (i = 0; i < event->nr_args; i++)
		kfree(event->args[i].name);
	kfree(event->args);
	kfree(event->ops);
	kfree(event->format);
	kfree(event->marker);
	kfree(event->call.print_fmt);
	kfree(event);
}
EXPORT_SYMBOL_IF_KUNIT(marker_event_free);

/* Reads the arguments in front of the ##, and places the recorded ones. */
static int event_parse(struct marker_event *event)
{
	char name[MARKER_FIELD_NAME_SIZE];
	struct marker_format_iter it;
	struct event_arg *arg;
	unsigned int size;
	int count;

	count = marker_format_count(event->format, NULL);
	if (count < 0)
		return count;
	event->args = kcalloc(count, sizeof(*arg), GFP_KERNEL);
	if (!event->args)
		return -ENOMEM;

	event->size = sizeof(struct trace_entry);
	marker_format_start(&it, event->format);
	for (arg = event->args; arg < event->args + count; arg++) {
		marker_format_next(&it, &arg->field);
		if (it.tail)
			break;
		event->nr_args++;
		if (!arg->field.recorded)
			continue;
		marker_field_name(&arg->field, name, sizeof(name));
		arg->name = kstrdup(name, GFP_KERNEL);
		if (!arg->name)
			return -ENOMEM;
		size = field_size(&arg->field);
		arg->offset = ALIGN(event->size, size);
		event->size = arg->offset + size;
		event->nr_strings += is_string(&arg->field);
	}
	return 0;
}

/* The field of that name, if it is an int or an unsigned int. */
static const struct event_arg *find_int(const struct marker_event *event,
					const char *name)
{
	unsigned int i;

	for (i = 0; i < event->nr_args; i++) {
		const struct event_arg *arg = &event->args[i];

		if (arg->name && !strcmp(arg->name, name) &&
		    arg->field.trace.kind == MARKER_FIELD_INT &&
		    arg->field.trace.size == sizeof(int))
			return arg;
	}
	return NULL;
}

/* The marker of kernel/markers/syscall.c tells of both. */
static void find_call(struct marker_event *event)
{
	if (strcmp(event->marker, "kernel_arch_syscall_entry"))
		return;
	event->call_arch = find_int(event, "arch");
	if (event->call_arch)
		event->call_nr = find_int(event, "syscall_id");
}

VISIBLE_IF_KUNIT struct marker_event *
marker_event_alloc(const char *name, const char *format)
{
	struct marker_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	event->marker = kstrdup(name, GFP_KERNEL);
	event->tp.name = event->marker;
	/* Blanks in front are as good as none, and nobody wants to see them. */
	event->format = kstrdup(skip_spaces(format), GFP_KERNEL);
	if (!event->marker || !event->format || event_parse(event))
		goto error;
	find_call(event);
	if (compile_ops(event) || make_print_fmt(event))
		goto error;

	INIT_LIST_HEAD(&event->class.fields);
	event->class.system = "markers";
	event->class.reg = event_reg;
	event->class.raw_init = event_raw_init;
	event->class.fields_array = event_fields;
	event->class.probe = str_has_prefix(name, "lkst_") ?
			     marker_record_tracer : marker_record;
#ifdef CONFIG_PERF_EVENTS
	event->class.perf_probe = marker_perf;
#endif
	event->call.class = &event->class;
	event->call.tp = &event->tp;
	event->call.event.funcs = &event_functions;
	/* BPF programs for tracepoints are taken by events of such only. */
	event->call.flags = TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_DYNAMIC |
			    TRACE_EVENT_FL_KEEP_ID;
	return event;

error:
	marker_event_free(event);
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(marker_event_alloc);

/* It may have been here before. */
static struct marker_event *event_find(const struct marker *marker)
{
	struct marker_event *event;

	list_for_each_entry(event, &marker_events, list) {
		/* A twin has another name. */
		if (event->tp.name == event->marker &&
		    !strcmp(event->marker, marker->name) &&
		    marker_format_equal(event->format, marker->format))
			return event;
	}
	return NULL;
}

static struct marker_event *event_create(const char *marker, const char *format)
{
	struct marker_event *event = marker_event_alloc(marker, format);

	if (event)
		list_add_tail(&event->list, &marker_events);
	else
		pr_err("%s: no memory for its trace event\n", marker);
	return event;
}

/* Sees to it that there is the other one, too. */
static bool event_has_twin(struct marker_event *event)
{
	const char *name = lkst_name(event->marker);
	struct marker_event *twin;

	if (!name || event->lkst)
		return true;
	twin = event_create(event->marker, event->format);
	if (!twin)
		return false;
	twin->tp.name = name;
	twin->class.system = "lkst";
	event->lkst = twin;
	return true;
}

static struct marker_event *event_find_or_create(struct marker *marker)
{
	struct marker_event *event = marker->event;

	if (event && marker_format_equal(event->format, marker->format))
		return event;
	event = event_find(marker);
	if (!event)
		event = event_create(marker->name, marker->format);
	/* Not to be looked for again, unless something is missing. */
	marker->event = event && event_has_twin(event) ? event : NULL;
	return event;
}

/* Finds out which events are wanted, and makes those that are new. */
static void events_find_wanted(void)
{
	struct marker_event *event;
	struct marker *marker;

	list_for_each_entry(event, &marker_events, list)
		event->wanted = false;

	mutex_lock(&markers_mutex);
	list_for_each_entry(marker, &markers_list, list) {
		if (!marker->format)
			continue;
		event = event_find_or_create(marker);
		if (!event)
			continue;
		event->wanted = true;
		if (event->lkst)
			event->lkst->wanted = true;
	}
	mutex_unlock(&markers_mutex);
}

/* Why tracing cannot have it now, or NULL. */
static const char *event_conflict(const struct marker_event *event)
{
	const char *name = event->tp.name, *conflict = NULL;
	struct trace_event_call *call;

	/* A directory of events has these two files. */
	if (!strcmp(name, "enable") || !strcmp(name, "filter"))
		return "tracefs has a file of that name";

	down_read(&trace_event_sem);
	list_for_each_entry(call, &ftrace_events, list) {
		if (strcmp(trace_event_name(call), name) ||
		    strcmp(call->class->system, event->class.system))
			continue;
		conflict = call->class->reg == event_reg ?
			   "that of another format is still in use" :
			   "there is another one of that name";
		break;
	}
	up_read(&trace_event_sem);
	return conflict;
}

static void event_show(struct marker_event *event,
		       int (*add)(struct trace_event_call *call))
{
	const char *conflict = event_conflict(event);

	if (conflict) {
		if (!event->refused)
			pr_notice("%s: no trace event: %s\n", event->tp.name,
				  conflict);
		event->refused = true;
		return;
	}
	event->refused = false;
	if (event_define_fields(event) || add(&event->call) < 0) {
		pr_err("%s: no trace event: could not add it\n",
		       event->tp.name);
		return;
	}
	event->live = true;
	event->used = false;
}

/* Unless it is in use: when that ends we come here again. */
static void event_retire(struct marker_event *event)
{
	if (trace_event_dyn_busy(&event->call))
		return;
	/* For a handler that was unregistered and is still running. */
	if (event->used)
		synchronize_rcu();
	if (!trace_remove_event_call(&event->call))
		event->live = false;
}

void marker_events_lock(void)
{
	mutex_lock(&event_mutex);
}

void marker_events_unlock(void)
{
	mutex_unlock(&event_mutex);
}

/**
 * marker_events_update - have the trace events that the markers ask for
 *
 * To be called after sites came or went.
 *
 * Context: Process context, between marker_events_lock() and
 * marker_events_unlock(), without markers_mutex.
 */
void marker_events_update(void)
{
	struct marker_event *event;

	lockdep_assert_held(&event_mutex);

	events_find_wanted();
	list_for_each_entry(event, &marker_events, list) {
		if (event->live && !event->wanted)
			event_retire(event);
	}
	list_for_each_entry(event, &marker_events, list) {
		if (event->wanted && !event->live)
			event_show(event, trace_add_event_call);
	}
}

/**
 * marker_events_init - make the trace events of vmlinux
 *
 * Called while tracing sets up its own, so that those on the kernel command
 * line can be switched on with them.
 *
 * Context: Boot, one CPU, before tracefs.
 */
void __init marker_events_init(void)
{
	struct marker_event *event;

	markers_add_vmlinux();
	events_find_wanted();
	list_for_each_entry(event, &marker_events, list)
		event_show(event, trace_early_add_event_call);
}
