// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates and frees memory in each of the ways that the markers of the
 * allocators tell of, and says how their records should read: one of the names
 * in jobs[] is written to "run", and "did" has lines "MARKER TEXT", with the
 * function that called for the call site, and * for a size that only the
 * allocator knows.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bottom_half.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

static char did[PAGE_SIZE];
static size_t len;

static __printf(1, 2) void tell(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	len += vscnprintf(did + len, sizeof(did) - len, fmt, args);
	va_end(args);
}

/* === Slab ================================================================= */

static void told_kmalloc(const void *p, const char *func, size_t size, gfp_t gfp)
{
	tell("mm_kmalloc ptr %016lx call_site %s bytes_req %zu bytes_alloc * gfp_flags %x\n",
	     (unsigned long)p, func, size, (__force unsigned int)gfp);
}

static void free_and_tell(const void *p, const char *func)
{
	tell("mm_kfree ptr %016lx call_site %s\n", (unsigned long)p, func);
}

/* The compiler does not know the size: the way of all sizes. */
static noinline void any_size(size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL);

	if (size)
		told_kmalloc(p, __func__, size, GFP_KERNEL);
	kfree(p);
	if (size)
		free_and_tell(p, __func__);
}

static noinline void any_size_node(size_t size)
{
	void *p = kmalloc_node(size, GFP_NOWAIT | __GFP_ZERO, 0);

	told_kmalloc(p, __func__, size, GFP_NOWAIT | __GFP_ZERO);
	kfree(p);
	free_and_tell(p, __func__);
}

static noinline void one_size(void)
{
	void *p = kmalloc(100, GFP_KERNEL);

	told_kmalloc(p, __func__, 100, GFP_KERNEL);
	kfree(p);
	free_and_tell(p, __func__);
	p = kmalloc_node(333, GFP_KERNEL, 0);
	told_kmalloc(p, __func__, 333, GFP_KERNEL);
	kfree(p);
	free_and_tell(p, __func__);
}

static noinline void one_large_size(void)
{
	void *p = kmalloc(30000, GFP_KERNEL);

	told_kmalloc(p, __func__, 30000, GFP_KERNEL);
	kfree(p);
	free_and_tell(p, __func__);
	p = kmalloc_node(40000, GFP_KERNEL, 0);
	told_kmalloc(p, __func__, 40000, GFP_KERNEL);
	kfree(p);
	free_and_tell(p, __func__);
}

static void run_kmalloc(void)
{
	any_size(1);
	any_size(1234);
	any_size(50000);
	any_size(0);
	any_size_node(77);
	any_size_node(60000);
	one_size();
	one_large_size();
	kfree(NULL);
}

static void told_cache(const void *p, const char *func, size_t size)
{
	tell("mm_cache_alloc ptr %016lx call_site %s size %zu\n",
	     (unsigned long)p, func, size);
	tell("mm_cache_free ptr %016lx call_site %s\n", (unsigned long)p, func);
}

static noinline void run_cache(void)
{
	struct kmem_cache *s;
	void *p;

	s = kmem_cache_create("test_markers_rows", 200, 0, SLAB_NO_MERGE, NULL);
	if (!s)
		return;
	p = kmem_cache_alloc(s, GFP_KERNEL);
	kmem_cache_free(s, p);
	told_cache(p, __func__, 200);
	p = kmem_cache_alloc_node(s, GFP_KERNEL, 0);
	kmem_cache_free(s, p);
	told_cache(p, __func__, 200);
	p = kmem_cache_alloc_lru(s, NULL, GFP_KERNEL);
	kmem_cache_free(s, p);
	told_cache(p, __func__, 200);
	kmem_cache_destroy(s);
}

/* === Pages and vmalloc ==================================================== */

#define BLOCKS	1024

static struct page *blocks[BLOCKS];

/* All that there is of the largest order, until there is no more. */
static void run_pages(void)
{
	gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_COMP;
	unsigned int i, n;

	for (n = 0; n < BLOCKS; n++) {
		blocks[n] = alloc_pages(gfp, MAX_PAGE_ORDER);
		if (!blocks[n])
			break;
	}
	for (i = 0; i < n; i++)
		__free_pages(blocks[i], MAX_PAGE_ORDER);
	for (i = 0; i < n && i < 20; i++) {
		tell("mm_page_alloc pfn %lu order %u gfp_flags %x\n",
		     page_to_pfn(blocks[i]), MAX_PAGE_ORDER,
		     (__force unsigned int)gfp);
		tell("mm_page_free pfn %lu order %u\n", page_to_pfn(blocks[i]),
		     MAX_PAGE_ORDER);
	}
	tell("blocks %u\n", n);
	if (n < BLOCKS)
		tell("failure pfn -1 order %u gfp_flags %x\n", MAX_PAGE_ORDER,
		     (__force unsigned int)gfp);
}

/* Megabytes that are left free while most are held. */
#define LEFT	192

/* The smallest blocks that are held when there are no larger ones. */
#define MIN_ORDER	5

static unsigned int nr_held;

/*
 * Where there is little memory a little more that is asked for has it reclaimed,
 * and does not take all that programs need to run.
 */
static void run_hold(void)
{
	unsigned int order = MAX_PAGE_ORDER;

	while (nr_held < BLOCKS &&
	       global_zone_page_state(NR_FREE_PAGES) > LEFT << (20 - PAGE_SHIFT)) {
		blocks[nr_held] = alloc_pages(GFP_NOWAIT | __GFP_NOWARN | __GFP_COMP,
					      order);
		if (blocks[nr_held])
			nr_held++;
		else if (order-- == MIN_ORDER)
			break;
	}
	tell("free %lu\n", global_zone_page_state(NR_FREE_PAGES) >> (20 - PAGE_SHIFT));
}

static void run_release(void)
{
	while (nr_held) {
		nr_held--;
		__free_pages(blocks[nr_held], compound_order(blocks[nr_held]));
	}
}

static void run_vmalloc(void)
{
	void *p = vmalloc(5000);

	tell("mm_vmalloc addr %016lx size 5000\n", (unsigned long)p);
	vfree(p);
	tell("mm_vfree addr %016lx\n", (unsigned long)p);
	vfree(NULL);

	/* Freed by a worker, and once. */
	p = vzalloc(3 * PAGE_SIZE);
	tell("mm_vmalloc addr %016lx size %lu\n", (unsigned long)p, 3 * PAGE_SIZE);
	local_bh_disable();
	vfree(p);
	local_bh_enable();
	tell("mm_vfree addr %016lx\n", (unsigned long)p);
}

/* ========================================================================== */

static const struct {
	const char	*name;
	void		(*run)(void);
} jobs[] = {
	{ "kmalloc", run_kmalloc },
	{ "cache", run_cache },
	{ "pages", run_pages },
	{ "hold", run_hold },
	{ "release", run_release },
	{ "vmalloc", run_vmalloc },
};

static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		if (!sysfs_streq(val, jobs[i].name))
			continue;
		len = 0;
		did[0] = '\0';
		jobs[i].run();
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int did_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s", did);
}

static const struct kernel_param_ops did_ops = {
	.get = did_get,
};
module_param_cb(did, &did_ops, NULL, 0400);

static void __exit rows_mm_exit(void)
{
	run_release();
}
module_exit(rows_mm_exit);

MODULE_DESCRIPTION("Allocations that the markers of memory tell of");
MODULE_LICENSE("GPL");
