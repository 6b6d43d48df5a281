// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests for the parser of marker formats. The expected values come from
 * the grammar at the top of format.c, worked out by hand.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "format.h"
#include "random_format.h"

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);

#define SIZE_LONG	sizeof(long)
#define SIZE_PTR	sizeof(void *)

struct count_case {
	const char *format;
	unsigned int fields;
	unsigned int recorded;
};

/* Every format of the event catalogue, once. */
static const struct count_case catalogue[] = {
	{ "prev_pid %d next_pid %d prev_state #4u%ld ## rq %p prev %p next %p", 6, 3 },
	{ "pid %d cpu_id %u state #4u%ld", 3, 3 },
	{ "pid %d cpu_id %u ## rq %p task %p", 4, 2 },
	{ "pid %d state #4u%ld", 2, 2 },
	{ "pid %d state #4u%ld dest_cpu %d", 3, 3 },
	{ "parent_pid %d child_pid %d child_tgid %d clone_flags %llx", 4, 4 },
	{ "pid %d old_pid %d filename %s", 3, 3 },
	{ "pid %d code %ld", 2, 2 },
	{ "pid %d", 1, 1 },
	{ "pid %d comm %s", 2, 2 },
	{ "fn %pS pid %d", 2, 2 },
	{ "ret %d", 1, 1 },
	{ "pid %d signal %d", 2, 2 },
	{ "signal %d handler #p%lx flags %lx", 3, 3 },
	{ "signal %d handler #p%lx", 2, 2 },
	{ "irq_id #4u%u kernel_mode #1u%u ip #p%lu", 3, 3 },
	{ "irq_id #4u%u handled #1u%u", 2, 2 },
	{ "irq_id #4u%u handler %pS ret #1u%u", 3, 3 },
	{ "irq_id #4u%u handler %pS", 2, 2 },
	{ "irq_id #4u%u ret #1u%u", 2, 2 },
	{ "vector #1u%u", 1, 1 },
	{ "handler %pS ns %lld handled %d", 3, 3 },
	{ "softirq_id #1u%u", 1, 1 },
	{ "func %pS data %lu", 2, 2 },
	{ "work %p function %pS", 2, 2 },
	{ "trap_id #2u%u ip #p%lu error_code %lx", 3, 3 },
	{ "trap_id #2u%u", 1, 1 },
	{ "ip #p%lu info %s", 2, 2 },
	{ "info %s", 1, 1 },
	{
	  "syscall_id #4d%ld arch #4u%u ip #p%lu a0 %lx a1 %lx a2 %lx a3 %lx a4 %lx a5 %lx pt_regs #0%p",
	  10, 9 },
	{ "syscall_id #4d%ld success #1u%u ret %ld", 3, 3 },
	{ "timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p", 6, 5 },
	{ "timer %p expires %lu", 2, 2 },
	{ "timer %p", 1, 1 },
	{ "timer %p function %pS", 2, 2 },
	{ "jiffies #8u%llu cpu %d", 2, 2 },
	{ "hrtimer %p function %pS expires %lld", 3, 3 },
	{ "hrtimer %p function %pS now %lld", 3, 3 },
	{ "which %d interval_sec %ld interval_usec %ld value_sec %ld value_usec %ld", 5, 5 },
	{ "which %d pid %d", 2, 2 },
	{ "pfn %ld order %u gfp_flags %x", 3, 3 },
	{ "pfn %lu order %u", 2, 2 },
	{ "ptr %p call_site %pS bytes_req %lu bytes_alloc %lu gfp_flags %x", 5, 5 },
	{ "ptr %p call_site %pS", 2, 2 },
	{ "ptr %p call_site %pS size %lu", 3, 3 },
	{ "addr %p size %lu", 2, 2 },
	{ "addr %p", 1, 1 },
	{ "address #p%lu ip #p%lu write_access #1u%u", 3, 3 },
	{ "res %x", 1, 1 },
	{ "address #p%lu ip #p%lu error_code %lx", 3, 3 },
	{ "address #p%lu", 1, 1 },
	{ "pfn %lu", 1, 1 },
	{ "order %d gfp_flags %x", 2, 2 },
	{ "nr_reclaimed %lu", 1, 1 },
	{ "pfn %lu bit_nr %d", 2, 2 },
	{ "fd %d filename %s", 2, 2 },
	{ "fd %u", 1, 1 },
	{ "fd %u count %lu ret %ld", 3, 3 },
	{ "filename %s", 1, 1 },
	{ "fd %u cmd %u arg %lx", 3, 3 },
	{ "dev #4u%u sector %llu size %u rw %x", 4, 4 },
	{ "dev #4u%u sector %llu size %u error %d", 4, 4 },
	{ "dev #4u%u sector %llu bytes %u", 3, 3 },
	{ "dev #4u%u sector %llu bytes %u error %d", 4, 4 },
	{ "skb %p dev %s protocol #n2u%u len %u", 4, 4 },
	{ "skb %p saddr #n4u%u daddr #n4u%u sport #n2u%u dport #n2u%u", 5, 5 },
	{ "family %d type %d protocol %d ret %d", 4, 4 },
	{ "fd %d addrlen %d ret %d", 3, 3 },
	{ "fd %d backlog %d ret %d", 3, 3 },
	{ "fd %d flags %d ret %d", 3, 3 },
	{ "fd %d how %d ret %d", 3, 3 },
	{ "sock %p size %lu ret %d", 3, 3 },
	{ "id %d flags %x", 2, 2 },
	{ "id %d ret %ld", 2, 2 },
	{ "addr #p%lx ret %ld", 2, 2 },
	{ "lock %pS ip %pS contended #1u%u", 3, 3 },
	{ "lock %pS ip %pS taken #1u%u", 3, 3 },
	{ "lock %pS ip %pS", 2, 2 },
	{ "lock %pS ip %pS value #4u%u", 3, 3 },
	{ "loglevel #1u%u string %s caller #4u%u", 3, 3 },
	{ "name %s", 1, 1 },
	{ "state %u cpu %u", 2, 2 },
	{ "string %s", 1, 1 },
	{ "buffer_kb %lu cpus %u clock %s", 3, 3 },
	{ "reason %s", 1, 1 },
	{ "from %s to %s", 2, 2 },
	{ "instance %s", 1, 1 },
	{ "cpu %d overrun %lu", 2, 2 },
	{ "pid %d old %u new %u", 3, 3 },
	{ "pid %d old %d new %d", 3, 3 },
	{ "pid %d ppid %d tgid %d comm %s", 4, 4 },
};

/* Formats of LTTng, of 2.6.24 to 2.6.31 and of the clients of those days. */
static const struct count_case history[] = {
	{ "", 0, 0 },
	{ " ", 0, 0 },
	{ "%d %d %ld", 3, 3 },
	{ "%p %p %llu %llu %llu", 5, 5 },
	{ "%u %p %u %u %u %u %u %u", 8, 8 },
	{ "integer %d string %s", 2, 2 },
	{ "irq %u %lu", 2, 2 },
	{ "timer %p value %Lu interval %Lu mode %u", 4, 4 },
	{ "loglevel #1u%u string %s ip 0x%lX", 3, 3 },
	{ "jiffies #8u%llu xtime_sec %ld xtime_nsec %ld", 3, 3 },
	{ "skb 0x%lX saddr #n4u%lu tot_len #n2u%hu data_start #8u%lx", 4, 4 },
	{ "label %s a15 #1x%c a0 #1x%c", 3, 3 },
	{ "count %zu fd %u", 2, 2 },
	{ "rw(FAILFAST_DRIVER,RW) %lX not_uptodate #1u%d", 2, 2 },
	{ "pid %d state %ld ## rq %p task %p rq->curr %p", 5, 2 },
	{ "dev %s nr_t_write %ld", 2, 2 },
	/* The rows of LTTng's bugs that we take. */
	{ "value #8u%lu", 1, 1 },
	{ "value #8d%u", 1, 1 },
	{ "id #%d name %s", 2, 2 },
	{ "%5d %05d %.3s %hhd", 4, 4 },
	{ "port #n2u%hu", 1, 1 },
	{ "ip #p%ld", 1, 1 },
	{ "%5d %05d %-8.3s %hhd %Lu %zu %td", 7, 7 },
};

/* Each clause of the grammar where it is taken. */
static const struct count_case accepted[] = {
	/* text */
	{ "no argument", 0, 0 },
	{ "100%% of %d", 1, 1 },
	{ "%%d %%s %%", 0, 0 },
	{ "%%%d", 1, 1 },
	{ "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~ %d", 1, 1 },
	{ "100% done", 1, 1 },		/* as printf: "% d" */
	/* literal # */
	{ "id #%d", 1, 1 },
	{ "id # %d", 1, 1 },
	{ "# ", 0, 0 },
	{ "# #%d # #%s", 2, 2 },
	{ "#%%", 0, 0 },
	{ "#%%d", 0, 0 },
	{ "# 1%d", 1, 1 },
	{ "#% d", 1, 1 },
	/* ## */
	{ "##", 0, 0 },
	{ "## %d", 1, 0 },
	{ "##%d", 1, 0 },
	{ "%d##", 1, 1 },
	{ "%d ## %d ## %d", 3, 1 },
	{ "%d #### %d", 2, 1 },
	{ "%d ###%d", 2, 1 },
	{ "%d ### %d", 2, 1 },
	{ "%d ##0%d", 2, 1 },
	{ "%d ##4u%lu", 2, 1 },
	{ "%d ## #4u%lu #0%p #us%p", 4, 1 },
	{ "%d ###4u%lu", 2, 1 },
	{ "a##%%##b %d", 1, 0 },
	/* #0 */
	{ "#0%d #0%s #0%p #0%pS #0%c #0%llu", 6, 0 },
	{ "%d #0%p %d", 3, 2 },
	/* integer trace types */
	{ "#d%d #i%d #u%d #x%d #X%d #o%d", 6, 6 },
	{ "#1d%d #2i%d #4u%d #8x%d", 4, 4 },
	{ "#hd%d #lu%d #llX%d #zo%d #ti%d", 5, 5 },
	{ "#nd%d #n1u%d #n2x%d #n4u%d #n8u%llu #nhu%d #nlu%d #nllu%d", 8, 8 },
	{ "#nzu%d #ntd%d", 2, 2 },
	{ "#1u%c #8x%p #4x%px #8d%pS", 4, 4 },
	/* the others */
	{ "#p%lu #p%d #p%p #p%px #p%s #p%hhd #p%llx", 7, 7 },
	{ "#c%d #c%c #c%lu", 3, 3 },
	{ "#s%s #s%p #s%-10s", 3, 3 },
	{ "#us%p #us%20p", 2, 2 },
	/* C types */
	{ "%d%i%u%x%X%o%c%s%p", 9, 9 },
	{ "%hhd %hhi %hhu %hhx %hhX %hho", 6, 6 },
	{ "%hd %hi %hu %hx %hX %ho", 6, 6 },
	{ "%ld %li %lu %lx %lX %lo", 6, 6 },
	{ "%lld %lli %llu %llx %llX %llo", 6, 6 },
	{ "%Ld %Li %Lu %Lx %LX %Lo", 6, 6 },
	{ "%zd %zi %zu %zx %zX %zo", 6, 6 },
	{ "%td %ti %tu %tx %tX %to", 6, 6 },
	{ "%-d %+d % d %#x %0d %-+ #0d %---d", 7, 7 },
	{ "%1d %255d %.0d %.255d %.d %5.d %5.5d %.000000000001d", 8, 8 },
	{ "%p,%p_%p.%p", 4, 4 },
	{ "%px %pK %pS %ps %pB %px_ %pS.", 7, 7 },
	{ "%16p %-16p %016p", 3, 3 },
	{ "%sS %sfoo %dms %cc", 4, 4 },
	{ "#4u%#lx", 1, 1 },
};

static void check_counts(struct kunit *test, const struct count_case *cases,
			 size_t nr)
{
	struct marker_format_error error;
	unsigned int recorded;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct count_case *c = &cases[i];

		error.what = "";
		recorded = -1;
		KUNIT_EXPECT_EQ_MSG(test, marker_format_check(c->format, &error),
				    0, "\"%s\": %s", c->format, error.what);
		KUNIT_EXPECT_EQ_MSG(test, marker_format_check(c->format, NULL),
				    0, "\"%s\"", c->format);
		KUNIT_EXPECT_EQ_MSG(test,
				    marker_format_count(c->format, &recorded),
				    (int)c->fields, "\"%s\"", c->format);
		KUNIT_EXPECT_EQ_MSG(test, recorded, c->recorded, "\"%s\"",
				    c->format);
		KUNIT_EXPECT_EQ(test, marker_format_count(c->format, NULL),
				(int)c->fields);
	}
}

static void test_catalogue(struct kunit *test)
{
	check_counts(test, catalogue, ARRAY_SIZE(catalogue));
}

static void test_history(struct kunit *test)
{
	check_counts(test, history, ARRAY_SIZE(history));
}

static void test_accepted(struct kunit *test)
{
	check_counts(test, accepted, ARRAY_SIZE(accepted));
}

#define NO_TYPE		"'#' without trace type, '%' or blank behind it"
#define NO_LETTER	"trace type without one of d i u x X o"
#define NO_PERCENT	"no '%' directly behind the trace type"
#define NOT_TEXT	"not printable ASCII"
#define WITHIN		"format ends within a conversion"
#define UNKNOWN		"unknown conversion"
#define LENGTH		"length modifier on %c, %s or %p"
#define SUFFIX		"%p with a suffix other than x K S s B"
#define STAR		"'*' as width or precision"
#define FLOAT		"floating point"
#define WIDE		"width or precision over 255"
#define LONE_US		"trace type us without plain %p"
#define LONE_S		"trace type s without %s or plain %p"

static const struct {
	const char *format;
	const char *what;
	unsigned int offset;
} refused[] = {
	{ NULL, "no format", 0 },
	/* text */
	{ "a\tb %d", NOT_TEXT, 1 },
	{ "a %d\n", NOT_TEXT, 4 },
	{ "\x01", NOT_TEXT, 0 },
	{ "ab\x7f", NOT_TEXT, 2 },
	{ "\xc2\xb5s %d", NOT_TEXT, 0 },
	{ "n\xe9 %d", NOT_TEXT, 1 },
	{ "%d \xff", NOT_TEXT, 3 },
	{ "%p\xe9", NOT_TEXT, 2 },
	{ "name\x80", NOT_TEXT, 4 },
	/* # without a trace type */
	{ "#", NO_TYPE, 0 },
	{ "a %d #", NO_TYPE, 5 },
	{ "###", NO_TYPE, 2 },
	{ "#foo %d", NO_TYPE, 0 },
	{ "no #!%d", NO_TYPE, 3 },
	{ "#b%d", NO_TYPE, 0 },
	{ "#3u%d", NO_TYPE, 0 },
	{ "#Lu%Lu", NO_TYPE, 0 },
	{ "#Zu%zu", NO_TYPE, 0 },
	{ "#\t%d", NO_TYPE, 0 },
	{ "#a\n", NO_TYPE, 0 },
	{ "#1%d", NO_LETTER, 0 },
	{ "irqstate #1%d", NO_LETTER, 9 },
	{ "#n%d", NO_LETTER, 0 },
	{ "#h%d", NO_LETTER, 0 },
	{ "#ll%lld", NO_LETTER, 0 },
	{ "#z", NO_LETTER, 0 },
	{ "#n2", NO_LETTER, 0 },
	{ "#hhd%d", NO_LETTER, 0 },
	{ "#llld%d", NO_LETTER, 0 },
	{ "issue #12 %d", NO_LETTER, 6 },
	{ "#4p%p", NO_LETTER, 0 },
	{ "#8s%s", NO_LETTER, 0 },
	{ "#1c%c", NO_LETTER, 0 },
	{ "#np%p", NO_LETTER, 0 },
	{ "#ns%s", NO_LETTER, 0 },
	{ "#nc%c", NO_LETTER, 0 },
	{ "#n0%d", NO_LETTER, 0 },
	{ "#nn2u%d", NO_LETTER, 0 },
	{ "#2nu%d", NO_LETTER, 0 },
	{ "#2 u%d", NO_LETTER, 0 },
	{ "#2u %u", NO_PERCENT, 0 },
	{ "a %d b #2u %u", NO_PERCENT, 7 },
	{ "#0x%x", NO_PERCENT, 0 },
	{ "#0", NO_PERCENT, 0 },
	{ "#0 %p", NO_PERCENT, 0 },
	{ "#p %p", NO_PERCENT, 0 },
	{ "#s", NO_PERCENT, 0 },
	{ "#us", NO_PERCENT, 0 },
	{ "#usx%p", NO_PERCENT, 0 },
	{ "#pid %d", NO_PERCENT, 0 },
	{ "issue #issue %d", NO_PERCENT, 6 },
	{ "#4u#4u%u", NO_PERCENT, 0 },
	{ "#4u##%u", NO_PERCENT, 0 },
	{ "#4d\xff", NO_PERCENT, 0 },
	{ "## #2u %u", NO_PERCENT, 3 },
	{ "#4u%%", "trace type in front of '%%'", 0 },
	{ "#0%%d", "trace type in front of '%%'", 0 },
	/* conversions */
	{ "%", WITHIN, 0 },
	{ "100%", WITHIN, 3 },
	{ "%d %", WITHIN, 3 },
	{ "%%%", WITHIN, 2 },
	{ "#%", WITHIN, 1 },
	{ "#4u%", WITHIN, 0 },
	{ "%-", WITHIN, 0 },
	{ "%5", WITHIN, 0 },
	{ "%5.", WITHIN, 0 },
	{ "%.3", WITHIN, 0 },
	{ "%l", WITHIN, 0 },
	{ "%ll", WITHIN, 0 },
	{ "%hh", WITHIN, 0 },
	{ "%n", "%n writes to memory", 0 },
	{ "a %ln", "%n writes to memory", 2 },
	{ "%f", FLOAT, 0 },
	{ "%F", FLOAT, 0 },
	{ "%e", FLOAT, 0 },
	{ "%E", FLOAT, 0 },
	{ "%g", FLOAT, 0 },
	{ "%G", FLOAT, 0 },
	{ "%a", FLOAT, 0 },
	{ "%A", FLOAT, 0 },
	{ "%5.2Lf", FLOAT, 0 },
	{ "#0%f", FLOAT, 0 },
	{ "%*d", STAR, 0 },
	{ "%.*s", STAR, 0 },
	{ "%5.*s", STAR, 0 },
	{ "%-*d", STAR, 0 },
	{ "%5%", "only %% prints a '%'", 0 },
	{ "%-%", "only %% prints a '%'", 0 },
	{ "%l%", "only %% prints a '%'", 0 },
	{ "% %d", "only %% prints a '%'", 0 },
	{ "%y", UNKNOWN, 0 },
	{ "%D", UNKNOWN, 0 },
	{ "%U", UNKNOWN, 0 },
	{ "%S", UNKNOWN, 0 },
	{ "%C", UNKNOWN, 0 },
	{ "%m", UNKNOWN, 0 },
	{ "%jd", UNKNOWN, 0 },
	{ "%qd", UNKNOWN, 0 },
	{ "%Zd", UNKNOWN, 0 },
	{ "%'d", UNKNOWN, 0 },
	{ "%Id", UNKNOWN, 0 },
	{ "%1$d", UNKNOWN, 0 },
	{ "%hhhd", UNKNOWN, 0 },
	{ "%llld", UNKNOWN, 0 },
	{ "%LLd", UNKNOWN, 0 },
	{ "%lLd", UNKNOWN, 0 },
	{ "%Lld", UNKNOWN, 0 },
	{ "%zzd", UNKNOWN, 0 },
	{ "%hld", UNKNOWN, 0 },
	{ "%.-5d", UNKNOWN, 0 },
	{ "%5-d", UNKNOWN, 0 },
	{ "%5.3.1d", UNKNOWN, 0 },
	{ "%\xff", UNKNOWN, 0 },
	{ "%256d", WIDE, 0 },
	{ "a %.256s", WIDE, 2 },
	{ "%99999999999999999999d", WIDE, 0 },
	{ "%4294967297d", WIDE, 0 },
	{ "%lc", LENGTH, 0 },
	{ "%hhc", LENGTH, 0 },
	{ "%ls", LENGTH, 0 },
	{ "%Ls", LENGTH, 0 },
	{ "%zs", LENGTH, 0 },
	{ "%hp", LENGTH, 0 },
	{ "%lp", LENGTH, 0 },
	{ "%tp", LENGTH, 0 },
	/* what follows %p */
	{ "%pa", SUFFIX, 0 },
	{ "%pU", SUFFIX, 0 },
	{ "%pUb", SUFFIX, 0 },
	{ "%pd", SUFFIX, 0 },
	{ "%pD", SUFFIX, 0 },
	{ "%pI4", SUFFIX, 0 },
	{ "%pi6", SUFFIX, 0 },
	{ "%pM", SUFFIX, 0 },
	{ "%pm", SUFFIX, 0 },
	{ "%pV", SUFFIX, 0 },
	{ "%pR", SUFFIX, 0 },
	{ "%pr", SUFFIX, 0 },
	{ "%ph", SUFFIX, 0 },
	{ "%*ph", STAR, 0 },
	{ "%16ph", SUFFIX, 0 },
	{ "%pb", SUFFIX, 0 },
	{ "%pbl", SUFFIX, 0 },
	{ "%pE", SUFFIX, 0 },
	{ "%pe", SUFFIX, 0 },
	{ "%pN", SUFFIX, 0 },
	{ "%p4cc", SUFFIX, 0 },
	{ "%pt", SUFFIX, 0 },
	{ "%pC", SUFFIX, 0 },
	{ "%pg", SUFFIX, 0 },
	{ "%pG", SUFFIX, 0 },
	{ "%pO", SUFFIX, 0 },
	{ "%pf", SUFFIX, 0 },
	{ "%pF", SUFFIX, 0 },
	{ "%pA", SUFFIX, 0 },
	{ "%pus", SUFFIX, 0 },
	{ "%pks", SUFFIX, 0 },
	{ "%pq", SUFFIX, 0 },
	{ "%p1", SUFFIX, 0 },
	{ "%pX", SUFFIX, 0 },
	{ "%pxyz", SUFFIX, 0 },
	{ "%pxx", SUFFIX, 0 },
	{ "%pSR", SUFFIX, 0 },
	{ "%pSb", SUFFIX, 0 },
	{ "%pBb", SUFFIX, 0 },
	{ "%pss", SUFFIX, 0 },
	{ "%pK0", SUFFIX, 0 },
	{ "ok %p bad %pa", SUFFIX, 10 },
	{ "#0%pa", SUFFIX, 0 },
	{ "## %pa", SUFFIX, 3 },
	/* trace types with the wrong C type */
	{ "#s%d", LONE_S, 0 },
	{ "#s%lu", LONE_S, 0 },
	{ "#s%c", LONE_S, 0 },
	{ "#s%pS", LONE_S, 0 },
	{ "#us%s", LONE_US, 0 },
	{ "#us%lu", LONE_US, 0 },
	{ "#us%c", LONE_US, 0 },
	{ "#us%px", LONE_US, 0 },
	{ "a #us%pS", LONE_US, 2 },
	{ "#4u%s", "integer trace type with %s", 0 },
	{ "#x%s", "integer trace type with %s", 0 },
	{ "#n4u%s", "integer trace type with %s", 0 },
	{ "#n8u%p", "network byte order with %c or %p", 0 },
	{ "#n1u%c", "network byte order with %c or %p", 0 },
	{ "#c%s", "trace type c with %s or %p", 0 },
	{ "#c%p", "trace type c with %s or %p", 0 },
	{ "#p%c", "trace type p with %c", 0 },
	{ "## #c%s", "trace type c with %s or %p", 3 },
};

static void test_refused(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		const char *format = refused[i].format;
		struct marker_format_error error = { "", -1 };
		unsigned int recorded = 77;

		KUNIT_EXPECT_EQ_MSG(test, marker_format_check(format, &error),
				    -EINVAL, "\"%s\"", format ?: "NULL");
		KUNIT_EXPECT_STREQ_MSG(test, error.what, refused[i].what,
				       "\"%s\"", format ?: "NULL");
		KUNIT_EXPECT_EQ_MSG(test, error.offset, refused[i].offset,
				    "\"%s\"", format ?: "NULL");
		KUNIT_EXPECT_EQ(test, marker_format_check(format, NULL),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, marker_format_count(format, &recorded),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, recorded, 77);
	}
}

#define S	true
#define U	false

#define INT(_size, _signed, _base) \
	{ .kind = MARKER_FIELD_INT, .size = _size, .is_signed = _signed, \
	  .base = _base }
#define UPPER(_size) \
	{ .kind = MARKER_FIELD_INT, .size = _size, .base = 16, .upper = true }
#define NET(_size, _signed, _base) \
	{ .kind = MARKER_FIELD_INT, .size = _size, .is_signed = _signed, \
	  .base = _base, .network = true }
#define CHR	{ .kind = MARKER_FIELD_CHAR, .size = 1 }
#define PTR	{ .kind = MARKER_FIELD_POINTER, .size = SIZE_PTR }
#define STR	{ .kind = MARKER_FIELD_STRING, .size = SIZE_PTR }
#define USTR	{ .kind = MARKER_FIELD_USER_STRING, .size = SIZE_PTR }

static const struct {
	const char *format;
	enum marker_arg_pass pass;
	struct marker_type arg;
	struct marker_type trace;
	char suffix;
} types[] = {
	/* no trace type: that of the argument */
	{ "%d", MARKER_PASS_INT, INT(4, S, 10), INT(4, S, 10) },
	{ "%i", MARKER_PASS_INT, INT(4, S, 10), INT(4, S, 10) },
	{ "%u", MARKER_PASS_INT, INT(4, U, 10), INT(4, U, 10) },
	{ "%x", MARKER_PASS_INT, INT(4, U, 16), INT(4, U, 16) },
	{ "%X", MARKER_PASS_INT, UPPER(4), UPPER(4) },
	{ "%o", MARKER_PASS_INT, INT(4, U, 8), INT(4, U, 8) },
	{ "%hhd", MARKER_PASS_INT, INT(1, S, 10), INT(1, S, 10) },
	{ "%hhu", MARKER_PASS_INT, INT(1, U, 10), INT(1, U, 10) },
	{ "%hd", MARKER_PASS_INT, INT(2, S, 10), INT(2, S, 10) },
	{ "%hx", MARKER_PASS_INT, INT(2, U, 16), INT(2, U, 16) },
	{ "%ld", MARKER_PASS_LONG, INT(SIZE_LONG, S, 10),
	  INT(SIZE_LONG, S, 10) },
	{ "%lX", MARKER_PASS_LONG, UPPER(SIZE_LONG),
	  UPPER(SIZE_LONG) },
	{ "%lld", MARKER_PASS_LLONG, INT(8, S, 10),
	  INT(8, S, 10) },
	{ "%Lu", MARKER_PASS_LLONG, INT(8, U, 10),
	  INT(8, U, 10) },
	{ "%zd", MARKER_PASS_LONG, INT(SIZE_LONG, S, 10),
	  INT(SIZE_LONG, S, 10) },
	{ "%zu", MARKER_PASS_LONG, INT(SIZE_LONG, U, 10),
	  INT(SIZE_LONG, U, 10) },
	{ "%td", MARKER_PASS_LONG, INT(SIZE_LONG, S, 10),
	  INT(SIZE_LONG, S, 10) },
	{ "%tx", MARKER_PASS_LONG, INT(SIZE_LONG, U, 16),
	  INT(SIZE_LONG, U, 16) },
	{ "%c", MARKER_PASS_INT, CHR, CHR },
	{ "%-8.3s", MARKER_PASS_POINTER, STR, STR },
	{ "%p", MARKER_PASS_POINTER, PTR, PTR },
	{ "%px", MARKER_PASS_POINTER, PTR, PTR, 'x' },
	{ "%pK", MARKER_PASS_POINTER, PTR, PTR, 'K' },
	{ "%pS", MARKER_PASS_POINTER, PTR, PTR, 'S' },
	{ "%ps", MARKER_PASS_POINTER, PTR, PTR, 's' },
	{ "%-20pB", MARKER_PASS_POINTER, PTR, PTR, 'B' },
	/* printing is all that flags, width and precision do */
	{ "%-+ #012.5hhd", MARKER_PASS_INT, INT(1, S, 10),
	  INT(1, S, 10) },
	/* a literal # is no trace type */
	{ "#%d", MARKER_PASS_INT, INT(4, S, 10), INT(4, S, 10) },
	{ "# 1u%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(4, S, 10) },
	/* trace types */
	{ "#0%hd", MARKER_PASS_INT, INT(2, S, 10),
	  INT(2, S, 10) },
	{ "#0%pS", MARKER_PASS_POINTER, PTR, PTR, 'S' },
	{ "#1u%u", MARKER_PASS_INT, INT(4, U, 10),
	  INT(1, U, 10) },
	{ "#2d%ld", MARKER_PASS_LONG, INT(SIZE_LONG, S, 10),
	  INT(2, S, 10) },
	{ "#4X%hhd", MARKER_PASS_INT, INT(1, S, 10),
	  UPPER(4) },
	{ "#8u%lu", MARKER_PASS_LONG, INT(SIZE_LONG, U, 10),
	  INT(8, U, 10) },
	{ "#8d%u", MARKER_PASS_INT, INT(4, U, 10),
	  INT(8, S, 10) },
	{ "#d%lld", MARKER_PASS_LLONG, INT(8, S, 10),
	  INT(4, S, 10) },
	{ "#o%lld", MARKER_PASS_LLONG, INT(8, S, 10),
	  INT(4, U, 8) },
	{ "#hi%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(2, S, 10) },
	{ "#lu%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(SIZE_LONG, U, 10) },
	{ "#llx%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(8, U, 16) },
	{ "#zu%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(SIZE_LONG, U, 10) },
	{ "#td%d", MARKER_PASS_INT, INT(4, S, 10),
	  INT(SIZE_LONG, S, 10) },
	{ "#n2u%hu", MARKER_PASS_INT, INT(2, U, 10), NET(2, U, 10) },
	{ "#n4x%lu", MARKER_PASS_LONG, INT(SIZE_LONG, U, 10),
	  NET(4, U, 16) },
	{ "#nd%d", MARKER_PASS_INT, INT(4, S, 10), NET(4, S, 10) },
	{ "#1x%c", MARKER_PASS_INT, CHR, INT(1, U, 16) },
	{ "#8x%p", MARKER_PASS_POINTER, PTR, INT(8, U, 16) },
	{ "#p%ld", MARKER_PASS_LONG, INT(SIZE_LONG, S, 10), PTR },
	{ "#p%s", MARKER_PASS_POINTER, STR, PTR },
	{ "#c%d", MARKER_PASS_INT, INT(4, S, 10), CHR },
	{ "#s%p", MARKER_PASS_POINTER, PTR, STR },
	{ "#us%p", MARKER_PASS_POINTER, PTR, USTR },
};

static void expect_type(struct kunit *test, const char *format,
			const struct marker_type *got,
			const struct marker_type *want)
{
	KUNIT_EXPECT_EQ_MSG(test, got->kind, want->kind, "\"%s\"", format);
	KUNIT_EXPECT_EQ_MSG(test, got->size, want->size, "\"%s\"", format);
	KUNIT_EXPECT_EQ_MSG(test, got->base, want->base, "\"%s\"", format);
	KUNIT_EXPECT_EQ_MSG(test, got->is_signed, want->is_signed, "\"%s\"",
			    format);
	KUNIT_EXPECT_EQ_MSG(test, got->upper, want->upper, "\"%s\"", format);
	KUNIT_EXPECT_EQ_MSG(test, got->network, want->network, "\"%s\"",
			    format);
}

static void test_types(struct kunit *test)
{
	struct marker_format_iter it;
	struct marker_field field;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const char *format = types[i].format;

		marker_format_start(&it, format);
		KUNIT_ASSERT_EQ_MSG(test, marker_format_next(&it, &field), 1,
				    "\"%s\"", format);
		KUNIT_EXPECT_EQ_MSG(test, field.pass, types[i].pass, "\"%s\"",
				    format);
		KUNIT_EXPECT_EQ_MSG(test, field.suffix, types[i].suffix,
				    "\"%s\"", format);
		KUNIT_EXPECT_EQ_MSG(test, field.recorded,
				    strncmp(format, "#0", 2) != 0, "\"%s\"",
				    format);
		expect_type(test, format, &field.arg, &types[i].arg);
		expect_type(test, format, &field.trace, &types[i].trace);
		KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), 0);
	}
}

/* Where fields are, and that a walk stays at its end and at an error. */
static void test_walk(struct kunit *test)
{
	static const struct {
		unsigned int start, percent, end, recorded;
	} want[] = {
		{ 2, 2, 4, 1 },
		{ 7, 10, 13, 1 },
		{ 16, 18, 21, 0 },
		{ 31, 31, 34, 0 },
	};
	const char *format = "a %d b #4u%lu c #0%5p %% ## # d%px";
	struct marker_format_iter it;
	struct marker_field field;
	size_t i;

	marker_format_start(&it, format);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_ASSERT_EQ(test, marker_format_next(&it, &field), 1);
		KUNIT_EXPECT_PTR_EQ(test, field.format, format);
		KUNIT_EXPECT_EQ(test, field.index, i);
		KUNIT_EXPECT_EQ(test, field.start, want[i].start);
		KUNIT_EXPECT_EQ(test, field.percent, want[i].percent);
		KUNIT_EXPECT_EQ(test, field.end, want[i].end);
		KUNIT_EXPECT_EQ(test, field.recorded, want[i].recorded);
	}
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), 0);
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), 0);
	KUNIT_EXPECT_EQ(test, it.fields, 4);
	KUNIT_EXPECT_EQ(test, it.recorded, 2);
	KUNIT_EXPECT_NULL(test, it.error.what);

	marker_format_start(&it, "%d %f %d");
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), 1);
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), -EINVAL);
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), -EINVAL);
	KUNIT_EXPECT_STREQ(test, it.error.what, FLOAT);
	KUNIT_EXPECT_EQ(test, it.error.offset, 3);
	KUNIT_EXPECT_EQ(test, it.fields, 1);
}

static const struct {
	const char *format;
	const char *names;
} names[] = {
	{ "pid %d addr #0%p", "pid addr" },
	{ "ip 0x%lX", "ip" },
	{ "ip=%lx", "ip" },
	{ "ip%lx", "ip" },
	{ "state#4u%d", "state" },
	{ "the long name %d", "name" },
	{ "_a %d B9_ %d", "_a B9_" },
	{ "rq->curr %p", "curr" },
	{ "a.b[3] %d", "b" },
	{ "rw(FAILFAST,RW) %lX", "RW" },
	{ "flags(x,y) #1x%u", "y" },
	{ "id #%d", "id" },
	{ "id # %d", "id" },
	{ "# id %d", "id" },
	{ "##id %d", "id" },
	{ "5%% rate %d", "rate" },
	{ "rate 5%% %d", "rate" },
	{ "a%%b %d", "b" },
	{ "name ## %p", "name" },
	{ "a %d ## b %d c #4u%lu", "a b c" },
	/* no word before it */
	{ "%d %d %ld", "arg1 arg2 arg3" },
	{ "a %d %d", "a arg2" },
	{ "a %d: %d", "a arg2" },
	{ "%d b %d %d", "arg1 b arg3" },
	{ "#0%p x %d %d", "arg1 x arg3" },
	{ "0x%x 9a %d", "arg1 arg2" },
	{ "#4u%d #4u%d", "arg1 arg2" },
	{ "a %dms %d", "a arg2" },
	{ "a %d_b %d", "a arg2" },
	{ "a %p_b %d", "a arg2" },
	{ "a %sb c9 %d", "a c9" },
	{ "a %d.b %d", "a b" },
	{ "a 9b %d", "a" },
	{ "a 9_b %d", "a" },
	{ "%pS %ps", "arg1 arg2" },
	/* duplicates */
	{ "x %d x %d", "x x_2" },
	{ "x %d x %d x %d x %d", "x x_2 x_3 x_4" },
	{ "x %d y %d x %d y %d", "x y x_2 y_2" },
	{ "x %d X %d", "x X" },
	{ "x %d x %d x_2 %d", "x x_3 x_2" },
	{ "x_2 %d x %d x %d", "x_2 x x_3" },
	{ "x %d x_2 %d x %d", "x x_2 x_3" },
	{ "x %d x %d x %d x_3 %d", "x x_2 x_4 x_3" },
	{ "x_2 %d x_2 %d x %d x %d", "x_2 x_2_2 x x_3" },
	{ "x %d x %d x_2 %d x_2 %d x_2_2 %d", "x x_3 x_2 x_2_3 x_2_2" },
	{ "x %d x %d x_02 %d", "x x_2 x_02" },
	{ "x %d x %d x_1 %d x_0 %d x_ %d x_2y %d",
	  "x x_2 x_1 x_0 x_ x_2y" },
	{ "x %d x %d x_128 %d x_1000 %d", "x x_2 x_128 x_1000" },
	{ "x #0%p x %d ## x %d", "x x_2 x_3" },
	/* argN is a name like others */
	{ "arg2 %d %d", "arg2 arg2_2" },
	{ "%d arg1 %d", "arg1 arg1_2" },
	{ "%d arg1 %d arg1_2 %d", "arg1 arg1_3 arg1_2" },
	/* common_* */
	{ "common_pid %d", "common_pid_2" },
	{ "common_pid %d common_pid %d", "common_pid_2 common_pid_3" },
	{ "common_type %d common_x %d", "common_type_2 common_x_2" },
	{ "common_pid %d common_pid_2 %d", "common_pid_2 common_pid_2_2" },
	{ "common_ %d", "common__2" },
	{ "common %d commonly %d Common_a %d", "common commonly Common_a" },
	{ "uncommon_pid %d", "uncommon_pid" },
	/* keywords of C */
	{ "int %d long %ld interior %d", "int_2 long_2 interior" },
	{ "int %d int_2 %d int %d", "int_3 int_2 int_4" },
	{ "unsigned #4u%ld Unsigned %u", "unsigned_2 Unsigned" },
	{ "asm %d typeof %d bool %d true %d", "asm_2 typeof_2 bool_2 true_2" },
	/* what C has for itself, and macros */
	{ "_Bool %d __x %d __ %d _X_2 %d", "_Bool_2 __x_2 ___2 _X_2_2" },
	{ "_ %d _x %d _2 %d x__y %d X_Y %d", "_ _x _2 x__y X_Y" },
	{ "linux %d unix %d i386 %d linuxes %d",
	  "linux_2 unix_2 i386_2 linuxes" },
};

static void expect_names(struct kunit *test, const char *format,
			 const char *want)
{
	char name[MARKER_FIELD_NAME_SIZE];
	struct marker_format_iter it;
	struct marker_field field;
	size_t want_len;
	int len;

	marker_format_start(&it, format);
	while (marker_format_next(&it, &field) == 1) {
		want_len = strcspn(want, " ");
		len = marker_field_name(&field, name, sizeof(name));
		KUNIT_EXPECT_EQ_MSG(test, len, (int)want_len, "\"%s\": %s",
				    format, name);
		KUNIT_EXPECT_EQ_MSG(test, strlen(name), want_len, "\"%s\": %s",
				    format, name);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(name, want, want_len), 0,
				    "\"%s\": %s", format, name);
		/* The room it needs and not a byte less. */
		KUNIT_EXPECT_EQ(test,
				marker_field_name(&field, name, want_len + 1),
				(int)want_len);
		KUNIT_EXPECT_EQ(test, marker_field_name(&field, name, want_len),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, marker_field_name(&field, name, 0),
				-ENOSPC);
		want += want_len;
		want += *want == ' ';
	}
	KUNIT_EXPECT_NULL_MSG(test, it.error.what, "\"%s\"", format);
	KUNIT_EXPECT_EQ_MSG(test, *want, '\0', "\"%s\"", format);
}

static void test_names(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		expect_names(test, names[i].format, names[i].names);
}

static void test_limits(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, 4096, GFP_KERNEL);
	struct marker_format_error error;
	char name[MARKER_FIELD_NAME_SIZE];
	struct marker_format_iter it;
	struct marker_field field;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, buf);

	/* Length, reached by text, and passed by each of the ways to pass it */
	format_repeat(buf, "a", 1023);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 0);
	format_repeat(buf, "a", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.what, "longer than 1023 bytes");
	KUNIT_EXPECT_EQ(test, error.offset, 1023);

	buf[0] = '\0';
	format_repeat(buf, ".", 1021);
	format_repeat(buf, "%d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 1);
	buf[1021] = '\0';
	format_repeat(buf, ".", 1);
	format_repeat(buf, "%d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.what, "longer than 1023 bytes");
	KUNIT_EXPECT_EQ(test, error.offset, 1023);

	buf[1022] = '\0';
	format_repeat(buf, "##", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, NULL), -EINVAL);
	buf[1022] = '\0';
	format_repeat(buf, "%%", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, NULL), -EINVAL);
	buf[1021] = '\0';
	format_repeat(buf, "%%", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, NULL), 0);

	buf[0] = '\0';
	format_repeat(buf, "%", 1);
	format_repeat(buf, "-", 2000);
	format_repeat(buf, "d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.what, "longer than 1023 bytes");
	/* Not only behind a field whose offsets do not fit. */
	marker_format_start(&it, buf);
	KUNIT_EXPECT_EQ(test, marker_format_next(&it, &field), -EINVAL);

	/* Number of arguments; names of all of them stay apart. */
	buf[0] = '\0';
	format_repeat(buf, "x %d ", 127);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 127);
	marker_format_start(&it, buf);
	for (i = 1; marker_format_next(&it, &field) > 0; i++) {
		char want[8];

		snprintf(want, sizeof(want), i == 1 ? "x" : "x_%u", i);
		marker_field_name(&field, name, sizeof(name));
		KUNIT_EXPECT_STREQ(test, name, want);
	}
	KUNIT_EXPECT_EQ(test, i, 128);
	format_repeat(buf, "%d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.what, "more than 127 arguments");
	KUNIT_EXPECT_EQ(test, error.offset, 127 * 5);

	/* A common_* name starts with _2, so that its numbers are one more. */
	buf[0] = '\0';
	format_repeat(buf, "common_%d,", 102);
	marker_format_start(&it, buf);
	while (marker_format_next(&it, &field) > 0)
		;
	KUNIT_ASSERT_EQ(test, it.fields, 102);
	marker_field_name(&field, name, sizeof(name));
	KUNIT_EXPECT_STREQ(test, name, "common__103");

	/* Length of a name: two that differ behind the limit are no names. */
	buf[0] = '\0';
	format_repeat(buf, "z", 59);
	format_repeat(buf, " %d ", 1);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 1);
	format_repeat(buf, "z", 60);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 1);
	format_repeat(buf, " %d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_check(buf, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.what,
			   "field name longer than 59 bytes");
	KUNIT_EXPECT_EQ(test, error.offset, 63);
	/* The longest name there is room for in a format. */
	buf[63] = '\0';
	for (i = 0; i < 14; i++) {
		format_repeat(buf, "z", 59);
		format_repeat(buf, " %d ", 1);
	}
	marker_format_start(&it, buf);
	while (marker_format_next(&it, &field) > 0)
		;
	KUNIT_ASSERT_EQ(test, it.fields, 15);
	KUNIT_EXPECT_EQ(test, marker_field_name(&field, name, sizeof(name)),
			62);
	KUNIT_EXPECT_STREQ(test, name + 58, "z_15");
	/* Text that is not the last word may be longer. */
	buf[0] = '\0';
	format_repeat(buf, "z", 60);
	format_repeat(buf, " a %d", 1);
	KUNIT_EXPECT_EQ(test, marker_format_count(buf, NULL), 1);
}

static const struct {
	const char *site;
	const char *registered;
	bool equal;
	bool match;
} pairs[] = {
	{ "a %d", "a %d", true, true },
	{ "", "", true, true },
	{ "", " ", true, true },
	{ "  a %d", "a %d", true, true },
	{ "a %d", "   a %d", true, true },
	{ "  %s", " %p", false, true },
	{ "a %d", "a %d ", false, false },
	{ "a %d ", "a %d", false, false },
	{ "a  %d", "a %d", false, false },
	{ "a %d", "b %d", false, false },
	{ "a %d", "a %u", false, false },
	{ "a %d", "a %ld", false, false },
	{ "a %d", "a", false, false },
	{ "a", "a %d", false, false },
	{ "bocks %llu", "blocks %llu", false, false },
	{ "\ta", "a", false, false },
	{ NULL, "a", false, false },
	{ "a", NULL, false, false },
	{ NULL, NULL, false, false },
	/* %s for %p, both ways */
	{ "a %s", "a %p", false, true },
	{ "a %p", "a %s", false, true },
	{ "a %s b %p c", "a %p b %s c", false, true },
	{ "a %s b %d", "a %p b %d", false, true },
	{ "a %s b %d", "a %p b %u", false, false },
	{ "a %s", "b %p", false, false },
	{ "a %s", "a  %p", false, false },
	{ "a %s x", "a %p y", false, false },
	{ "a %s", "a %p %d", false, false },
	{ "a %s %d", "a %p", false, false },
	{ "%-5s", "%-5p", false, true },
	{ "%5s", "%-5p", false, false },
	{ "%.3s", "%.3p", false, true },
	{ "%.3s", "%.4p", false, false },
	{ "%s_", "%p_", false, true },
	{ "a%%b%s", "a%%b%p", false, true },
	{ "#0%s", "#0%p", false, true },
	{ "#s%s", "#s%p", false, true },
	{ "#p%s", "#p%p", false, true },
	{ "## %s", "## %p", false, true },
	{ "#%s", "#%p", false, true },
	{ "%s", "#s%p", false, false },
	{ "%s", "#p%p", false, false },
	/* no conversion, or not these two */
	{ "%%s", "%%p", false, false },
	{ "%%s %s", "%%p %p", false, false },
	{ "%%s %s", "%%s %p", false, true },
	{ "%%%s", "%%%p", false, true },
	{ "%pS", "%sS", false, false },
	{ "%sS", "%pS", false, false },
	{ "%pS", "%s", false, false },
	{ "%ps", "%p", false, false },
	{ "%ps", "%pS", false, false },
	{ "%pS", "%pS", true, true },
	{ "%ps", "%ss", false, false },
	{ "%s", "%d", false, false },
	{ "%p", "%lx", false, false },
	{ "%c", "%s", false, false },
	/* outside the grammar nothing is forgiven */
	{ "%f %s", "%f %p", false, false },
	{ "%s %f", "%p %f", false, false },
	{ "#us%p", "#us%s", false, false },
	{ "#4x%p", "#4x%s", false, false },
	{ "%sx", "%px", false, false },
	{ "%sa", "%pa", false, false },
	{ "%f", "%f", true, true },
};

static void test_equal_match(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		const char *a = pairs[i].site, *b = pairs[i].registered;

		KUNIT_EXPECT_EQ_MSG(test, marker_format_equal(a, b),
				    pairs[i].equal, "\"%s\" \"%s\"",
				    a ?: "NULL", b ?: "NULL");
		KUNIT_EXPECT_EQ_MSG(test, marker_format_match(a, b),
				    pairs[i].match, "\"%s\" \"%s\"",
				    a ?: "NULL", b ?: "NULL");
		KUNIT_EXPECT_EQ(test, marker_format_equal(b, a),
				pairs[i].equal);
		KUNIT_EXPECT_EQ(test, marker_format_match(b, a),
				pairs[i].match);
	}
}

/* What marker_field_read() and _convert() make of the arguments of a format. */
struct read_result {
	int fields;
	u64 value[RANDOM_FIELDS_MAX];
	u64 traced[RANDOM_FIELDS_MAX];
};

static void read_va(struct read_result *result, const char *format,
		    va_list *args)
{
	struct marker_format_iter it;
	struct marker_field field;
	int i;

	marker_format_start(&it, format);
	for (i = 0; i < RANDOM_FIELDS_MAX; i++) {
		if (marker_format_next(&it, &field) <= 0)
			break;
		result->value[i] = marker_field_read(&field, args);
		result->traced[i] = marker_field_convert(&field,
							 result->value[i]);
	}
	result->fields = it.error.what ? -EINVAL : i;
}

/* Not __printf(): trace types and "%L" are no mistakes here. */
static void read_args(struct read_result *result, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	read_va(result, format, &args);
	va_end(args);
}

/* Arguments of their real types: holds on every architecture. */
static void test_read(struct kunit *test)
{
	char text[] = "text";
	struct read_result r;

	read_args(&r,
		  "%d %u %hhd %hhu %hd %hu %c %ld %lu %lld %Lu %zd %zu %td %p %s %x",
		  -1, 0xffffffffU, -2, 0x1fe, -3, 0x1fffd, -4, -5L, ~5UL,
		  -6LL, ~6ULL, (ssize_t)-7, (size_t)8, (ptrdiff_t)-9,
		  (void *)text, text, 0x80000000U);
	KUNIT_ASSERT_EQ(test, r.fields, 17);
	KUNIT_EXPECT_EQ(test, r.value[0], (u64)-1);
	KUNIT_EXPECT_EQ(test, r.value[1], 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, r.value[2], (u64)-2);
	KUNIT_EXPECT_EQ(test, r.value[3], 0xfeULL);
	KUNIT_EXPECT_EQ(test, r.value[4], (u64)-3);
	KUNIT_EXPECT_EQ(test, r.value[5], 0xfffdULL);
	KUNIT_EXPECT_EQ(test, r.value[6], 0xfcULL);
	KUNIT_EXPECT_EQ(test, r.value[7], (u64)-5);
	KUNIT_EXPECT_EQ(test, r.value[8], (u64)~5UL);
	KUNIT_EXPECT_EQ(test, r.value[9], (u64)-6);
	KUNIT_EXPECT_EQ(test, r.value[10], ~6ULL);
	KUNIT_EXPECT_EQ(test, r.value[11], (u64)-7);
	KUNIT_EXPECT_EQ(test, r.value[12], 8ULL);
	KUNIT_EXPECT_EQ(test, r.value[13], (u64)-9);
	KUNIT_EXPECT_EQ(test, r.value[14], (u64)(unsigned long)text);
	KUNIT_EXPECT_EQ(test, r.value[15], (u64)(unsigned long)text);
	KUNIT_EXPECT_EQ(test, r.value[16], 0x80000000ULL);
	/* Without a trace type nothing is converted. */
	KUNIT_EXPECT_EQ(test, memcmp(r.value, r.traced, 17 * sizeof(u64)), 0);

	/* LTTng's mistakes: the argument behind must not shift. */
	read_args(&r, "id #%d name %s", 42, text);
	KUNIT_EXPECT_EQ(test, r.value[0], 42ULL);
	KUNIT_EXPECT_EQ(test, r.value[1], (u64)(unsigned long)text);
	read_args(&r, "%5d #0%lld ## %-8.3s %hhd", 1, 2LL, text, 3);
	KUNIT_EXPECT_EQ(test, r.value[0], 1ULL);
	KUNIT_EXPECT_EQ(test, r.value[1], 2ULL);
	KUNIT_EXPECT_EQ(test, r.value[2], (u64)(unsigned long)text);
	KUNIT_EXPECT_EQ(test, r.value[3], 3ULL);
	read_args(&r, "");
	KUNIT_EXPECT_EQ(test, r.fields, 0);

	read_args(&r, "#8d%u #8u%d #2d%ld #1u%u #1d%u #4u%ld #c%d #p%d",
		  0xffffffffU, -1, 0x18000L, 0x1ffU, 0x1ffU, -1L, 0x141, -1);
	KUNIT_ASSERT_EQ(test, r.fields, 8);
	KUNIT_EXPECT_EQ(test, r.traced[0], 4294967295ULL);
	KUNIT_EXPECT_EQ(test, r.traced[1], 0xffffffffffffffffULL);
	KUNIT_EXPECT_EQ(test, r.traced[2], (u64)-32768);
	KUNIT_EXPECT_EQ(test, r.traced[3], 255ULL);
	KUNIT_EXPECT_EQ(test, r.traced[4], (u64)-1);
	KUNIT_EXPECT_EQ(test, r.traced[5], 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, r.traced[6], 0x41ULL);
	KUNIT_EXPECT_EQ(test, r.traced[7], (u64)ULONG_MAX);
}

/* Nothing is swapped for the record, and once for the reader. */
static void test_network(struct kunit *test)
{
	static const u8 bytes[] = { 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
				    0xef };
	static const struct {
		const char *format;
		unsigned int size;
		u64 host;
	} cases[] = {
		{ "#n1u%u", 1, 0x81 },
		{ "#n2u%u", 2, 0x8123 },
		{ "#n2u%hu", 2, 0x8123 },
		{ "#n4u%u", 4, 0x81234567 },
		{ "#n8x%llx", 8, 0x8123456789abcdefULL },
		{ "#n1d%d", 1, 0xffffffffffffff81ULL },
		{ "#n2d%d", 2, 0xffffffffffff8123ULL },
		{ "#n4d%d", 4, 0xffffffff81234567ULL },
		{ "#nd%lld", 4, 0xffffffff81234567ULL },
	};
	struct marker_format_iter it;
	struct marker_field field;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *format = cases[i].format;
		u64 packet = 0, recorded;
		u8 out[8];
		u16 v2;
		u32 v4;

		/* As a site loads it from the packet. */
		switch (cases[i].size) {
		case 1:
			packet = bytes[0];
			break;
		case 2:
			memcpy(&v2, bytes, sizeof(v2));
			packet = v2;
			break;
		case 4:
			memcpy(&v4, bytes, sizeof(v4));
			packet = v4;
			break;
		case 8:
			memcpy(&packet, bytes, sizeof(packet));
			break;
		}

		marker_format_start(&it, format);
		KUNIT_ASSERT_EQ(test, marker_format_next(&it, &field), 1);
		recorded = marker_field_convert(&field,
						marker_field_slot(&field,
								  packet));
		KUNIT_EXPECT_EQ_MSG(test, marker_field_host(&field, recorded),
				    cases[i].host, "\"%s\"", format);

		/* The record has the bytes of the packet. */
		switch (cases[i].size) {
		case 1:
			out[0] = recorded;
			break;
		case 2:
			v2 = recorded;
			memcpy(out, &v2, sizeof(v2));
			break;
		case 4:
			v4 = recorded;
			memcpy(out, &v4, sizeof(v4));
			break;
		case 8:
			memcpy(out, &recorded, sizeof(recorded));
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, memcmp(out, bytes, cases[i].size), 0,
				    "\"%s\"", format);
	}

	/* A field that is not in network order stays. */
	marker_format_start(&it, "#2u%u #2d%d");
	marker_format_next(&it, &field);
	KUNIT_EXPECT_EQ(test, marker_field_host(&field, 0x8123), 0x8123ULL);
	marker_format_next(&it, &field);
	KUNIT_EXPECT_EQ(test, marker_field_host(&field, 0x8123),
			0xffffffffffff8123ULL);
}

/* What has to hold for a walk over whatever string; returns what it returned */
static int check_walk(struct kunit *test, const char *format, size_t len)
{
	static char seen[MARKER_FORMAT_MAX_ARGS][MARKER_FIELD_NAME_SIZE];
	struct marker_format_iter it;
	struct marker_field field;
	unsigned int end = 0, nr = 0, i;
	int ret;

	marker_format_start(&it, format);
	while ((ret = marker_format_next(&it, &field)) == 1) {
		KUNIT_ASSERT_LE(test, end, field.start);
		KUNIT_ASSERT_LE(test, field.start, field.percent);
		KUNIT_ASSERT_LT(test, field.percent + 1, field.end);
		KUNIT_ASSERT_LE(test, field.end, len);
		KUNIT_ASSERT_EQ(test, format[field.percent], '%');
		KUNIT_ASSERT_EQ(test, field.index, nr);
		KUNIT_ASSERT_LT(test, nr, MARKER_FORMAT_MAX_ARGS);
		end = field.end;

		KUNIT_ASSERT_GT(test, marker_field_name(&field, seen[nr],
							sizeof(seen[nr])), 0);
		for (i = 0; i < nr; i++)
			KUNIT_ASSERT_STRNEQ_MSG(test, seen[i], seen[nr],
						"\"%s\"", format);
		nr++;
	}
	KUNIT_ASSERT_EQ(test, it.fields, nr);
	if (ret) {
		KUNIT_ASSERT_EQ(test, ret, -EINVAL);
		KUNIT_ASSERT_NOT_NULL(test, it.error.what);
		KUNIT_ASSERT_LE(test, it.error.offset, len);
	} else {
		KUNIT_ASSERT_NULL(test, it.error.what);
		KUNIT_ASSERT_PTR_EQ(test, it.pos, format + len);
		KUNIT_ASSERT_LE(test, len, MARKER_FORMAT_MAX_LEN);
	}
	return ret;
}

/* Anything is parsed or refused, and nothing read behind its end. */
static void test_random_text(struct kunit *test)
{
	static const char *const tokens[] = {
		"%", "%", "%", "#", "#", "##", "%%", " ", " ", "d", "u", "x",
		"s", "p", "c", "S", "us", "n", "0", "1", "2", "8", "h", "l",
		"z", "L", ".", "*", "-", "+", "_", "x_2", "x", "y", "common_",
		"%d", "%s", "%p", "#4u%lu", "\x80", "\n", "(",
	};
	unsigned int accepted_nr = 0, refused_nr = 0, fields = 0;
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 20240611);
	for (round = 0; round < 20000; round++) {
		unsigned int nr = random_roll(&rnd, 12), i;
		size_t len;
		char buf[128] = "";
		char *exact;

		if (round % 2) {
			for (i = 0; i < nr; i++)
				format_repeat(buf,
					      tokens[random_roll(&rnd, ARRAY_SIZE(tokens))],
				       1);
		} else {
			for (i = 0; i < nr; i++)
				buf[i] = 1 + random_roll(&rnd, 255);
		}

		len = strlen(buf);
		exact = kmalloc(len + 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, exact);
		memcpy(exact, buf, len + 1);
		if (check_walk(test, exact, len)) {
			refused_nr++;
		} else {
			accepted_nr++;
			fields += marker_format_count(exact, NULL);
		}
		/* Reads as far as it gets, too. */
		KUNIT_EXPECT_TRUE(test, marker_format_match(exact, exact));
		marker_format_match(exact, "x %s %p");
		kfree(exact);
	}
	/* It is no test if one of them never happens. */
	KUNIT_EXPECT_GT(test, accepted_nr, 1000);
	KUNIT_EXPECT_GT(test, refused_nr, 1000);
	KUNIT_EXPECT_GT(test, fields, 1000);
}

/*
 * On every 64-bit architecture an integer or pointer argument has a slot of 64
 * bits: so slots full of garbage stand for arguments of any type, and what has
 * to be read from them is what C makes of the slot.
 */
static void test_random_args(struct kunit *test)
{
	struct random_format *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct marker_format_iter it;
	struct marker_field field;
	unsigned int round, i, total = 0;
	struct read_result r;
	struct rnd_state rnd;
	u64 s[RANDOM_FIELDS_MAX];

	if (sizeof(u64) > SIZE_LONG)
		kunit_skip(test, "arguments have no 64-bit slots here");
	KUNIT_ASSERT_NOT_NULL(test, f);

	prandom_seed_state(&rnd, 19991231);
	for (round = 0; round < 2000; round++) {
		unsigned int recorded;

		random_format(&rnd, f, true);
		for (i = 0; i < RANDOM_FIELDS_MAX; i++) {
			s[i] = (u64)prandom_u32_state(&rnd) << 32;
			s[i] |= prandom_u32_state(&rnd);
		}

		KUNIT_ASSERT_EQ_MSG(test,
				    marker_format_count(f->text, &recorded),
				    (int)f->fields, "\"%s\"", f->text);
		KUNIT_ASSERT_EQ_MSG(test, recorded, f->recorded, "\"%s\"",
				    f->text);
		read_args(&r, f->text, s[0], s[1], s[2], s[3], s[4], s[5],
			  s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13],
			  s[14], s[15], s[16], s[17], s[18], s[19]);
		KUNIT_ASSERT_EQ(test, r.fields, (int)f->fields);

		marker_format_start(&it, f->text);
		for (i = 0; i < f->fields; i++) {
			u64 value = c_convert(f->type[i], s[i]);

			KUNIT_ASSERT_EQ_MSG(test, r.value[i], value,
					    "\"%s\" argument %u", f->text,
					    i + 1);
			KUNIT_ASSERT_EQ_MSG(test, r.traced[i],
					    c_convert(f->trace[i], value),
					    "\"%s\" argument %u", f->text,
					    i + 1);
			KUNIT_ASSERT_EQ(test, marker_format_next(&it, &field),
					1);
			KUNIT_ASSERT_EQ(test, marker_field_slot(&field, s[i]),
					value);
		}
		total += f->fields;
	}
	KUNIT_EXPECT_GT(test, total, 10000);
}

static struct kunit_case format_cases[] = {
	KUNIT_CASE(test_catalogue),
	KUNIT_CASE(test_history),
	KUNIT_CASE(test_accepted),
	KUNIT_CASE(test_refused),
	KUNIT_CASE(test_types),
	KUNIT_CASE(test_walk),
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_limits),
	KUNIT_CASE(test_equal_match),
	KUNIT_CASE(test_read),
	KUNIT_CASE(test_network),
	KUNIT_CASE_SLOW(test_random_text),
	KUNIT_CASE(test_random_args),
	{}
};

static struct kunit_suite markers_format_suite = {
	.name = "markers_format",
	.test_cases = format_cases,
};

kunit_test_suite(markers_format_suite);
