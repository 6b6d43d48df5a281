// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers come and go while their markers are hit on all CPUs.
 *
 * run=cookies,N	N times on one marker: none, one, two, one, none of two
 *			handlers, each with data of its own that is poisoned
 *			right after the grace period
 * run=pairs,N		on each CPU two threads register and unregister, N times
 *			each, random pairs for random names; what a call returns
 *			must fit what that pair was before
 * run=batch,N		N registrations for one name each and N for the names
 *			that have a site, then their unregistrations
 * bad			calls of a handler, and returns, that should not be
 * hits			calls of a handler
 * fired		times that a marker was hit
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "test_markers.h"

#define NR_NAMES	4
#define NR_FUNCS	2
#define NR_PRIVATES	3
#define POISON		0x6b

static const char * const names[NR_NAMES] = {
	"test_markers_stress_0", "test_markers_stress_1",
	"test_markers_stress_2", "test_markers_stress_3",
};

/* Knows whose it is. */
struct cookie {
	unsigned int	func;
	unsigned int	complement;
};

static atomic_long_t bad;
static atomic_long_t hits;
static atomic_long_t fired;
static unsigned int linger;

static void complain(const char *what, long value)
{
	if (atomic_long_inc_return(&bad) < 10)
		pr_err("%s: %ld\n", what, value);
}

static bool cookie_ok(const struct cookie *cookie, unsigned int func)
{
	return READ_ONCE(cookie->func) == func &&
	       READ_ONCE(cookie->complement) == ~func;
}

static void check_hit(unsigned int func, const struct cookie *cookie,
		      va_list *args)
{
	unsigned int a = va_arg(*args, unsigned int);
	unsigned int b = va_arg(*args, unsigned int);
	bool ok = a == ~b && test_handler_atomic() && cookie_ok(cookie, func);

	/* Long enough to be there when it is unregistered. */
	if (linger)
		udelay(linger);
	if (!ok || !cookie_ok(cookie, func))
		atomic_long_inc(&bad);
	atomic_long_inc(&hits);
}

static void func_0(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
	check_hit(0, probe_private, args);
}

static void func_1(void *probe_private, void *call_private, const char *fmt,
		   va_list *args)
{
	check_hit(1, probe_private, args);
}

static marker_probe_func * const funcs[NR_FUNCS] = { func_0, func_1 };

static void cookie_init(struct cookie *cookie, unsigned int func)
{
	cookie->func = func;
	cookie->complement = ~func;
}

/* === Sites ================================================================ */

static DEFINE_PER_CPU(struct task_struct *, hammer_task);

static void hit_all(unsigned int n)
{
	trace_mark(test_markers_stress_0, "a %u b %u", n, ~n);
	trace_mark(test_markers_stress_1, "a %u b %u", n, ~n);
	trace_mark(test_markers_stress_2, "a %u b %u", n, ~n);
	trace_mark(test_markers_stress_3, "a %u b %u", n, ~n);
	atomic_long_add(NR_NAMES, &fired);
}

static int hammer_thread(void *unused)
{
	unsigned int i, n = 0;

	while (!kthread_should_stop()) {
		for (i = 0; i < 32; i++)
			hit_all(n++);
		usleep_range(50, 100);
	}
	return 0;
}

static void hammer_stop(void)
{
	struct task_struct **task;
	int cpu;

	for_each_possible_cpu(cpu) {
		task = per_cpu_ptr(&hammer_task, cpu);
		if (*task)
			kthread_stop(*task);
		*task = NULL;
	}
}

static int hammer_start(void)
{
	struct task_struct *task;
	int cpu;

	for_each_online_cpu(cpu) {
		task = kthread_create_on_cpu(hammer_thread, NULL, cpu,
					     "test_markers/%u");
		if (IS_ERR(task)) {
			hammer_stop();
			return PTR_ERR(task);
		}
		*per_cpu_ptr(&hammer_task, cpu) = task;
		wake_up_process(task);
	}
	return 0;
}

/* === Cookies ============================================================== */

static struct cookie *attach(unsigned int func)
{
	struct cookie *cookie = kmalloc(sizeof(*cookie), GFP_KERNEL);
	int ret;

	if (!cookie)
		return NULL;
	cookie_init(cookie, func);
	ret = marker_probe_register(names[0], NULL, funcs[func], cookie);
	if (ret) {
		complain("register", ret);
		kfree(cookie);
		return NULL;
	}
	return cookie;
}

static void detach(unsigned int func, struct cookie *cookie)
{
	int ret;

	if (!cookie)
		return;
	ret = marker_probe_unregister(names[0], funcs[func], cookie);
	if (ret)
		complain("unregister", ret);
	marker_synchronize_unregister();
	memset(cookie, POISON, sizeof(*cookie));
	kfree(cookie);
}

static int run_cookies(unsigned int n)
{
	struct cookie *a, *b;

	linger = 20;
	while (n--) {
		a = attach(n & 1);
		b = attach(!(n & 1));
		usleep_range(50, 100);
		detach(n & 1, a);
		usleep_range(50, 100);
		detach(!(n & 1), b);
	}
	linger = 0;
	return 0;
}

/* === Pairs ================================================================ */

/* The pair's state and what the core says of it change together. */
static struct slot {
	struct mutex	lock;		/* held over the call as well */
	struct cookie	cookie;
	bool		registered;
} slots[NR_NAMES][NR_FUNCS][NR_PRIVATES];

struct pairs_thread {
	struct completion	done;
	struct task_struct	*task;
	unsigned int		times;
};

static void flip(unsigned int name, unsigned int func, unsigned int private)
{
	struct slot *slot = &slots[name][func][private];
	int ret, want;

	mutex_lock(&slot->lock);
	if (get_random_u32_below(2)) {
		want = slot->registered ? -EBUSY : 0;
		ret = marker_probe_register(names[name], "a %u b %u",
					    funcs[func], &slot->cookie);
		slot->registered = true;
	} else {
		want = slot->registered ? 0 : -ENOENT;
		if (get_random_u32_below(2))
			ret = marker_probe_unregister(names[name], funcs[func],
						      &slot->cookie);
		else
			ret = marker_probe_unregister_private_data(funcs[func],
								   &slot->cookie);
		slot->registered = false;
	}
	if (ret != want)
		complain("wrong return", ret);
	mutex_unlock(&slot->lock);
}

static int pairs_func(void *data)
{
	struct pairs_thread *thread = data;

	while (thread->times--)
		flip(get_random_u32_below(NR_NAMES),
		     get_random_u32_below(NR_FUNCS),
		     get_random_u32_below(NR_PRIVATES));
	complete(&thread->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void slots_init(void)
{
	unsigned int name, func, private;
	struct slot *slot;

	for (name = 0; name < NR_NAMES; name++) {
		for (func = 0; func < NR_FUNCS; func++) {
			for (private = 0; private < NR_PRIVATES; private++) {
				slot = &slots[name][func][private];
				mutex_init(&slot->lock);
				cookie_init(&slot->cookie, func);
			}
		}
	}
}

static void slots_empty(void)
{
	unsigned int name, func, private;
	struct slot *slot;
	int ret;

	for (name = 0; name < NR_NAMES; name++) {
		for (func = 0; func < NR_FUNCS; func++) {
			for (private = 0; private < NR_PRIVATES; private++) {
				slot = &slots[name][func][private];
				if (!slot->registered)
					continue;
				ret = marker_probe_unregister(names[name],
							      funcs[func],
							      &slot->cookie);
				if (ret)
					complain("last unregister", ret);
				slot->registered = false;
			}
		}
	}
	marker_synchronize_unregister();
}

static int run_pairs(unsigned int n)
{
	unsigned int i, nr = 2 * num_online_cpus();
	struct pairs_thread *threads;
	int ret = 0;

	threads = kcalloc(nr, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		threads[i].times = n;
		init_completion(&threads[i].done);
		threads[i].task = kthread_run(pairs_func, &threads[i],
					      "test_markers_p/%u", i);
		if (IS_ERR(threads[i].task)) {
			ret = PTR_ERR(threads[i].task);
			break;
		}
	}
	while (i--) {
		wait_for_completion(&threads[i].done);
		kthread_stop(threads[i].task);
	}
	kfree(threads);
	slots_empty();
	return ret;
}

/* === Batch ================================================================ */

static void batch_name(char *buf, size_t size, unsigned int i)
{
	snprintf(buf, size, "test_markers_batch_%u", i);
}

static int run_batch(unsigned int n)
{
	struct cookie *cookies;
	unsigned int i;
	char name[32];
	int ret;

	cookies = kcalloc(n, sizeof(*cookies), GFP_KERNEL);
	if (!cookies)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		cookie_init(&cookies[i], i & 1);
		batch_name(name, sizeof(name), i);
		ret = marker_probe_register(name, "a %u", funcs[i & 1],
					    &cookies[i]);
		if (ret)
			complain("register pending", ret);
		ret = marker_probe_register(names[i % NR_NAMES], NULL,
					    funcs[i & 1], &cookies[i]);
		if (ret)
			complain("register", ret);
	}
	for (i = 0; i < n; i++) {
		ret = marker_probe_unregister(names[i % NR_NAMES],
					      funcs[i & 1], &cookies[i]);
		if (ret)
			complain("unregister", ret);
		batch_name(name, sizeof(name), i);
		ret = marker_probe_unregister(name, funcs[i & 1], &cookies[i]);
		if (ret)
			complain("unregister pending", ret);
	}
	marker_synchronize_unregister();
	memset(cookies, POISON, n * sizeof(*cookies));
	kfree(cookies);
	return 0;
}

/* ========================================================================== */

static const struct {
	const char *mode;
	int (*func)(unsigned int n);
} runs[] = {
	{ "cookies",	run_cookies },
	{ "pairs",	run_pairs },
	{ "batch",	run_batch },
};

static int run_set(const char *val, const struct kernel_param *kp)
{
	const char *comma = strchr(val, ',');
	unsigned int n, i;
	int ret;

	if (!comma || kstrtouint(comma + 1, 0, &n))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		if (strncmp(val, runs[i].mode, comma - val))
			continue;
		ret = hammer_start();
		if (ret)
			return ret;
		ret = runs[i].func(n);
		hammer_stop();
		return ret;
	}
	return -EINVAL;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int count_get(char *buffer, const struct kernel_param *kp)
{
	atomic_long_t *count = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(count));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};
module_param_cb(bad, &count_ops, &bad, 0400);
module_param_cb(hits, &count_ops, &hits, 0400);
module_param_cb(fired, &count_ops, &fired, 0400);

static int __init test_markers_stress_init(void)
{
	slots_init();
	return 0;
}
module_init(test_markers_stress_init);

static void __exit test_markers_stress_exit(void)
{
}
module_exit(test_markers_stress_exit);

MODULE_DESCRIPTION("Concurrency for the tests of kernel markers");
MODULE_LICENSE("GPL");
