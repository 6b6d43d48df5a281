#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a site costs while it is off: the marked functions of the plain kernel
# against the same ones built without CONFIG_MARKERS. In the hot path there is
# one NOP more for each site and no other instruction, the frame is the same,
# and there is no stack protector that was not there before. Registers and stack
# slots may have other names.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/off.sh"
export LC_ALL=C

# The sites in object $1: address of the NOP and of the block it jumps to.
sites() {
	objdump -r -j __jump_table "$1" | awk '
		/_PC32 / { sub(/.*\+0x0*/, "", $3); at[n++] = $3 }
		/_PC64 .*__markers/ { print at[n - 2], at[n - 1] }
	'
}

# Function $2 of object $1, an instruction a line.
disassemble() {
	objdump -d --no-show-raw-insn --disassemble="$2" "$1" |
		awk '/^ +[0-9a-f]+:/ { sub(":", "", $1); print }'
}

# Splits function $2 of object $1 into $3.hot, without the NOPs of its sites,
# $3.cold, the blocks that those jump to, and $3.nops.
split() {
	sites "$1" >"$TMP/sites"
	disassemble "$1" "$2" | awk -v out="$3" -v sites="$TMP/sites" '
		BEGIN { printf "" >(out ".hot"); printf "" >(out ".cold"); printf "" >(out ".nops") }
		FILENAME == sites { nop[$1]; block[$2]; next }
		$1 in nop { print >(out ".nops"); next }
		$1 in block { cold = 1 }
		cold { print >(out ".cold"); if ($2 ~ /^jmp/) cold = 0; next }
		{ print >(out ".hot") }
	' "$TMP/sites" -
	[ -s "$3.hot" ] || { echo "$1 has no function $2"; return 1; }
}

# What is counted of a hot path: all of it, and what has a meaning of its own.
# A mov of one kind may stand where another one stood.
summary() {
	awk '
		{ total++ }
		$2 ~ /^call/ { kind["call"]++ }
		$2 ~ /^j/ { kind[$2 ~ /^jmp/ ? "jump" : "branch"]++ }
		$2 ~ /^(push|pop|ret|ud2|lock|cli|sti)/ { kind[$2]++ }
		/%gs:0x28/ { kind["canary"]++ }
		$2 == "sub" && /\$0x[0-9a-f]+,%rsp$/ { print "frame", $3 }
		END {
			print "instructions", total
			for (k in kind)
				print k, kind[k]
		}
	' "$1" | sort
}

# The hot path $2 has what $1 has, and no instruction more; it may do without a
# move, when the blocks let the compiler lay out the rest in another order.
same_hot_path() {
	summary "$1" >"$TMP/first"
	summary "$2" >"$TMP/second"
	awk '
		FILENAME == ARGV[1] { first[$1] = $2; next }
		{ second[$1] = $2 }
		END {
			for (what in second)
				first[what] = first[what]
			for (what in first) {
				if (first[what] "" == second[what] "")
					continue
				print what ": " first[what] ", " second[what]
				if (what != "instructions" || second[what] > first[what])
					differ = 1
			}
			exit differ
		}
	' "$TMP/first" "$TMP/second"
}

# There is one NOP for each of the $2 sites, and a block that calls for each.
has_sites() {
	cat "$1.nops" "$1.cold"
	[ "$(awk 'END { print NR }' "$1.nops")" -eq "$2" ] &&
		[ "$(grep -c call "$1.cold")" -eq "$2" ]
}

# All of a block lies behind a jump or a return: nothing falls into it.
is_out_of_line() {
	disassemble "$1" "$2" | awk -v sites="$TMP/sites" '
		FILENAME == sites { block[$2]; next }
		$1 in block { blocks++; if (last !~ /^(jmp|ret|ud2)/) inline++ }
		{ last = $2 }
		END { print blocks + 0, "blocks,", inline + 0, "in line"; exit !blocks || inline }
	' "$TMP/sites" -
}

# Function $2 of object $1 with its $3 sites.
compare() {
	split "$on/$1" "$2" "$TMP/on" && split "$off/$1" "$2" "$TMP/off" || return
	test_that "$2: a NOP and a block for each site, of which it has $3" \
		has_sites "$TMP/on" "$3"
	sites "$on/$1" >"$TMP/sites"
	test_that "$2: its blocks are out of line" is_out_of_line "$on/$1" "$2"
	test_that "$2: the hot path has no other instruction more" \
		same_hot_path "$TMP/off.hot" "$TMP/on.hot"
}

make_tmp
configure_off
echo "KTAP version 1"
test_that "the marked files build without CONFIG_MARKERS" \
	off_make kernel/sched/core.o kernel/time/timer.o
compare kernel/sched/core.o __schedule 1
cp "$TMP/on.hot" "$TMP/schedule.hot"
compare kernel/time/timer.o __mod_timer 3
compare kernel/time/timer.o add_timer_on 1
test_that "two different functions are found to differ" \
	fails_with frame same_hot_path "$TMP/schedule.hot" "$TMP/on.hot"
finish
