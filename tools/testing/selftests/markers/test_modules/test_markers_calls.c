// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the registration functions as a script writes them, and handlers
 * that tell what they got.
 *
 * Written to "call", one of
 *
 *	register NAME FUNC PRIVATE [=FORMAT]	no =FORMAT is NULL
 *	unregister NAME FUNC PRIVATE
 *	unregister_private FUNC PRIVATE
 *	private NAME FUNC NUM			which PRIVATE it is
 *	synchronize
 *
 * where NAME is the name with "+" for a blank, or "(null)" or "(empty)"; FUNC
 * is f0, f1, f2 or null; and PRIVATE is a number up to 7, or null.
 *
 * ret		what the last call returned
 * hits		lines "FUNC PRIVATE N" of who was called; write to forget all
 *		that the handlers have seen
 * bad		calls of a handler where something was off
 * fmt, text	of the last call of a handler: the format string it was given,
 *		and the arguments printed with it
 * args		the same arguments one by one, from marker_arg(), in hexadecimal
 *
 * On kernels with fault injection:
 *
 * fail_call=N	the N-th allocation of the next call fails
 * fail_load=N	the N-th allocation that the markers make while the next test
 *		module is being loaded fails
 * failed	whether there were so many
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "test_markers.h"

#define NR_FUNCS	3
#define NR_PRIVATES	8
#define PRIVATE_NULL	NR_PRIVATES
#define MAX_ARGS	16
#define MAGIC		0x63616c6cU

/* The handler and the private data tell the same pair, or something is off. */
struct private {
	unsigned int	magic;
	atomic_long_t	hits[NR_FUNCS];
};

static struct private privates[NR_PRIVATES + 1];
static atomic_long_t bad;
static long ret;

/* === Handlers ============================================================= */

static DEFINE_RAW_SPINLOCK(last_lock);
static char last_fmt[256];
static char last_text[256];
static u64 last_args[MAX_ARGS];
static unsigned int last_nr_args;

static void remember(const char *fmt, va_list *args)
{
	struct va_format vaf = { .fmt = fmt, .va = args };
	unsigned long flags;

	/* The last one is a matter of luck while many arrive. */
	if (!raw_spin_trylock_irqsave(&last_lock, flags))
		return;
	strscpy(last_fmt, fmt, sizeof(last_fmt));
	last_nr_args = 0;
	while (last_nr_args < MAX_ARGS &&
	       marker_arg(fmt, args, last_nr_args + 1,
			  &last_args[last_nr_args]))
		last_nr_args++;
	/* Neither this nor marker_arg() moves on in the arguments. */
	scnprintf(last_text, sizeof(last_text), "%pV", &vaf);
	raw_spin_unlock_irqrestore(&last_lock, flags);
}

static void called(unsigned int func, struct private *private, const char *fmt,
		   va_list *args)
{
	if (!private)
		private = &privates[PRIVATE_NULL];
	if (private->magic != MAGIC || !test_handler_atomic()) {
		atomic_long_inc(&bad);
		return;
	}
	atomic_long_inc(&private->hits[func]);
	remember(fmt, args);
	if (test_event_is(fmt) && !test_event_ok(args))
		atomic_long_inc(&bad);
}

static void f0(void *probe_private, void *call_private, const char *fmt,
	       va_list *args)
{
	called(0, probe_private, fmt, args);
}

static void f1(void *probe_private, void *call_private, const char *fmt,
	       va_list *args)
{
	called(1, probe_private, fmt, args);
}

static void f2(void *probe_private, void *call_private, const char *fmt,
	       va_list *args)
{
	called(2, probe_private, fmt, args);
}

static marker_probe_func * const funcs[NR_FUNCS] = { f0, f1, f2 };

/* === Fault injection ====================================================== */

#ifdef CONFIG_FAILSLAB
static unsigned int fail_call;
static unsigned int fail_load;
static bool failed;

static void fail_begin(unsigned int nth)
{
	failed = false;
	current->fail_nth = nth;
}

static void fail_end(unsigned int *nth)
{
	if (*nth) {
		failed = !current->fail_nth;
		current->fail_nth = 0;
	}
	*nth = 0;
}

/* Just before and just behind the markers' own notifier. */
static int fail_load_begin(struct notifier_block *nb, unsigned long event,
			   void *data)
{
	const struct module *mod = data;

	if (strncmp(mod->name, "test_markers_", strlen("test_markers_")))
		return 0;
	if (event == MODULE_STATE_COMING && fail_load)
		fail_begin(fail_load);
	else if (event == MODULE_STATE_GOING)
		fail_end(&fail_load);
	return 0;
}

static int fail_load_end(struct notifier_block *nb, unsigned long event,
			 void *data)
{
	fail_end(&fail_load);
	return 0;
}

/* Jump labels are before us, as they have the same priority. */
static struct notifier_block fail_begin_nb = {
	.notifier_call = fail_load_begin,
	.priority = 1,
};

static struct notifier_block fail_end_nb = {
	.notifier_call = fail_load_end,
	.priority = -1,
};

static int fail_init(void)
{
	int err = register_module_notifier(&fail_begin_nb);

	if (err)
		return err;
	err = register_module_notifier(&fail_end_nb);
	if (err)
		unregister_module_notifier(&fail_begin_nb);
	return err;
}

static void fail_exit(void)
{
	unregister_module_notifier(&fail_end_nb);
	unregister_module_notifier(&fail_begin_nb);
}

module_param(fail_call, uint, 0600);
module_param(fail_load, uint, 0600);
module_param(failed, bool, 0400);
#else
static unsigned int fail_call;

static void fail_begin(unsigned int nth) { }
static void fail_end(unsigned int *nth) { }
static int fail_init(void) { return 0; }
static void fail_exit(void) { }
#endif

/* === Calls ================================================================ */

static int get_name(char *word, const char **name)
{
	if (!word)
		return -EPROTO;
	if (!strcmp(word, "(null)"))
		*name = NULL;
	else if (!strcmp(word, "(empty)"))
		*name = "";
	else
		*name = strreplace(word, '+', ' ');
	return 0;
}

static int get_func(const char *word, marker_probe_func **func)
{
	if (!word)
		return -EPROTO;
	*func = NULL;
	if (!strcmp(word, "null"))
		return 0;
	if (word[0] != 'f' || word[1] < '0' || word[1] >= '0' + NR_FUNCS)
		return -EPROTO;
	*func = funcs[word[1] - '0'];
	return 0;
}

static int get_private(const char *word, struct private **private)
{
	unsigned int i;

	if (!word)
		return -EPROTO;
	*private = NULL;
	if (!strcmp(word, "null"))
		return 0;
	if (kstrtouint(word, 0, &i) || i >= NR_PRIVATES)
		return -EPROTO;
	*private = &privates[i];
	return 0;
}

static int do_register(char *rest)
{
	struct private *private;
	marker_probe_func *func;
	const char *name;

	if (get_name(strsep(&rest, " "), &name) ||
	    get_func(strsep(&rest, " "), &func) ||
	    get_private(strsep(&rest, " "), &private) ||
	    (rest && *rest != '='))
		return -EPROTO;
	fail_begin(fail_call);
	ret = marker_probe_register(name, rest ? rest + 1 : NULL, func,
				    private);
	return 0;
}

static int do_unregister(char *rest)
{
	struct private *private;
	marker_probe_func *func;
	const char *name;

	if (get_name(strsep(&rest, " "), &name) ||
	    get_func(strsep(&rest, " "), &func) ||
	    get_private(strsep(&rest, " "), &private))
		return -EPROTO;
	fail_begin(fail_call);
	ret = marker_probe_unregister(name, func, private);
	return 0;
}

static int do_unregister_private(char *rest)
{
	struct private *private;
	marker_probe_func *func;

	if (get_func(strsep(&rest, " "), &func) ||
	    get_private(strsep(&rest, " "), &private))
		return -EPROTO;
	fail_begin(fail_call);
	ret = marker_probe_unregister_private_data(func, private);
	return 0;
}

static int do_private(char *rest)
{
	marker_probe_func *func;
	const char *name;
	char *word;
	void *found;
	int num;

	if (get_name(strsep(&rest, " "), &name) ||
	    get_func(strsep(&rest, " "), &func))
		return -EPROTO;
	word = strsep(&rest, " ");
	if (!word || kstrtoint(word, 0, &num))
		return -EPROTO;
	fail_begin(fail_call);
	found = marker_get_private_data(name, func, num);
	if (IS_ERR(found))
		ret = PTR_ERR(found);
	else if (!found)
		ret = PRIVATE_NULL;
	else
		ret = (struct private *)found - privates;
	return 0;
}

static int do_synchronize(char *rest)
{
	fail_begin(fail_call);
	marker_synchronize_unregister();
	ret = 0;
	return 0;
}

static const struct {
	const char *verb;
	int (*func)(char *rest);
} calls[] = {
	{ "register",		do_register },
	{ "unregister",		do_unregister },
	{ "unregister_private",	do_unregister_private },
	{ "private",		do_private },
	{ "synchronize",	do_synchronize },
};

static int call_line(char *line)
{
	char *verb = strsep(&line, " ");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!strcmp(verb, calls[i].verb))
			return calls[i].func(line);
	}
	return -EPROTO;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	size_t len = strlen(val);
	char *line;
	int err;

	if (len && val[len - 1] == '\n')
		len--;
	line = kstrndup(val, len, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	err = call_line(line);
	fail_end(&fail_call);
	kfree(line);
	return err;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};
module_param_cb(call, &call_ops, NULL, 0200);
module_param(ret, long, 0400);

/* === Results ============================================================== */

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int func, i;
	int len = 0;
	long n;

	for (func = 0; func < NR_FUNCS; func++) {
		for (i = 0; i < ARRAY_SIZE(privates); i++) {
			n = atomic_long_read(&privates[i].hits[func]);
			if (!n)
				continue;
			if (i == PRIVATE_NULL)
				len += scnprintf(buffer + len, PAGE_SIZE - len,
						 "f%u null %ld\n", func, n);
			else
				len += scnprintf(buffer + len, PAGE_SIZE - len,
						 "f%u %u %ld\n", func, i, n);
		}
	}
	return len;
}

static int hits_set(const char *val, const struct kernel_param *kp)
{
	unsigned int func, i;

	for (i = 0; i < ARRAY_SIZE(privates); i++) {
		for (func = 0; func < NR_FUNCS; func++)
			atomic_long_set(&privates[i].hits[func], 0);
	}
	atomic_long_set(&bad, 0);
	raw_spin_lock_irq(&last_lock);
	last_fmt[0] = '\0';
	last_text[0] = '\0';
	last_nr_args = 0;
	raw_spin_unlock_irq(&last_lock);
	return 0;
}

static const struct kernel_param_ops hits_ops = {
	.set = hits_set,
	.get = hits_get,
};
module_param_cb(hits, &hits_ops, NULL, 0600);

static int bad_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(&bad));
}

static const struct kernel_param_ops bad_ops = {
	.get = bad_get,
};
module_param_cb(bad, &bad_ops, NULL, 0400);

static int last_get(char *buffer, const struct kernel_param *kp)
{
	const char *last = kp->arg;
	int len;

	raw_spin_lock_irq(&last_lock);
	len = scnprintf(buffer, PAGE_SIZE, "%s\n", last);
	raw_spin_unlock_irq(&last_lock);
	return len;
}

static const struct kernel_param_ops last_ops = {
	.get = last_get,
};
module_param_cb(fmt, &last_ops, last_fmt, 0400);
module_param_cb(text, &last_ops, last_text, 0400);

static int args_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	raw_spin_lock_irq(&last_lock);
	for (i = 0; i < last_nr_args; i++)
		len += scnprintf(buffer + len, PAGE_SIZE - len, "%llx\n",
				 last_args[i]);
	raw_spin_unlock_irq(&last_lock);
	return len;
}

static const struct kernel_param_ops args_ops = {
	.get = args_get,
};
module_param_cb(args, &args_ops, NULL, 0400);

static int __init test_markers_calls_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(privates); i++)
		privates[i].magic = MAGIC;
	return fail_init();
}
module_init(test_markers_calls_init);

static void __exit test_markers_calls_exit(void)
{
	/* The core takes away what the script left registered, and says so. */
	fail_exit();
}
module_exit(test_markers_calls_exit);

MODULE_DESCRIPTION("Calls for the tests of kernel markers");
MODULE_LICENSE("GPL");
