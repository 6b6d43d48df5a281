/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel markers: static instrumentation in one readable line.
 *
 * A site, anywhere in the kernel or in a module:
 *
 *	#include <linux/marker.h>
 *
 *	trace_mark(myfs_read, "inode %lu count %u", inode->i_ino, count);
 *
 * A probe module that attaches a handler to it:
 *
 *	static void on_read(void *probe_private, void *call_private,
 *			    const char *fmt, va_list *args)
 *	{
 *		unsigned long ino = va_arg(*args, unsigned long);
 *		unsigned int count = va_arg(*args, unsigned int);
 *		...
 *	}
 *
 *	init:	ret = marker_probe_register("myfs_read", "inode %lu count %u",
 *					    on_read, NULL);
 *	exit:	marker_probe_unregister("myfs_read", on_read, NULL);
 *		marker_synchronize_unregister();
 *
 * While no handler is attached a site is one NOP: no argument is evaluated,
 * and the code that would pass them lies outside of the hot path. Any number
 * of sites may share a name, in the core kernel, in modules, in inline
 * functions and in loops; they all must have the same format. Any number of
 * handlers may be attached to a name, before or after its first site exists.
 *
 * A site may stand in any code that is not noinstr: task, softirq, hardirq and
 * NMI context, with any lock held. Handlers run with preemption disabled, in
 * the context of the site and with its locks held; they must not sleep. See
 * Documentation/trace/markers.rst.
 *
 * This header is meant to be included from any other, so it includes next to
 * nothing itself.
 */
#ifndef _LINUX_MARKER_H
#define _LINUX_MARKER_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/stdarg.h>
#include <linux/types.h>

/* The format of a marker without arguments; an empty one draws a warning. */
#define MARK_NOARGS	" "

/**
 * typedef marker_probe_func - a handler of a marker
 * @probe_private: what was passed to marker_probe_register()
 * @call_private: NULL, kept for source compatibility
 * @fmt: the format string of the site that was hit
 * @args: the arguments after the format, to be read with va_arg() by the types
 *	  in @fmt; each handler gets a list of its own. marker_arg() reads one
 *	  by its number instead, the first being number 1
 *
 * Context: That of the site, with preemption disabled and with every lock that
 * is held there; may be NMI. Must not sleep, and must not call the registration
 * functions. Markers that the handler itself reaches are not delivered, but
 * counted as skipped.
 */
typedef void marker_probe_func(void *probe_private, void *call_private,
			       const char *fmt, va_list *args);

static inline __printf(1, 2) void __mark_check_format(const char *fmt, ...)
{
}

/*
 * A format that does not fit its arguments is an error whatever warnings the
 * rest of the kernel is built with, and also while markers are configured out.
 * The arguments are never evaluated here.
 */
#define __mark_check(fmt, args...)					\
do {									\
	__diag_push();							\
	__diag(error "-Wformat")					\
	__diag(error "-Wformat-extra-args")				\
	if (0)								\
		__mark_check_format(fmt, ##args);			\
	__diag_pop();							\
} while (0)

struct marker_site;

#ifdef CONFIG_MARKERS

#include <linux/jump_label.h>

struct marker_handler;

/*
 * One place in the code. Sites lie in a section of their own, where the core
 * finds those of vmlinux and of each module.
 */
struct marker_site {
	const char		*name;
	const char		*format;
	struct marker_handler	*handler;	/* what a hit is delivered to */
	struct static_key_false	key;
	struct list_head	node;		/* in marker->sites */
};

void marker_hit(struct marker_site *site, ...);

/*
 * The macros declare a struct with the marker's name in its own, so that a name
 * that is none does not compile. The explicit alignment keeps the compiler from
 * aligning the sites further than an array of them is. The barrier behind a hit
 * keeps one at the end of a function from becoming a jump, after which the stack
 * would begin in the caller of the function that has the site.
 */
#define __trace_mark(armed, site_name, fmt, hit, args...)		\
do {									\
	static_assert(sizeof(site_name) > 1, "a marker needs a name");	\
	static struct marker_site __marker_site				\
	__section("__markers")						\
	__aligned(__alignof__(struct marker_site)) = {			\
		.name = site_name,					\
		.format = "" fmt "",					\
		.key = STATIC_KEY_FALSE_INIT,				\
	};								\
									\
	if (armed) {							\
		hit(&__marker_site, ##args);				\
		barrier();						\
	}								\
} while (0)

/**
 * trace_mark - mark a place in the code
 * @name: name of the marker, a C identifier without quotes
 * @fmt: format, a string literal; MARK_NOARGS when there are no arguments.
 *	 Its grammar is in Documentation/trace/markers.rst
 * @args: arguments as @fmt says, scalars of up to 64 bits
 *
 * While no handler is attached this is one NOP and @args are not evaluated.
 *
 * Context: Any code that is not noinstr; also NMI. A site that is hit while
 * RCU is not watching is skipped and counted.
 *
 * Example: trace_mark(kernel_process_exit, "pid %d code %ld", pid, code);
 */
#define trace_mark(name, fmt, args...)					\
do {									\
	struct __mark_##name;						\
									\
	__mark_check(fmt, ##args);					\
	__trace_mark(static_branch_unlikely(&__marker_site.key),	\
		     #name, fmt, marker_hit, ##args);			\
} while (0)

/**
 * _trace_mark - mark a place whose code must not be patched
 * @name: name of the marker, a C identifier without quotes
 * @fmt: format, a string literal
 * @args: arguments as @fmt says
 *
 * Same as trace_mark(), but tests a variable instead of patching the code: for
 * code that runs before jump labels are set up, for code that patches code,
 * and for __init and __exit functions.
 *
 * Context: As trace_mark().
 */
#define _trace_mark(name, fmt, args...)					\
do {									\
	struct __mark_##name;						\
									\
	__mark_check(fmt, ##args);					\
	__trace_mark(unlikely(READ_ONCE(__marker_site.key.key.enabled.counter)),\
		     #name, fmt, marker_hit, ##args);			\
} while (0)

/**
 * trace_mark_outlined - mark a place whose arguments are made elsewhere
 * @name: name of the marker, a C identifier without quotes
 * @fmt: format, a string literal
 * @hit: function that is called with the site and @args, and passes the site
 *	 and what belongs to @fmt to marker_hit_args()
 * @args: arguments of @hit
 *
 * For arguments that need preparation, or many, in a function that is short of
 * registers: what is computed for a hit can make the compiler keep something
 * else on the stack, also while the site is off. With @hit noinline and __cold
 * only @args matter to the function that is marked.
 *
 * Context: As trace_mark().
 *
 * Example::
 *
 *	#define REQ_FORMAT "id %u bytes %u pos %llu"
 *
 *	static noinline __cold void mark_req(struct marker_site *site,
 *					     struct req *req)
 *	{
 *		marker_hit_args(site, REQ_FORMAT, req->id, req_bytes(req),
 *				req_pos(req));
 *	}
 *
 *		trace_mark_outlined(my_req, REQ_FORMAT, mark_req, req);
 */
#define trace_mark_outlined(name, fmt, hit, args...)			\
do {									\
	struct __mark_##name;						\
									\
	__trace_mark(static_branch_unlikely(&__marker_site.key),	\
		     #name, fmt, hit, ##args);				\
} while (0)

/**
 * marker_hit_args - pass on a hit of trace_mark_outlined()
 * @site: the site
 * @fmt: the site's format, a string literal
 * @args: arguments as @fmt says
 *
 * Context: As trace_mark().
 */
#define marker_hit_args(site, fmt, args...)				\
do {									\
	__mark_check(fmt, ##args);					\
	marker_hit(site, ##args);					\
	barrier();							\
} while (0)

int marker_probe_register(const char *name, const char *format,
			  marker_probe_func *probe, void *private);
int marker_probe_unregister(const char *name, marker_probe_func *probe,
			    void *private);
int marker_probe_unregister_private_data(marker_probe_func *probe,
					 void *private);
void *marker_get_private_data(const char *name, marker_probe_func *probe,
			      int num);
void marker_synchronize_unregister(void);
bool marker_arg(const char *fmt, va_list *args, unsigned int n, u64 *value);

#else /* !CONFIG_MARKERS */

#include <linux/err.h>

#define __trace_mark(site_name, fmt, args...)				\
do {									\
	static_assert(sizeof(site_name) > 1, "a marker needs a name");	\
	__mark_check(fmt, ##args);					\
} while (0)

#define trace_mark(name, fmt, args...)					\
do {									\
	struct __mark_##name;						\
									\
	__trace_mark(#name, fmt, ##args);				\
} while (0)

#define _trace_mark(name, fmt, args...)					\
	trace_mark(name, fmt, ##args)

#define trace_mark_outlined(name, fmt, hit, args...)			\
do {									\
	struct __mark_##name;						\
									\
	static_assert(sizeof(#name) > 1, "a marker needs a name");	\
	static_assert(sizeof(fmt), "a marker needs a format");		\
	if (0)								\
		hit(NULL, ##args);					\
} while (0)

#define marker_hit_args(site, fmt, args...)				\
do {									\
	(void)(site);							\
	__mark_check(fmt, ##args);					\
} while (0)

static inline int marker_probe_register(const char *name, const char *format,
					marker_probe_func *probe, void *private)
{
	return -EOPNOTSUPP;
}

static inline int marker_probe_unregister(const char *name,
					  marker_probe_func *probe,
					  void *private)
{
	return -EOPNOTSUPP;
}

static inline int
marker_probe_unregister_private_data(marker_probe_func *probe, void *private)
{
	return -EOPNOTSUPP;
}

static inline void *marker_get_private_data(const char *name,
					    marker_probe_func *probe, int num)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void marker_synchronize_unregister(void)
{
}

static inline bool marker_arg(const char *fmt, va_list *args, unsigned int n,
			      u64 *value)
{
	return false;
}

#endif /* CONFIG_MARKERS */

#endif /* _LINUX_MARKER_H */
