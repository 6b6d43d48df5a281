#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of exceptions of the processor. Those that end in an oops or a
# panic need a kernel of their own.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_irq

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2034,SC2154,SC2317 # what functions.sh has and does
ROWS=irq
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

# What the program does for $1 is recorded.
trapping() {
	switch_on kernel_arch_trap_entry kernel_arch_trap_exit
	"$MARKERS_PROGRAMS/test_rows_irq" "$1" >"$tmp/told" ||
		fail "test_rows_irq $1 failed"
	told
	switch_off kernel_arch_trap_entry kernel_arch_trap_exit
}

# The records of process $1, in lines of "entry TEXT" and "exit TEXT", but those
# of vector $2.
records_of() {
	value=$(sed -n "s/^ .*-$1 .*: kernel_arch_trap_\([a-z]*\): /\1 /p" \
		"$TRACE/trace" | grep -v " trap_id $2\( \|\$\)")
}

# With each entry comes one exit, of the same exception.
expect_pairs() {
	out=$(echo "$value" | awk '
		$1 == "entry" { depth++; id[depth] = $3 }
		$1 == "exit" {
			if (depth < 1 || id[depth] != $3) bad = "exit of " $3
			depth--
		}
		END {
			if (depth) bad = depth " without exit"
			if (bad) print bad
		}')
	[ -z "$out" ] || fail "$out: $value"
}

traps() {
	trapping traps
	records_of "$pid" 14
	wanted=
	for one in "$de" "$db" "$bp" "$of" "$ud" "$gp" "$gp_int" "$mf" "${np:-}"; do
		[ -n "$one" ] || continue
		id=${one% ip*}
		wanted="$wanted${wanted:+$NL}entry $one${NL}exit $id"
	done
	expect "exceptions" "$value" "$wanted"
}

faults() {
	trapping faults
	records_of "$pid" none
	expect_pairs
	for one in "$pf_read" "$pf_write" "$pf_run"; do
		n=$(echo "$value" | grep -cx "entry $one")
		expect "faults that read '$one'" "$n" 1
	done
}

# In kernel mode, not found by the program's text: a read without a page.
kernel_fault() {
	trapping kernel-fault
	records_of "$pid" none
	expect_pairs
	n=$(echo "$value" | awk '
		# Kernel addresses have a digit more than doubles are exact to.
		$1 == "entry" && $3 == 14 && $5 > 18e18 && ($7 == "0" || $7 == "1") {
			n++
		}
		END { print n + 0 }')
	expect_least "faults of the kernel" "$n" 1
}

# The signal that kills comes behind the exit.
killed() {
	trapping killed
	expect "the signal" "$signal" 4
	records_of "$pid" 14
	expect "exceptions" "$(echo "$value" | sed 's/ ip .* error_code/ error_code/')" \
		"entry trap_id 6 error_code 0${NL}exit trap_id 6"
}

[ "$(uname -m)" = x86_64 ] || skip_all "not on this processor"
[ -x "$MARKERS_PROGRAMS/test_rows_irq" ] ||
	skip_all "no test_rows_irq in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
plan 4
keep_rows
run "exceptions of a program" traps
run "page faults of a program" faults
run "a page fault of the kernel" kernel_fault
run "an exception that kills" killed
finish
