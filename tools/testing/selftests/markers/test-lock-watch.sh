#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Locks whose memory is watched by debug register: each write is told of, on all
# CPUs, as these come and go; the registers are few, and are given back.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

LOCKS=$TRACEFS/marker_locks
MODULE=test_markers_lockset
CPU1=/sys/devices/system/cpu/cpu1/online

lock() {
	echo "$1" >>"$LOCKS" || fail "cannot write '$1'"
}

expect_locks() {
	value=$(sed 's/[[:space:]]*#.*//' "$LOCKS" | tr '\n' ' ')
	expect "the set of locks" "${value% }" "$1"
}

# The records of lock "$1", in one line, of what is done by the module.
told_of() {
	value=$(sed -n "s/^[^#].*[0-9]: lock_watch: lock $1+[^]]*\] ip \([a-z_]*\)+.* value \(.*\)/\1 \2/p" \
		"$TRACE/trace")
}

# A lock is taken and released by two writes: the functions that do it are told
# of, and what they wrote.
writes() {
	lock "watch:$MODULE:spin"
	expect_locks "watch:$MODULE:spin"
	switch_on lock_watch
	put lockset call spin,2
	put lockset call raw,2
	told_of spin
	expect "writes" "$(echo "$value" | sed 's/^.* //' | tr '\n' ' ')" "1 0 1 0 "
	case $value in
	*_raw_spin_lock*unlock*) ;;
	*) fail "written by: $value" ;;
	esac
	expect_records lock_watch 4
}

# Nothing traps while the marker is off, nor what was told of before.
off_and_on() {
	lock "watch:$MODULE:spin"
	put lockset call spin,3
	switch_on lock_watch
	expect_records lock_watch 0
	put lockset call spin,1
	switch_off lock_watch
	put lockset call spin,3
	expect_records lock_watch 2
	switch_on lock_watch
	lock "!watch:$MODULE:spin"
	put lockset call spin,3
	expect_records lock_watch 2
	lock "watch:$MODULE:spin"
	put lockset call spin,1
	expect_records lock_watch 4
}

# A lock may be told of in both ways, and is in one when it is not in the other.
both_ways() {
	lock "watch:$MODULE:spin $MODULE:spin"
	switch_on lock_watch lock_spin_lock
	put lockset call spin,2
	expect_records lock_watch 4
	expect_records lock_spin_lock 2
	lock "!watch:$MODULE:spin"
	put lockset call spin,2
	expect_records lock_watch 4
	expect_records lock_spin_lock 4
}

# The lock is taken by another CPU, and wanted by this one meanwhile.
other_cpus() {
	lock "watch:$MODULE:spin"
	switch_on lock_watch
	put lockset contend spin
	told_of spin
	n=$(echo "$value" | wc -l)
	expect_least "writes" "$n" 4
	cpus=$(sed -n 's/^.*\[\([0-9]*\)\].*: lock_watch: .*/\1/p' "$TRACE/trace" | sort -u | wc -l)
	expect "CPUs that wrote" "$cpus" 2
}

four_and_a_fifth() {
	lock "watch:$MODULE:spin watch:$MODULE:raw watch:$MODULE:rw watch:$MODULE:inside+0x20"
	all="watch:$MODULE:spin watch:$MODULE:raw watch:$MODULE:rw watch:$MODULE:inside+0x20"
	expect_locks "$all"
	out=$( (echo "watch:$MODULE:many" >>"$LOCKS") 2>&1) &&
		fail "could watch a fifth lock"
	case $out in
	*"No space left"*) ;;
	*) fail "a fifth lock failed with '$out'" ;;
	esac
	expect_log 1 "\"$MODULE:many\": cannot be watched: all debug registers"
	expect_locks "$all"
	# The four still are, and their registers are to be had when they go.
	switch_on lock_watch
	for way in spin raw write inside; do
		put lockset call "$way"
	done
	expect_records lock_watch 8
	echo "watch:$MODULE:many watch:$MODULE:spin" >"$LOCKS"
	expect_locks "watch:$MODULE:many watch:$MODULE:spin"
	put lockset call spin
	expect_records lock_watch 10
	# And when others cannot be had, the old ones are as they were.
	(echo "watch:$MODULE:raw watch:$MODULE:rw watch:$MODULE:inside+0x20 watch:$MODULE:inside+0x28 watch:$MODULE:many" \
		>"$LOCKS") 2>/dev/null && fail "could watch five locks"
	expect_locks "watch:$MODULE:many watch:$MODULE:spin"
	put lockset call spin
	expect_records lock_watch 12
}

hotplug() {
	if [ ! -w "$CPU1" ]; then
		skip "CPU 1 cannot go"
		return
	fi
	lock "watch:$MODULE:spin"
	switch_on lock_watch
	echo 0 >"$CPU1"
	taskset -c 0 sh -c "echo spin >/sys/module/$MODULE/parameters/call"
	expect_records lock_watch 2
	echo 1 >"$CPU1"
	taskset -c 1 sh -c "echo spin >/sys/module/$MODULE/parameters/call"
	expect_records lock_watch 4
	# One that is named while a CPU is away.
	echo 0 >"$CPU1"
	lock "watch:$MODULE:raw"
	echo 1 >"$CPU1"
	taskset -c 1 sh -c "echo raw >/sys/module/$MODULE/parameters/call"
	expect_records lock_watch 6
	lock "!watch:$MODULE:raw !watch:$MODULE:spin"
	# All registers are free again, on each CPU.
	four_and_a_fifth
}

unloaded() {
	lock "watch:$MODULE:spin watch:$MODULE:raw"
	switch_on lock_watch
	put lockset call spin
	unload lockset
	expect_locks ""
	load lockset
	put lockset call spin
	expect_records lock_watch 2
}

[ -e "$LOCKS" ] || skip_all "this kernel has no markers of locks"
grep -q "^lock_watch$TAB" "$MARKERS" || skip_all "no debug registers here"
plan 7
keep_tracing
kept=$MODULE
insert lockset || skip_all "cannot load $MODULE"
state
before=$value
if ! (echo "watch:$MODULE:spin" >"$LOCKS") 2>/dev/null; then
	skip_all "no debug register is to be had"
fi
echo >"$LOCKS"
run "each write" writes
run "while the marker is off" off_and_on
run "a lock in both ways" both_ways
run "writes of another CPU" other_cpus
run "all registers, and one more" four_and_a_fifth
run "CPUs that come and go" hotplug
run "a module goes with its locks" unloaded
finish
