#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each error that a call can return. It changes nothing and leaves one line in
# the log.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

EPERM=-1
ENOENT=-2
EBUSY=-16
EINVAL=-22

registers=0
unregisters=0

# The call "$1" is refused with $2, and nothing changes.
refuse() {
	read_file "$MARKERS"
	was=$value
	call "$1" "$2"
	read_file "$MARKERS"
	expect "the list after '$1'" "$value" "$was"
	case $1 in
	register*) registers=$((registers + 1)) ;;
	unregister*) unregisters=$((unregisters + 1)) ;;
	esac
}

# As many lines were logged as calls were refused in this case, and no others.
expect_logged() {
	expect_log "$registers" " not registered: " \
		"$unregisters" " not unregistered: " \
		$((registers + unregisters)) "] markers: "
	registers=0
	unregisters=0
}

# A name of $1 characters.
long_name() {
	name=
	while [ ${#name} -lt "$1" ]; do
		name=${name}m
	done
	echo "$name"
}

bad_names() {
	for name in '(null)' '(empty)' 1abc a+b a-b 'a%d' +a a/b ../a é \
		"a${NL}b" "$(long_name 256)" "$(long_name 1500)"; do
		refuse "register $name f0 0" "$EINVAL"
		refuse "unregister $name f0 0" "$ENOENT"
		call "private $name f0 0" "$ENOENT"
	done
	# One line is one line.
	expect_log 2 '] markers: a\nb: handler f0 '
	expect_logged
}

good_names() {
	for name in _ m test_markers1 TEST_Markers __x__ current linux int \
		"$(long_name 255)"; do
		# There may be a site with that name in the kernel.
		column "$name" handlers
		was=$value
		call "register $name f0 0"
		expect_column "$name" handlers 1
		call "unregister $name f0 0"
		expect_column "$name" handlers "$was"
	done
}

no_function() {
	refuse "register $EVENT null 0" "$EINVAL"
	refuse "register $EVENT null 0 =x %d" "$EINVAL"
	refuse "unregister $EVENT null 0" "$ENOENT"
	refuse "unregister_private null 0" "$ENOENT"
	expect_logged
}

bad_formats() {
	for format in '%n' 'x %f' '%*d' 'x %' '%pI4' 'a #1%d' '#2u %u' '#0x%x' \
		'%5%' '%ls' "x${TAB}%d" "x${NL}%d" 'é %d' '#q%d' '%q'; do
		refuse "register $EVENT f0 0 =$format" "$EINVAL"
	done
	refuse "register $EVENT f0 0 =$(long_name 1100)" "$EINVAL"
	expect_log 1 ' not registered: format "x\n%d", at offset 1: '
	# These are fine, and pending.
	for format in '' ' ' 'id #%d' 'ip 0x%lX' '100%%' 'a %d ## b %p' \
		'#2u%d #n4x%x #8d%u #0%p #us%p #p%s' '%pS %ps %pB %pK %px'; do
		call "register $EVENT f0 0 =$format"
		expect_column "$EVENT" handlers 1
		call "unregister $EVENT f0 0"
	done
	expect_logged
}

same_pair() {
	call "register $EVENT f0 0"
	refuse "register $EVENT f0 0" "$EBUSY"
	refuse "register $EVENT f0 0 =$BLOCKS" "$EBUSY"
	# Other data, another function, another name: all fine.
	call "register $EVENT f0 1"
	call "register $EVENT f0 null"
	refuse "register $EVENT f0 null" "$EBUSY"
	call "register $EVENT f1 0"
	call "register ${EVENT}_b f0 0"
	load site_blocks
	refuse "register $EVENT f0 1" "$EBUSY"
	put site_blocks fire 2
	expect_param calls hits "f0 0 2
f0 1 2
f0 null 2
f1 0 2"
	call "unregister $EVENT f0 1"
	put site_blocks fire 1
	expect_param calls hits "f0 0 3
f0 1 2
f0 null 3
f1 0 3"
	for pair in 'f0 0' 'f0 null' 'f1 0'; do
		call "unregister $EVENT $pair"
	done
	call "unregister ${EVENT}_b f0 0"
	unload site_blocks
	expect_logged
}

other_format() {
	load site_blocks
	refuse "register $EVENT f0 0 =$BOCKS" "$EPERM"
	refuse "register $EVENT f0 0 =dev %d" "$EPERM"
	refuse "register $EVENT f0 0 =" "$EPERM"
	call "register $EVENT f0 0 =$BLOCKS"
	refuse "register $EVENT f1 0 =$BOCKS" "$EPERM"
	# Pending ones do not decide.
	call "register ${EVENT}_b f0 0 =a %d"
	call "register ${EVENT}_b f1 0 =b %d"
	call "unregister ${EVENT}_b f0 0"
	call "unregister ${EVENT}_b f1 0"
	call "unregister $EVENT f0 0"
	unload site_blocks
	expect_logged
}

# D3: another pair is attached, and stays.
other_pair_stays() {
	load site_blocks
	call "register $EVENT f0 0"
	refuse "unregister $EVENT f0 1" "$ENOENT"
	refuse "unregister $EVENT f0 null" "$ENOENT"
	refuse "unregister $EVENT f1 0" "$ENOENT"
	refuse "unregister ${EVENT}_b f0 0" "$ENOENT"
	refuse "unregister_private f0 1" "$ENOENT"
	refuse "unregister_private f1 0" "$ENOENT"
	put site_blocks fire 1
	expect_param calls hits "f0 0 1"
	# The same with several.
	call "register $EVENT f0 2"
	call "register $EVENT f1 2"
	refuse "unregister $EVENT f1 0" "$ENOENT"
	put site_blocks fire 1
	expect_param calls hits "f0 0 2
f0 2 1
f1 2 1"
	call "unregister $EVENT f0 0"
	call "unregister $EVENT f0 2"
	call "unregister $EVENT f1 2"
	refuse "unregister $EVENT f0 0" "$ENOENT"
	unload site_blocks
	expect_logged
}

# D1: an unknown pair, while many names have several handlers.
unknown_pair() {
	for n in 0 1 2 3 4 5 6 7 8 9 a b; do
		for private in 0 1 2 3; do
			call "register test_markers_d1_$n f0 $private"
		done
	done
	refuse "unregister_private f0 5" "$ENOENT"
	refuse "unregister_private f1 0" "$ENOENT"
	for n in 0 1 2 3 4 5 6 7 8 9 a b; do
		for private in 0 1 2 3; do
			call "unregister_private f0 $private"
		done
	done
	refuse "unregister_private f0 0" "$ENOENT"
	expect_logged
}

# By its data: one registration at a time, the oldest marker first.
by_private() {
	call "register test_markers_p1 f0 3"
	call "register test_markers_p2 f0 3"
	call "unregister_private f0 3"
	expect_gone test_markers_p1
	expect_column test_markers_p2 handlers 1
	call "unregister_private f0 3"
	expect_gone test_markers_p2
	refuse "unregister_private f0 3" "$ENOENT"
	expect_logged
}

private_data() {
	call "private $EVENT f0 0" "$ENOENT"
	call "register $EVENT f0 5"
	call "register $EVENT f1 4"
	call "register $EVENT f0 2"
	call "register $EVENT f0 null"
	call "private $EVENT f0 0" 5
	call "private $EVENT f0 1" 2
	call "private $EVENT f0 2" 8
	call "private $EVENT f0 3" "$ENOENT"
	call "private $EVENT f0 -1" "$ENOENT"
	call "private $EVENT f1 0" 4
	call "private $EVENT f1 1" "$ENOENT"
	call "private $EVENT f2 0" "$ENOENT"
	call "private ${EVENT}_b f0 0" "$ENOENT"
	call "private (null) f0 0" "$ENOENT"
	call "unregister $EVENT f0 5"
	call "private $EVENT f0 0" 2
	call "unregister $EVENT f0 2"
	call "unregister $EVENT f0 null"
	call "unregister $EVENT f1 4"
}

# A probe module that is refused does not load.
refused_module() {
	load site_blocks
	load_fails "Operation not permitted" probe "format=\"$BOCKS\""
	load_fails "Invalid" probe name=1abc
	load_fails "Invalid" probe "format=\"x %n\""
	expect_column "$EVENT" handlers 0
	unload site_blocks
}

plan 11
keep_calls
run "-EINVAL for a bad name" bad_names
run "names that are good" good_names
run "-EINVAL for no handler" no_function
run "-EINVAL for a bad format" bad_formats
run "-EBUSY for the same pair only" same_pair
run "-EPERM for another format than the sites have" other_format
run "-ENOENT for another pair, which stays (D3)" other_pair_stays
run "-ENOENT at once among many handlers (D1)" unknown_pair
run "unregister by private data" by_private
run "get the private data by number" private_data
run "a probe module passes its error on" refused_module
finish
