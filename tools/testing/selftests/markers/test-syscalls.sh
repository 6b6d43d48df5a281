#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of system calls: what they tell of calls by each entry, and when a
# task takes the path that they are on.
#
# MARKERS_PROGRAMS	the directory with the built test_syscalls

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

MARKERS_PROGRAMS=${MARKERS_PROGRAMS:-$(dirname "$0")}
ENTRY=kernel_arch_syscall_entry
EXIT=kernel_arch_syscall_exit

# One case of the program; what it finds wrong comes out as comments.
calls() {
	load syscalls
	"$MARKERS_PROGRAMS/test_syscalls" "$1"
	case $? in
	0) ;;
	4) skip "this kernel or processor has none" ;;
	*) fail "test_syscalls $1 failed" ;;
	esac
	unload syscalls
}

values() { calls values; }
entry_only() { calls entry-only; }
exit_only() { calls exit-only; }
numbers() { calls numbers; }
x32() { calls x32; }
int80() { calls int80; }
exec32() { calls exec32; }
forked() { calls fork; }
vforked() { calls vfork; }
threads() { calls thread; }
helper() { calls helper; }
denied() { calls seccomp; }
traced() { calls ptrace; }
changed() { calls changed; }
dispatched() { calls dispatch; }
restart_block() { calls restart-block; }
restart_handler() { calls restart-handler; }
killed() { calls killed; }
flags() { calls flags; }

# Each marker is one site of vmlinux, with the format that is promised.
listed() {
	format="syscall_id #4d%ld arch #4u%u ip #p%lu"
	for i in 0 1 2 3 4 5; do
		format="$format a$i %lx"
	done
	columns "$ENTRY"
	expect "$ENTRY" "$f2 $f3 $f4 $f5 $f10" \
		"SYSCALL_ENTRY off 1 0 $format pt_regs #0%p"
	columns "$EXIT"
	expect "$EXIT" "$f2 $f3 $f4 $f5 $f10" \
		"SYSCALL_EXIT off 1 0 syscall_id #4d%ld success #1u%u ret %ld"
}

# The handler is gone with its module, and so is what it was attached to.
unloaded_armed() {
	load syscalls
	put syscalls entry Y || fail "cannot attach"
	put syscalls exit Y || fail "cannot attach"
	get syscalls flags
	expect "tasks without the work flag" "${value#* }" 0
	expect_column "$ENTRY" state on
	unload syscalls
	expect_column "$ENTRY" state off
	expect_column "$EXIT" state off
	load syscalls
	get syscalls flags
	expect "tasks with the work flag" "${value% *}" 0
	unload syscalls
}

[ -x "$MARKERS_PROGRAMS/test_syscalls" ] ||
	skip_all "no test_syscalls in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
plan 21
run "both markers are listed" listed
run "numbers, arguments and values of 64-bit calls" values
run "entries alone" entry_only
run "exits alone" exit_only
run "numbers that no call has" numbers
run "x32" x32
run "int 0x80 by a 64-bit program" int80
run "a 32-bit program by int 0x80 and the fast entry, execve() there and back" exec32
run "a forked child" forked
run "vfork() and execve() across 32 and 64 bits" vforked
run "a thread" threads
run "a kernel thread that becomes a program" helper
run "a call that seccomp denies" denied
run "calls that a tracer changes, skips and emulates" traced
run "a number that a probe of sys_enter changes" changed
run "a call that user dispatch takes" dispatched
run "a call that is restarted after a stop" restart_block
run "a call that is restarted after a handler" restart_handler
run "a call that a signal ends" killed
run "unloaded while armed" unloaded_armed
run "every task has the work flag when it should" flags
finish
