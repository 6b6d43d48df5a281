#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The markers of what ends a kernel, or a part of it: oopses that a kernel
# survives, and what is printed of the records when it does not.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/crash.sh"
export LC_ALL=C

# The oops of the processor's exception $1 is in the trace of the instance, which
# stays on, with what the module told of it.
oops_recorded() {
	of_call "$1"
	sed -n 's/^kernel_oops \(.*\)/kernel_oops: \1/p' "$TMP/call" >"$TMP/told"
	records kernel_oops >"$TMP/recorded"
	[ -s "$TMP/told" ] && diff "$TMP/told" "$TMP/recorded"
}

# So is the entry of exception $2, at the same place, but no exit.
no_exit() {
	of_call "$1"
	ip=$(sed -n 's/^kernel_oops \(ip [^ ]*\) .*/\1/p' "$TMP/call")
	records kernel_arch_trap >"$TMP/recorded"
	cat "$TMP/recorded"
	[ "$(grep -c . "$TMP/recorded")" = 1 ] &&
		grep -q "^kernel_arch_trap_entry: trap_id $2 $ip error_code 0\$" \
			"$TMP/recorded"
}

# What the instance has of kind $1 for the thread of the call.
records() {
	pid=$(sed -n 's/^pid //p' "$TMP/call")
	sed -n "s/^ *test_rows-$pid .*[0-9]: \($1.*\)/\1/p" "$TMP/call"
}

of_call() {
	sed -n "/^== $1\$/,/^== /p" "$TMP/output" >"$TMP/call"
	cat "$TMP/call"
}

survives() {
	guest '' <<-'END'
		echo 0 >/proc/sys/kernel/panic_on_oops
		mkdir instances/oops
		for event in kernel_oops kernel_arch_trap_entry kernel_arch_trap_exit; do
			echo 1 >"instances/oops/events/markers/$event/enable"
		done
		for call in oops_null oops_gp oops_bug; do
			echo "== $call"
			echo >instances/oops/trace
			echo "$call" >"$ROWS/call" || exit
			cat "$ROWS/log" instances/oops/trace
		done
	END
	ends_well && [ "$(grep -ac 'end trace' "$TMP/log")" = 3 ]
}

panics() {
	guest "ftrace_dump_on_oops trace_event=markers:kernel_panic" <<-'END'
		echo c >/proc/sysrq-trigger
	END
	logged 'Kernel panic - not syncing: sysrq triggered crash'
}

oops_panics() {
	guest "ftrace_dump_on_oops trace_event=markers:kernel_oops" <<-'END'
		echo oops_null >"$ROWS/call"
	END
	logged 'Kernel panic - not syncing: Fatal exception'
}

make_tmp
echo "KTAP version 1"
test_that "a kernel boots, and oopses three times" survives
test_that "the oops of a page fault is recorded" oops_recorded oops_null
test_that "its exception has no exit" no_exit oops_null 14
test_that "the oops of a general protection fault is recorded" oops_recorded oops_gp
test_that "its exception has no exit" no_exit oops_gp 13
test_that "the oops of an invalid opcode is recorded" oops_recorded oops_bug
test_that "its exception has no exit" no_exit oops_bug 6
test_that "nothing else was wrong" no_fault_but \
	'BUG: kernel NULL pointer|Oops: (Oops|general protection fault|invalid opcode)|Call Trace:'
test_that "a kernel boots, and panics" panics
test_that "the panic is in what it prints of the records" \
	dumped 'kernel_panic: info sysrq triggered crash'
test_that "a kernel boots, and an oops makes it panic" oops_panics
test_that "the oops is in what it prints of the records" \
	dumped 'kernel_oops: ip 0xffffffff[0-9a-f]* info Oops'
finish
