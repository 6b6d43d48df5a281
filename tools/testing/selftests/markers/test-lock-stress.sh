#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of locks while all CPUs take locks: they are switched on and off,
# the set of locks changes, all locks are told of while everything else is, too;
# the lock that stays in the set is told of each time.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

LOCKS=$TRACEFS/marker_locks
MODULE=test_markers_lockset
SECONDS_LONG=${MARKERS_STRESS_SECONDS:-5}

busy() {
	put lockset busy "$(grep -c ^processor /proc/cpuinfo)"
}

idle() {
	put lockset busy 0
}

# A job: the set changes, in all ways, around one that stays.
retarget() {
	echo "$MODULE:spin $MODULE:raw $MODULE:many" >"$LOCKS"
	echo "$MODULE:rw" >>"$LOCKS"
	echo "!$MODULE:raw jiffies_lock tasklist_lock" >>"$LOCKS"
	echo "$MODULE:inside+0x20 $MODULE:spin runqueues@0 runqueues@1" >"$LOCKS"
	echo "!runqueues@0" >>"$LOCKS"
}

all_and_back() {
	echo '*' >>"$LOCKS"
	echo '!*' >>"$LOCKS"
}

toggle() {
	for name in lock_spin_lock lock_spin_unlock lock_write_lock lock_read_lock; do
		echo 1 >"$EVENTS/$name/enable"
		echo 0 >"$EVENTS/$name/enable"
	done
}

watch_and_back() {
	echo "watch:$MODULE:raw" >>"$LOCKS"
	echo "!watch:$MODULE:raw" >>"$LOCKS"
}

# Counted on both sides: by the threads, and by the handler, of that lock alone.
none_missed() {
	echo "$MODULE:spin" >"$LOCKS"
	get lockset at
	event lock_spin_lock trigger "hist:keys=lock.sym if lock == $value"
	get lockset taken
	was=$value
	start_job retarget
	busy
	sleep "$SECONDS_LONG"
	idle
	stop_jobs
	get lockset taken
	taken=$((value - was))
	expect_least "times that the lock was taken" "$taken" 100
	n=$(sed -n 's/^{ lock: .*hitcount: *\([0-9]*\).*/\1/p' \
		"$EVENTS/lock_spin_lock/hist")
	expect "times that it was told of" "$n" "$taken"
}

switched() {
	start_job retarget
	start_job all_and_back
	start_job toggle
	[ ! -e "$EVENTS/lock_watch" ] || start_job watch_and_back
	busy
	sleep "$SECONDS_LONG"
	idle
	stop_jobs
	echo >"$LOCKS"
	switch_on lock_spin_lock
	put lockset call spin
	expect_records lock_spin_lock 0
	echo "$MODULE:spin" >"$LOCKS"
	put lockset call spin
	expect_records lock_spin_lock 1
}

# The tracer takes locks, too: these are skipped, and counted, and the machine
# goes on. Everything is recorded, and read while it is.
everything() {
	echo '*' >"$LOCKS"
	echo 1 >"$TRACEFS/events/markers/enable"
	echo 1 >"$TRACEFS/events/enable" 2>/dev/null
	(exec timeout "$SECONDS_LONG" cat "$TRACE/trace_pipe") >/dev/null &
	busy
	for _ in 1 2 3 4 5; do
		(exec timeout 60 ls -lR "$TRACEFS/events/markers") >/dev/null ||
			fail "cannot list files while all locks are told of"
	done
	idle
	wait
	echo 0 >"$TRACEFS/events/enable"
	column lock_spin_lock hits
	expect_least "hits" "$value" 1000
	column lock_spin_lock recursions
	expect_least "skipped" "$value" 1
}

unloaded() {
	for _ in 1 2 3 4 5 6 7 8; do
		echo "$MODULE:spin $MODULE:raw" >"$LOCKS"
		switch_on lock_spin_lock
		busy
		unload lockset
		expect "the set" "$(grep -c "$MODULE" "$LOCKS")" 0
		load lockset
	done
}

[ -e "$LOCKS" ] || skip_all "this kernel has no markers of locks"
plan 4
keep_tracing
kept=$MODULE
insert lockset || skip_all "cannot load $MODULE"
state
before=$value
run "none is missed while the set changes" none_missed
run "the set and the markers change" switched
run "all locks and everything else" everything
run "the module is unloaded while its locks are taken" unloaded
finish
