// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel markers: the registry of sites and handlers, and the delivery of hits.
 *
 * A marker is a name. Its sites are the places in the code that carry the name;
 * the compiler lays a struct marker_site for each into the section __markers,
 * of vmlinux or of a module. Its probes are the handlers that were registered
 * for the name. Both come and go in any order.
 *
 * Nothing about a marker is updated step by step: marker_update() derives the
 * state of its sites and probes from the two lists, after each change to one of
 * them. So no order of changes can leave behind a state that another order
 * would not.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <kunit/visibility.h>
#include <linux/context_tracking.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "format.h"
#include "markers.h"

/* === Data ================================================================= */

static DEFINE_HASHTABLE(markers_by_name, 8);

/*
 * How much of a format a message shows. What may be anything is shown by %pE,
 * so that it is one line whatever it is.
 */
#define FORMAT_SHOWN	300

/* Protects all but what marker_hit() reads, see struct marker. */
DEFINE_MUTEX(markers_mutex);
EXPORT_SYMBOL_IF_KUNIT(markers_mutex);

/* Oldest first: the markers of vmlinux are in link order. */
LIST_HEAD(markers_list);
EXPORT_SYMBOL_IF_KUNIT(markers_list);

/*
 * Which context levels of a CPU may run handlers. One byte for each level, so
 * that an interrupt writes to none that the code it interrupts is changing.
 */
enum {
	LEVEL_FREE,
	LEVEL_BUSY,			/* a handler runs */
	LEVEL_OFFLINE,			/* RCU may not wait for this CPU */
};

struct marker_levels {
	u8 state[4];			/* by context_level() */
};

static DEFINE_PER_CPU(struct marker_levels, marker_levels);

/* === Delivery ============================================================= */

static void call_nobody(void *probe_private, void *call_private,
			const char *fmt, va_list *args)
{
}

static DEFINE_PER_CPU(struct marker_counts, nobody_counts);

/* What a site has while it is off, for the hits that are on their way then. */
static struct marker_handler marker_nobody = {
	.func	= call_nobody,
	.counts	= &nobody_counts,
};

/* What a site has while there are several handlers to be called. */
static void call_all(void *probe_private, void *call_private,
		     const char *fmt, va_list *args)
{
	struct marker_handler *all = probe_private, *handler;
	va_list copy;

	/* Pairs with marker_link(). */
	handler = smp_load_acquire(&all->next);
	while (handler) {
		va_copy(copy, *args);
		handler->func(handler->private, NULL, fmt, &copy);
		va_end(copy);
		/* Pairs with marker_link(). */
		handler = smp_load_acquire(&handler->next);
	}
}

/* What rcu_is_watching() disables preemption for has been done. */
static __always_inline bool this_cpu_watched(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return raw_cpu_read(context_tracking.state.counter) & CT_RCU_WATCHING;
#else
	return rcu_is_watching();
#endif
}

static __always_inline bool in_task_level(void)
{
	return !(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}

static __always_inline unsigned int context_level(void)
{
	return in_task_level() ? 0 : interrupt_context_level();
}

/* What marker_hit() has no time to tell apart. */
static noinline void hit_elsewhere(struct marker_site *site,
				   struct marker_handler *handler,
				   va_list *args)
{
	u8 *level;

	if (!this_cpu_watched()) {
		this_cpu_inc(handler->counts->unwatched);
		return;
	}
	level = &raw_cpu_ptr(&marker_levels)->state[context_level()];
	if (unlikely(*level == LEVEL_OFFLINE)) {
		this_cpu_inc(handler->counts->unwatched);
		return;
	}
	if (unlikely(*level == LEVEL_BUSY)) {
		this_cpu_inc(handler->counts->recursions);
		return;
	}

	*level = LEVEL_BUSY;
	barrier();
	this_cpu_inc(handler->counts->hits);
	handler->func(handler->private, NULL, site->format, args);
	barrier();
	*level = LEVEL_FREE;
}

/* As preempt_enable_notrace(), which would need a frame pointer in its place. */
#ifdef CONFIG_PREEMPTION
static noinline void hit_resched(void)
{
	__preempt_schedule_notrace();
}

#define hit_preempt_enable()						\
do {									\
	barrier();							\
	if (unlikely(__preempt_count_dec_and_test()))			\
		hit_resched();						\
} while (0)
#else
#define hit_preempt_enable()	preempt_enable_notrace()
#endif

/**
 * marker_hit - deliver one hit of a site to the handlers of its marker
 * @site: the site, which was found to be on
 * @...: the arguments that the site's format tells of
 *
 * Only the macros of <linux/marker.h> call this.
 *
 * Context: Any that is not noinstr.
 */
notrace __no_stack_protector void marker_hit(struct marker_site *site, ...)
{
	/*
	 * An array of one, which is all that va_start() and va_arg() write to:
	 * neither a canary behind it nor zeros in it are worth their time.
	 */
	va_list args __uninitialized;
	struct marker_handler *handler;

	preempt_disable_notrace();

	/*
	 * The site may be off by now. What it had stays for a grace period, for
	 * which RCU does not wait for a CPU that it takes for idle or offline.
	 * Pairs with site_switch().
	 */
	handler = smp_load_acquire(&site->handler);

	if (unlikely(!this_cpu_watched() || !in_task_level() ||
		     raw_cpu_read(marker_levels.state[0]) != LEVEL_FREE)) {
		va_start(args, site);
		hit_elsewhere(site, handler, &args);
		va_end(args);
	} else {
		raw_cpu_write(marker_levels.state[0], LEVEL_BUSY);
		barrier();
		this_cpu_inc(handler->counts->hits);
		va_start(args, site);
		handler->func(handler->private, NULL, site->format, &args);
		va_end(args);
		barrier();
		raw_cpu_write(marker_levels.state[0], LEVEL_FREE);
	}

	hit_preempt_enable();
}
EXPORT_SYMBOL_GPL(marker_hit);

/* === Internals ============================================================ */

static u32 marker_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static struct marker *marker_find(const char *name)
{
	struct marker *marker;

	lockdep_assert_held(&markers_mutex);

	hash_for_each_possible(markers_by_name, marker, hash,
			       marker_hash(name)) {
		if (!strcmp(marker->name, name))
			return marker;
	}
	return NULL;
}

static struct marker *marker_find_or_create(const char *name)
{
	struct marker *marker = marker_find(name);
	size_t size = strlen(name) + 1;

	if (marker)
		return marker;

	marker = kzalloc(struct_size(marker, name, size), GFP_KERNEL);
	if (!marker)
		return NULL;
	marker->counts = alloc_percpu(struct marker_counts);
	if (!marker->counts) {
		kfree(marker);
		return NULL;
	}
	INIT_LIST_HEAD(&marker->sites);
	INIT_LIST_HEAD(&marker->probes);
	marker->all.func = call_all;
	marker->all.private = &marker->all;
	marker->all.counts = marker->counts;
	memcpy(marker->name, name, size);
	hash_add(markers_by_name, &marker->hash, marker_hash(name));
	list_add_tail(&marker->list, &markers_list);
	return marker;
}

static void marker_free_rcu(struct rcu_head *rcu)
{
	struct marker *marker = container_of(rcu, struct marker, rcu);

	free_percpu(marker->counts);
	kfree(marker);
}

/*
 * A handler's last call may still be on its way, and then adds to the counts.
 */
static void marker_put(struct marker *marker)
{
	lockdep_assert_held(&markers_mutex);

	if (!list_empty(&marker->sites) || !list_empty(&marker->probes))
		return;
	hash_del(&marker->hash);
	list_del(&marker->list);
	call_rcu(&marker->rcu, marker_free_rcu);
}

/*
 * NULL unless the name could be that of a site (a C identifier). Else what is
 * wrong with it.
 */
static const char *marker_name_error(const char *name)
{
	size_t i;

	if (!*name)
		return "it is empty";
	if (strnlen(name, MARKER_NAME_LEN + 1) > MARKER_NAME_LEN)
		return "it is longer than 255 characters";
	if (isdigit(*name))
		return "it begins with a digit";
	for (i = 0; name[i]; i++) {
		if (!isascii(name[i]) || (!isalnum(name[i]) && name[i] != '_'))
			return "it is not a C identifier";
	}
	return NULL;
}

const char *marker_site_module(const struct marker_site *site)
{
	struct module *mod;

	lockdep_assert_held(&markers_mutex);

	preempt_disable();
	mod = __module_address((unsigned long)site);
	preempt_enable();
	/* A module with sites cannot go while we hold the mutex. */
	return mod ? module_name(mod) : "vmlinux";
}

static bool site_format_good(const struct marker_site *site)
{
	return marker_format_check(site->format, NULL) == 0;
}

enum marker_site_state marker_site_state(const struct marker *marker,
					 const struct marker_site *site)
{
	lockdep_assert_held(&markers_mutex);

	if (site->handler != &marker_nobody)
		return MARKER_SITE_ON;
	if (!site_format_good(site))
		return MARKER_SITE_BAD_FORMAT;
	if (!marker_format_equal(marker->format, site->format))
		return MARKER_SITE_DIFFERS;
	return MARKER_SITE_OFF;
}
EXPORT_SYMBOL_IF_KUNIT(marker_site_state);

/* NULL switches it off. */
static void site_switch(struct marker_site *site, struct marker_handler *handler)
{
	bool was_on = site->handler != &marker_nobody;

	/*
	 * What was done to the handlers until now is seen by who finds the site
	 * to be on. Pairs with marker_hit().
	 */
	smp_store_release(&site->handler, handler ?: &marker_nobody);
	if (handler && !was_on)
		static_branch_enable(&site->key);
	else if (!handler && was_on)
		static_branch_disable(&site->key);
}

static void probe_set_state(struct marker *marker, struct marker_probe *probe,
			    enum marker_probe_state state)
{
	if (probe->state == state)
		return;
	probe->state = state;
	if (state == MARKER_PROBE_PARKED)
		pr_notice("Format mismatch for probe %s (%.300s), marker (%.300s): handler %ps is parked\n",
			  marker->name, probe->format, marker->format,
			  probe->handler.func);
}

/*
 * The first site sets the format. It stays as long as any site has it: another
 * one takes its place only when all code that could hit the marker with the old
 * one has gone, so that no hit that is on its way meets a handler of the new.
 */
static const char *marker_choose_format(const struct marker *marker)
{
	struct marker_site *site;
	const char *first = NULL;

	list_for_each_entry(site, &marker->sites, node) {
		if (!site_format_good(site))
			continue;
		if (!marker->format ||
		    marker_format_equal(marker->format, site->format))
			return site->format;
		if (!first)
			first = site->format;
	}
	return first;
}

/* The sites are about to go on: have the code that they are in reached. */
static int marker_reach(struct marker *marker)
{
	int ret;

	if (!marker->ops || marker->reached)
		return 0;
	ret = marker->ops->reg();
	marker->reached = !ret;
	return ret;
}

/* The sites are off. */
static void marker_unreach(struct marker *marker)
{
	if (!marker->reached)
		return;
	marker->ops->unreg();
	marker->reached = false;
}

static bool probe_takes(const struct marker_probe *probe, const char *format)
{
	if (!probe->format)
		return true;
	if (probe->exact)
		return marker_format_equal(format, probe->format);
	return marker_format_match(format, probe->format);
}

/*
 * Link the handlers of the active probes in the order of their registration,
 * from the end, so that who is on the way through them finds those behind.
 *
 * Return: what the sites are to have; NULL if there is none.
 */
static struct marker_handler *marker_link(struct marker *marker)
{
	struct marker_handler *next = NULL;
	struct marker_probe *probe;

	list_for_each_entry_reverse(probe, &marker->probes, node) {
		if (probe->state != MARKER_PROBE_ACTIVE)
			continue;
		/* Pairs with call_all(). */
		smp_store_release(&probe->handler.next, next);
		next = &probe->handler;
	}
	/* Pairs with call_all(). */
	smp_store_release(&marker->all.next, next);
	return next && next->next ? &marker->all : next;
}

/*
 * Make each site and each probe of the marker be what the two lists ask for.
 *
 *	sites	a probe's format	the probe is	the good sites are
 *	none	any			PENDING
 *	some	as theirs, or NULL	ACTIVE		on
 *	some	another			PARKED		on if another is ACTIVE
 *
 * Good sites are those that have the marker's format.
 *
 * Return: 0, or why the sites that should be on are not. When a probe or a site
 * goes that is nothing new: they were off for the same reason before.
 */
static int marker_update(struct marker *marker)
{
	struct marker_handler *handler;
	enum marker_probe_state state;
	struct marker_probe *probe;
	struct marker_site *site;
	int ret = 0;

	lockdep_assert_held(&markers_mutex);

	marker->format = marker_choose_format(marker);

	list_for_each_entry(probe, &marker->probes, node) {
		if (!marker->format)
			state = MARKER_PROBE_PENDING;
		else if (probe_takes(probe, marker->format))
			state = MARKER_PROBE_ACTIVE;
		else
			state = MARKER_PROBE_PARKED;
		probe_set_state(marker, probe, state);
	}

	handler = marker_link(marker);
	if (handler) {
		ret = marker_reach(marker);
		if (ret)
			handler = NULL;
	}
	list_for_each_entry(site, &marker->sites, node) {
		if (handler && site_format_good(site) &&
		    marker_format_equal(marker->format, site->format))
			site_switch(site, handler);
		else
			site_switch(site, NULL);
	}
	if (!handler)
		marker_unreach(marker);
	return ret;
}

/* Say once, when it appears, why a site is not going to be switched on. */
static void site_report(const struct marker_site *site)
{
	const char *wrong = marker_name_error(site->name);
	struct marker_format_error error;
	const struct marker *marker;

	lockdep_assert_held(&markers_mutex);

	if (wrong) {
		pr_notice("name \"%*pE\" of a site in %s: %s; the site stays off\n",
			  (int)strnlen(site->name, MARKER_NAME_LEN), site->name,
			  marker_site_module(site), wrong);
		return;
	}
	marker = marker_find(site->name);
	if (!marker)
		return;
	if (marker_format_check(site->format, &error))
		pr_notice("%s: format \"%*pE\" of a site in %s, at offset %u: %s; the site stays off\n",
			  marker->name, (int)strnlen(site->format, FORMAT_SHOWN),
			  site->format, marker_site_module(site), error.offset,
			  error.what);
	else if (!marker_format_equal(marker->format, site->format))
		pr_notice("%s: format \"%.300s\" of a site in %s differs from \"%.300s\" of the first site; the site stays off\n",
			  marker->name, site->format, marker_site_module(site),
			  marker->format);
}

/*
 * Sites come and go with the image that they are in: all of them at once, and
 * thousands may share a name. So only note what has to be updated then.
 */
static int site_add(struct marker_site *site)
{
	struct marker *marker;

	lockdep_assert_held(&markers_mutex);

	/* Before any code could find the site on. */
	site->handler = &marker_nobody;

	/* No handler can be registered for such a name. */
	if (marker_name_error(site->name))
		return 0;
	marker = marker_find_or_create(site->name);
	if (!marker) {
		pr_err("%s: no memory for a site in %s\n", site->name,
		       marker_site_module(site));
		return -ENOMEM;
	}
	list_add_tail(&site->node, &marker->sites);
	marker->stale = true;
	return 0;
}

static void markers_update_stale(void)
{
	struct marker *marker, *next;
	int ret;

	lockdep_assert_held(&markers_mutex);

	list_for_each_entry_safe(marker, next, &markers_list, list) {
		if (!marker->stale)
			continue;
		marker->stale = false;
		ret = marker_update(marker);
		if (ret)
			pr_err("%s: cannot have its sites reached (error %d); they stay off\n",
			       marker->name, ret);
		marker_put(marker);
	}
}

static struct marker_probe *probe_find(const struct marker *marker,
				       marker_probe_func *func, void *private)
{
	struct marker_probe *probe;

	lockdep_assert_held(&markers_mutex);

	list_for_each_entry(probe, &marker->probes, node) {
		if (probe->handler.func == func &&
		    probe->handler.private == private)
			return probe;
	}
	return NULL;
}

static struct marker_probe *probe_alloc(const char *format,
					marker_probe_func *func, void *private)
{
	size_t len = format ? strlen(format) + 1 : 0;
	struct marker_probe *probe;

	probe = kzalloc(struct_size(probe, format_copy, len), GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->handler.func = func;
	probe->handler.private = private;
	if (format)
		probe->format = memcpy(probe->format_copy, format, len);
	return probe;
}

/* Who has a hit to deliver may look at the probe for a grace period more. */
static void probe_del(struct marker *marker, struct marker_probe *probe)
{
	lockdep_assert_held(&markers_mutex);

	list_del(&probe->node);
	marker_update(marker);
	marker_put(marker);
}

static void probe_remove(struct marker *marker, struct marker_probe *probe)
{
	probe_del(marker, probe);
	kfree_rcu(probe, rcu);
}

/* === Sites of vmlinux and of modules ====================================== */

extern struct marker_site __start___markers[], __stop___markers[];

/* The site is off when this returns, and no other thread is going to use it. */
static void site_remove(struct marker_site *site)
{
	lockdep_assert_held(&markers_mutex);

	if (!site->node.next || list_empty(&site->node))
		return;
	site_switch(site, NULL);
	list_del_init(&site->node);
	marker_find(site->name)->stale = true;
}

void marker_sites_remove(struct marker_site *begin, struct marker_site *end)
{
	struct marker_site *site;

	lockdep_assert_held(&markers_mutex);

	for (site = begin; site < end; site++)
		site_remove(site);
	markers_update_stale();
}
EXPORT_SYMBOL_IF_KUNIT(marker_sites_remove);

/* All of them or, if memory is short, none. */
int marker_sites_add(struct marker_site *begin, struct marker_site *end)
{
	struct marker_site *site;
	int ret;

	lockdep_assert_held(&markers_mutex);

	for (site = begin; site < end; site++) {
		ret = site_add(site);
		if (ret) {
			marker_sites_remove(begin, site);
			return ret;
		}
	}
	markers_update_stale();
	for (site = begin; site < end; site++)
		site_report(site);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(marker_sites_add);

#ifdef CONFIG_MODULES
static int module_coming(struct module *mod)
{
	return marker_sites_add(mod->marker_sites,
				mod->marker_sites + mod->num_marker_sites);
}

/*
 * A module that fails in its init function, or whose author forgot to
 * unregister, must not take the kernel with it on the next hit.
 */
static bool module_probes_remove(struct module *mod)
{
	struct marker *marker, *next_marker;
	struct marker_probe *probe, *next;
	bool removed = false;

	list_for_each_entry_safe(marker, next_marker, &markers_list, list) {
		list_for_each_entry_safe(probe, next, &marker->probes, node) {
			if (!within_module((unsigned long)probe->handler.func,
					   mod))
				continue;
			pr_err("%s: module %s goes without having unregistered its handler %ps; removed\n",
			       marker->name, mod->name, probe->handler.func);
			probe_remove(marker, probe);
			removed = true;
		}
	}
	return removed;
}

static void module_going(struct module *mod)
{
	marker_sites_remove(mod->marker_sites,
			    mod->marker_sites + mod->num_marker_sites);
	if (module_probes_remove(mod))
		synchronize_rcu();
}

static int markers_module_notify(struct notifier_block *nb, unsigned long event,
				 void *data)
{
	struct module *mod = data;
	int ret = 0;

	if (event != MODULE_STATE_COMING && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;

	marker_events_lock();
	mutex_lock(&markers_mutex);
	if (event == MODULE_STATE_COMING)
		ret = module_coming(mod);
	else
		module_going(mod);
	mutex_unlock(&markers_mutex);
	if (mod->num_marker_sites)
		marker_events_update();
	marker_events_unlock();
	return notifier_from_errno(ret);
}

/*
 * Jump labels have priority 1: the keys of a module's sites work when we see it
 * coming. When it goes theirs are gone first, but nobody looks at the keys then
 * until its memory is freed, which is after us.
 */
static struct notifier_block markers_module_nb = {
	.notifier_call = markers_module_notify,
	.priority = 0,
};
#endif /* CONFIG_MODULES */

/*
 * Between these two RCU waits for the CPU. It does so for a while longer, so
 * that a marker in the last steps of a CPU that goes is skipped without need.
 */
static int markers_cpu_starting(unsigned int cpu)
{
	struct marker_levels *levels = this_cpu_ptr(&marker_levels);

	memset(levels->state, LEVEL_FREE, sizeof(levels->state));
	return 0;
}

static int markers_cpu_dying(unsigned int cpu)
{
	struct marker_levels *levels = this_cpu_ptr(&marker_levels);

	memset(levels->state, LEVEL_OFFLINE, sizeof(levels->state));
	return 0;
}

/* While there is but one CPU. */
static int __init markers_cpu_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct marker_levels *levels = per_cpu_ptr(&marker_levels, cpu);

		if (!cpu_online(cpu))
			memset(levels->state, LEVEL_OFFLINE,
			       sizeof(levels->state));
	}
	return cpuhp_setup_state_nocalls(CPUHP_AP_MARKERS_STARTING,
					 "kernel/markers:starting",
					 markers_cpu_starting,
					 markers_cpu_dying);
}

/*
 * Tracing, which starts its events before there are initcalls, asks for them
 * then. Nobody can have come before: that is no time for modules.
 */
void __init markers_add_vmlinux(void)
{
	struct marker_site *site;

	mutex_lock(&markers_mutex);
	if (list_empty(&markers_list)) {
		for (site = __start___markers; site < __stop___markers; site++) {
			/* Without memory it is off, and has been reported. */
			site_add(site);
		}
		markers_update_stale();
		for (site = __start___markers; site < __stop___markers; site++)
			site_report(site);
	}
	mutex_unlock(&markers_mutex);
}

static int __init markers_init(void)
{
	int ret;

	ret = markers_cpu_init();
	if (ret)
		return ret;

	markers_add_vmlinux();
#ifdef CONFIG_MODULES
	ret = register_module_notifier(&markers_module_nb);
#endif
	return ret;
}
early_initcall(markers_init);

/* === Public interface ===================================================== */

/*
 * The one log line that a refused call leaves behind. Here as in all messages,
 * strings are cut so that the line fits into a record of the log: one that does
 * not loses its newline too, and is shown only with the next message.
 */
#define marker_refuse(name, func, what, fmt, args...)			\
do {									\
	const char *__name = name;					\
									\
	pr_notice("%*pE: handler %ps not %s: " fmt "\n",		\
		  (int)strnlen(__name, MARKER_NAME_LEN), __name, func,	\
		  what, ##args);					\
} while (0)

static int probe_check(const char *name, const char *format,
		       marker_probe_func *func)
{
	struct marker_format_error error;
	const char *wrong;

	if (!name) {
		marker_refuse("(null)", func, "registered", "no name given");
		return -EINVAL;
	}
	wrong = marker_name_error(name);
	if (wrong) {
		marker_refuse(name, func, "registered", "bad name: %s", wrong);
		return -EINVAL;
	}
	if (!func) {
		marker_refuse(name, func, "registered", "no function given");
		return -EINVAL;
	}
	if (format && marker_format_check(format, &error)) {
		marker_refuse(name, func, "registered",
			      "format \"%*pE\", at offset %u: %s",
			      (int)strnlen(format, FORMAT_SHOWN), format,
			      error.offset, error.what);
		return -EINVAL;
	}
	return 0;
}

static int probe_add(const char *name, struct marker_probe *probe,
		     struct marker_counts __percpu **counts)
{
	marker_probe_func *func = probe->handler.func;
	struct marker *marker;
	int ret;

	lockdep_assert_held(&markers_mutex);

	marker = marker_find_or_create(name);
	if (!marker) {
		marker_refuse(name, func, "registered", "no memory");
		return -ENOMEM;
	}
	/* A marker that was just made is refused by neither of these two. */
	if (probe_find(marker, func, probe->handler.private)) {
		marker_refuse(name, func, "registered",
			      "it is already, with private data %p",
			      probe->handler.private);
		return -EBUSY;
	}
	if (marker->format && !probe_takes(probe, marker->format)) {
		marker_refuse(name, func, "registered",
			      "format \"%.300s\" differs from \"%.300s\" of its sites",
			      probe->format, marker->format);
		return -EPERM;
	}
	probe->handler.counts = marker->counts;
	if (counts)
		*counts = marker->counts;
	list_add_tail(&probe->node, &marker->probes);
	ret = marker_update(marker);
	if (ret) {
		marker_refuse(name, func, "registered",
			      "cannot have its sites reached (error %d)", ret);
		probe_del(marker, probe);
	}
	return ret;
}

static int probe_register(const char *name, const char *format,
			  marker_probe_func *func, void *private,
			  struct marker_counts __percpu **counts)
{
	struct marker_probe *probe;
	int ret;

	ret = probe_check(name, format, func);
	if (ret)
		return ret;

	probe = probe_alloc(format, func, private);
	if (!probe) {
		marker_refuse(name, func, "registered", "no memory");
		return -ENOMEM;
	}
	probe->exact = counts;

	mutex_lock(&markers_mutex);
	ret = probe_add(name, probe, counts);
	mutex_unlock(&markers_mutex);

	if (ret)
		kfree_rcu(probe, rcu);
	return ret;
}

/**
 * marker_probe_register_exact - attach a handler that reads strings
 * @name: the marker's name
 * @format: the format that @func knows, in which a %s is not as good as a %p
 * @func: the handler
 * @private: passed to @func on each call
 * @counts: filled with the marker's counters before @func is called; they stay
 *	    until @func is not called any more
 *
 * Context: As marker_probe_register().
 * Return: As marker_probe_register().
 */
int marker_probe_register_exact(const char *name, const char *format,
				marker_probe_func *func, void *private,
				struct marker_counts __percpu **counts)
{
	return probe_register(name, format, func, private, counts);
}

/**
 * marker_probe_register - attach a handler to a marker
 * @name: the marker's name; it need not have a site yet
 * @format: the format that @probe expects, or NULL for whatever the sites have.
 *	    %s and %p at the same place count as equal here
 * @probe: the handler
 * @private: passed to @probe on each call
 *
 * The handler is called on each hit of each site of that name from now on, also
 * of those in modules that are loaded later. While there is no site the
 * registration is pending; if a site that appears then has another format than
 * @format it is parked, with a message, until such sites have gone.
 *
 * Both arguments are copied; @probe and @private must stay valid until after
 * marker_probe_unregister() and marker_synchronize_unregister().
 *
 * Context: Process context, may sleep. Not from a handler, nor from a CPU
 * hotplug callback or with cpus_read_lock() held.
 * Return: 0; -EINVAL for a name that is not a C identifier of at most 255
 * characters, for no handler, and for a format outside of the grammar; -EBUSY
 * if the pair (@probe, @private) is registered for this name already; -EPERM if
 * the sites have another format; -ENOMEM; for a system call marker what
 * register_trace_sys_enter() returns. Each failure leaves a line in the log and
 * changes nothing.
 *
 * Example: ret = marker_probe_register("kernel_timer_set", NULL, count, &n);
 */
int marker_probe_register(const char *name, const char *format,
			  marker_probe_func *probe, void *private)
{
	return probe_register(name, format, probe, private, NULL);
}
EXPORT_SYMBOL_GPL(marker_probe_register);

/**
 * marker_probe_unregister - detach a handler from a marker
 * @name: the marker's name
 * @probe: the handler
 * @private: what it was registered with
 *
 * A CPU may still run the handler until marker_synchronize_unregister() has
 * returned; only then may its code and its data go.
 *
 * Context: Process context, may sleep. As marker_probe_register().
 * Return: 0, also when memory is short; -ENOENT if exactly this pair is not
 * registered for @name, and then nothing changes.
 */
int marker_probe_unregister(const char *name, marker_probe_func *probe,
			    void *private)
{
	struct marker_probe *old = NULL;
	struct marker *marker;

	mutex_lock(&markers_mutex);
	marker = name ? marker_find(name) : NULL;
	if (marker)
		old = probe_find(marker, probe, private);
	if (old)
		probe_remove(marker, old);
	mutex_unlock(&markers_mutex);

	if (old)
		return 0;
	marker_refuse(name ?: "(null)", probe, "unregistered",
		      "it is not registered with private data %p", private);
	return -ENOENT;
}
EXPORT_SYMBOL_GPL(marker_probe_unregister);

/**
 * marker_probe_unregister_private_data - detach a handler by its data
 * @probe: the handler
 * @private: what it was registered with
 *
 * Detaches the handler from the oldest marker that it is attached to with
 * @private, for callers that know the pair but not the name.
 *
 * Context: Process context, may sleep. As marker_probe_register().
 * Return: 0; -ENOENT if no marker has this pair, and then nothing changes.
 */
int marker_probe_unregister_private_data(marker_probe_func *probe,
					 void *private)
{
	struct marker_probe *old = NULL;
	struct marker *marker;

	mutex_lock(&markers_mutex);
	list_for_each_entry(marker, &markers_list, list) {
		old = probe_find(marker, probe, private);
		if (old) {
			probe_remove(marker, old);
			break;
		}
	}
	mutex_unlock(&markers_mutex);

	if (old)
		return 0;
	marker_refuse("any marker", probe, "unregistered",
		      "it is not registered with private data %p", private);
	return -ENOENT;
}
EXPORT_SYMBOL_GPL(marker_probe_unregister_private_data);

/**
 * marker_get_private_data - find out what a handler was registered with
 * @name: the marker's name
 * @probe: the handler
 * @num: which of its registrations for @name, 0 being the oldest
 *
 * Context: Process context, may sleep. As marker_probe_register().
 * Return: the private data, or ERR_PTR(-ENOENT) if there is no such
 * registration.
 */
void *marker_get_private_data(const char *name, marker_probe_func *probe,
			      int num)
{
	void *private = ERR_PTR(-ENOENT);
	struct marker_probe *found;
	struct marker *marker;

	mutex_lock(&markers_mutex);
	marker = name ? marker_find(name) : NULL;
	if (marker) {
		list_for_each_entry(found, &marker->probes, node) {
			if (found->handler.func == probe && num-- == 0) {
				private = found->handler.private;
				break;
			}
		}
	}
	mutex_unlock(&markers_mutex);
	return private;
}
EXPORT_SYMBOL_GPL(marker_get_private_data);

/**
 * marker_synchronize_unregister - wait for the handlers that were unregistered
 *
 * When this returns no CPU runs a handler that was unregistered before it was
 * called. Call it once, after the last unregister and before the handlers'
 * module or data goes. A module's exit function is the usual place::
 *
 *	for (i = 0; i < ARRAY_SIZE(probes); i++)
 *		marker_probe_unregister(probes[i].name, probes[i].func, NULL);
 *	marker_synchronize_unregister();
 *	kfree(data);
 *
 * Context: Process context, sleeps.
 */
void marker_synchronize_unregister(void)
{
	/* Handlers run with preemption disabled, which is an RCU reader. */
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(marker_synchronize_unregister);

/**
 * marker_set_ops - have a marker's sites reached only while they are on
 * @name: the marker; it must have a site already, in vmlinux
 * @ops: what to call from now on; NULL for nothing
 *
 * If the marker has a handler already its sites are reached when this returns.
 *
 * Context: Process context, may sleep.
 * Return: 0; -ENOENT if there is no such marker; -EBUSY if its sites are reached
 * by other ops; what ops->reg() returns, and then the sites stay off.
 */
int marker_set_ops(const char *name, const struct marker_ops *ops)
{
	struct marker *marker;
	int ret = -ENOENT;

	mutex_lock(&markers_mutex);
	marker = marker_find(name);
	if (marker && marker->reached) {
		ret = -EBUSY;
	} else if (marker) {
		marker->ops = ops;
		ret = marker_update(marker);
	}
	mutex_unlock(&markers_mutex);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(marker_set_ops);

/**
 * marker_read_counts - add up a marker's counters
 * @marker: the marker
 * @sum: filled with the sums over all CPUs
 *
 * Context: Process context, markers_mutex held.
 */
void marker_read_counts(const struct marker *marker, struct marker_counts *sum)
{
	const struct marker_counts *counts;
	int cpu;

	lockdep_assert_held(&markers_mutex);

	*sum = (struct marker_counts) {};
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(marker->counts, cpu);
		sum->hits += READ_ONCE(counts->hits);
		sum->recursions += READ_ONCE(counts->recursions);
		sum->unwatched += READ_ONCE(counts->unwatched);
		sum->lost += READ_ONCE(counts->lost);
	}
}
EXPORT_SYMBOL_IF_KUNIT(marker_read_counts);
