#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the guest: the kernel's own tests of tracing (ftracetest), as KTAP.
# Usage: ftracetest.sh DIRECTORY own|markers|all [TEST...]
#
# own      its tests of what markers have part in, as they are: with markers in
#          the kernel tracing works as it does without
# markers  its tests of events, with markers in place of the events they name
# all      every test, or those that are named (test.d/...); which number is which
#          is in the file "tests" of the results
#
# DIRECTORY is the kernel's tools/testing/selftests/ftrace. What a test lacks
# here makes it a skip, with the reason.
set -eu

# === Markers in place of other events =========================================

# Events that are hit as often, with as many numbers among their fields; edits
# for sed(1). In the tests of the first kind a context switch has to happen, in
# those of the second a fork, of which a shell makes system calls.
SWITCH='s,sched\([/:.]\)sched_switch,markers\1kernel_sched_schedule,g
s/sched_switch/kernel_sched_schedule/g
s,events/sched\>,events/markers,g
s/sched:\*/markers:*/g
s/pid=\$/pid $/g'
FORK='s,sched\([/:.]\)sched_process_fork,markers\1kernel_arch_syscall_entry,g
s/sched_process_fork/kernel_arch_syscall_entry/g
s,raw_syscalls/sys_exit,markers/kernel_arch_syscall_exit,g
s/\<id\.syscall/syscall_id.syscall/
s/"id: /"syscall_id: /
s/child_pid/arch/g
s/grep child /grep arch /
s/parent_comm: /common_pid: /
s/parent_comm/common_pid.execname/g'
NUMBER='s/parent_pid/syscall_id/g'
OWN_PID='s/parent_pid/common_pid/g'
TIMER='s,kmem\([/:]\)kmalloc,markers\1kernel_timer_set,g
s/call_site/function/g
s/bytes_req/expires/g
s/bytes_alloc/flags/g'
# The directory is the first argument of that system call.
# shellcheck disable=SC2016 # variables of the test
CHDIR='s/SYSTEM="syscalls"/SYSTEM="markers"/
s,events/syscalls/sys_enter_chdir,events/markers/kernel_arch_syscall_entry,
s/sys_enter_chdir/kernel_arch_syscall_entry/g
s/\$filename/$a0/g
s/\\\$filename/\\$a0/g'

# A test and its edits on each line.
port_all() {
	port event/event-enable.tc "$SWITCH"
	port event/event-pid.tc "$SWITCH"
	port event/subsystem-enable.tc "$SWITCH"
	port filter/event-filter-incomplete.tc "$SWITCH"
	port ftrace/func_event_triggers.tc "$SWITCH"
	port instances/instance-event.tc "$SWITCH"
	port trigger/trigger-eventonoff.tc "$SWITCH" "$FORK"
	port trigger/trigger-filter.tc "$FORK" "$NUMBER"
	port trigger/trigger-hist.tc "$FORK" "$NUMBER" "$TIMER"
	port trigger/trigger-hist-mod.tc "$FORK" "$OWN_PID" "$TIMER"
	port trigger/trigger-hist-expressions.tc "$FORK"
	port trigger/trigger-hist-syntax-errors.tc "$TIMER"
	port trigger/trigger-snapshot.tc "$FORK"
	port trigger/trigger-stacktrace.tc "$FORK"
	port trigger/trigger-traceonoff.tc "$FORK"
	port dynevent/add_remove_eprobe.tc "$CHDIR"
}

# Makes one. That an edit does not fit any more is for the test to say.
port() {
	file=$1
	shift
	edits=$(printf '%s\n' "$@")
	mkdir -p "markers.d/$(dirname "$file")"
	sed "$edits
s/^# description:/& markers:/" "test.d/$file" >"markers.d/$file"
	! grep -q 'sched_switch\|sched_process_fork\|kmem.kmalloc\|sys_enter_chdir' \
		"markers.d/$file" || echo "exit_fail" >"markers.d/$file"
}

# Before each test all triggers and filters are looked for. More than half of all
# events are those of single system calls, which these tests leave alone or reset
# themselves, and on an emulated machine it is this what takes the time.
reset_less() {
	sed -i 's,events/\*/\*/\(trigger\|filter\),events/[!s]*/*/\1 events/sched/*/\1,' \
		test.d/functions
	# What triggers do in an instance is left to "all".
	find test.d/trigger -name '*.tc' -exec sed -i '/^# flags: instance/d' {} +
}

# === The run ==================================================================

# What kept case $1 from running, from its log.
reason() {
	grep -hv '^+\|^execute' "$logs/$1"-*.tc-log.* 2>/dev/null | tail -n 1
}

# What case $1 did and said before it failed.
told() {
	tail -n 25 "$logs/$1"-*.tc-log.* 2>/dev/null | sed 's/^/# /'
}

# ftracetest calls a test that cannot run here unsupported or unresolved, and
# only the first is a skip in its KTAP.
with_reasons() {
	while IFS= read -r line; do
		case $line in
		"ok "*'# SKIP' | "not ok "*'# UNRESOLVED')
			line=${line#not }
			number=${line#ok }
			why=$(reason "${number%% *}")
			echo "${line%%#*}# SKIP ${why:-no reason given}"
			;;
		"not ok "*)
			number=${line#not ok }
			told "${number%% *}"
			echo "$line"
			;;
		*) echo "$line" ;;
		esac
	done
}

# Leaves "number test" for each case.
write_tests() {
	for log in "$logs"/*.tc-log.*; do
		number=${log##*/}
		sed -n "1s,^execute.*: .*/\(test\.d/.*\),${number%%-*} \1,p" "$log"
	done >"${KM_RESULTS:-/tmp}/tests"
}

from=$1
what=$2
shift 2
work=$(mktemp -d /tmp/ftracetest.XXXXXX)
logs=$work/log
cp -r "$from/." "$work"
cd "$work"
case $what in
own)
	reset_less
	set -- test.d/00basic test.d/event test.d/trigger
	;;
markers)
	reset_less
	port_all
	set -- markers.d
	;;
all) [ $# -gt 0 ] || set -- test.d ;;
esac
# Some of the tests ping this machine.
ip link set lo up
./ftracetest -K -k -l "$logs" "$@" 2>"$work/err" | with_reasons
[ "$what" != all ] || write_tests
rm -rf "$work"
