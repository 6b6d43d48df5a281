// SPDX-License-Identifier: GPL-2.0
/*
 * Markers with fields of all kinds, and with values that the scripts know: what
 * a client shows of them is compared with what is passed here.
 *
 * hit=NAME,N	hit the marker test_record_NAME N times, from the task that
 *		writes this; without N once
 * each=NAME,N	hit it N times on each CPU, at the same time on all
 * user		the string that the marker test_record_user shows first
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "test_markers.h"

#define LONG_LEN	300

static char long_string[LONG_LEN + 1];

/* What the compiler may not know, lest it warns of bad pointers. */
static const char *null_string;
static const char *error_string;
static const char *unmapped_string;
static void *page;

/* So that its address can be looked up. */
static int test_record_variable = 1;

/* Each hits its marker for the @n-th time, counted from 1. */

static noinline void hit_int(unsigned int n)
{
	trace_mark(test_record_int,
		   "c %hhd uc %hhu s %hd us %hu i %d u %u l %ld ul %lu q %lld uq %llu pos %lld",
		   -128, 255, -32768, 65535, INT_MIN, UINT_MAX, LONG_MIN,
		   ULONG_MAX, LLONG_MIN, ULLONG_MAX, 1234567890123456789LL);
}

static noinline void hit_spec(unsigned int n)
{
	trace_mark(test_record_spec,
		   "x 0x%x X %X o %o alt %#lx z %zu t %td wide [%6d] [%-6d] [%06d] [%.4u] long [%12lld] 100%% \"done\"",
		   0xbeef, 0xbeef, 0755, 0xc0ffeeUL, (size_t)4096,
		   (ptrdiff_t)-16, 42, -42, 42, 42u, -1LL);
}

static noinline void hit_char(unsigned int n)
{
	trace_mark(test_record_char,
		   "first %c second %c third #c%d plus [%+d] blank [% d] behind %d",
		   'a', '~', 'z', 42, 42, 43);
}

static noinline void hit_string(unsigned int n)
{
	trace_mark(test_record_string,
		   "plain %s empty [%s] null %s error %s unmapped %s big %s last %s cut %.4s",
		   "two words", "", null_string, error_string, unmapped_string,
		   long_string, "end", "abcdef");
}

static noinline void hit_pointer(unsigned int n)
{
	trace_mark(test_record_pointer,
		   "p %p px %px symbol %pS name %ps int #p%lu string #p%s null %px",
		   &test_record_variable, &test_record_variable,
		   &test_record_variable, &test_record_variable,
		   (unsigned long)&test_record_variable, "not shown", NULL);
}

static noinline void hit_convert(unsigned int n)
{
	trace_mark(test_record_convert,
		   "wide #8d%u narrow #1d%d half #2u%d four #4x%lx upper #8X%d lower #4u%ld octal #8o%hhu string #s%p",
		   UINT_MAX, 0x1ff, -1, 0x123456789UL, -1, -2L, 255,
		   "by address");
}

/* The values are as they are in a packet. */
static noinline void hit_network(unsigned int n)
{
	trace_mark(test_record_network,
		   "port #n2u%hu address #n4x%x id #n8u%llu sign #n2d%hd byte #n1u%u",
		   (__force u16)htons(8080), (__force u32)htonl(0x7f000001),
		   (__force u64)cpu_to_be64(1234567890123456789ULL),
		   (__force s16)htons((u16)-2), 200);
}

static noinline void hit_hidden(unsigned int n)
{
	trace_mark(test_record_hidden,
		   "first %d hidden #0%lu second %d none #0%s third %d ## tail %d text %s",
		   1, 2UL, 3, "hidden", 5, 6, "behind");
}

static noinline void hit_names(unsigned int n)
{
	trace_mark(test_record_names,
		   "x %d x %d x_2 %d %d common_pid %d 0x%x arg4 %d",
		   1, 2, 3, 4, 5, 6, 7);
}

/* What C has for itself, and what gcc has as macros. */
static noinline void hit_words(unsigned int n)
{
	trace_mark(test_record_words,
		   "asm %d typeof %d inline %d linux %d bool %d _Bool %d __linux__ %d _ %d",
		   1, 2, 3, 4, 5, 6, 7, 8);
}

static noinline void hit_noargs(unsigned int n)
{
	trace_mark(test_record_noargs, MARK_NOARGS);
}

static noinline void hit_many(unsigned int n)
{
	trace_mark(test_record_many,
		   "a %d b %lu c %hhu d %s e %lld f %x g %hd h %lu i %d j %hu k #0%d l %s m %llu n %u o #8d%d p #n2u%hu q %lx r %hhd s %d t %ld",
		   -1, 2UL, 3, "four", -5LL, 6, -7, 8UL, -9, 10, 11, "twelve",
		   13ULL, 14U, -15, (__force u16)htons(16), 17UL, -18, 19,
		   -20L);
}

static noinline void hit_count(unsigned int n)
{
	trace_mark(test_record_count, "n %u cpu %d sign %d text %s", n,
		   raw_smp_processor_id(), n & 1 ? -(int)n : (int)n,
		   n & 1 ? "odd" : "even");
}

/* One page of the task that is there, and one that it never touched. */
static noinline void hit_user(unsigned int n)
{
	unsigned long fresh = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ,
				      MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (IS_ERR_VALUE(fresh))
		return;
	trace_mark(test_record_user,
		   "valid #us%p unmapped #us%p null #us%p fresh #us%p kernel #us%p",
		   (void *)current->mm->arg_start, (void *)PAGE_SIZE, NULL,
		   (void *)fresh, "of the kernel");
	vm_munmap(fresh, PAGE_SIZE);
}

/* Without an event: a directory of events has files of these names. */
static noinline void hit_enable(unsigned int n)
{
	trace_mark(enable, "n %u", n);
}

static noinline void hit_filter(unsigned int n)
{
	trace_mark(filter, "n %u", n);
}

/* With one: these are files within its own directory only. */
static noinline void hit_format(unsigned int n)
{
	trace_mark(format, "n %u", n);
}

static noinline void hit_trigger(unsigned int n)
{
	trace_mark(trigger, "id %u", n);
}

static const struct record_case {
	const char *name;
	void (*hit)(unsigned int n);
} cases[] = {
	{ "int",	hit_int },
	{ "spec",	hit_spec },
	{ "char",	hit_char },
	{ "string",	hit_string },
	{ "pointer",	hit_pointer },
	{ "convert",	hit_convert },
	{ "network",	hit_network },
	{ "hidden",	hit_hidden },
	{ "names",	hit_names },
	{ "words",	hit_words },
	{ "noargs",	hit_noargs },
	{ "many",	hit_many },
	{ "count",	hit_count },
	{ "user",	hit_user },
	{ "enable",	hit_enable },
	{ "filter",	hit_filter },
	{ "format",	hit_format },
	{ "trigger",	hit_trigger },
};

/* What a parameter asks for. */
struct request {
	const struct record_case	*what;
	unsigned int			times;
};

static int get_request(const char *val, struct request *request)
{
	char line[32], *number = line, *name;
	unsigned int i;

	if (strscpy(line, val, sizeof(line)) < 0)
		return -EINVAL;
	name = strsep(&number, ",\n");
	request->times = 1;
	if (number && *number && kstrtouint(number, 0, &request->times))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!strcmp(name, cases[i].name)) {
			request->what = &cases[i];
			return 0;
		}
	}
	return -ENOENT;
}

static void do_request(const struct request *request)
{
	unsigned int n;

	for (n = 1; n <= request->times; n++)
		request->what->hit(n);
}

static int hit_set(const char *val, const struct kernel_param *kp)
{
	struct request request;
	int ret = get_request(val, &request);

	if (!ret)
		do_request(&request);
	return ret;
}

static const struct kernel_param_ops hit_ops = {
	.set = hit_set,
};
module_param_cb(hit, &hit_ops, NULL, 0200);

/* Parameters of a module are written one at a time. */
static struct request each;
static DEFINE_PER_CPU(struct work_struct, each_work);

static void do_each(struct work_struct *work)
{
	do_request(&each);
}

static int each_set(const char *val, const struct kernel_param *kp)
{
	int ret = get_request(val, &each);
	int cpu;

	if (ret)
		return ret;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&each_work, cpu), do_each);
		queue_work_on(cpu, system_wq, per_cpu_ptr(&each_work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&each_work, cpu));
	cpus_read_unlock();
	return 0;
}

static const struct kernel_param_ops each_ops = {
	.set = each_set,
};
module_param_cb(each, &each_ops, NULL, 0200);

static int user_get(char *buffer, const struct kernel_param *kp)
{
	long len = strncpy_from_user(buffer,
				     (void __user *)current->mm->arg_start, 255);

	if (len < 0)
		return len;
	buffer[len] = '\n';
	return len + 1;
}

static const struct kernel_param_ops user_ops = {
	.get = user_get,
};
module_param_cb(user, &user_ops, NULL, 0400);

static int __init test_markers_record_init(void)
{
	unsigned int i;

	for (i = 0; i < LONG_LEN; i++)
		long_string[i] = '0' + i % 10;
	error_string = ERR_PTR(-EINVAL);
	/* Behind what is vmalloc()ed there is a page with nothing. */
	page = vmalloc(PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	unmapped_string = page + PAGE_SIZE;
	return 0;
}
module_init(test_markers_record_init);

static void __exit test_markers_record_exit(void)
{
	vfree(page);
}
module_exit(test_markers_record_exit);

MODULE_DESCRIPTION("Fields of all kinds for the tests of kernel markers");
MODULE_LICENSE("GPL");
