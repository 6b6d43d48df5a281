#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The flight recorder: a kernel crashes, its last events are printed, and those
# of an instance in reserved memory are read by the kernel that boots next.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/crash.sh"
export LC_ALL=C

# With the memory at the same place in each boot, and the instance off at first,
# so that what is in it stays.
FLIGHT='nokaslr reserve_mem=4M:4096:flight trace_instance=flight^traceoff@flight'

# Both record the start of a program whose name nobody else has, and what comes
# after it; then $1 crashes the kernel. The script runs again when it has booted.
crash() {
	REBOOT=yes
	export REBOOT
	guest "$FLIGHT ftrace_dump_on_oops" <<-END
		if [ -e /run/results/crashed ]; then
			echo "recording \$(cat instances/flight/tracing_on)"
			"\$PROGRAMS/kmark" dump -B flight
			exit
		fi
		for dir in . instances/flight; do
			for event in lkst:PROCESS_EXEC lkst:OOPS_DIE lkst:OOPS_PANIC \\
				markers:lkst_kernel_dump; do
				echo "\$event" >>"\$dir/set_event"
			done
			echo 1 >"\$dir/tracing_on"
		done
		cp /bin/true /tmp/last-flight
		: >/run/results/crashed
		sync
		/tmp/last-flight
		$1
	END
	unset REBOOT
	ends_well && [ "$(grep -ac 'Linux version' "$TMP/log")" = 2 ] &&
		grep -q '^recording 0$' "$TMP/output"
}

EXEC='PROCESS_EXEC: pid [0-9]* old_pid [0-9]* filename .tmp.last-flight'

# The program's start and the oops or panic, whose record is $1, are what the
# first kernel printed of its records.
on_console() {
	dumped "$EXEC" && dumped "$1"
}

# What the instance has from the program's start on is $TMP/kept.
kept() {
	sed -n "s/^[^#].*[0-9]: \([A-Za-z_]*: .*\)/\1/p" "$TMP/output" |
		sed -n "/^$EXEC\$/,\$p" | tee "$TMP/kept"
	[ -s "$TMP/kept" ]
}

# After that comes the crash and nothing else: the lines of $1.
tells_of_crash() {
	sed '1d; s/ip 0x[0-9a-f]*/ip/' "$TMP/kept" | tee "$TMP/crash"
	[ "$(cat "$TMP/crash")" = "$1" ]
}

make_tmp
echo "KTAP version 1"
test_that "a guest crashes by panic and boots again" \
	crash 'echo c >/proc/sysrq-trigger'
test_that "its last events are on the console" \
	on_console 'OOPS_PANIC: info sysrq triggered crash'
test_that "those of an instance in reserved memory are there after the reboot" kept
test_that "the last of them tell of the crash" \
	tells_of_crash 'OOPS_PANIC: info sysrq triggered crash
lkst_kernel_dump: reason panic'
# shellcheck disable=SC2016 # the guest's variable
test_that "a guest crashes by oops and boots again" \
	crash 'echo oops_null >"$ROWS/call"'
test_that "its last events are on the console" \
	on_console 'OOPS_DIE: ip 0x[0-9a-f]* info Oops'
test_that "those of an instance in reserved memory are there after the reboot" kept
test_that "the last of them tell of the crash" tells_of_crash 'OOPS_DIE: ip info Oops
lkst_kernel_dump: reason oops
OOPS_PANIC: info Fatal exception
lkst_kernel_dump: reason panic'
finish
