#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Without CONFIG_MARKERS the series is not there: where it marks something, and
# in the entry of system calls, each instruction is that of the pristine source.
# For the entry of system calls that is so with CONFIG_MARKERS, too.
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/off.sh"
export LC_ALL=C

# Object : functions that must be among what is compared
OBJECTS='kernel/sched/core.o:__schedule
kernel/time/timer.o:__mod_timer,add_timer_on
kernel/entry/common.o:syscall_trace_enter,syscall_exit_work,syscall_exit_to_user_mode
arch/x86/entry/common.o:do_syscall_64,do_int80_emulation'

ENTRY='kernel/entry/common.o arch/x86/entry/common.o arch/x86/entry/entry_64.o
arch/x86/entry/entry_64_compat.o'

# All code of object $1 with its relocations.
code() {
	objdump -dr --no-show-raw-insn "$1" | sed '/file format/d'
}

# Object $1 of tree $2 has the code of tree $3's, with the functions $4 in it.
same_code() {
	code "$2/$1" >"$TMP/first"
	code "$3/$1" >"$TMP/second"
	[ -s "$TMP/first" ] || { echo "no code in $2/$1"; return 1; }
	for function in $(echo "$4" | tr , ' '); do
		grep -q "<$function>:\$" "$TMP/first" ||
			{ echo "no function $function in $1"; return 1; }
	done
	diff "$TMP/first" "$TMP/second"
}

make_tmp
objects=$(echo "$OBJECTS" | cut -d : -f 1)
configure_off
configure_unpatched
echo "KTAP version 1"
# shellcheck disable=SC2086 # a list of words
test_that "the objects build without CONFIG_MARKERS" off_make $objects
# shellcheck disable=SC2086
test_that "the objects of the pristine source build" unpatched_make $objects $ENTRY
test_that "with CONFIG_MARKERS they are found to differ" \
	fails_with "^[<>]" same_code kernel/time/timer.o "$unpatched" "$on" __mod_timer
for line in $OBJECTS; do
	object=${line%%:*} functions=${line#*:}
	test_that "$object: the code is that of the pristine source ($functions)" \
		same_code "$object" "$unpatched" "$off" "$functions"
done
for object in $ENTRY; do
	test_that "$object: the same with CONFIG_MARKERS" \
		same_code "$object" "$unpatched" "$on" ""
done
finish
