// SPDX-License-Identifier: GPL-2.0
/*
 * Which locks the markers of locks tell of: the tracefs file "marker_locks".
 *
 *	echo jiffies_lock >marker_locks		this lock, and no other
 *	echo ext4:grp_lock+0x40 >>marker_locks	that one too, of a module
 *	echo runqueues@1 >>marker_locks		of a per-CPU variable, that of CPU 1
 *	echo 0xffff888003a81c40 >>marker_locks	the one at that address
 *	echo watch:tasklist_lock >>marker_locks	each write to this one: lock_watch
 *	echo '!jiffies_lock' >>marker_locks	not that one any more
 *	echo '*' >>marker_locks			all, whatever else is named
 *	echo >marker_locks			none
 *
 * A write has names with blanks between them, and is done in whole or not at
 * all; the first after an open with O_TRUNC replaces what there was, so that a
 * lock that is in both sets is told of all the time. What is read can be written
 * again; what follows a '#' there is for people.
 *
 * A lock is an address here. None is ever read but when it is named, and those
 * in a module go with it, so that one whose memory is freed does no harm.
 */

#define pr_fmt(fmt) "markers: " fmt

#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/marker_locks.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rwlock.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

#include "locks.h"

/* So few that who looks for one that is not there meets an empty slot at once. */
#define LOCKS_MAX	(MARKER_LOCK_SLOTS / 8)

/* What is in a slot that has others of its chain behind it. No lock is there. */
#define SLOT_FREED	((const void *)1)

/* Looked at wherever a lock is taken, see marker_lock_chosen(). */
const void *marker_lock_slots[MARKER_LOCK_SLOTS] __read_mostly;
bool marker_locks_all __read_mostly;

struct named_lock {
	struct list_head node;
	const void *lock;
	bool watched;			/* by debug register, not by its markers */
	struct lock_watch *watch;
	char name[];
};

struct lock_set {
	bool all;
	unsigned int nr;		/* that are not watched */
	struct list_head locks;
};

/* Protects what follows, and each write to the slots. */
static DEFINE_MUTEX(locks_mutex);

static struct lock_set current_set = {
	.locks = LIST_HEAD_INIT(current_set.locks),
};

/* === Slots ================================================================ */

static unsigned int slot_of(const void *lock)
{
	unsigned int nr = hash_ptr(lock, MARKER_LOCK_BITS);

	while (marker_lock_slots[nr] && marker_lock_slots[nr] != lock)
		nr = (nr + 1) % MARKER_LOCK_SLOTS;
	return nr;
}

static void slot_add(const void *lock)
{
	unsigned int nr = hash_ptr(lock, MARKER_LOCK_BITS);

	while (marker_lock_slots[nr] && marker_lock_slots[nr] != SLOT_FREED)
		nr = (nr + 1) % MARKER_LOCK_SLOTS;
	WRITE_ONCE(marker_lock_slots[nr], lock);
}

/* Who is on the way along the chain finds all that is in it. */
static void slot_remove(const void *lock)
{
	unsigned int nr = slot_of(lock);

	WRITE_ONCE(marker_lock_slots[nr], SLOT_FREED);
	if (marker_lock_slots[(nr + 1) % MARKER_LOCK_SLOTS])
		return;
	while (marker_lock_slots[nr] == SLOT_FREED) {
		WRITE_ONCE(marker_lock_slots[nr], NULL);
		nr = (nr - 1) % MARKER_LOCK_SLOTS;
	}
}

/* === Sets ================================================================= */

static struct named_lock *set_find(const struct lock_set *set, const void *lock,
				   bool watched)
{
	struct named_lock *named;

	list_for_each_entry(named, &set->locks, node) {
		if (named->lock == lock && named->watched == watched)
			return named;
	}
	return NULL;
}

static struct named_lock *set_find_name(const struct lock_set *set,
					const char *name, bool watched)
{
	struct named_lock *named;

	list_for_each_entry(named, &set->locks, node) {
		if (named->watched == watched && !strcmp(named->name, name))
			return named;
	}
	return NULL;
}

static int set_add(struct lock_set *set, const void *lock, bool watched,
		   const char *name)
{
	size_t size = strlen(name) + 1;
	struct named_lock *named;

	named = kzalloc(struct_size(named, name, size), GFP_KERNEL);
	if (!named)
		return -ENOMEM;
	named->lock = lock;
	named->watched = watched;
	memcpy(named->name, name, size);
	list_add_tail(&named->node, &set->locks);
	set->nr += !watched;
	return 0;
}

static void set_remove(struct lock_set *set, struct named_lock *named)
{
	list_del(&named->node);
	set->nr -= !named->watched;
	kfree(named);
}

static void set_free(struct lock_set *set)
{
	struct named_lock *named, *next;

	list_for_each_entry_safe(named, next, &set->locks, node)
		set_remove(set, named);
}

static int set_copy(struct lock_set *to, const struct lock_set *from)
{
	struct named_lock *named;
	int ret;

	to->all = from->all;
	list_for_each_entry(named, &from->locks, node) {
		ret = set_add(to, named->lock, named->watched, named->name);
		if (ret)
			return ret;
	}
	return 0;
}

/* End the watches that are in set @from and not in set @to, if there is one. */
static void watches_end(struct lock_set *from, const struct lock_set *to)
{
	struct named_lock *named;

	list_for_each_entry(named, &from->locks, node) {
		if (!named->watch || (to && set_find(to, named->lock, true)))
			continue;
		lock_watch_end(named->watch);
		named->watch = NULL;
	}
}

/* Begin the watches of set @to that there are not yet in set @from. */
static int watches_begin(struct lock_set *from, struct lock_set *to)
{
	struct named_lock *named, *same;
	struct lock_watch *watch;

	list_for_each_entry(named, &to->locks, node) {
		if (!named->watched || named->watch)
			continue;
		same = set_find(from, named->lock, true);
		if (same && same->watch)
			continue;
		watch = lock_watch_begin(named->lock);
		if (IS_ERR(watch)) {
			if (PTR_ERR(watch) == -ENOSPC)
				pr_notice("marker_locks: \"%s\": cannot be watched: all debug registers of a processor are in use\n",
					  named->name);
			else
				pr_notice("marker_locks: \"%s\": cannot be watched (error %ld)\n",
					  named->name, PTR_ERR(watch));
			return PTR_ERR(watch);
		}
		named->watch = watch;
	}
	return 0;
}

/*
 * Have @set be the current one; it takes what was current. The debug registers
 * are few, so those that are not needed are given back before others are asked
 * for, and taken again if that was in vain.
 */
static int set_install(struct lock_set *set)
{
	struct named_lock *named, *same;
	LIST_HEAD(old);
	int ret;

	lockdep_assert_held(&locks_mutex);

	watches_end(&current_set, set);
	ret = watches_begin(&current_set, set);
	if (ret) {
		watches_end(set, NULL);
		watches_begin(set, &current_set);
		return ret;
	}

	list_for_each_entry(named, &set->locks, node) {
		same = set_find(&current_set, named->lock, named->watched);
		if (named->watched && !named->watch) {
			named->watch = same->watch;
			same->watch = NULL;
		} else if (!named->watched && !same) {
			slot_add(named->lock);
		}
	}
	list_for_each_entry(named, &current_set.locks, node) {
		if (!named->watched && !set_find(set, named->lock, false))
			slot_remove(named->lock);
	}
	WRITE_ONCE(marker_locks_all, set->all);

	current_set.all = set->all;
	swap(current_set.nr, set->nr);
	list_splice_init(&current_set.locks, &old);
	list_splice_init(&set->locks, &current_set.locks);
	list_splice(&old, &set->locks);
	return 0;
}

/* === Names ================================================================ */

#define refuse(word, fmt, args...)					\
	pr_notice("marker_locks: \"%*pE\": " fmt "\n",			\
		  (int)strnlen(word, KSYM_NAME_LEN), word, ##args)

struct symbols {
	unsigned int nr;
	unsigned long addr;
};

static int count_symbol(void *data, unsigned long addr)
{
	struct symbols *found = data;

	found->nr++;
	found->addr = addr;
	return 0;
}

/* What is the address of @symbol, which may be "module:symbol"? */
static int find_symbol(const char *word, const char *symbol, unsigned long *addr)
{
	struct symbols found = {};

	if (!strchr(symbol, ':'))
		kallsyms_on_each_match_symbol(count_symbol, symbol, &found);
	if (found.nr > 1) {
		refuse(word, "%u symbols have that name; give the address of one",
		       found.nr);
		return -ENOTUNIQ;
	}
	*addr = found.nr ? found.addr : kallsyms_lookup_name(symbol);
	if (!*addr) {
		refuse(word, "there is no such symbol");
		return -ENOENT;
	}
	return 0;
}

/* A per-CPU variable of vmlinux is found where it is not. */
static bool is_percpu_symbol(unsigned long addr)
{
	return addr >= (unsigned long)__per_cpu_start &&
	       addr < (unsigned long)__per_cpu_end;
}

/* The one of CPU @cpu, of what has the symbol's address @addr. */
static int percpu_address(const char *word, unsigned long *addr, char *cpu)
{
	unsigned int nr;

	if (!is_percpu_symbol(*addr)) {
		if (!cpu)
			return 0;
		refuse(word, "is not a per-CPU variable of the kernel");
		return -EINVAL;
	}
	if (!cpu) {
		refuse(word, "is a per-CPU variable; name a CPU, as in NAME@0");
		return -EINVAL;
	}
	if (kstrtouint(cpu, 10, &nr) || nr >= nr_cpu_ids || !cpu_possible(nr)) {
		refuse(word, "there is no CPU \"%s\"", cpu);
		return -EINVAL;
	}
	*addr = (unsigned long)per_cpu_ptr((void __percpu __force *)*addr, nr);
	return 0;
}

/* "[module:]symbol[+offset][@cpu]", or "0xaddress" */
static int find_address(const char *word, char *text, unsigned long *addr)
{
	unsigned long offset = 0, size, at;
	char *plus, *cpu;
	int ret;

	if (!strncasecmp(text, "0x", 2)) {
		if (!kstrtoul(text, 16, addr))
			return 0;
		refuse(word, "is not an address");
		return -EINVAL;
	}

	cpu = strchr(text, '@');
	if (cpu)
		*cpu++ = '\0';
	plus = strchr(text, '+');
	if (plus) {
		*plus++ = '\0';
		if (kstrtoul(plus, 0, &offset)) {
			refuse(word, "\"%s\" is not an offset", plus);
			return -EINVAL;
		}
	}
	ret = find_symbol(word, text, addr);
	if (ret)
		return ret;
	if (!kallsyms_lookup_size_offset(*addr, &size, &at)) {
		/* That does not know per-CPU variables. */
		size = is_percpu_symbol(*addr) ?
			(unsigned long)__per_cpu_end - *addr : 0;
		at = 0;
	}
	if (offset && offset >= size - at) {
		refuse(word, "the symbol has %lu bytes only", size - at);
		return -EINVAL;
	}
	*addr += offset;
	return percpu_address(word, addr, cpu);
}

/* Why there is no lock in this kind of memory, or NULL. */
static const char *memory_error(unsigned long addr)
{
	const char *wrong = NULL;
	struct module *mod;

	if (!IS_ALIGNED(addr, __alignof__(arch_spinlock_t)))
		return "it is not aligned as a lock is";
	if (core_kernel_text(addr) || is_kernel_rodata(addr) ||
	    is_kernel_ro_after_init(addr))
		return "it is not in memory that is written to";
	if (init_section_contains((void *)addr, 1))
		return "it is in memory that is freed after boot";

	preempt_disable();
	mod = __module_address(addr);
	if (mod && mod->state != MODULE_STATE_LIVE)
		wrong = "its module is being loaded or unloaded";
	else if (mod && !within_module_mem_type(addr, mod, MOD_DATA))
		wrong = "it is not in data of its module";
	preempt_enable();
	return wrong;
}

/* Does what is at @addr look as a lock does, held or not? */
#ifdef CONFIG_DEBUG_SPINLOCK
static bool is_lock(const void *addr)
{
	const raw_spinlock_t *spin = addr;
	const rwlock_t *rw = addr;
	unsigned int magic;

	if (!copy_from_kernel_nofault(&magic, &spin->magic, sizeof(magic)) &&
	    magic == SPINLOCK_MAGIC)
		return true;
	return !copy_from_kernel_nofault(&magic, &rw->magic, sizeof(magic)) &&
	       magic == RWLOCK_MAGIC;
}
#else
#ifdef CONFIG_QUEUED_SPINLOCKS
#define SPIN_TAIL_CPU(val)	((val) >> _Q_TAIL_CPU_OFFSET)

static bool spin_plausible(u32 val)
{
	return (val & _Q_LOCKED_MASK) <= 3 &&
	       (val & _Q_PENDING_MASK) <= _Q_PENDING_VAL &&
	       SPIN_TAIL_CPU(val) <= nr_cpu_ids;
}
#else
static bool spin_plausible(u32 val)
{
	return true;
}
#endif

/* A rwlock's word counts its readers from bit 9, and a writer sets bits 0 to 7. */
static bool rw_plausible(u32 val)
{
	u8 writer = val;

	return (!writer || writer == 0xff) && val >> 9 <= PID_MAX_LIMIT;
}

static bool is_lock(const void *addr)
{
	u32 val;

	return !copy_from_kernel_nofault(&val, addr, sizeof(val)) &&
	       (spin_plausible(val) || rw_plausible(val));
}
#endif

static int check_lock(const char *word, unsigned long addr)
{
	const char *wrong = memory_error(addr);

	if (!wrong && !is_lock((void *)addr))
		wrong = "there is no spin lock or rwlock at that place";
	if (!wrong)
		return 0;
	refuse(word, "%s", wrong);
	return -EINVAL;
}

/* An address is told of as the symbol that it is in, if that finds it again. */
static void best_name(char *name, size_t size, unsigned long addr)
{
	unsigned long length, offset;
	struct symbols found = {};
	char symbol[KSYM_NAME_LEN];
	char *mod = NULL;

	scnprintf(name, size, "0x%lx", addr);
	if (!kallsyms_lookup(addr, &length, &offset, &mod, symbol) ||
	    offset >= length)
		return;
	if (!mod)
		kallsyms_on_each_match_symbol(count_symbol, symbol, &found);
	if (found.nr > 1 || strchr(symbol, ' '))
		return;
	if (offset)
		scnprintf(name, size, "%s%s%s+0x%lx", mod ?: "", mod ? ":" : "",
			  symbol, offset);
	else
		scnprintf(name, size, "%s%s%s", mod ?: "", mod ? ":" : "", symbol);
}

/* Change @set as one word says that was written. */
static int apply_word(struct lock_set *set, char *word)
{
	char name[MODULE_NAME_LEN + KSYM_NAME_LEN + 32];
	bool remove, watched = false;
	struct named_lock *named;
	unsigned long addr;
	char *text = word;
	int ret;

	remove = *text == '!';
	text += remove;
	if (!strcmp(text, "*")) {
		set->all = !remove;
		return 0;
	}
	if (strstarts(text, "watch:")) {
		text += strlen("watch:");
		watched = true;
	}
	if (strlen(text) >= sizeof(name)) {
		refuse(word, "the name is too long");
		return -EINVAL;
	}

	/* As it is shown, even if its symbol is not to be found any more. */
	named = set_find_name(set, text, watched);
	if (!named) {
		strscpy(name, text);
		ret = find_address(word, name, &addr);
		if (ret)
			return ret;
		named = set_find(set, (void *)addr, watched);
	}
	if (remove) {
		if (!named) {
			refuse(word, "is not in the set");
			return -ENOENT;
		}
		set_remove(set, named);
		return 0;
	}
	if (named)
		return 0;

	ret = check_lock(word, addr);
	if (ret)
		return ret;
	if (!watched && set->nr == LOCKS_MAX) {
		refuse(word, "there are %u locks already", LOCKS_MAX);
		return -ENOSPC;
	}
	if (strstarts(text, "0x") || strstarts(text, "0X"))
		best_name(name, sizeof(name), addr);
	else
		strscpy(name, text);
	return set_add(set, (void *)addr, watched, name);
}

/* The lines of the file "markers" below one that tells of locks. */
void marker_show_locks(struct seq_file *m, const char *marker)
{
	bool watched = !strcmp(marker, "lock_watch");
	struct named_lock *named;

	if (!watched && !strstarts(marker, "lock_spin_") &&
	    !strstarts(marker, "lock_read_") && !strstarts(marker, "lock_write_"))
		return;

	mutex_lock(&locks_mutex);
	if (current_set.all && !watched)
		seq_puts(m, "\tlock\t*\n");
	list_for_each_entry(named, &current_set.locks, node) {
		if (named->watched == watched)
			seq_printf(m, "\tlock\t%s\n", named->name);
	}
	mutex_unlock(&locks_mutex);
}

/* === The file ============================================================= */

/* An open file, of which a first write is to replace what there was. */
struct lock_file {
	bool replace;
	bool written;
};

static int marker_locks_show(struct seq_file *m, void *unused)
{
	bool values = kallsyms_show_value(m->file->f_cred);
	struct named_lock *named;

	mutex_lock(&locks_mutex);
	if (current_set.all)
		seq_puts(m, "*\n");
	list_for_each_entry(named, &current_set.locks, node) {
		seq_printf(m, "%s%s", named->watched ? "watch:" : "",
			   named->name);
		if (values)
			seq_printf(m, "\t# 0x%lx", (unsigned long)named->lock);
		seq_putc(m, '\n');
	}
	mutex_unlock(&locks_mutex);
	return 0;
}

/* Change the set as @text says, or not at all. */
static int change_locks(char *text, bool replace)
{
	struct lock_set set = { .locks = LIST_HEAD_INIT(set.locks) };
	char *line, *word;
	int ret = 0;

	mutex_lock(&locks_mutex);
	if (!replace)
		ret = set_copy(&set, &current_set);
	while (!ret && (line = strsep(&text, "\n"))) {
		line = strsep(&line, "#");
		while (!ret && (word = strsep(&line, " \t\r"))) {
			if (*word)
				ret = apply_word(&set, word);
		}
	}
	if (!ret)
		ret = set_install(&set);
	set_free(&set);
	mutex_unlock(&locks_mutex);
	return ret;
}

static ssize_t marker_locks_write(struct file *file, const char __user *from,
				  size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct lock_file *state = m->private;
	char *text;
	int ret;

	if (count > PAGE_SIZE) {
		pr_notice("marker_locks: a write has at most %lu bytes\n",
			  PAGE_SIZE);
		return -E2BIG;
	}
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	state->written = true;
	ret = change_locks(text, state->replace);
	kfree(text);
	if (ret)
		return ret;
	state->replace = false;
	*pos += count;
	return count;
}

static int marker_locks_open(struct inode *inode, struct file *file)
{
	struct lock_file *state;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->replace = (file->f_mode & FMODE_WRITE) &&
			 (file->f_flags & O_TRUNC);
	ret = single_open(file, marker_locks_show, state);
	if (ret)
		kfree(state);
	return ret;
}

static int marker_locks_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct lock_file *state = m->private;
	char nothing[] = "";

	if (state->replace && !state->written)
		change_locks(nothing, true);
	kfree(state);
	return single_release(inode, file);
}

static const struct file_operations marker_locks_fops = {
	.owner		= THIS_MODULE,
	.open		= marker_locks_open,
	.read		= seq_read,
	.write		= marker_locks_write,
	.llseek		= seq_lseek,
	.release	= marker_locks_release,
};

/* === Modules that go ====================================================== */

static int locks_module_notify(struct notifier_block *self, unsigned long event,
			       void *data)
{
	struct named_lock *named, *next;
	struct module *mod = data;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_OK;

	mutex_lock(&locks_mutex);
	list_for_each_entry_safe(named, next, &current_set.locks, node) {
		if (!within_module((unsigned long)named->lock, mod))
			continue;
		if (named->watch)
			lock_watch_end(named->watch);
		else
			slot_remove(named->lock);
		set_remove(&current_set, named);
	}
	mutex_unlock(&locks_mutex);
	return NOTIFY_OK;
}

static struct notifier_block locks_module_nb = {
	.notifier_call = locks_module_notify,
};

static int __init marker_locks_init(void)
{
	int ret = register_module_notifier(&locks_module_nb);

	if (ret)
		return ret;
	if (!tracefs_create_file("marker_locks", 0640, NULL, NULL,
				 &marker_locks_fops))
		pr_warn("could not create the tracefs file \"marker_locks\"\n");
	return 0;
}
fs_initcall(marker_locks_init);
