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
	value="$f5 $f6 $f7"
	columns "$INNER"
	expect "counters" "$value $f5 $f6 $f7" "$1"
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

plan 7
run "recursion in a task" task
run "recursion in a softirq" softirq
run "recursion in a hardirq" hardirq
run "recursion in an NMI" nmi
run "softirq and hardirq over a handler" irqs_above
run "NMI over a handler" nmi_above
run "a handler at each level" all_levels
finish
