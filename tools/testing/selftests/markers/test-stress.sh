#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Handlers are registered and unregistered while their markers are hit.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

quiet

# The mode and its number, as test_markers_stress wants it, ends with nothing
# wrong and no handler left.
stress() {
	load stress
	put stress run "$1" || fail "cannot run $1"
	expect_param stress bad 0
	get stress hits
	expect_least "hits" "$value" 1
	get stress fired
	expect_least "times fired" "$value" 100
	for n in 0 1 2 3; do
		expect_column "test_markers_stress_$n" handlers 0
		expect_column "test_markers_stress_$n" state off
		expect_column "test_markers_stress_$n" recursions 0
		expect_column "test_markers_stress_$n" unwatched 0
	done
	expect "names of the batch" "$(grep -c ^test_markers_batch "$MARKERS")" 0
	unload stress
}

cookies() { stress cookies,40; }
pairs() { stress pairs,400; }
batch() { stress batch,500; }

plan 3
run "none, one, two, one, no handlers with data of their own" cookies
run "random pairs from several threads" pairs
run "a batch of 500 registrations" batch
finish
