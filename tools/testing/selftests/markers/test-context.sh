#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Markers that are hit while a handler runs: not delivered from the same context
# level, but from the levels above.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

OUTER=test_markers_outer
INNER=test_markers_inner

# Hits, recursions and unwatched hits of the outer and of the inner marker.
expect_counts() {
	columns "$OUTER"
	value="$f6 $f7 $f8"
	columns "$INNER"
	expect "counters" "$value $f6 $f7 $f8" "$1"
}

# The handler runs at level $1 and hits both markers at that level.
same_level() {
	load context
	for _ in 1 2 3; do
		put context run "$1,$1" || fail "cannot run at level $1"
	done
	expect_counts "3 3 0 0 3 0"
	expect_param context seen "$2"
	expect_param context bad 0
	unload context
}

# The handler runs at level $1, and both are hit from level $2 above it.
above() {
	put context run "$1,$2" || fail "cannot run at levels $1 and $2"
	expect_param context seen "$3"
	expect_param context bad 0
}

task() { same_level 0 "outer 1 0 0 0 inner 0 0 0 0"; }
softirq() { same_level 1 "outer 0 1 0 0 inner 0 0 0 0"; }
hardirq() { same_level 2 "outer 0 0 1 0 inner 0 0 0 0"; }

nmi() {
	load context
	get context nmi
	have=$value
	unload context
	if [ "$have" = Y ]; then
		same_level 3 "outer 0 0 0 1 inner 0 0 0 0"
	else
		skip "no NMIs to be had from a module here"
	fi
}

irqs_above() {
	load context
	above 0 1 "outer 1 1 0 0 inner 0 1 0 0"
	above 0 2 "outer 1 0 1 0 inner 0 0 1 0"
	above 1 2 "outer 0 1 1 0 inner 0 0 1 0"
	expect_counts "6 0 0 3 0 0"
	unload context
}

nmi_above() {
	load context
	get context nmi
	if [ "$value" = Y ]; then
		above 0 3 "outer 1 0 0 1 inner 0 0 0 1"
		above 1 3 "outer 0 1 0 1 inner 0 0 0 1"
		above 2 3 "outer 0 0 1 1 inner 0 0 0 1"
		expect_counts "6 0 0 3 0 0"
	else
		skip "no NMIs to be had from a module here"
	fi
	unload context
}

# A handler at each level at the same time.
all_levels() {
	load context
	put context run chain || fail "cannot run the chain"
	get context nmi
	if [ "$value" = Y ]; then
		expect_param context seen "outer 1 1 1 1 inner 0 0 0 0"
		expect_column "$OUTER" hits 4
	else
		expect_param context seen "outer 1 1 1 0 inner 0 0 0 0"
		expect_column "$OUTER" hits 3
	fi
	expect_column "$OUTER" recursions 0
	expect_param context bad 0
	unload context
}

# Of the records in instance $1, those of level $2.
records_of() {
	value=$(grep -c "$OUTER: level $2\$" "$1/trace")
}

# Field $2 of the counters of all buffers of instance $1, added up.
buffers() {
	value=$(cat "$1"/per_cpu/cpu*/stats |
		awk -F ': ' -v name="$2" '$1 == name { n += $2 } END { print n + 0 }')
}

# A record is made at each level at the same time, $1 times.
record_levels() {
	for _ in $(seq "$1"); do
		put context run chain || fail "cannot run the chain"
	done
	expect_param context bad 0
}

levels() {
	get context nmi
	if [ "$value" = Y ]; then value="0 1 2 3"; else value="0 1 2"; fi
}

recorded() {
	load context
	dir=$TRACEFS/instances/markers_context
	mkdir "$dir" || fail "cannot make an instance"
	echo 1 >"$dir/events/markers/$OUTER/enable"
	record_levels 50
	levels
	for level in $value; do
		records_of "$dir" "$level"
		expect "records of level $level" "$value" 50
	done
	expect_column "$OUTER" lost 0
	rmdir "$dir"
	unload context
}

# What does not fit is counted: by the buffer, and what is refused by us too.
counted() {
	load context
	dir=$TRACEFS/instances/markers_context
	mkdir "$dir" || fail "cannot make an instance"
	echo 1 >"$dir/buffer_size_kb"
	echo "$1" >"$dir/options/overwrite"
	echo 1 >"$dir/events/markers/$OUTER/enable"
	record_levels 500
	echo 0 >"$dir/events/markers/$OUTER/enable"
	column "$OUTER" hits
	hits=$value
	buffers "$dir" entries
	entries=$value
	buffers "$dir" "$2"
	gone=$value
	expect "records that are there and that are not" \
		$((entries + gone)) "$hits"
	expect_least "records that are not there" "$gone" 1
	column "$OUTER" lost
	lost=$value
	rmdir "$dir"
	unload context
}

overwritten() {
	counted 1 overrun
	expect "lost" "$lost" 0
}

dropped() {
	counted 0 "dropped events"
	expect "lost" "$lost" "$gone"
}

plan 10
run "recursion in a task" task
run "recursion in a softirq" softirq
run "recursion in a hardirq" hardirq
run "recursion in an NMI" nmi
run "softirq and hardirq over a handler" irqs_above
run "NMI over a handler" nmi_above
run "a handler at each level" all_levels
run "a record at each level" recorded
run "records that are overwritten are counted" overwritten
run "records that are dropped are counted" dropped
finish
