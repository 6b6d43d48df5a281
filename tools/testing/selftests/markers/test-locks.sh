#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of locks: each way to take and to release one is told of, and only
# of the locks that are named in marker_locks; what that file takes, refuses and
# shows; and locks whose memory is watched.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

LOCKS=$TRACEFS/marker_locks
MODULE=test_markers_lockset

# Adds to the set, or takes away from it, as "$1" says.
lock() {
	echo "$1" >>"$LOCKS" || fail "cannot write '$1'"
}

# The set should be "$1", names with blanks between them.
expect_locks() {
	value=$(sed 's/[[:space:]]*#.*//' "$LOCKS" | tr '\n' ' ')
	expect "the set of locks" "${value% }" "$1"
}

# Refused with error $1, and with log line $2 that follows the word; the rest is
# what is written. Nothing changes.
refused() {
	error=$1
	message=$2
	shift 2
	was=$(cat "$LOCKS")
	out=$( (echo "$@" >>"$LOCKS") 2>&1) && fail "could write $*"
	case $out in
	*"$error"*) ;;
	*) fail "writing '$*' failed with '$out', expected '$error'" ;;
	esac
	expect "the set after '$*'" "$(cat "$LOCKS")" "$was"
	expect_least_log "markers: marker_locks: $message"
}

# There should be a line with that in the log of this case.
expect_least_log() {
	log | grep -qF "$1" || fail "no log line with '$1'"
}

switch_all_on() {
	for name in "$EVENTS"/lock_spin_* "$EVENTS"/lock_read_* \
		"$EVENTS"/lock_write_*; do
		echo 1 >"$name/enable"
	done
}

# What is done with a lock: each record's event and its last field, in order.
# What comes from elsewhere in the kernel with $1 is not among them.
told_of() {
	value=$(sed -n "s/^[^#].*[0-9]: lock_\([a-z_]*\): lock $1[+ ][^]]*\] ip \([a-z_]*\)+[^]]*\]\(.*\)/\1 \2\3/p" \
		"$TRACE/trace")
}

# Way $1 should be told of as "$2" on lock $3, and by its function.
expect_way() {
	echo >"$TRACE/trace"
	put lockset call "$1" || fail "cannot do $1"
	told_of "$3"
	expect "what is told of $1" "$(echo "$value" | sed "s/ [^ ]*way_$1\b//" |
		tr '\n' ',')" "$2,"
}

formats() {
	expect "formats" "$(awk -F '\t' '/^lock_(spin|read|write|watch)/ {
		print $1 "|" $2 "|" $10 }' "$MARKERS" | sort)" "\
lock_read_lock|LK_RDLOCK|lock %pS ip %pS contended #1u%u
lock_read_unlock|LK_RDUNLOCK|lock %pS ip %pS
lock_read_wait|-|lock %pS ip %pS
lock_spin_lock|LK_SPINLOCK|lock %pS ip %pS contended #1u%u
lock_spin_trylock|LK_SPINTRYLOCK|lock %pS ip %pS taken #1u%u
lock_spin_unlock|LK_SPINUNLOCK|lock %pS ip %pS
lock_spin_wait|-|lock %pS ip %pS
lock_watch|-|lock %pS ip %pS value #4u%u
lock_write_lock|LK_WRLOCK|lock %pS ip %pS contended #1u%u
lock_write_unlock|LK_WRUNLOCK|lock %pS ip %pS
lock_write_wait|-|lock %pS ip %pS"
}

# === Ways to take and to release a lock =======================================

# All on, and none named: nothing is told of.
none_named() {
	switch_all_on
	put lockset call spin,100
	for name in spin_wait spin_lock spin_trylock spin_unlock read_wait \
		read_lock read_unlock write_wait write_lock write_unlock; do
		expect_records "lock_$name" 0
	done
}

ways_of_spin() {
	switch_all_on
	lock "$MODULE:spin"
	for way in spin spin_irq spin_irqsave spin_bh spin_nested \
		spin_irqsave_nested spin_nest_lock; do
		expect_way "$way" "spin_lock contended 0,spin_unlock" spin
	done
	for way in spin_try spin_try_bh spin_try_irq spin_try_irqsave; do
		expect_way "$way" "spin_trylock taken 1,spin_unlock" spin
	done
}

ways_of_raw() {
	switch_all_on
	lock "$MODULE:raw"
	for way in raw raw_irq raw_irqsave raw_bh; do
		expect_way "$way" "spin_lock contended 0,spin_unlock" raw
	done
	expect_way raw_try "spin_trylock taken 1,spin_unlock" raw
}

ways_of_rw() {
	switch_all_on
	lock "$MODULE:rw"
	for way in read read_irq read_irqsave read_bh read_try; do
		expect_way "$way" "read_lock contended 0,read_unlock" rw
	done
	for way in write write_irq write_irqsave write_bh write_nested write_try; do
		expect_way "$way" "write_lock contended 0,write_unlock" rw
	done
}

# As expect_way, without what the other CPU does with the lock.
expect_contended() {
	echo >"$TRACE/trace"
	put lockset contend "$1" || fail "cannot do $1"
	told_of "$3"
	expect "what is told of $1" "$(echo "$value" | grep "way_$1\b" |
		sed "s/ [^ ]*way_$1\b//" | tr '\n' ',')" "$2"
}

# Another CPU has them all.
contended() {
	switch_all_on
	lock "$MODULE:spin $MODULE:raw $MODULE:rw"
	for way in spin spin_irq spin_irqsave spin_bh; do
		expect_contended "$way" "spin_wait,spin_lock contended 1,spin_unlock," spin
	done
	for way in raw raw_irq raw_irqsave raw_bh; do
		expect_contended "$way" "spin_wait,spin_lock contended 1,spin_unlock," raw
	done
	for way in read read_irq read_irqsave read_bh; do
		expect_contended "$way" "read_wait,read_lock contended 1,read_unlock," rw
	done
	for way in write write_irq write_irqsave write_bh; do
		expect_contended "$way" "write_wait,write_lock contended 1,write_unlock," rw
	done
}

# Only who waits is told of, by a handler of that alone.
waiting() {
	switch_on lock_spin_wait
	lock "$MODULE:spin"
	put lockset call spin,5
	expect_records lock_spin_wait 0
	put lockset contend spin
	expect_records lock_spin_wait 1
	expect_records lock_spin_lock 0
}

# A trylock of a spin lock that fails is told of, one of a rwlock is not.
not_taken() {
	switch_all_on
	lock "$MODULE:spin $MODULE:raw $MODULE:rw"
	for way in spin_try spin_try_bh spin_try_irq spin_try_irqsave; do
		expect_contended "$way" "spin_trylock taken 0," spin
	done
	expect_contended raw_try "spin_trylock taken 0," raw
	expect_contended read_try "," rw
	expect_contended write_try "," rw
}

# The handler is within the locked region, as lockdep sees it.
within() {
	if ! insert locks 2>/dev/null; then
		skip "this kernel has no lockdep"
		return
	fi
	lock "$MODULE:spin $MODULE:rw"
	for name in lock_spin_lock:spin lock_spin_unlock:spin \
		lock_spin_trylock:spin_try lock_read_lock:read \
		lock_read_unlock:read lock_write_lock:write \
		lock_write_unlock:write; do
		put locks watch "${name%%:*} spin|rw" || fail "cannot watch $name"
		put lockset call "${name##*:},10"
		expect_param locks held 10
		expect_param locks missing 0
	done
	put locks watch ""
	unload locks
}

# === Which locks ==============================================================

# Only the one, of many that are taken; also while others come and go.
one_of_many() {
	switch_all_on
	lock "$MODULE:inside+0x20"
	put lockset call inside,50
	for way in spin raw read write other; do
		put lockset call "$way,50"
	done
	expect_records lock_spin_lock 50
	expect_records lock_spin_unlock 50
	expect_records lock_read_lock 0
	told_of "inside"
	expect "records of that lock" "$(echo "$value" | wc -l)" 100
}

# By address and back.
by_address() {
	get lockset at
	at=$value
	lock "$at"
	expect_locks "$MODULE:spin"
	expect "the address" "$(sed -n 's/.*# //p' "$LOCKS")" "$at"
	switch_on lock_spin_lock
	put lockset call spin,3
	expect_records lock_spin_lock 3
	lock "!$MODULE:spin"
	expect_locks ""
	put lockset call spin,3
	expect_records lock_spin_lock 3

	# And with another name for the same.
	lock "$MODULE:spin"
	lock "!$at"
	expect_locks ""
}

# The field of a record is compared with a symbol's address by the kernel.
filter_by_lock() {
	get lockset at
	lock '*'
	event lock_spin_lock filter "lock == $value"
	switch_on lock_spin_lock
	put lockset call spin,7
	put lockset call raw,7
	expect_records lock_spin_lock 7
	lock '!*'
}

names_of_kernel() {
	lock "jiffies_lock tasklist_lock"
	lock "!jiffies_lock"
	expect_locks "tasklist_lock"
	switch_on lock_read_lock
	# The lock of all tasks is taken for their priority.
	renice -n 0 -g 0 >/dev/null
	n=$(grep -c 'lock_read_lock: lock tasklist_lock' "$TRACE/trace")
	[ "$n" -gt 0 ] || fail "tasklist_lock was not taken"
}

per_cpu() {
	refused "Invalid argument" \
		"\"runqueues\": is a per-CPU variable" runqueues
	refused "Invalid argument" \
		"\"runqueues@77\": there is no CPU" runqueues@77
	lock "runqueues@0 runqueues@1"
	expect_locks "runqueues@0 runqueues@1"
	switch_on lock_spin_lock
	sleep 0.1
	switch_off lock_spin_lock
	n=$(grep -c ': lock_spin_lock:' "$TRACE/trace")
	[ "$n" -gt 0 ] || fail "the locks of run queues are never taken"
	lock '!runqueues@1'
	expect_locks runqueues@0
}

# A write after an open that truncates replaces the set, in whole or not at all.
replaced() {
	echo "$MODULE:spin $MODULE:raw" >"$LOCKS"
	expect_locks "$MODULE:spin $MODULE:raw"
	echo "$MODULE:rw $MODULE:raw" >"$LOCKS"
	expect_locks "$MODULE:rw $MODULE:raw"
	(echo "$MODULE:spin nosuch" >"$LOCKS") 2>/dev/null &&
		fail "could write what is not there"
	expect_locks "$MODULE:rw $MODULE:raw"
	cat "$LOCKS" >"$tmp/saved"
	: >"$LOCKS"
	expect_locks ""
	cat "$tmp/saved" >"$LOCKS"
	expect_locks "$MODULE:rw $MODULE:raw"
	printf '%s # %s\n%s\n' "$MODULE:spin" "$MODULE:rw" '# nothing' >"$LOCKS"
	expect_locks "$MODULE:spin"
}

all_of_them() {
	lock "*"
	expect_locks "*"
	switch_on lock_spin_lock
	put lockset call spin,5
	put lockset call raw,5
	switch_off lock_spin_lock
	told_of spin
	expect "records of spin" "$(echo "$value" | grep -c way_spin)" 5
	told_of raw
	expect "records of raw" "$(echo "$value" | grep -c way_raw)" 5
	lock '!*'
	expect_locks ""
}

wrong_names() {
	lock "$MODULE:spin"
	refused "No such file" '"nosuch_lock": there is no such symbol' nosuch_lock
	refused "No such file" '"nosuch:spin": there is no such symbol' nosuch:spin
	refused "No such file" "\"!$MODULE:raw\": is not in the set" \
		"!$MODULE:raw"
	refused "Invalid argument" "\"$MODULE:no_lock\": there is no spin lock" \
		"$MODULE:no_lock"
	refused "Invalid argument" "\"$MODULE:spin+2\":" "$MODULE:spin+2"
	refused "Invalid argument" "\"$MODULE:spin+0x100000\": the symbol has" \
		"$MODULE:spin+0x100000"
	refused "Invalid argument" "\"$MODULE:spin+x\": \"x\" is not an offset" \
		"$MODULE:spin+x"
	refused "Invalid argument" "\"$MODULE:spin@0\": is not a per-CPU" \
		"$MODULE:spin@0"
	refused "Invalid argument" '"schedule": it is not in memory that is written' \
		schedule
	refused "Invalid argument" '"linux_banner": it is not in memory' linux_banner
	refused "Invalid argument" '"0x0": there is no spin lock' 0x0
	refused "Invalid argument" '"0x1000": there is no spin lock' 0x1000
	refused "Invalid argument" '"0xzz": is not an address' 0xzz
	refused "Invalid argument" \
		'"0xdead000000000000": there is no spin lock' 0xdead000000000000
	refused "No such file" '"": there is no such symbol' "watch:"
}

# There may be 128, and slots for them that are used over and over.
too_many() {
	get lockset size
	size=$value
	words=
	n=0
	while [ "$n" -lt 128 ]; do
		words="$words$MODULE:many+$((n * size)) "
		n=$((n + 1))
	done
	for _ in 1 2 3; do
		echo "$words" >"$LOCKS" || fail "cannot name 128 locks"
		refused "No space left" "\"$MODULE:spin\": there are 128 locks" \
			"$MODULE:spin"
		: >"$LOCKS"
	done
	switch_on lock_spin_lock
	echo "$words" >"$LOCKS"
	put lockset call many
	expect_records lock_spin_lock 128
	lock "!$MODULE:many+$((64 * size))"
	put lockset call many
	expect_records lock_spin_lock 255
}

unloaded() {
	lock "$MODULE:spin $MODULE:rw jiffies_lock"
	switch_all_on
	put lockset call spin,2
	unload lockset
	expect_locks jiffies_lock
	refused "No such file" "\"$MODULE:spin\": there is no such symbol" \
		"$MODULE:spin"
	load lockset
	put lockset call spin,2
	expect_records lock_spin_lock 2
}

[ -e "$LOCKS" ] || skip_all "this kernel has no markers of locks"
plan 19
keep_tracing
kept=$MODULE
insert lockset || skip_all "cannot load $MODULE"
state
before=$value
run "the formats" formats
run "no lock is named" none_named
run "ways to take a spinlock_t" ways_of_spin
run "ways to take a raw_spinlock_t" ways_of_raw
run "ways to take a rwlock_t" ways_of_rw
run "another CPU has the lock" contended
run "who waits for a lock" waiting
run "a lock that is not free is tried" not_taken
run "the lock is held where it is told of" within
run "one lock of many" one_of_many
run "a lock by its address, and back" by_address
run "a filter by the address of a lock" filter_by_lock
run "locks of the kernel" names_of_kernel
run "locks of per-CPU variables" per_cpu
run "a set in place of another" replaced
run "all locks" all_of_them
run "what is no lock is refused" wrong_names
run "as many as there may be" too_many
run "a module goes with its locks" unloaded
finish
