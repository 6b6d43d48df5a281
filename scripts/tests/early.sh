#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Trace events of markers that the kernel command line switches on: from before
# there are initcalls, and with all system calls of the first process.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
export LC_ALL=C

EVENTS=markers:kernel_timer_set,markers:kernel_arch_syscall_entry

# Boots with the events on. What was recorded until the script ran is $TMP/trace.
boot() {
	cat >"$TMP/script" <<-'END'
		#!/bin/sh
		cd /sys/kernel/tracing || exit
		echo 0 >tracing_on
		cat set_event
		for event in kernel_timer_set kernel_arch_syscall_entry; do
			cat "events/markers/$event/enable"
		done
		cat events/markers/kernel_sched_schedule/trigger
		cat trace
	END
	chmod +x "$TMP/script"
	trigger=trace_trigger=kernel_sched_schedule.stacktrace:5
	APPEND="trace_buf_size=8M trace_event=$EVENTS $trigger" TIMEOUT=120 \
		"$KM_SCRIPTS/qemu.sh" -o "$TMP/results" \
		"$(build_dir plain)/arch/x86/boot/bzImage" "$TMP/script" >"$TMP/trace"
}

are_on() {
	head -n 5 "$TMP/trace" | tee "$TMP/on"
	grep -x markers:kernel_timer_set "$TMP/on" &&
	grep -x markers:kernel_arch_syscall_entry "$TMP/on" &&
	[ "$(grep -c -x 1 "$TMP/on")" = 2 ]
}

# The trigger was taken too, and did what it is to do five times.
trigger_taken() {
	grep '^stacktrace:count=0' "$TMP/trace" &&
	[ "$(grep -c '<stack trace>' "$TMP/trace")" = 5 ]
}

# Prints the time of the first record of event $1 and of process $2.
first() {
	sed -n "s/^ *$2 .* \([0-9]*\.[0-9]*\): $1: .*/\1/p" "$TMP/trace" | head -n 1
}

# When initcalls begin there have been timers for long.
before_initcalls() {
	timer=$(first kernel_timer_set '[^ ]*')
	log=$(sed -n 's/^\[ *\([0-9.]*\)\] .*smp: Bringing up secondary CPUs.*/\1/p' \
		"$TMP/results/console.log" | head -n 1)
	echo "first timer at $timer, more CPUs at $log"
	awk "BEGIN { exit !(${timer:-9} < ${log:-0}) }"
}

# The first call of process 1 is what it does before anything else: its loader
# asks where its heap is.
from_the_first_call() {
	grep -m 3 -e '-1  *\[.* kernel_arch_syscall_entry: ' "$TMP/trace" | tee "$TMP/calls"
	head -n 1 "$TMP/calls" | grep 'syscall_id 12 (brk) .* a0 0 '
}

make_tmp
echo "KTAP version 1"
test_that "a kernel boots with events of markers on" boot
test_that "they are on" are_on
test_that "a trigger of the command line is taken" trigger_taken
test_that "records begin before there are initcalls" before_initcalls
test_that "the first system call of process 1 is recorded" from_the_first_call
finish
