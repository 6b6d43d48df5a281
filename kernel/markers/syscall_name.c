// SPDX-License-Identifier: GPL-2.0
/*
 * The names of system calls.
 *
 * On x86 they are those of the tables that the entry code is made from: each of
 * its three ABIs has its own, and a call that nobody implements has one too.
 * Elsewhere ftrace knows the functions behind the native calls.
 */

#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/audit.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unistd.h>

#ifdef CONFIG_FTRACE_SYSCALLS
#include "../trace/trace.h"
#endif
#include "markers.h"

/* On x86 only the test wants to know. */
#if defined(CONFIG_FTRACE_SYSCALLS) && \
	(!defined(CONFIG_X86) || IS_ENABLED(CONFIG_KUNIT))
/* Less the prefix "sys_"; NULL for what has no function, or none of its own. */
VISIBLE_IF_KUNIT const char *marker_syscall_traced_name(unsigned long nr)
{
	const char *name;

	/* More than an int must not become one. */
	if (nr >= NR_syscalls)
		return NULL;
	name = get_syscall_name(array_index_nospec(nr, NR_syscalls));
	return name ? name + str_has_prefix(name, "sys_") : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(marker_syscall_traced_name);
#endif

#ifdef CONFIG_X86

static const char * const names_64[] = {
#include "syscall_names_64.h"
};

static const char * const names_x32[] = {
#include "syscall_names_x32.h"
};

static const char * const names_32[] = {
#include "syscall_names_32.h"
};

static const char *name_at(const char * const names[], unsigned long size,
			   unsigned long nr)
{
	return nr < size ? names[array_index_nospec(nr, size)] : NULL;
}

static const char *syscall_name(u32 arch, unsigned long nr)
{
	const unsigned long x32 = __X32_SYSCALL_BIT;

	if (arch == AUDIT_ARCH_I386) {
		if (IS_ENABLED(CONFIG_X86_32) ||
		    IS_ENABLED(CONFIG_IA32_EMULATION))
			return name_at(names_32, ARRAY_SIZE(names_32), nr);
	} else if (arch == AUDIT_ARCH_X86_64 && !(nr & x32)) {
		if (IS_ENABLED(CONFIG_X86_64))
			return name_at(names_64, ARRAY_SIZE(names_64), nr);
	} else if (arch == AUDIT_ARCH_X86_64) {
		if (IS_ENABLED(CONFIG_X86_X32_ABI))
			return name_at(names_x32, ARRAY_SIZE(names_x32),
				       nr & ~x32);
	}
	return NULL;
}

#else /* !CONFIG_X86 */

static const char *syscall_name(u32 arch, unsigned long nr)
{
#ifdef CONFIG_FTRACE_SYSCALLS
	bool is_64bit = arch & __AUDIT_ARCH_64BIT;

	/* A compat call is another one than the native call of its number. */
	if (is_64bit == IS_ENABLED(CONFIG_64BIT))
		return marker_syscall_traced_name(nr);
#endif
	return NULL;
}

#endif

/**
 * marker_syscall_name - tell the name of a system call
 * @arch: the ABI, an AUDIT_ARCH as syscall_get_arch() returns it
 * @nr: the number, whatever it may be; on x86 that of an x32 call has the bit
 *	__X32_SYSCALL_BIT
 *
 * Context: Any that is not noinstr.
 * Return: the name, which is there for good, or NULL if the kernel that was
 * built has no system call by this number in this ABI.
 */
const char *marker_syscall_name(u32 arch, long nr)
{
	return syscall_name(arch, nr);
}
EXPORT_SYMBOL_IF_KUNIT(marker_syscall_name);
