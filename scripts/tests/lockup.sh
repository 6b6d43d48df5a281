#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The markers of CPUs that lock up, and of another kernel that is started.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/crash.sh"
export LC_ALL=C

# The module keeps a CPU busy until it is locked up, which is after more than twice
# the threshold. The hard lockup is found by another CPU, which has no registers.
locks_up() {
	guest '' <<-'END'
		echo 2 >/proc/sys/kernel/watchdog_thresh
		for call in softlockup hardlockup; do
			echo "== $call"
			echo >trace
			echo 1 >"events/markers/kernel_$call/enable"
			echo "$call" >"$ROWS/call" || exit
			cat "$ROWS/log" trace
			echo 0 >"events/markers/kernel_$call/enable"
		done
		echo "== end"
	END
	ends_well
}

# What was told for call $1 as variables, and its record as $record.
of_call() {
	sed -n "/^== $1\$/,/^== /p" "$TMP/output" >"$TMP/call"
	pid=$(sed -n 's/^pid //p' "$TMP/call")
	cpu=$(sed -n 's/^cpu //p' "$TMP/call")
	record=$(sed -n "s/^[^#].*[0-9]: kernel_$1: //p" "$TMP/call")
	echo "pid $pid cpu $cpu: $record"
	[ -n "$pid" ] && [ -n "$cpu" ]
}

soft_recorded() {
	of_call softlockup &&
		echo "$record" | grep -qE "^cpu $cpu pid $pid seconds [5-7] ip 0xffffffff[0-9a-f]*\$"
}

hard_recorded() {
	of_call hardlockup && [ "$record" = "cpu $cpu ip 0x0" ]
}

# The module's handlers print what they are told; there are no records to read
# when another kernel has begun.
starts_another() {
	guest '' <<-'END'
		echo kexec >"$ROWS/call" || exit
		"$PROGRAMS/test_rows_irq" kexec
	END
	logged '^another kernel$'
}

crashes_into_another() {
	guest 'crashkernel=64M' <<-'END'
		echo kexec >"$ROWS/call" || exit
		"$PROGRAMS/test_rows_irq" kexec-crash || exit
		echo c >/proc/sysrq-trigger
	END
	logged '^another kernel$'
}

crashes() {
	guest '' <<-'END'
		echo kexec >"$ROWS/call" || exit
		echo c >/proc/sysrq-trigger
	END
	logged 'Kernel panic - not syncing: sysrq triggered crash'
}

# The start that the program asked for was told once, by marker $1, and not by $2.
start_told() {
	start=$(sed -n 's/^start=//p' "$TMP/output")
	grep -a 'kexec image' "$TMP/log" | tee "$TMP/starts"
	[ -n "$start" ] && [ "$(grep -c . "$TMP/starts")" = 1 ] &&
		grep -q "$1 image 1 start $start\$" "$TMP/starts"
}

no_start_told() {
	! grep -a 'kexec image' "$TMP/log"
}

make_tmp
echo "KTAP version 1"
test_that "a kernel boots, and locks up twice" locks_up
test_that "the soft lockup is recorded" soft_recorded
test_that "the hard lockup is recorded" hard_recorded
test_that "nothing else was wrong" no_fault_but 'soft lockup|hard LOCKUP|Call Trace:'
test_that "a kernel boots, and starts another one" starts_another
test_that "its start is told" start_told kernel_kexec
test_that "a kernel boots, and crashes into another one" crashes_into_another
test_that "its start is told" start_told kernel_crash_kexec
test_that "a kernel boots, and crashes without another one" crashes
test_that "no start is told" no_start_told
finish
