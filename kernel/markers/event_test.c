// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what the trace events of markers record and print. Records are
 * made by the code that makes those in a buffer.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include <linux/vmalloc.h>

#include "event.h"
#include "lkst.h"
#include "random_format.h"

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);

#define RECORD_MAX	(sizeof(struct trace_entry) + \
			 MARKER_FORMAT_MAX_ARGS * sizeof(u64) + \
			 MARKER_STRINGS_MAX)

/* One record and all that it takes to make it. */
struct record {
	struct marker_event	*event;
	struct strings_level	strings;
	struct trace_iterator	iter;
	unsigned int		size;
	u8			data[RECORD_MAX] __aligned(8);
	char			expected[8192];
};

static struct record *make_room(struct kunit *test)
{
	struct record *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	return r;
}

static struct marker_event *make_event(struct kunit *test, const char *format)
{
	struct marker_event *event = marker_event_alloc("kunit_event", format);

	KUNIT_ASSERT_NOT_NULL_MSG(test, event, "\"%s\"", format);
	return event;
}

/* As marker_hit(): the arguments are behind one that is none of them. */
static noinline void record_args(struct record *r, ...)
{
	va_list args;

	memset(r->data, 0xa5, sizeof(r->data));
	va_start(args, r);
	r->size = marker_event_fill(r->event, &args, r->data, &r->strings);
	va_end(args);
}

#define record(r, marker_event, args...)				\
do {									\
	(r)->event = marker_event;					\
	record_args(r, ##args);						\
} while (0)

#define record_slots(r, event, s)					\
	record(r, event, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7],\
	       s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15],	\
	       s[16], s[17], s[18], s[19])

static const struct event_arg *find_field(struct kunit *test,
					  const struct marker_event *event,
					  const char *name)
{
	unsigned int i;

	for (i = 0; i < event->nr_args; i++) {
		if (event->args[i].name && !strcmp(event->args[i].name, name))
			return &event->args[i];
	}
	KUNIT_FAIL(test, "no field %s in \"%s\"", name, event->format);
	return NULL;
}

static u64 load(const void *from, unsigned int size)
{
	u64 value = 0;

	memcpy(&value, from, size);
	return value;
}

static unsigned int type_size(enum ctype type)
{
	switch (type) {
	case SCHAR:
	case UCHAR:
		return sizeof(char);
	case SHORT:
	case USHORT:
		return sizeof(short);
	case SINT:
	case UINT:
		return sizeof(int);
	case SLONG:
	case ULONG:
		return sizeof(long);
	default:
		return sizeof(long long);
	}
}

static bool is_text(const struct event_arg *arg)
{
	return arg->field.trace.kind == MARKER_FIELD_STRING ||
	       arg->field.trace.kind == MARKER_FIELD_USER_STRING;
}

/* The string of a field, after a look at where the record says that it is. */
static const char *text_of(struct kunit *test, const struct record *r,
			   const struct event_arg *arg)
{
	u32 location = load(r->data + arg->offset, sizeof(u32));
	unsigned int offset = location & 0xffff, size = location >> 16;

	KUNIT_ASSERT_GT(test, size, 0);
	KUNIT_ASSERT_LE(test, offset + size, r->size);
	KUNIT_ASSERT_EQ(test, strnlen(r->data + offset, size), size - 1);
	return r->data + offset;
}

/* === Known records ======================================================== */

static void test_values(struct kunit *test)
{
	struct record *r = make_room(test);
	struct marker_event *event;

#define EXPECT_FIELD(name, bytes, value)				\
do {									\
	const struct event_arg *arg = find_field(test, event, name);	\
									\
	if (!arg)							\
		break;							\
	KUNIT_EXPECT_EQ(test, arg->field.trace.size, bytes);		\
	KUNIT_EXPECT_EQ(test, load(r->data + arg->offset, bytes),	\
			(u64)(value));					\
} while (0)

	event = make_event(test, "a %d b %lld c %llu d #0%p e #8d%u f #1u%d ## g %d");
	record(r, event, -1, LLONG_MIN, ULLONG_MAX, r, 0xffffffffU, 0x1ff, 7);
	EXPECT_FIELD("a", 4, 0xffffffff);
	EXPECT_FIELD("b", 8, LLONG_MIN);
	EXPECT_FIELD("c", 8, ULLONG_MAX);
	EXPECT_FIELD("e", 8, 4294967295);
	EXPECT_FIELD("f", 1, 0xff);
	KUNIT_EXPECT_EQ(test, event->nr_args, 6);
	KUNIT_EXPECT_EQ(test, r->size, event->size);
	marker_event_free(event);

	/* Out of order of their sizes, and over into the stack. */
	event = make_event(test,
			   "%c %lx %hd %llx #8d%d %p #2x%lx %hhu #p%lu n #n2u%u");
	record(r, event, 'x', 0x123456789abcdef0, -2, 0x8000000000000001ULL,
	       -3, (void *)0x1234, 0xabcd9876UL, 0x1fe, 0xffff888000000000UL,
	       0x3412);
	EXPECT_FIELD("arg1", 1, 'x');
	EXPECT_FIELD("arg2", 8, 0x123456789abcdef0);
	EXPECT_FIELD("arg3", 2, 0xfffe);
	EXPECT_FIELD("arg4", 8, 0x8000000000000001ULL);
	EXPECT_FIELD("arg5", 8, -3LL);
	EXPECT_FIELD("arg6", 8, 0x1234);
	EXPECT_FIELD("arg7", 2, 0x9876);
	EXPECT_FIELD("arg8", 1, 0xfe);
	EXPECT_FIELD("arg9", 8, 0xffff888000000000UL);
	EXPECT_FIELD("n", 2, 0x3412);
	marker_event_free(event);

	event = make_event(test, " ");
	record(r, event);
	KUNIT_EXPECT_EQ(test, r->size, sizeof(struct trace_entry));
	marker_event_free(event);
#undef EXPECT_FIELD
}

/* The string of the field with that name, in record r of this event. */
#define EXPECT_TEXT(name, text)						\
do {									\
	const struct event_arg *arg = find_field(test, event, name);	\
									\
	if (arg)							\
		KUNIT_EXPECT_STREQ(test, text_of(test, r, arg), text);	\
} while (0)

static void test_strings(struct kunit *test)
{
	struct record *r = make_room(test);
	struct marker_event *event;
	char *many = kunit_kzalloc(test, 1024, GFP_KERNEL);
	char *end = kunit_kzalloc(test, 301, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, many);
	KUNIT_ASSERT_NOT_NULL(test, end);
	memset(end, 'e', 300);

	event = make_event(test,
			   "a %s b %s c %s d %s e #s%p f #p%s g #us%p h #us%p i %s");
	record(r, event, "text", NULL, ERR_PTR(-ENOMEM), end, "plain", "address",
	       NULL, (void *)8, "");
	EXPECT_TEXT("a", "text");
	EXPECT_TEXT("b", "(null)");
	EXPECT_TEXT("c", "(fault)");
	EXPECT_TEXT("d", end + 300 - 255);
	EXPECT_TEXT("e", "plain");
	EXPECT_TEXT("g", "(null)");
	/* This is a kernel thread. */
	EXPECT_TEXT("h", "(fault)");
	EXPECT_TEXT("i", "");
	marker_event_free(event);

	/* As many as there can be: all have their turn. */
	for (i = 0; i < RANDOM_FIELDS_MAX; i++)
		format_repeat(many, "%s ", 1);
	event = make_event(test, many);
	record(r, event, end, end, end, end, end, end, end, end, end, end, end,
	       end, end, end, end, end, end, end, end, end);
	KUNIT_EXPECT_LE(test, r->size, event->size + MARKER_STRINGS_MAX);
	for (i = 0; i < event->nr_args; i++) {
		const char *text = text_of(test, r, &event->args[i]);

		KUNIT_EXPECT_GE(test, strlen(text), strlen("(fault)"));
		KUNIT_EXPECT_TRUE(test, !strncmp(text, end, strlen(text)));
	}
	marker_event_free(event);
}

/* Each is read once, up to a limit, and never where it must not be. */
static void test_bad_strings(struct kunit *test)
{
	struct record *r = make_room(test);
	char *page = vmalloc(PAGE_SIZE);
	struct marker_event *event;
	unsigned int i;
	struct {
		const void *address;
		const char *text;
	} cases[] = {
		{ NULL, "(null)" },
		{ (void *)1, "(fault)" },
		{ ERR_PTR(-EFAULT), "(fault)" },
		{ (void *)0x400000, "(fault)" },	/* of user space */
		{ (void *)(TASK_SIZE_MAX - PAGE_SIZE), "(fault)" },
		{ (void *)BIT(BITS_PER_LONG - 2), "(fault)" },
		/* No NUL up to the end of what is mapped. */
		{ page + PAGE_SIZE - 10, "(fault)" },
		{ page + PAGE_SIZE - 255, "(fault)" },
		/* It is longer than what is recorded of it. */
		{ page, page },
		{ page + PAGE_SIZE - 256, page },
	};

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 'p', PAGE_SIZE);
	event = make_event(test, "before %d s %s after %d");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text;

		record(r, event, 1, cases[i].address, 2);
		text = text_of(test, r, &event->args[1]);
		KUNIT_EXPECT_EQ_MSG(test, strlen(text),
				    min(strnlen(cases[i].text, 256), 255),
				    "case %u: %s", i, text);
		KUNIT_EXPECT_TRUE_MSG(test, !strncmp(text, cases[i].text,
						     strlen(text)),
				      "case %u: %s", i, text);
		KUNIT_EXPECT_EQ(test, load(r->data + event->args[2].offset, 4),
				2);
	}
	marker_event_free(event);
	vfree(page);
}

/* A precision says how long an array is that need not have a NUL. */
static void test_arrays(struct kunit *test)
{
	struct record *r = make_room(test);
	char *page = vmalloc(PAGE_SIZE);
	struct marker_event *event;
	char *end, *last;

	KUNIT_ASSERT_NOT_NULL(test, page);
	end = page + PAGE_SIZE;
	memset(page, 'p', PAGE_SIZE);
	last = end - 4;
	memcpy(last, "abcd", 4);

	event = make_event(test,
			   "a %.4s b %.3s c %.5s d %.4s e %.0s f %.s g %.255s h #s%.4s i %.1s j %.9s");
	record(r, event, last, last, last, "xy", (void *)1, (void *)1,
	       end - 255, last, end - 1, NULL);
	EXPECT_TEXT("a", "abcd");
	EXPECT_TEXT("b", "abc");
	EXPECT_TEXT("c", "(fault)");
	EXPECT_TEXT("d", "xy");
	EXPECT_TEXT("e", "");
	EXPECT_TEXT("f", "(fault)");
	EXPECT_TEXT("h", "abcd");
	EXPECT_TEXT("i", "d");
	EXPECT_TEXT("j", "(null)");
	KUNIT_EXPECT_EQ(test, strlen(text_of(test, r, &event->args[6])), 255);
	marker_event_free(event);

	/* A NUL at the end of what may be read is one like others. */
	last[3] = '\0';
	event = make_event(test, "a %.4s b %.3s c %.5s");
	record(r, event, last, last, last);
	KUNIT_EXPECT_STREQ(test, text_of(test, r, &event->args[0]), "abc");
	KUNIT_EXPECT_STREQ(test, text_of(test, r, &event->args[1]), "abc");
	KUNIT_EXPECT_STREQ(test, text_of(test, r, &event->args[2]), "abc");
	marker_event_free(event);
	vfree(page);
}

/* === Random ones ========================================================== */

static const char *pool_string(struct rnd_state *rnd)
{
	static char longest[300];
	static const char *const pool[] = {
		"", "x", "a string", "with \"quotes\" and %d", longest,
	};

	memset(longest, 'l', sizeof(longest) - 1);
	return pool[random_roll(rnd, ARRAY_SIZE(pool))];
}

/*
 * What is recorded is what was passed: each field is where no other one is, has
 * the value that C makes of the argument, and there is nothing else.
 */
static void check_record(struct kunit *test, const struct random_format *f,
			 const struct marker_event *event,
			 const struct record *r, const u64 *slots)
{
	unsigned int i, end = sizeof(struct trace_entry), recorded = 0;

	for (i = 0; i < event->nr_args; i++) {
		const struct event_arg *arg = &event->args[i];
		u64 value = c_convert(f->type[i], slots[i]);
		unsigned int size;

		if (!arg->name)
			continue;
		recorded++;
		size = is_text(arg) ? sizeof(u32) : type_size(f->trace[i]);
		KUNIT_ASSERT_GE(test, arg->offset, end);
		KUNIT_ASSERT_EQ(test, arg->offset % size, 0);
		end = arg->offset + size;
		KUNIT_ASSERT_LE(test, end, event->size);

		if (!is_text(arg)) {
			value = c_convert(f->trace[i], value);
			KUNIT_ASSERT_EQ_MSG(test,
					    load(r->data + arg->offset, size),
					    load(&value, size),
					    "\"%s\" argument %u", f->text,
					    i + 1);
		} else if (arg->field.trace.kind == MARKER_FIELD_USER_STRING) {
			KUNIT_ASSERT_STREQ(test, text_of(test, r, arg),
					   "(fault)");
		} else {
			const char *given = (void *)(unsigned long)slots[i];
			const char *text = text_of(test, r, arg);
			bool array = arg->field.arg.kind == MARKER_FIELD_STRING;
			unsigned int most = array ? f->precision[i] : 255;
			size_t len = strnlen(given, min(most, 255U));

			/* With others it may have to be shorter. */
			if (event->nr_strings <= 8)
				KUNIT_ASSERT_EQ(test, strlen(text), len);
			KUNIT_ASSERT_EQ(test,
					strncmp(text, given, strlen(text)), 0);
		}
	}
	KUNIT_ASSERT_EQ_MSG(test, recorded, f->recorded, "\"%s\"", f->text);
	KUNIT_ASSERT_EQ(test, event->size, end);
	KUNIT_ASSERT_GE(test, r->size, event->size);
	/* Nothing is written behind it. */
	KUNIT_ASSERT_EQ(test, r->data[r->size], 0xa5);
}

static bool takes_text(const struct marker_field *field)
{
	return field->trace.kind == MARKER_FIELD_STRING ||
	       field->arg.kind == MARKER_FIELD_STRING;
}

static void random_slots(struct rnd_state *rnd,
			 const struct marker_event *event, u64 *slots)
{
	unsigned int i;

	for (i = 0; i < RANDOM_FIELDS_MAX; i++) {
		slots[i] = (u64)prandom_u32_state(rnd) << 32;
		slots[i] |= prandom_u32_state(rnd);
		if (i < event->nr_args && takes_text(&event->args[i].field))
			slots[i] = (unsigned long)pool_string(rnd);
		else if (i < event->nr_args && is_text(&event->args[i]))
			slots[i] |= 1;
	}
}

static void test_random_records(struct kunit *test)
{
	struct random_format *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct record *r = make_room(test);
	u64 slots[RANDOM_FIELDS_MAX];
	unsigned int round, total = 0;
	struct marker_event *event;
	struct rnd_state rnd;

	if (sizeof(long) < sizeof(u64))
		kunit_skip(test, "arguments have no 64-bit slots here");
	KUNIT_ASSERT_NOT_NULL(test, f);

	prandom_seed_state(&rnd, 20070816);
	for (round = 0; round < 2000; round++) {
		random_format(&rnd, f, true);
		event = make_event(test, f->text);
		random_slots(&rnd, event, slots);
		record_slots(r, event, slots);
		check_record(test, f, event, r, slots);
		total += f->recorded;
		marker_event_free(event);
	}
	KUNIT_EXPECT_GT(test, total, 10000);
}

/* === Text ================================================================= */

static void print(struct kunit *test, struct record *r,
		  struct marker_event *event)
{
	struct trace_entry *entry = (void *)r->data;
	enum print_line_t ret;

	entry->type = event->call.event.type;
	trace_seq_init(&r->iter.seq);
	r->iter.ent = entry;
	r->iter.ent_size = r->size;
	ret = event->call.event.funcs->trace(&r->iter, 0, &event->call.event);
	KUNIT_ASSERT_EQ(test, ret, TRACE_TYPE_HANDLED);
	trace_seq_putc(&r->iter.seq, '\0');
}

#define EXPECT_PRINT(test, r, text, format, args...)			\
do {									\
	struct marker_event *__event = make_event(test, format);	\
									\
	record(r, __event, ##args);					\
	print(test, r, __event);					\
	KUNIT_EXPECT_STREQ(test, (r)->iter.seq.buffer,			\
			   "kunit_event: " text "\n");			\
	marker_event_free(__event);					\
} while (0)

static void test_print(struct kunit *test)
{
	struct record *r = make_room(test);

	EXPECT_PRINT(test, r, "pid -5 count 7", "pid %d count %lu", -5, 7UL);
	EXPECT_PRINT(test, r, "", " ");
	EXPECT_PRINT(test, r, "e 4294967295", "e #8d%u", 0xffffffffU);
	EXPECT_PRINT(test, r, "x -1 y 255", "x #1d%u y #1u%d", 255, -1);
	EXPECT_PRINT(test, r, "a 1 c 3", "a %d regs #0%p c %d", 1, NULL, 3);
	EXPECT_PRINT(test, r, "a 1 end", "a %d regs #0%p end", 1, NULL);
	EXPECT_PRINT(test, r, "a 1", "a %d ## task %p", 1, NULL);
	EXPECT_PRINT(test, r, "a 1 # ", "a %d # ", 1);
	EXPECT_PRINT(test, r, "100% id #4", "100%% id #%d", 4);
	EXPECT_PRINT(test, r, "ip 0x1f", "ip #p%lu", 31UL);
	EXPECT_PRINT(test, r, "v 1f", "v #4x%p", (void *)31);
	EXPECT_PRINT(test, r, "[   -3][ff][FF][017]",
		     "[%5d][%hhx][#1X%d][%#o]", -3, 0xfff, 0xfff, 15);
	EXPECT_PRINT(test, r, "[ab   ][ab]", "[%-5s][%.2s]", "ab", "abc");
	EXPECT_PRINT(test, r, "c z s (null) (fault)", "c %c s %s %s", 'z', NULL,
		     ERR_PTR(-EINVAL));
	EXPECT_PRINT(test, r, "port 258 seq -2", "port #n2u%u seq #n4d%d",
		     cpu_to_be16(258), cpu_to_be32(-2));
}

/*
 * Without trace types the text is that of snprintf(). Hashes of addresses are
 * the same in both.
 */
static void test_random_print(struct kunit *test)
{
	struct random_format *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct record *r = make_room(test);
	struct marker_event *event;
	u64 s[RANDOM_FIELDS_MAX];
	unsigned int round, i, len;
	struct rnd_state rnd;

	if (sizeof(long) < sizeof(u64))
		kunit_skip(test, "arguments have no 64-bit slots here");
	KUNIT_ASSERT_NOT_NULL(test, f);

	prandom_seed_state(&rnd, 20080905);
	for (round = 0; round < 1000; round++) {
		random_format(&rnd, f, false);
		event = make_event(test, f->text);
		KUNIT_ASSERT_GT(test, register_trace_event(&event->call.event),
				0);
		random_slots(&rnd, event, s);
		for (i = 0; i < event->nr_args; i++) {
			if (is_text(&event->args[i]))
				s[i] = (unsigned long)"short";
		}
		record_slots(r, event, s);
		print(test, r, event);
		unregister_trace_event(&event->call.event);

		len = scnprintf(r->expected, sizeof(r->expected),
				"kunit_event: ");
		len += snprintf(r->expected + len, sizeof(r->expected) - len,
				event->format, s[0], s[1], s[2], s[3], s[4], s[5],
				s[6], s[7], s[8], s[9], s[10], s[11], s[12],
				s[13], s[14], s[15], s[16], s[17], s[18],
				s[19]);
		KUNIT_ASSERT_LT(test, len + 2, sizeof(r->expected));
		r->expected[len++] = '\n';
		/* A %c may be a NUL. */
		KUNIT_ASSERT_EQ(test, r->iter.seq.seq.len, len + 1);
		KUNIT_ASSERT_EQ_MSG(test,
				    memcmp(r->iter.seq.buffer, r->expected,
					   len), 0,
				    "\"%s\" gives %s", f->text,
				    r->iter.seq.buffer);
		marker_event_free(event);
	}
}

static void test_print_fmt(struct kunit *test)
{
	static const struct {
		const char *format;
		const char *print_fmt;
	} cases[] = {
		{ " ", "\"\"" },
		{ "pid %d n %lu", "\"pid %d n %llu\", REC->pid, REC->n" },
		{ "a #1d%d b #2u%d c %hhx",
		  "\"a %hhd b %hu c %hhx\", REC->a, REC->b, REC->c" },
		{ "s %-8s c %c p %p",
		  "\"s %-8s c %u p %p\", __get_str(s), REC->c, REC->p" },
		{ "s %.4s t %.s",
		  "\"s %.4s t %s\", __get_str(s), __get_str(t)" },
		{ "f %pS a #p%lu", "\"f %pS a %#llx\", REC->f, REC->a" },
		{ "a %d regs #0%p b %d ## c %d",
		  "\"a %d b %d\", REC->a, REC->b" },
		{ "a %+d b % d c %-+5d", "\"a %d b %d c %-5d\", REC->a, REC->b, REC->c" },
		{ "say \"x\\y\" 100%% %d",
		  "\"say \\\"x\\\\y\\\" 100%% %d\", REC->y" },
		{ "p #n2u%u",
		  "\"p %hu\", ((((REC->p >> 0) & 0xff) << 8) | (((REC->p >> 8) & 0xff) << 0))" },
	};
	struct marker_event *event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		event = make_event(test, cases[i].format);
		KUNIT_EXPECT_STREQ(test, event->call.print_fmt,
				   cases[i].print_fmt);
		marker_event_free(event);
	}
}

/* System calls have names. */
static void test_call_names(struct kunit *test)
{
	static const char start[] =
		"\"syscall_id %d (%s) arch %u ip %#llx\", REC->syscall_id, ";
	static const char names[] =
		"REC->arch == 0x40000003 ? __print_symbolic(REC->syscall_id, ";
	struct record *r = make_room(test);
	struct marker_event *event;

	if (!IS_ENABLED(CONFIG_MARKERS_SYSCALLS) || !IS_ENABLED(CONFIG_X86_64))
		kunit_skip(test, "no names of system calls that are known here");

	event = marker_event_alloc("kernel_arch_syscall_entry",
				   "syscall_id #4d%ld arch #4u%u ip #p%lu");
	KUNIT_ASSERT_NOT_NULL(test, event);
#define EXPECT_CALL(nr, arch, text)					\
do {									\
	record(r, event, nr, arch, 0x10UL);				\
	print(test, r, event);						\
	KUNIT_EXPECT_STREQ(test, r->iter.seq.buffer,			\
			   "kernel_arch_syscall_entry: syscall_id " text \
			   " ip 0x10\n");				\
} while (0)
	EXPECT_CALL(0L, 0xc000003e, "0 (read) arch 3221225534");
	EXPECT_CALL(59L, 0xc000003e, "59 (execve) arch 3221225534");
	EXPECT_CALL(9999L, 0xc000003e, "9999 arch 3221225534");
	EXPECT_CALL(-1L, 0xc000003e, "-1 arch 3221225534");
	if (IS_ENABLED(CONFIG_IA32_EMULATION))
		EXPECT_CALL(11L, 0x40000003, "11 (execve) arch 1073741827");
	EXPECT_CALL(0L, 0x1234, "0 arch 4660");
#undef EXPECT_CALL
	KUNIT_EXPECT_NOT_NULL(test, strstr(event->call.print_fmt,
					   ", { 59, \"execve\" }"));
	KUNIT_EXPECT_EQ(test, strncmp(event->call.print_fmt, start,
				      strlen(start)), 0);
	KUNIT_EXPECT_EQ(test, strncmp(event->call.print_fmt + strlen(start), names,
				      strlen(names)), 0);
	marker_event_free(event);
}

/* A name stands for one marker and a marker has one name; some have none. */
static void test_lkst_names(struct kunit *test)
{
	const char *name, *marker, *other_name, *other;
	unsigned int i, j, reserved = 0;

	if (!IS_ENABLED(CONFIG_MARKERS_LKST))
		kunit_skip(test, "no CONFIG_MARKERS_LKST");

	for (i = 0; (name = lkst_name_at(i, &marker)); i++) {
		for (j = 0; j < i; j++) {
			other_name = lkst_name_at(j, &other);
			KUNIT_EXPECT_STRNEQ(test, name, other_name);
			if (marker && other)
				KUNIT_EXPECT_STRNEQ(test, marker, other);
		}
		if (!marker)
			reserved++;
	}
	KUNIT_EXPECT_EQ(test, reserved, 4);
	KUNIT_EXPECT_GT(test, i, reserved);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(test_values),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_bad_strings),
	KUNIT_CASE(test_arrays),
	KUNIT_CASE(test_random_records),
	KUNIT_CASE(test_print),
	KUNIT_CASE(test_random_print),
	KUNIT_CASE(test_print_fmt),
	KUNIT_CASE(test_call_names),
	KUNIT_CASE(test_lkst_names),
	{}
};

static struct kunit_suite markers_event_suite = {
	.name = "markers_event",
	.test_cases = event_cases,
};

kunit_test_suite(markers_event_suite);
