#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What modules do to their markers: sites in init code, init functions that
# fail, handlers that are forgotten, many sites with one name.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

INIT=test_markers_init
PLAIN=test_markers_init_plain

# Armed before the module is there: its init function's sites are hit.
init_sites() {
	call "register $INIT f0 0"
	call "register $PLAIN f1 1"
	load init
	expect_column "$INIT" sites 3
	expect_column "$PLAIN" sites 2
	expect_column "$INIT" state on
	expect_param calls hits "f0 0 1
f1 1 1"
	expect_param calls text "step 1"
	put init fire 3
	expect_calls f0 0 4
	unload init
	expect_param calls hits "f0 0 5
f1 1 2"
	expect_param calls text "step 3"
	expect_column "$INIT" hits 5
	call "unregister $INIT f0 0"
	call "unregister $PLAIN f1 1"
}

# Armed when the init code has been freed, and off and on again.
init_freed() {
	load init
	for i in 1 2 3 4 5; do
		call "register $INIT f0 0"
		call "register $PLAIN f1 1"
		expect_column "$INIT" state on
		put init fire 2
		expect_param calls hits "f0 0 $((i * 2))"
		call "unregister $INIT f0 0"
		call "unregister $PLAIN f1 1"
		put init fire 2
	done
	call "register $INIT f0 0"
	unload init
	expect_calls f0 0 11
	call "unregister $INIT f0 0"
}

# The init function fails after its sites were hit, again and again.
init_fails() {
	call "register $INIT f0 0"
	call "register $PLAIN f1 1"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		load_fails "Input/output error" init fail=1
		expect_param calls hits "f0 0 $i
f1 1 $i"
		expect_handlers "$INIT" "f0 [test_markers_calls]|pending|-"
		expect_column "$INIT" sites 0
	done
	load init
	expect_column "$INIT" state on
	unload init
	call "unregister $INIT f0 0"
	call "unregister $PLAIN f1 1"
}

# Nothing is attached when the init function fails.
init_fails_unarmed() {
	load_fails "Input/output error" init fail=1
	expect_gone "$INIT"
	expect_gone "$PLAIN"
}

# It had registered handlers, also for a marker of another module.
init_fails_registered() {
	load site_blocks hammer=1
	for _ in 1 2 3 4 5; do
		load_fails "Input/output error" init fail=1 careless=1
		expect_column "$EVENT" handlers 0
		expect_column "$EVENT" state off
		expect_gone "$INIT"
	done
	goes="module test_markers_init goes without having unregistered"
	expect_log 5 "$EVENT: $goes its handler on_hit [test_markers_init]" \
		5 "$INIT: $goes its handler on_hit [test_markers_init]"
	unload site_blocks
}

# The exit function forgets its handlers, while the marker is hit. A handler of
# another module stays.
exit_forgets() {
	load site_blocks hammer=1
	call "register $EVENT f0 0"
	load init careless=1
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|-" \
		"on_hit [test_markers_init]|active|-"
	unload init
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|-"
	load probe privates=3 forget=1
	expect_column "$EVENT" handlers 4
	unload probe
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|-"
	expect_log 5 "goes without having unregistered its handler"
	calls_of f0 0
	old=$value
	sleep 0.1
	calls_of f0 0
	expect_least "calls" "$value" $((old + 1))
	call "unregister $EVENT f0 0"
	unload site_blocks
}

# A pending one that is forgotten goes as well.
pending_forgotten() {
	load probe name=test_markers_nowhere forget=1
	expect_column test_markers_nowhere handlers 1
	unload probe
	expect_gone test_markers_nowhere
	expect_log 1 "test_markers_nowhere: module test_markers_probe goes without"
}

many_sites() {
	load many
	call "register test_markers_many f0 0"
	call "register test_markers_none f1 1"
	call "register test_markers_wide f2 2"
	expect_column test_markers_many sites 6
	row="test_markers_many|on|place %s n %d"
	expect_sites test_markers_many "$row" "$row" "$row" "$row" "$row" "$row"
	put many fire 1
	expect_param calls hits "f0 0 10
f1 1 1
f2 2 1"
	expect_column test_markers_many hits 10
	call "unregister test_markers_many f0 0"
	put many fire 1
	expect_param calls hits "f0 0 10
f1 1 2
f2 2 2"
	call "unregister test_markers_none f1 1"
	call "unregister test_markers_wide f2 2"
	unload many
}

# Each argument arrives as it was passed, however many there are.
arguments() {
	load many
	call "register test_markers_wide f0 0"
	put many fire 1
	text="c A h -2 u 3000000000 ld -4 llx 123456789abcdef0 hhu 250 x 0xbeef"
	expect_param calls text "$text zu 7 d -8 ## tail 9"
	expect_param calls args "41
fffffffffffffffe
b2d05e00
fffffffffffffffc
123456789abcdef0
fa
beef
7
fffffffffffffff8
9"
	call "unregister test_markers_wide f0 0"
	call "register test_markers_none f0 0 = "
	put many fire 1
	expect_param calls fmt " "
	expect_param calls args ""
	call "unregister test_markers_none f0 0"
	unload many
}

# Markers of out-of-tree modules work as any; the kernel knows what they are.
out_of_tree() {
	load site_blocks
	[ $(($(cat /proc/sys/kernel/tainted) >> 12 & 1)) = 1 ] ||
		skip "the test modules were built in the kernel tree"
	load probe
	put site_blocks fire 2
	expect_param probe hits 2
	unload probe site_blocks
}

plan 10
keep_calls
run "sites in init and exit code, armed before" init_sites
run "armed after init code was freed" init_freed
run "init fails while its sites are armed" init_fails
run "init fails with nothing armed" init_fails_unarmed
run "init fails with handlers registered" init_fails_registered
run "exit forgets to unregister" exit_forgets
run "a pending handler is forgotten" pending_forgotten
run "many sites with one name" many_sites
run "arguments of all widths, and none" arguments
run "markers in tainting modules" out_of_tree
finish
