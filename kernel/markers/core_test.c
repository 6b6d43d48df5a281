// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the registry and of the delivery of hits, with sites of their
 * own. What needs modules that come and go is in
 * tools/testing/selftests/markers.
 */

#include <kunit/test.h>
#include <linux/context_tracking.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "markers.h"

/* === Sites ================================================================ */

#define VALUE_FORMAT	"value %d"
#define ARGS_FORMAT							\
	"c %hhd uc %hhu s %hd us %hu i %d u %u l %ld ul %lu ll %lld ull %llu p %p str %s last %d"

static noinline void hit_value(int value)
{
	trace_mark(kunit_value, VALUE_FORMAT, value);
}

static noinline void hit_plain_test(int value)
{
	_trace_mark(kunit_plain_test, VALUE_FORMAT, value);
}

static noinline void hit_noargs(void)
{
	trace_mark(kunit_noargs, MARK_NOARGS);
}

static noinline void hit_string(const char *string)
{
	trace_mark(kunit_string, "string %s", string);
}

static inline void hit_inline(int value)
{
	trace_mark(kunit_many, VALUE_FORMAT, value);
}

static noinline void hit_many(void)
{
	int i;

	for (i = 0; i < 3; i++)
		trace_mark(kunit_many, VALUE_FORMAT, i);
	hit_inline(3);
	hit_inline(4);
	trace_mark(kunit_many, VALUE_FORMAT, 5);
}

static noinline void hit_outer(int value)
{
	trace_mark(kunit_outer, VALUE_FORMAT, value);
}

/* A name may be a keyword, or a macro, and no letter of it is replaced. */
static noinline void hit_odd_names(void)
{
	trace_mark(current, MARK_NOARGS);
	trace_mark(while, MARK_NOARGS);
	trace_mark(__kunit__mark, MARK_NOARGS);
}

static noinline void hit_attached(int value)
{
	trace_mark(kunit_attached, VALUE_FORMAT, value);
}

/*
 * Sites that the build would refuse or warn of. They lie outside of the section
 * __markers, where it looks, and are added while a test wants them.
 */
#define TEST_SITE(site_name, fmt)	{ .name = site_name, .format = fmt }

static struct marker_site differing_sites[] = {
	TEST_SITE("kunit_differs", "blocks %d"),
	TEST_SITE("kunit_differs", "bocks %d"),
};

static struct marker_site bad_site[] = {
	TEST_SITE("kunit_bad_format", "value #1%d"),
};

static struct marker_site args_site[] = {
	TEST_SITE("kunit_args", ARGS_FORMAT),
};

static int add_sites(struct marker_site *sites, size_t n)
{
	int ret;

	mutex_lock(&markers_mutex);
	ret = marker_sites_add(sites, sites + n);
	mutex_unlock(&markers_mutex);
	return ret;
}

static void remove_sites(struct marker_site *sites, size_t n)
{
	mutex_lock(&markers_mutex);
	marker_sites_remove(sites, sites + n);
	mutex_unlock(&markers_mutex);
}

static void hit_site(struct marker_site *site, int value)
{
	if (static_key_enabled(&site->key))
		marker_hit(site, value);
}

static void hit_args(int last)
{
	if (static_key_enabled(&args_site->key))
		marker_hit_args(args_site, ARGS_FORMAT, (signed char)-2,
				(unsigned char)254, (short)-3,
				(unsigned short)65533, -4, 4294967292U, -5L,
				~0UL - 4, -6LL, ~0ULL - 5, (void *)0x1234UL,
				"text", last);
}

/* === Handlers ============================================================= */

struct seen {
	unsigned int calls;
	int value;
	unsigned int order;
	const char *format;
	bool preemptible;
};

static unsigned int order;

static void on_value(void *probe_private, void *call_private, const char *fmt,
		     va_list *args)
{
	struct seen *seen = probe_private;

	seen->calls++;
	seen->value = va_arg(*args, int);
	seen->order = order++;
	seen->format = fmt;
	seen->preemptible = preemptible();
}

static void on_noargs(void *probe_private, void *call_private, const char *fmt,
		      va_list *args)
{
	(*(unsigned int *)probe_private)++;
}

/* Reaches its own marker, and another one. */
static void on_outer(void *probe_private, void *call_private, const char *fmt,
		     va_list *args)
{
	on_value(probe_private, call_private, fmt, args);
	hit_outer(-1);
	hit_value(-1);
}

/* === Looking inside ======================================================= */

static struct marker *find_marker(const char *name)
{
	struct marker *marker;

	lockdep_assert_held(&markers_mutex);

	list_for_each_entry(marker, &markers_list, list) {
		if (!strcmp(marker->name, name))
			return marker;
	}
	return NULL;
}

static struct marker_counts counts_of(struct kunit *test, const char *name)
{
	struct marker_counts counts = {};
	struct marker *marker;

	mutex_lock(&markers_mutex);
	marker = find_marker(name);
	if (marker)
		marker_read_counts(marker, &counts);
	mutex_unlock(&markers_mutex);
	KUNIT_EXPECT_NOT_NULL(test, marker);
	return counts;
}

/* How many sites of @name are in that state. */
static unsigned int sites_in(const char *name, enum marker_site_state state)
{
	struct marker_site *site;
	struct marker *marker;
	unsigned int n = 0;

	mutex_lock(&markers_mutex);
	marker = find_marker(name);
	if (marker) {
		list_for_each_entry(site, &marker->sites, node)
			n += marker_site_state(marker, site) == state;
	}
	mutex_unlock(&markers_mutex);
	return n;
}

/* The state of the oldest handler of @name, or -1. */
static int probe_state(const char *name)
{
	struct marker *marker;
	int state = -1;

	mutex_lock(&markers_mutex);
	marker = find_marker(name);
	if (marker && !list_empty(&marker->probes))
		state = list_first_entry(&marker->probes, struct marker_probe,
					 node)->state;
	mutex_unlock(&markers_mutex);
	return state;
}

static bool marker_exists(const char *name)
{
	bool exists;

	mutex_lock(&markers_mutex);
	exists = find_marker(name);
	mutex_unlock(&markers_mutex);
	return exists;
}

#define EXPECT_OK(test, call)	KUNIT_EXPECT_EQ(test, call, 0)

/* === Delivery ============================================================= */

static void test_value(struct kunit *test)
{
	struct marker_counts before, after;
	struct seen seen = {};

	hit_value(1);
	KUNIT_EXPECT_EQ(test, seen.calls, 0);

	EXPECT_OK(test, marker_probe_register("kunit_value", VALUE_FORMAT,
					      on_value, &seen));
	KUNIT_EXPECT_EQ(test, sites_in("kunit_value", MARKER_SITE_ON), 1);
	before = counts_of(test, "kunit_value");
	hit_value(42);
	hit_value(-7);
	after = counts_of(test, "kunit_value");
	KUNIT_EXPECT_EQ(test, seen.calls, 2);
	KUNIT_EXPECT_EQ(test, seen.value, -7);
	KUNIT_EXPECT_STREQ(test, seen.format, VALUE_FORMAT);
	KUNIT_EXPECT_FALSE(test, seen.preemptible);
	KUNIT_EXPECT_EQ(test, after.hits - before.hits, 2);

	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen));
	KUNIT_EXPECT_EQ(test, sites_in("kunit_value", MARKER_SITE_OFF), 1);
	hit_value(3);
	KUNIT_EXPECT_EQ(test, seen.calls, 2);
	KUNIT_EXPECT_EQ(test, counts_of(test, "kunit_value").hits, after.hits);
}

static void test_plain_test(struct kunit *test)
{
	struct seen seen = {};

	hit_plain_test(1);
	EXPECT_OK(test, marker_probe_register("kunit_plain_test", VALUE_FORMAT,
					      on_value, &seen));
	hit_plain_test(2);
	EXPECT_OK(test, marker_probe_unregister("kunit_plain_test", on_value,
						&seen));
	hit_plain_test(3);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	KUNIT_EXPECT_EQ(test, seen.value, 2);
}

static void test_noargs(struct kunit *test)
{
	unsigned int calls = 0;

	EXPECT_OK(test, marker_probe_register("kunit_noargs", MARK_NOARGS,
					      on_noargs, &calls));
	hit_noargs();
	EXPECT_OK(test, marker_probe_unregister("kunit_noargs", on_noargs,
						&calls));
	KUNIT_EXPECT_EQ(test, calls, 1);

	/* Leading blanks do not count, so the empty format is the same. */
	EXPECT_OK(test, marker_probe_register("kunit_noargs", "", on_noargs,
					      &calls));
	EXPECT_OK(test, marker_probe_unregister("kunit_noargs", on_noargs,
						&calls));
}

static void test_odd_names(struct kunit *test)
{
	static const char * const names[] = {
		"current", "while", "__kunit__mark",
	};
	unsigned int calls[ARRAY_SIZE(names)] = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_OK(test, marker_probe_register(names[i], NULL, on_noargs,
						      &calls[i]));
	hit_odd_names();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_EQ_MSG(test, calls[i], 1, "%s", names[i]);
		EXPECT_OK(test, marker_probe_unregister(names[i], on_noargs,
							&calls[i]));
	}
}

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

static void test_arguments_not_evaluated(struct kunit *test)
{
	struct seen seen = {};
	int i;

	evaluated = 0;
	for (i = 0; i < 2; i++) {
		trace_mark(kunit_evaluated, VALUE_FORMAT, evaluate());
		_trace_mark(kunit_evaluated, VALUE_FORMAT, evaluate());
		if (i)
			break;
		KUNIT_EXPECT_EQ(test, evaluated, 0);
		EXPECT_OK(test, marker_probe_register("kunit_evaluated", NULL,
						      on_value, &seen));
	}
	EXPECT_OK(test, marker_probe_unregister("kunit_evaluated", on_value,
						&seen));
	KUNIT_EXPECT_EQ(test, evaluated, 2);
	KUNIT_EXPECT_EQ(test, seen.calls, 2);
}

static void test_several_handlers(struct kunit *test)
{
	struct seen seen[7] = {};
	int i;

	order = 0;
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		EXPECT_OK(test, marker_probe_register("kunit_value", NULL,
						      on_value, &seen[i]));
	hit_value(11);
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		/* Each had an argument list of its own, oldest first. */
		KUNIT_EXPECT_EQ(test, seen[i].calls, 1);
		KUNIT_EXPECT_EQ(test, seen[i].value, 11);
		KUNIT_EXPECT_EQ(test, seen[i].order, i);
	}
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen[3]));
	hit_value(12);
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		KUNIT_EXPECT_EQ(test, seen[i].calls, i == 3 ? 1 : 2);
		if (i != 3)
			EXPECT_OK(test, marker_probe_unregister("kunit_value",
								on_value,
								&seen[i]));
	}
}

static void test_many_sites(struct kunit *test)
{
	struct seen seen = {};

	EXPECT_OK(test, marker_probe_register("kunit_many", VALUE_FORMAT,
					      on_value, &seen));
	hit_many();
	EXPECT_OK(test, marker_probe_unregister("kunit_many", on_value, &seen));
	KUNIT_EXPECT_EQ(test, seen.calls, 6);
	KUNIT_EXPECT_EQ(test, seen.value, 5);
	hit_many();
	KUNIT_EXPECT_EQ(test, seen.calls, 6);
	KUNIT_EXPECT_GE(test, sites_in("kunit_many", MARKER_SITE_OFF), 3);
}

static void test_recursion(struct kunit *test)
{
	struct marker_counts outer, value, after;
	struct seen in_outer = {}, in_value = {};

	EXPECT_OK(test, marker_probe_register("kunit_outer", NULL, on_outer,
					      &in_outer));
	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_value,
					      &in_value));
	outer = counts_of(test, "kunit_outer");
	value = counts_of(test, "kunit_value");

	hit_outer(5);

	KUNIT_EXPECT_EQ(test, in_outer.calls, 1);
	KUNIT_EXPECT_EQ(test, in_outer.value, 5);
	KUNIT_EXPECT_EQ(test, in_value.calls, 0);
	after = counts_of(test, "kunit_outer");
	KUNIT_EXPECT_EQ(test, after.hits - outer.hits, 1);
	KUNIT_EXPECT_EQ(test, after.recursions - outer.recursions, 1);
	after = counts_of(test, "kunit_value");
	KUNIT_EXPECT_EQ(test, after.hits - value.hits, 0);
	KUNIT_EXPECT_EQ(test, after.recursions - value.recursions, 1);

	/* It is over once the handler has returned. */
	hit_value(6);
	KUNIT_EXPECT_EQ(test, in_value.calls, 1);

	EXPECT_OK(test, marker_probe_unregister("kunit_outer", on_outer,
						&in_outer));
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&in_value));
}

#ifndef MODULE
/* The calls that make RCU look away are for built-in code only. */
static void test_rcu_not_watching(struct kunit *test)
{
	struct marker_counts before, after;
	struct seen seen = {};

	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_value,
					      &seen));
	before = counts_of(test, "kunit_value");

	local_irq_disable();
	ct_idle_enter();
	hit_value(1);
	ct_idle_exit();
	local_irq_enable();

	after = counts_of(test, "kunit_value");
	KUNIT_EXPECT_EQ(test, seen.calls, 0);
	KUNIT_EXPECT_EQ(test, after.unwatched - before.unwatched, 1);
	KUNIT_EXPECT_EQ(test, after.hits - before.hits, 0);
	hit_value(2);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen));
}
#endif

/* === Arguments ============================================================ */

static const u64 args_expected[] = {
	-2ULL, 254, -3ULL, 65533, -4ULL, 4294967292ULL, -5ULL, ~0UL - 4, -6ULL,
	~0ULL - 5, 0x1234, 0, 77,
};

#define ARGS_STRING	11		/* its place among them, from 0 */

struct args_seen {
	bool same_by_position;
	bool none_beyond;
	int last;
	char string[8];
};

static void on_args(void *probe_private, void *call_private, const char *fmt,
		    va_list *args)
{
	struct args_seen *seen = probe_private;
	u64 value;
	int i;

	/* Backwards, so that no reading can lean on the one before. */
	seen->same_by_position = true;
	for (i = ARRAY_SIZE(args_expected) - 1; i >= 0; i--) {
		if (!marker_arg(fmt, args, i + 1, &value)) {
			seen->same_by_position = false;
			continue;
		}
		if (i == ARGS_STRING)
			strscpy(seen->string, (char *)(unsigned long)value);
		else if (value != args_expected[i])
			seen->same_by_position = false;
	}
	seen->none_beyond = !marker_arg(fmt, args, 0, &value) &&
			    !marker_arg(fmt, args,
					ARRAY_SIZE(args_expected) + 1, &value);

	/* marker_arg() left the list as it was. */
	for (i = 0; i < 6; i++)
		va_arg(*args, int);
	va_arg(*args, long);
	va_arg(*args, unsigned long);
	va_arg(*args, long long);
	va_arg(*args, unsigned long long);
	va_arg(*args, void *);
	va_arg(*args, char *);
	seen->last = va_arg(*args, int);
}

static void test_marker_arg(struct kunit *test)
{
	struct args_seen seen = {};

	KUNIT_ASSERT_EQ(test, add_sites(args_site, 1), 0);
	EXPECT_OK(test, marker_probe_register("kunit_args", ARGS_FORMAT,
					      on_args, &seen));
	hit_args(77);
	EXPECT_OK(test, marker_probe_unregister("kunit_args", on_args, &seen));
	remove_sites(args_site, 1);
	KUNIT_EXPECT_TRUE(test, seen.same_by_position);
	KUNIT_EXPECT_TRUE(test, seen.none_beyond);
	KUNIT_EXPECT_STREQ(test, seen.string, "text");
	KUNIT_EXPECT_EQ(test, seen.last, 77);
}

/* === Registration ========================================================= */

static void test_bad_arguments(struct kunit *test)
{
	static const char * const bad_names[] = {
		NULL, "", " ", "1abc", "a b", "a-b", "a.b", "\xc3\xa4", "a\n",
	};
	static const char * const bad_formats[] = {
		"%", "value %n", "value %f", "value %*d", "value #1%d",
		"value #2u %u", "value #0x%x", "value %pI4", "value #us%d",
	};
	char name[258];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_names); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    marker_probe_register(bad_names[i], NULL,
							  on_value, NULL),
				    -EINVAL, "name %zu", i);
	for (i = 0; i < ARRAY_SIZE(bad_formats); i++) {
		KUNIT_EXPECT_EQ_MSG(test,
				    marker_probe_register("kunit_pending",
							  bad_formats[i],
							  on_value, NULL),
				    -EINVAL, "format %s", bad_formats[i]);
	}
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_pending", NULL, NULL,
						    NULL), -EINVAL);
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_pending"));

	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	KUNIT_EXPECT_EQ(test, marker_probe_register(name, NULL, on_value, NULL),
			-EINVAL);
	name[255] = '\0';
	EXPECT_OK(test, marker_probe_register(name, NULL, on_value, NULL));
	EXPECT_OK(test, marker_probe_unregister(name, on_value, NULL));
	KUNIT_EXPECT_FALSE(test, marker_exists(name));
}

static void test_busy_and_other_format(struct kunit *test)
{
	struct seen seen = {}, other = {};

	EXPECT_OK(test, marker_probe_register("kunit_value", VALUE_FORMAT,
					      on_value, &seen));
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_value", VALUE_FORMAT,
						    on_value, &seen), -EBUSY);
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_value", NULL,
						    on_value, &seen), -EBUSY);
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_value", "val %d",
						    on_value, &other), -EPERM);
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_value", "value %u",
						    on_value, &other), -EPERM);
	EXPECT_OK(test, marker_probe_register("kunit_value", "  " VALUE_FORMAT,
					      on_value, &other));
	hit_value(1);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	KUNIT_EXPECT_EQ(test, other.calls, 1);
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen));
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&other));
}

static void test_string_is_pointer(struct kunit *test)
{
	unsigned int calls = 0;

	EXPECT_OK(test, marker_probe_register("kunit_string", "string %p",
					      on_noargs, &calls));
	hit_string("text");
	KUNIT_EXPECT_EQ(test, calls, 1);
	EXPECT_OK(test, marker_probe_unregister("kunit_string", on_noargs,
						&calls));
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_string", "string %d",
						    on_noargs, &calls), -EPERM);
}

/* A pair that is not there takes none that is there with it. */
static void test_unregister_another(struct kunit *test)
{
	struct seen seen = {}, other = {};

	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_value,
					      &seen));
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_value", on_value,
						      &other), -ENOENT);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_value", on_outer,
						      &seen), -ENOENT);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_many", on_value,
						      &seen), -ENOENT);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_nowhere", on_value,
						      &seen), -ENOENT);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(NULL, on_value, &seen),
			-ENOENT);
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_nowhere"));
	hit_value(1);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen));
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_value", on_value,
						      &seen), -ENOENT);
}

/*
 * The old code went through the same buckets for ever when it looked for a pair
 * that is nowhere, if a name with several handlers lay in a late one: be sure
 * to have one in each.
 */
static void test_unregister_unknown_by_data(struct kunit *test)
{
	struct seen seen[3] = {}, other = {};
	char name[32];
	int i, j;

	for (i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "kunit_bucket_%d", i);
		for (j = 0; j < ARRAY_SIZE(seen); j++)
			EXPECT_OK(test, marker_probe_register(name, NULL,
							      on_value,
							      &seen[j]));
	}
	KUNIT_EXPECT_EQ(test, marker_probe_unregister_private_data(on_value,
								   &other),
			-ENOENT);
	for (i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "kunit_bucket_%d", i);
		for (j = 0; j < ARRAY_SIZE(seen); j++)
			EXPECT_OK(test, marker_probe_unregister(name, on_value,
								&seen[j]));
		KUNIT_EXPECT_FALSE(test, marker_exists(name));
	}
}

/* It leaves nothing behind that would still have the old format. */
static void test_unregister_by_data(struct kunit *test)
{
	struct seen seen = {};

	EXPECT_OK(test, marker_probe_register("kunit_pending", "old %d",
					      on_value, &seen));
	EXPECT_OK(test, marker_probe_unregister_private_data(on_value, &seen));
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_pending"));
	EXPECT_OK(test, marker_probe_register("kunit_pending", "new %ld",
					      on_value, &seen));
	EXPECT_OK(test, marker_probe_unregister_private_data(on_value, &seen));
	KUNIT_EXPECT_EQ(test, marker_probe_unregister_private_data(on_value,
								   &seen),
			-ENOENT);
}

static void test_get_private_data(struct kunit *test)
{
	struct seen seen[2] = {};
	unsigned int calls = 0;

	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_value,
					      &seen[0]));
	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_noargs,
					      &calls));
	EXPECT_OK(test, marker_probe_register("kunit_value", NULL, on_value,
					      &seen[1]));
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_value",
							  on_value, 0),
			    (void *)&seen[0]);
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_value",
							  on_value, 1),
			    (void *)&seen[1]);
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_value",
							  on_noargs, 0),
			    (void *)&calls);
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_value",
							  on_value, 2),
			    ERR_PTR(-ENOENT));
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_value",
							  on_value, -1),
			    ERR_PTR(-ENOENT));
	KUNIT_EXPECT_PTR_EQ(test, marker_get_private_data("kunit_nowhere",
							  on_value, 0),
			    ERR_PTR(-ENOENT));
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen[0]));
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_value,
						&seen[1]));
	EXPECT_OK(test, marker_probe_unregister("kunit_value", on_noargs,
						&calls));
}

/* A name without a site takes anything, and calls nothing. */
static void test_no_site(struct kunit *test)
{
	marker_probe_func *func;
	unsigned long i;

	for (i = 1; i <= 7; i++) {
		func = (marker_probe_func *)(i * 8 + 2);
		EXPECT_OK(test, marker_probe_register("kunit_pending",
						      i & 1 ? "a %d" : "b %p",
						      func, (void *)i));
	}
	KUNIT_EXPECT_EQ(test, probe_state("kunit_pending"),
			MARKER_PROBE_PENDING);
	for (i = 1; i <= 7; i++) {
		func = (marker_probe_func *)(i * 8 + 2);
		EXPECT_OK(test, marker_probe_unregister("kunit_pending", func,
							(void *)i));
	}
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_pending"));
}

static void test_sites_differ(struct kunit *test)
{
	struct seen seen = {};

	KUNIT_ASSERT_EQ(test, add_sites(differing_sites, 2), 0);
	KUNIT_EXPECT_EQ(test, sites_in("kunit_differs", MARKER_SITE_DIFFERS),
			1);
	EXPECT_OK(test, marker_probe_register("kunit_differs", NULL, on_value,
					      &seen));
	KUNIT_EXPECT_EQ(test, sites_in("kunit_differs", MARKER_SITE_ON), 1);
	KUNIT_EXPECT_EQ(test, sites_in("kunit_differs", MARKER_SITE_DIFFERS),
			1);
	hit_site(&differing_sites[0], 8);
	hit_site(&differing_sites[1], 9);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	KUNIT_EXPECT_EQ(test, seen.value, 8);
	EXPECT_OK(test, marker_probe_unregister("kunit_differs", on_value,
						&seen));
	remove_sites(differing_sites, 2);
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_differs"));
}

static void test_site_with_bad_format(struct kunit *test)
{
	unsigned int calls = 0;

	KUNIT_ASSERT_EQ(test, add_sites(bad_site, 1), 0);
	KUNIT_EXPECT_EQ(test,
			sites_in("kunit_bad_format", MARKER_SITE_BAD_FORMAT),
			1);
	EXPECT_OK(test, marker_probe_register("kunit_bad_format", NULL,
					      on_noargs, &calls));
	KUNIT_EXPECT_EQ(test, probe_state("kunit_bad_format"),
			MARKER_PROBE_PENDING);
	hit_site(bad_site, 1);
	KUNIT_EXPECT_EQ(test, calls, 0);
	EXPECT_OK(test, marker_probe_unregister("kunit_bad_format", on_noargs,
						&calls));
	remove_sites(bad_site, 1);
}

/* === Markers whose sites have to be reached first ========================= */

static struct {
	unsigned int reg;
	unsigned int unreg;
	int ret;		/* of the next reg() */
	bool site_on;		/* at the last of both */
} attached;

static bool attached_site_on(void)
{
	struct marker *marker;

	lockdep_assert_held(&markers_mutex);

	marker = find_marker("kunit_attached");
	return marker_site_state(marker,
				 list_first_entry(&marker->sites,
						  struct marker_site, node)) ==
	       MARKER_SITE_ON;
}

static int attached_reg(void)
{
	attached.reg++;
	attached.site_on = attached_site_on();
	return attached.ret;
}

static void attached_unreg(void)
{
	attached.unreg++;
	attached.site_on = attached_site_on();
}

static const struct marker_ops attached_ops = {
	.reg	= attached_reg,
	.unreg	= attached_unreg,
};

static void expect_attached(struct kunit *test, unsigned int reg,
			    unsigned int unreg)
{
	KUNIT_EXPECT_EQ(test, attached.reg, reg);
	KUNIT_EXPECT_EQ(test, attached.unreg, unreg);
	KUNIT_EXPECT_FALSE(test, attached.site_on);
}

static void test_ops(struct kunit *test)
{
	struct seen first = {}, second = {};

	memset(&attached, 0, sizeof(attached));
	KUNIT_EXPECT_EQ(test, marker_set_ops("kunit_nowhere", &attached_ops),
			-ENOENT);
	KUNIT_EXPECT_FALSE(test, marker_exists("kunit_nowhere"));
	KUNIT_ASSERT_EQ(test, marker_set_ops("kunit_attached", &attached_ops),
			0);

	/* What is refused for another reason comes to nothing. */
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_attached", "other %d",
						    on_value, &first), -EPERM);
	expect_attached(test, 0, 0);

	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &first));
	expect_attached(test, 1, 0);
	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &second));
	hit_attached(5);
	EXPECT_OK(test, marker_probe_unregister("kunit_attached", on_value,
						&first));
	hit_attached(6);
	expect_attached(test, 1, 0);
	EXPECT_OK(test, marker_probe_unregister("kunit_attached", on_value,
						&second));
	expect_attached(test, 1, 1);
	KUNIT_EXPECT_EQ(test, first.value, 5);
	KUNIT_EXPECT_EQ(test, second.value, 6);

	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &first));
	EXPECT_OK(test, marker_probe_unregister_private_data(on_value, &first));
	expect_attached(test, 2, 2);
	marker_synchronize_unregister();
	EXPECT_OK(test, marker_set_ops("kunit_attached", NULL));
}

/* Then the handler is not attached, the sites stay off, and it can come later. */
static void test_ops_that_fail(struct kunit *test)
{
	struct seen seen = {};

	memset(&attached, 0, sizeof(attached));
	attached.ret = -ENOMEM;
	KUNIT_ASSERT_EQ(test, marker_set_ops("kunit_attached", &attached_ops),
			0);
	KUNIT_EXPECT_EQ(test, marker_probe_register("kunit_attached", NULL,
						    on_value, &seen), -ENOMEM);
	expect_attached(test, 1, 0);
	hit_attached(1);
	KUNIT_EXPECT_EQ(test, seen.calls, 0);
	KUNIT_EXPECT_EQ(test, sites_in("kunit_attached", MARKER_SITE_OFF), 1);
	KUNIT_EXPECT_EQ(test, probe_state("kunit_attached"), -1);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister("kunit_attached",
						      on_value, &seen),
			-ENOENT);

	attached.ret = 0;
	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &seen));
	hit_attached(2);
	KUNIT_EXPECT_EQ(test, seen.value, 2);
	EXPECT_OK(test, marker_probe_unregister("kunit_attached", on_value,
						&seen));
	expect_attached(test, 2, 1);
	marker_synchronize_unregister();
	EXPECT_OK(test, marker_set_ops("kunit_attached", NULL));
}

/* Whatever comes first, the handler or what has it reached. */
static void test_ops_after_handler(struct kunit *test)
{
	struct seen seen = {};

	memset(&attached, 0, sizeof(attached));
	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &seen));
	EXPECT_OK(test, marker_set_ops("kunit_attached", &attached_ops));
	KUNIT_EXPECT_EQ(test, attached.reg, 1);
	KUNIT_EXPECT_EQ(test, marker_set_ops("kunit_attached", NULL), -EBUSY);
	hit_attached(3);
	KUNIT_EXPECT_EQ(test, seen.value, 3);
	EXPECT_OK(test, marker_probe_unregister("kunit_attached", on_value,
						&seen));
	expect_attached(test, 1, 1);
	EXPECT_OK(test, marker_set_ops("kunit_attached", NULL));

	attached.ret = -ENOMEM;
	EXPECT_OK(test, marker_probe_register("kunit_attached", NULL, on_value,
					      &seen));
	KUNIT_EXPECT_EQ(test, marker_set_ops("kunit_attached", &attached_ops),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, sites_in("kunit_attached", MARKER_SITE_OFF), 1);
	EXPECT_OK(test, marker_probe_unregister("kunit_attached", on_value,
						&seen));
	KUNIT_EXPECT_EQ(test, attached.unreg, 1);
	marker_synchronize_unregister();
	EXPECT_OK(test, marker_set_ops("kunit_attached", NULL));
}

/* === Under fire =========================================================== */

struct cookie {
	unsigned long magic;
	unsigned long calls;
	unsigned long wrong;
	int index;
};

#define MAGIC	0x6d61726bUL

static void check_cookie(struct cookie *cookie, int index)
{
	if (READ_ONCE(cookie->magic) != MAGIC || cookie->index != index)
		cookie->wrong++;
	cookie->calls++;
}

static void on_cookie_0(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
	check_cookie(probe_private, 0);
}

static void on_cookie_1(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
	check_cookie(probe_private, 1);
}

static int hit_until_stopped(void *unused)
{
	while (!kthread_should_stop()) {
		hit_value(1);
		cond_resched();
	}
	return 0;
}

/*
 * Function and data of a handler belong together at each step of 0, 1, 2, 1, 0
 * handlers, and what was unregistered and waited for is not used any more.
 */
static void test_transitions_under_fire(struct kunit *test)
{
	struct cookie *cookies[2];
	struct task_struct *task;
	unsigned long calls = 0;
	int i, round;

	task = kthread_run(hit_until_stopped, NULL, "markers_kunit");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 2; i++) {
			cookies[i] = kzalloc(sizeof(*cookies[i]), GFP_KERNEL);
			if (!cookies[i])
				break;
			cookies[i]->magic = MAGIC;
			cookies[i]->index = i;
			EXPECT_OK(test,
				  marker_probe_register("kunit_value", NULL,
							i ? on_cookie_1 :
							    on_cookie_0,
							cookies[i]));
			usleep_range(200, 400);
		}
		while (i--) {
			EXPECT_OK(test,
				  marker_probe_unregister("kunit_value",
							  i ? on_cookie_1 :
							      on_cookie_0,
							  cookies[i]));
			usleep_range(200, 400);
			marker_synchronize_unregister();
			calls += cookies[i]->calls;
			KUNIT_EXPECT_EQ(test, cookies[i]->wrong, 0);
			cookies[i]->magic = 0;
			kfree(cookies[i]);
		}
	}
	kthread_stop(task);
	KUNIT_EXPECT_GT(test, calls, 0);
}

static struct kunit_case markers_core_cases[] = {
	KUNIT_CASE(test_value),
	KUNIT_CASE(test_plain_test),
	KUNIT_CASE(test_noargs),
	KUNIT_CASE(test_odd_names),
	KUNIT_CASE(test_arguments_not_evaluated),
	KUNIT_CASE(test_several_handlers),
	KUNIT_CASE(test_many_sites),
	KUNIT_CASE(test_recursion),
#ifndef MODULE
	KUNIT_CASE(test_rcu_not_watching),
#endif
	KUNIT_CASE(test_marker_arg),
	KUNIT_CASE(test_bad_arguments),
	KUNIT_CASE(test_busy_and_other_format),
	KUNIT_CASE(test_string_is_pointer),
	KUNIT_CASE(test_unregister_another),
	KUNIT_CASE(test_unregister_unknown_by_data),
	KUNIT_CASE(test_unregister_by_data),
	KUNIT_CASE(test_get_private_data),
	KUNIT_CASE(test_no_site),
	KUNIT_CASE(test_sites_differ),
	KUNIT_CASE(test_site_with_bad_format),
	KUNIT_CASE(test_ops),
	KUNIT_CASE(test_ops_that_fail),
	KUNIT_CASE(test_ops_after_handler),
	KUNIT_CASE_SLOW(test_transitions_under_fire),
	{}
};

static struct kunit_suite markers_core_suite = {
	.name = "markers_core",
	.test_cases = markers_core_cases,
};

kunit_test_suite(markers_core_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests of kernel markers");
MODULE_LICENSE("GPL");
