#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Modules go while their markers are hit on all CPUs.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

quiet

# What the probe modules of this case logged as they went.
expect_no_bad_hits() {
	log | grep ' test_markers_probe: hits' >"$tmp/hits"
	expect "probe modules that went" "$(wc -l <"$tmp/hits")" "$1"
	expect "those with bad hits" "$(grep -v -c ' bad 0$' "$tmp/hits")" 0
	hits=$(sed 's/.* hits \([0-9]*\) .*/\1/' "$tmp/hits" |
		awk '{ n += $1 } END { print n + 0 }')
	expect_least "their hits" "$hits" 1
}

# A handler that is there all along: it, the marker and the site agree.
exact_count() {
	call "register $EVENT f0 0"
	load site_blocks
	put site_blocks hammer 1
	for _ in 1 2 3; do
		call "register $EVENT f1 1"
		call "unregister $EVENT f1 1"
	done
	sleep 0.3
	put site_blocks hammer 0
	get site_blocks fired
	fired=$value
	expect_least "times the site was hit" "$fired" 100
	expect_calls f0 0 "$fired"
	expect_column "$EVENT" hits "$fired"
	expect_column "$EVENT" recursions 0
	expect_column "$EVENT" unwatched 0
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
	unload site_blocks
}

# The probe module's data is poisoned right after the grace period, then its
# code goes.
probe_goes() {
	load site_blocks hammer=1
	for _ in 1 2 3; do
		load probe linger=200
		unload probe
	done
	for _ in 1 2; do
		load probe "format=\"$BLOCKS\"" privates=4
		unload probe
	done
	expect_column "$EVENT" state off
	expect_no_bad_hits 5
	unload site_blocks
}

# The same while another handler stays attached.
probe_goes_other_stays() {
	call "register $EVENT f0 0"
	load site_blocks hammer=1
	for _ in 1 2 3; do
		load probe privates=2 linger=100
		unload probe
	done
	put site_blocks hammer 0
	get site_blocks fired
	expect_calls f0 0 "$value"
	expect_param calls bad 0
	expect_no_bad_hits 3
	call "unregister $EVENT f0 0"
	unload site_blocks
}

# The site's module comes and goes under a handler, hit up to its exit function.
site_goes() {
	call "register $EVENT f0 0 =$BLOCKS"
	old=0
	for _ in 1 2 3 4; do
		load site_blocks hammer=1
		unload site_blocks
		calls_of f0 0
		n=$value
		expect_least "calls" "$n" $((old + 1))
		old=$n
	done
	expect_column "$EVENT" hits "$old"
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
}

# One of two modules with the same marker goes, the other is hit on.
one_site_goes() {
	call "register $EVENT f0 0"
	load site_again hammer=1
	for _ in 1 2 3; do
		load site_blocks hammer=1
		unload site_blocks
		expect_sites "$EVENT" "test_markers_site_again|on|$BLOCKS"
	done
	put site_again hammer 0
	get site_again fired
	fired=$value
	calls_of f0 0
	expect_least "calls" "$value" "$fired"
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
	unload site_again
}

# D6: two handlers for two formats, and sites that have the one or the other. A
# handler never gets the format that it did not ask for.
formats_flip() {
	load probe "format=\"$BLOCKS\""
	call "register $EVENT f0 0 =$BOCKS"
	for _ in 1 2 3; do
		load site_blocks hammer=1
		unload site_blocks
		get probe hits
		blocks=$value
		calls_of f0 0
		bocks=$value
		load site_bocks hammer=1
		unload site_bocks
		expect_param probe hits "$blocks"
		calls_of f0 0
		expect_least "hits of the active one" "$value" \
			$((bocks + 1))
	done
	expect_least "hits" "$blocks" 1
	expect_param calls fmt "$BOCKS"
	expect_param probe bad 0
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
	unload probe
}

# D6 as it was: two probe modules with two formats take turns at one site.
probes_flip() {
	load site_blocks hammer=1
	for _ in 1 2 3; do
		load probe "format=\"$BLOCKS\""
		call "register $EVENT f0 0 =$BOCKS" -1
		unload probe
		call "register $EVENT f0 0 =$BOCKS" -1
		expect_column "$EVENT" handlers 0
		expect_column "$EVENT" state off
	done
	expect_param calls hits ""
	expect_no_bad_hits 3
	unload site_blocks
}

site_comes_and_goes() {
	insert site_blocks hammer=1
	rmmod test_markers_site_blocks
}

# A site module is loaded and unloaded while others register and unregister.
load_against_register() {
	start_job site_comes_and_goes
	for _ in $(seq 10); do
		call "register $EVENT f0 0 =$BLOCKS"
		call "register $EVENT f1 1"
		call "unregister $EVENT f0 0"
		call "unregister $EVENT f1 1"
	done
	stop_jobs
	rmmod test_markers_site_blocks 2>/dev/null
	expect_param calls bad 0
	expect_gone "$EVENT"
}

plan 8
keep_calls
run "handler, marker and site count the same" exact_count
run "probe module goes while its handler is called" probe_goes
run "probe module goes, another handler stays" probe_goes_other_stays
run "site module goes while its site is hit" site_goes
run "one of two site modules goes" one_site_goes
run "sites with two formats take turns (D6)" formats_flip
run "probe modules with two formats take turns (D6)" probes_flip
run "modules are loaded while handlers are registered" load_against_register
finish
