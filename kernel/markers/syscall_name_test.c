// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the names of system calls. What they should be is taken from
 * the numbers that the kernel defines, and from what ftrace knows.
 */

#include <kunit/test.h>
#include <linux/array_size.h>
#include <linux/audit.h>
#include <linux/ctype.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/unistd.h>
#include <asm/syscall.h>

#include "markers.h"

/* An architecture that no kernel is built for. */
#define NO_ARCH		(AUDIT_ARCH_X86_64 ^ 0xff00)

static const u32 all_archs[] = {
	AUDIT_ARCH_X86_64,
	AUDIT_ARCH_I386,
	AUDIT_ARCH_AARCH64,
	NO_ARCH,
	0,
	U32_MAX,
};

/* Numbers that no ABI has, as a register may hold them. */
static const long no_numbers[] = {
	-1,
	-2,
	-4096,
	INT_MAX,
	INT_MIN,
	LONG_MAX,
	LONG_MIN,
	(long)U32_MAX,
	100000,
	0x40000000L - 1,
	0x40000000L + 100000,
#ifdef CONFIG_64BIT
	/* The lower half is the number of a call. */
	0x100000000L,
	0x140000000L,
	LONG_MIN + 1,
#endif
};

static void test_bad_numbers(struct kunit *test)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(all_archs); i++) {
		for (j = 0; j < ARRAY_SIZE(no_numbers); j++)
			KUNIT_EXPECT_NULL_MSG(test,
					      marker_syscall_name(all_archs[i],
								  no_numbers[j]),
					      "arch %x nr %ld", all_archs[i],
					      no_numbers[j]);
	}
}

#ifdef CONFIG_X86_64

#define X32_BIT		((long)__X32_SYSCALL_BIT)

/* How many calls an ABI has; beyond the last one there is none. */
struct abi {
	const char *desc;
	u32 arch;
	long first;
	long end;
	int least;
};

static const struct abi abis[] = {
	{ "64", AUDIT_ARCH_X86_64, 0, NR_syscalls, 360 },
#ifdef CONFIG_IA32_EMULATION
	{ "i386", AUDIT_ARCH_I386, 0, IA32_NR_syscalls, 430 },
#endif
#ifdef CONFIG_X86_X32_ABI
	{ "x32", AUDIT_ARCH_X86_64, X32_BIT, X32_BIT + X32_NR_syscalls, 360 },
#endif
};

struct name_case {
	u32 arch;
	long nr;
	const char *name;
};

static const struct name_case name_cases[] = {
	{ AUDIT_ARCH_X86_64, 0, "read" },
	{ AUDIT_ARCH_X86_64, __NR_write, "write" },
	{ AUDIT_ARCH_X86_64, __NR_openat, "openat" },
	{ AUDIT_ARCH_X86_64, __NR_execve, "execve" },
	/* The function behind it has another name. */
	{ AUDIT_ARCH_X86_64, __NR_stat, "stat" },
	{ AUDIT_ARCH_X86_64, __NR_umount2, "umount2" },
	/* There is a number, and no function. */
	{ AUDIT_ARCH_X86_64, __NR_create_module, "create_module" },
	/* A hole, and the numbers of x32 without the bit. */
	{ AUDIT_ARCH_X86_64, __NR_pidfd_send_signal - 1, NULL },
	{ AUDIT_ARCH_X86_64, __NR_x32_execve, NULL },
#ifdef CONFIG_IA32_EMULATION
	{ AUDIT_ARCH_I386, 0, "restart_syscall" },
	{ AUDIT_ARCH_I386, __NR_ia32_read, "read" },
	{ AUDIT_ARCH_I386, __NR_ia32_write, "write" },
	{ AUDIT_ARCH_I386, __NR_ia32_openat, "openat" },
	{ AUDIT_ARCH_I386, __NR_ia32_execve, "execve" },
	{ AUDIT_ARCH_I386, __NR_ia32__newselect, "_newselect" },
	{ AUDIT_ARCH_I386, __NR_ia32_mmap, "mmap" },
	{ AUDIT_ARCH_I386, __NR_ia32_mmap2, "mmap2" },
	{ AUDIT_ARCH_I386, __NR_ia32_clock_gettime64, "clock_gettime64" },
	{ AUDIT_ARCH_I386, __NR_ia32_break, "break" },
	{ AUDIT_ARCH_I386, __NR_ia32_fcntl64 + 1, NULL },
	{ AUDIT_ARCH_I386, X32_BIT + __NR_ia32_read, NULL },
#else
	{ AUDIT_ARCH_I386, 3, NULL },
#endif
#ifdef CONFIG_X86_X32_ABI
	{ AUDIT_ARCH_X86_64, X32_BIT, "read" },
	{ AUDIT_ARCH_X86_64, X32_BIT + __NR_write, "write" },
	{ AUDIT_ARCH_X86_64, X32_BIT + __NR_openat, "openat" },
	{ AUDIT_ARCH_X86_64, X32_BIT + __NR_x32_execve, "execve" },
	/* One that x32 has by another number only. */
	{ AUDIT_ARCH_X86_64, X32_BIT + __NR_execve, NULL },
#else
	{ AUDIT_ARCH_X86_64, X32_BIT, NULL },
#endif
	{ NO_ARCH, __NR_write, NULL },
};

static void test_names(struct kunit *test)
{
	const struct name_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(name_cases); i++) {
		const char *name;

		c = &name_cases[i];
		name = marker_syscall_name(c->arch, c->nr);
		if (c->name)
			KUNIT_EXPECT_STREQ(test, name ?: "(none)", c->name);
		else
			KUNIT_EXPECT_NULL_MSG(test, name, "arch %x nr %ld: %s",
					      c->arch, c->nr, name);
	}
}

static bool is_name(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++) {
		if (!isalnum(*name) && *name != '_')
			return false;
	}
	return true;
}

/* Each ABI has about as many names as calls, up to its last one. */
static void test_all_numbers(struct kunit *test)
{
	const struct abi *abi;
	const char *name;
	int i, count;
	long nr;

	for (i = 0; i < ARRAY_SIZE(abis); i++) {
		abi = &abis[i];
		count = 0;
		for (nr = abi->first; nr < abi->end; nr++) {
			name = marker_syscall_name(abi->arch, nr);
			if (!name)
				continue;
			count++;
			KUNIT_EXPECT_TRUE_MSG(test, is_name(name), "%s %ld: %s",
					      abi->desc, nr, name);
		}
		KUNIT_EXPECT_GE_MSG(test, count, abi->least, "%s", abi->desc);
		KUNIT_EXPECT_NOT_NULL_MSG(test,
					  marker_syscall_name(abi->arch,
							      abi->end - 1),
					  "last of %s", abi->desc);
		for (; nr < abi->end + 10000; nr++)
			KUNIT_EXPECT_NULL_MSG(test,
					      marker_syscall_name(abi->arch, nr),
					      "%s %ld", abi->desc, nr);
	}
}

/*
 * Whatever ftrace found to be implemented has a name; and the function behind
 * it, by which ftrace calls it, is called the same but for what was added to
 * one of the two to tell an old call from a new one.
 */
static void test_as_traced(struct kunit *test)
{
#ifdef CONFIG_FTRACE_SYSCALLS
	const char *name, *traced;
	int count = 0;
	unsigned long nr;

	for (nr = 0; nr < NR_syscalls; nr++) {
		traced = marker_syscall_traced_name(nr);
		if (!traced)
			continue;
		count++;
		name = marker_syscall_name(AUDIT_ARCH_X86_64, nr);
		KUNIT_EXPECT_NOT_NULL_MSG(test, name, "%lu: %s", nr, traced);
		if (!name)
			continue;
		KUNIT_EXPECT_TRUE_MSG(test,
				      strstr(traced, name) ||
				      strstr(name, traced), "%lu: %s and %s",
				      nr, name, traced);
	}
	KUNIT_EXPECT_GT(test, count, 200);
	KUNIT_EXPECT_STREQ(test, marker_syscall_traced_name(__NR_write),
			   "write");
	KUNIT_EXPECT_NULL(test, marker_syscall_traced_name(-1));
	KUNIT_EXPECT_NULL(test, marker_syscall_traced_name(NR_syscalls));
	KUNIT_EXPECT_NULL(test, marker_syscall_traced_name(0x100000000L));
#else
	kunit_skip(test, "no CONFIG_FTRACE_SYSCALLS");
#endif
}

#endif /* CONFIG_X86_64 */

static struct kunit_case markers_syscall_cases[] = {
	KUNIT_CASE(test_bad_numbers),
#ifdef CONFIG_X86_64
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_all_numbers),
	KUNIT_CASE(test_as_traced),
#endif
	{}
};

static struct kunit_suite markers_syscall_suite = {
	.name = "markers_syscall",
	.test_cases = markers_syscall_cases,
};

kunit_test_suite(markers_syscall_suite);
