#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Allocations fail: registering says so and leaves nothing behind, unregistering
# works all the same, modules load or do not, kmark switches all events or none.
#
# MARKERS_PROGRAMS	the directory with the built kmark

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

MARKERS_PROGRAMS=${MARKERS_PROGRAMS:-$(dirname "$0")}
FAILSLAB=/sys/kernel/debug/failslab
ENOMEM=-12
DEFINED="an event has all its fields or is not there"
FIELDS=/sys/kernel/slab/ftrace_event_field
ENTRY=kernel_arch_syscall_entry

# Allocations that may sleep fail too; the report of each failure would have a
# stack in it.
knobs_set() {
	ignore_wait=$(cat "$FAILSLAB/ignore-gfp-wait")
	verbose=$(cat "$FAILSLAB/verbose")
	echo N >"$FAILSLAB/ignore-gfp-wait"
	echo 0 >"$FAILSLAB/verbose"
}

knobs_back() {
	echo "$ignore_wait" >"$FAILSLAB/ignore-gfp-wait"
	echo "$verbose" >"$FAILSLAB/verbose"
	echo N >"$FAILSLAB/cache-filter"
	[ ! -e "$FIELDS/failslab" ] || echo 0 2>/dev/null >"$FIELDS/failslab"
}

# Does "$1" with its first allocation failing, then the second, and so on until
# it has no more of them. $2 is done after each that was successful.
each_failing() {
	failures=0
	for nth in 1 2 3 4 5 6 7 8 9; do
		put calls fail_call "$nth"
		put calls call "$1"
		get calls ret
		ret=$value
		if [ "$ret" = 0 ]; then
			"$2"
		elif [ "$ret" = "$ENOMEM" ]; then
			failures=$((failures + 1))
		else
			fail "$1 returned $ret"
		fi
		state
		expect "the list" "$value" "$clean"
		get calls failed
		[ "$value" = Y ] || return 0
	done
	fail "no end of allocations"
}

back() {
	call "unregister $EVENT f0 0"
}

register_pending() {
	state
	clean=$value
	each_failing "register $EVENT f0 0 =$BLOCKS" back
	expect_least "failures" "$failures" 2
	expect_log "$failures" "$EVENT: handler f0 [test_markers_calls] not registered: no memory"
	call "register $EVENT f0 0 =$BOCKS"
	back
}

register_armed() {
	load site_blocks
	state
	clean=$value
	each_failing "register $EVENT f0 0" back
	expect_least "failures" "$failures" 1
	put site_blocks fire 3
	expect_param calls hits ""
	call "register $EVENT f0 0"
	put site_blocks fire 3
	expect_calls f0 0 3
	back
	unload site_blocks
}

flags_off() {
	get syscalls flags
	expect "tasks with the work flag" "${value% *}" 0
}

entry_back() {
	call "unregister $ENTRY f0 0"
	flags_off
}

# What the sites are attached to allocates as well.
register_syscalls() {
	load syscalls
	state
	clean=$value
	each_failing "register $ENTRY f0 0" entry_back
	expect_least "failures" "$failures" 2
	# The first is the handler's own memory. Each leaves one line.
	expect_log 1 "not registered: no memory" $((failures - 1)) \
		"not registered: cannot have its sites reached (error $ENOMEM)" \
		"$failures" "] markers: "
	flags_off
	for nth in 1 2 3; do
		call "register $ENTRY f0 0"
		put calls fail_call "$nth"
		entry_back
	done
	unload syscalls
}

# Unregistering never fails, whatever it may try to allocate, and whether or not
# other handlers stay.
unregister() {
	load site_blocks
	for verb in "unregister $EVENT f0 0" "unregister_private f0 0"; do
		for others in 0 1 2; do
			for nth in 1 2 3; do
				call "register $EVENT f0 0"
				[ "$others" -lt 1 ] || call "register $EVENT f1 1"
				[ "$others" -lt 2 ] || call "register $EVENT f2 2"
				put calls fail_call "$nth"
				call "$verb"
				expect_column "$EVENT" handlers "$others"
				[ "$others" -lt 1 ] || call "unregister $EVENT f1 1"
				[ "$others" -lt 2 ] || call "unregister $EVENT f2 2"
			done
		done
	done
	expect_column "$EVENT" state off
	put site_blocks fire 1
	expect_param calls hits ""
	unload site_blocks
}

# A module with sites is loaded with an allocation of the markers or of tracing
# failing: each of the first, and then some of those that its trace events need.
# It loads without these.
load_module() {
	call "register test_markers_many f0 0"
	state
	clean=$value
	failures=0
	nth=0
	while [ "$nth" -lt 300 ]; do
		nth=$((nth + 1 + nth / 8))
		put calls fail_load "$nth"
		if out=$(insert many 2>&1); then
			put many fire 1
			unload many
			state
			expect "the list" "$value" "$clean"
			get calls failed
			[ "$value" = Y ] || break
		else
			failures=$((failures + 1))
			case $out in
			*"Cannot allocate memory"*) ;;
			*) fail "loading failed with '$out'" ;;
			esac
			state
			expect "the list" "$value" "$clean"
		fi
	done
	[ "$nth" -lt 300 ] || fail "no end of allocations"
	# Two of its three markers are new, and each is a piece of memory.
	expect_least "failures" "$failures" 2
	expect_log "$failures" "no memory for a site in test_markers_many"
	load many
	[ ! -d "$EVENTS" ] || [ -e "$EVENTS/test_markers_many/enable" ] ||
		fail "no trace event when there was memory again"
	calls_of f0 0
	old=$value
	put many fire 1
	expect_calls f0 0 $((old + 10))
	call "unregister test_markers_many f0 0"
	unload many
}

# The fields of the event are $1, or there is no event when that is empty.
expect_fields() {
	names=
	format=$EVENTS/test_fields_event/format
	[ ! -e "$format" ] ||
		names=$(sed -n 's/.* \([a-z_]*\);\toffset.*/\1/p' "$format" |
			grep -v '^common_' | tr '\n' ' ')
	expect "fields of the event" "$names" "$1"
}

# Its module comes while number $1 of the fields that are still to be defined
# fails.
load_fields() {
	put calls fail_load "$1"
	load fields
	get calls failed
}

# An event without some of its fields would stay so until reboot. So there is
# none, and when there is memory for those that are missing, there is.
define_fields() {
	[ -d "$EVENTS" ] || { skip "no trace events of markers"; return; }
	tracing=yes
	reset_tracing
	echo 1 2>/dev/null >"$FIELDS/failslab" ||
		{ skip "the fields share their cache"; return; }
	echo Y >"$FAILSLAB/cache-filter"
	load_fields 1
	if [ "$value" = Y ]; then
		expect_fields ""
		unload fields
		load_fields 2
		expect "field 2 failed" "$value" Y
		expect_fields ""
		expect_log 2 "test_fields_event: no trace event: could not add it"
	elif [ "$(dmesg | grep -c "selftests: markers: .*: $DEFINED\$")" -gt 1 ]; then
		skip "they were defined by an earlier run of this test"
	else
		fail "no field was to be defined"
	fi
	unload fields
	echo N >"$FAILSLAB/cache-filter"
	echo 0 >"$FIELDS/failslab"

	load fields
	expect_fields "one two three "
	echo 'three == 9' >"$EVENTS/test_fields_event/filter"
	echo 1 >"$EVENTS/test_fields_event/enable"
	put fields fire 6
	put fields fire 7
	expect "what is recorded" \
		"$(sed -n 's/.*test_fields_event: //p' "$TRACEFS/trace")" \
		"one 7 two 8 three 9"
	unload fields
}

# kmark waits for the lock of set_event.
waits() {
	grep -q -- "-> FLOCK.* $1 " /proc/locks
}

# An allocation fails that the kernel makes for kmark from the moment on that
# set_event is its own: the first one, then the second, until both events could
# not go on, and the one before not off. What comes after kmark's work belongs to
# others, such as the file system that it lies in.
switch_events() {
	[ -d "$EVENTS" ] || { skip "no trace events of markers"; return; }
	[ -x "$MARKERS_PROGRAMS/kmark" ] || { skip "no kmark"; return; }
	tracing=yes
	reset_tracing
	export KMARK_ETC="$tmp/sets"
	mkdir "$KMARK_ETC"
	echo kernel_timer_set >"$KMARK_ETC/before"
	printf 'net_socket_bind\nkernel_process_fork\n' >"$KMARK_ETC/after"
	"$MARKERS_PROGRAMS/kmark" mask use before || fail "kmark returned $?"
	exec 9<"$TRACEFS/set_event"
	refusals=0
	nth=0
	status=
	while [ "$refusals" -lt 3 ] && [ "$status" != 0 ]; do
		nth=$((nth + 1))
		flock 9
		"$MARKERS_PROGRAMS/kmark" mask use after >"$tmp/said" 2>&1 9<&- &
		process=$!
		expect_soon waits "$process"
		echo "$nth" >"/proc/$process/fail-nth"
		flock -u 9
		status=0
		wait "$process" || status=$?
		on=$(sort "$TRACEFS/set_event" | tr '\n' ' ')
		expect "events, failure $nth" "$on" "markers:kernel_timer_set "
		! grep -q 'all is as before: Cannot allocate memory' "$tmp/said" ||
			refusals=$((refusals + 1))
	done
	exec 9<&-
	expect "events refused" "$refusals" 3
}

[ -d "$FAILSLAB" ] || mount -t debugfs nodev /sys/kernel/debug 2>/dev/null
[ -d "$FAILSLAB" ] || skip_all "no $FAILSLAB: this kernel cannot make allocations fail"
plan 7
keep_calls
knobs_set
trap 'on_exit; knobs_back' EXIT
run "register a pending handler" register_pending
run "register a handler of a site" register_armed
run "register a handler of system calls" register_syscalls
run "unregister always works" unregister
run "load a module with sites" load_module
run "$DEFINED" define_fields
run "a mask set is used, or nothing is changed" switch_events
finish
