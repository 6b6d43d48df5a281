#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One name with two formats; pending and parked handlers.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

# $1 and $2: modules and formats of the first and of the second site.
two_formats() {
	load "site_$1"
	call "register $EVENT f0 0"
	load "site_$3"
	expect_sites "$EVENT" "test_markers_site_$1|on|$2" \
		"test_markers_site_$3|differs|$4"
	expect_column "$EVENT" format "$2"
	expect_log 1 "differs from" \
		1 "$EVENT: format \"$4\" of a site in test_markers_site_$3 differs from \"$2\""

	put "site_$1" fire 3
	put "site_$3" fire 50
	expect_calls f0 0 3
	expect_param calls fmt "$2"
	expect_column "$EVENT" hits 3

	# The second one takes over.
	unload "site_$1"
	expect_sites "$EVENT" "test_markers_site_$3|on|$4"
	expect_column "$EVENT" format "$4"
	put "site_$3" fire 4
	expect_calls f0 0 7
	expect_param calls fmt "$4"
	expect_column "$EVENT" hits 7

	# And now the first is the second.
	load "site_$1"
	expect_sites "$EVENT" "test_markers_site_$3|on|$4" \
		"test_markers_site_$1|differs|$2"
	expect_log 2 "differs from"
	unload "site_$1"
	put "site_$3" fire 1
	expect_calls f0 0 8
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
	unload "site_$3"
}

blocks_first() { two_formats blocks "$BLOCKS" bocks "$BOCKS"; }
bocks_first() { two_formats bocks "$BOCKS" blocks "$BLOCKS"; }

# The site that differs goes before the one that is armed.
second_goes_first() {
	load site_blocks
	load site_bocks
	load probe "format=\"$BLOCKS\""
	put site_blocks fire 1
	unload site_bocks
	put site_blocks fire 1
	expect_param probe hits 2
	unload probe site_blocks
}

# Handlers that wait for a site; then one whose format it does not have.
parked() {
	call "register $EVENT f0 0 =$BOCKS"
	call "register $EVENT f1 1 =$BLOCKS"
	call "register $EVENT f2 2"
	expect_handlers "$EVENT" "f0 [test_markers_calls]|pending|$BOCKS" \
		"f1 [test_markers_calls]|pending|$BLOCKS" \
		"f2 [test_markers_calls]|pending|-"

	load site_blocks
	expect_handlers "$EVENT" "f0 [test_markers_calls]|parked|$BOCKS" \
		"f1 [test_markers_calls]|active|$BLOCKS" \
		"f2 [test_markers_calls]|active|-"
	expect_log 1 "Format mismatch" \
		1 "Format mismatch for probe $EVENT ($BOCKS), marker ($BLOCKS)"
	put site_blocks fire 3
	expect_calls f0 0 0
	expect_calls f1 1 3
	expect_calls f2 2 3

	# Back to pending, and then it is the other one's turn.
	unload site_blocks
	expect_handlers "$EVENT" "f0 [test_markers_calls]|pending|$BOCKS" \
		"f1 [test_markers_calls]|pending|$BLOCKS" \
		"f2 [test_markers_calls]|pending|-"
	load site_bocks
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|$BOCKS" \
		"f1 [test_markers_calls]|parked|$BLOCKS" \
		"f2 [test_markers_calls]|active|-"
	expect_log 2 "Format mismatch" \
		1 "Format mismatch for probe $EVENT ($BLOCKS), marker ($BOCKS)"
	put site_bocks fire 2
	expect_param calls hits "f0 0 2
f1 1 3
f2 2 5"
	expect_param calls fmt "$BOCKS"
	expect_param calls bad 0

	# A parked one can be unregistered as any other.
	call "unregister $EVENT f1 1"
	call "unregister $EVENT f0 0"
	call "unregister $EVENT f2 2"
	expect_column "$EVENT" state off
	unload site_bocks
}

# A parked handler takes its turn while both sites are there.
parked_takes_over() {
	call "register $EVENT f0 0 =$BOCKS"
	load site_blocks
	load site_bocks
	expect_column "$EVENT" state off
	expect_handlers "$EVENT" "f0 [test_markers_calls]|parked|$BOCKS"
	put site_blocks fire 1
	put site_bocks fire 1
	expect_param calls hits ""
	unload site_blocks
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|$BOCKS"
	expect_sites "$EVENT" "test_markers_site_bocks|on|$BOCKS"
	put site_bocks fire 2
	expect_calls f0 0 2
	call "unregister $EVENT f0 0"
	unload site_bocks
}

# No format takes what the site has; the handler is told what it is.
any_format() {
	call "register $EVENT f0 0"
	load site_blocks
	put site_blocks fire 2
	expect_param calls fmt "$BLOCKS"
	expect_param calls text "dev 2 blocks 2007 note hello"
	get calls args
	case $value in
	"2
7d7
"*) ;;
	*) fail "the first two arguments are not 2 and 7d7" ;;
	esac
	unload site_blocks
	load site_bocks
	put site_bocks fire 3
	expect_param calls fmt "$BOCKS"
	expect_param calls text "dev 3 bocks 3007 note hello"
	expect_calls f0 0 5
	expect_param calls bad 0
	call "unregister $EVENT f0 0"
	unload site_bocks
}

# %s and %p are the same for a registration, and only there.
string_or_pointer() {
	load site_blocks
	call "register $EVENT f0 0 =dev %d blocks %lu note %p"
	expect_handlers "$EVENT" \
		"f0 [test_markers_calls]|active|dev %d blocks %lu note %p"
	put site_blocks fire 1
	expect_param calls fmt "$BLOCKS"
	expect_calls f0 0 1
	call "register $EVENT f1 0 =dev %p blocks %lu note %s" -1
	call "register $EVENT f1 0 =dev %d blocks %lu note %d" -1
	unload site_blocks
	load site_blocks
	expect_handlers "$EVENT" \
		"f0 [test_markers_calls]|active|dev %d blocks %lu note %p"
	put site_blocks fire 1
	expect_calls f0 0 2
	expect_log 0 "Format mismatch"
	call "unregister $EVENT f0 0"
	unload site_blocks
}

# Leading blanks do not make another format; other ones do.
blanks() {
	load site_blocks
	call "register $EVENT f0 0 =  $BLOCKS"
	call "register $EVENT f1 0 =$BLOCKS " -1
	call "register $EVENT f1 0 =dev  %d blocks %lu note %s" -1
	put site_blocks fire 1
	expect_calls f0 0 1
	call "unregister $EVENT f0 0"
	unload site_blocks
}

# D2: what was unregistered by its data leaves no format behind.
format_does_not_stay() {
	call "register $EVENT f0 0 =$BOCKS"
	call "unregister_private f0 0"
	expect_gone "$EVENT"
	call "register $EVENT f1 1 =$BLOCKS"
	load site_blocks
	expect_handlers "$EVENT" "f1 [test_markers_calls]|active|$BLOCKS"
	put site_blocks fire 1
	expect_param calls hits "f1 1 1"
	call "unregister $EVENT f1 1"
	unload site_blocks
}

plan 9
keep_calls
run "two formats: first armed, second reported" blocks_first
run "two formats, in the other order" bocks_first
run "two formats: the second goes first" second_goes_first
run "pending and parked handlers" parked
run "a parked handler takes its turn" parked_takes_over
run "no format takes any, also another one later" any_format
run "%s and %p are equal for a registration" string_or_pointer
run "blanks in front do not count" blanks
run "unregistered by its data, the format is free (D2)" format_does_not_stay
finish
