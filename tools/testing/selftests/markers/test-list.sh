#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The file "markers" itself.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

HEADER="# name\tlkst\tstate\tsites\thandlers\thits\trecursions\tunwatched\tlost\tformat"

# Reads copies of the list; prints what is wrong with their form.
check_form() {
	awk -F'\t' -v header="$HEADER" '
		function wrong(what) {
			print FILENAME ":" FNR ": " what ": " $0
		}
		function end_marker() {
			if (sites != want_sites || handlers != want_handlers)
				print name ": counts differ from the lines below it"
			sites = handlers = want_sites = want_handlers = 0
		}
		FNR == 1 {
			end_marker()
			split("", names)
			if ($0 != header)
				wrong("header")
			next
		}
		/^# reserved\tLKST_[A-Z_]+$/ {
			end_marker()
			next
		}
		$1 != "" {
			end_marker()
			if (NF != 10)
				wrong("columns")
			if ($1 !~ /^[A-Za-z_][A-Za-z0-9_]*$/ || ($1 in names))
				wrong("name")
			if ($2 !~ /^([A-Z_]+|-)$/)
				wrong("name of LKST")
			if ($3 !~ /^(on|off)$/)
				wrong("state")
			for (i = 4; i <= 9; i++)
				if ($i !~ /^[0-9]+$/)
					wrong("number")
			if ($4 + $5 == 0)
				wrong("neither site nor handler")
			names[$1]
			name = $1
			want_sites = $4
			want_handlers = $5
			next
		}
		$2 == "site" {
			sites++
			if (NF != 6)
				wrong("columns")
			if ($4 !~ /^(on|off|differs|bad-format)$/)
				wrong("state of a site")
			n = $5 == "-" ? 0 : split($5, places, ",")
			for (i = 1; i <= n; i++)
				if (places[i] !~ /^[A-Za-z_.$][A-Za-z0-9_.$]*\+0x[0-9a-f]+$/)
					wrong("place of a site")
			if (handlers)
				wrong("site behind a handler")
			next
		}
		$2 == "handler" {
			handlers++
			if (NF != 5)
				wrong("columns")
			if ($4 !~ /^(active|pending|parked)$/)
				wrong("state of a handler")
			next
		}
		{ wrong("kind") }
		END { end_marker() }
	' "$@"
}

form() {
	load site_blocks
	load site_bocks
	load many
	load probe
	load calls
	call "register ${EVENT}_b f0 0 =x %d"
	cat "$MARKERS" >"$tmp/list"
	expect "wrong lines" "$(check_form "$tmp/list")" ""
	expect "mode" "$(stat -c %a "$MARKERS")" 440
	# The check finds what it should find.
	sed '/^test_markers_many/d' "$tmp/list" >"$tmp/broken"
	[ -n "$(check_form "$tmp/broken")" ] || fail "a missing line is not found"
	# Nothing can be written.
	if ( : >"$MARKERS" && echo x >"$MARKERS" ) 2>/dev/null; then
		fail "$MARKERS can be written"
	fi
	call "unregister ${EVENT}_b f0 0"
	unload calls probe many site_bocks site_blocks
}

# A site's and a handler's line for each state that there is.
states() {
	load calls
	load site_blocks
	load site_bocks
	call "register $EVENT f0 0 =$BLOCKS"
	call "register ${EVENT}_b f1 1 =x %d"
	expect_sites "$EVENT" "test_markers_site_blocks|on|$BLOCKS" \
		"test_markers_site_bocks|differs|$BOCKS"
	expect_handlers "$EVENT" "f0 [test_markers_calls]|active|$BLOCKS"
	expect_handlers "${EVENT}_b" "f1 [test_markers_calls]|pending|x %d"
	expect_column "${EVENT}_b" format -
	call "unregister $EVENT f0 0"
	expect_sites "$EVENT" "test_markers_site_blocks|off|$BLOCKS" \
		"test_markers_site_bocks|differs|$BOCKS"
	unload site_blocks site_bocks
	call "register $EVENT f0 0 =$BOCKS"
	load site_blocks
	expect_handlers "$EVENT" "f0 [test_markers_calls]|parked|$BOCKS"
	expect_column "$EVENT" state off
	call "unregister $EVENT f0 0"
	call "unregister ${EVENT}_b f1 1"
	unload site_blocks calls
}

without_copies() {
	if [ "$machine" = x86_64 ]; then cat; else sed 's/ [0-9]*$//'; fi
}

# The functions that the sites of marker $1 lie in, a line for each site with the
# number of its places in each, should be those that follow, in any order. The
# compiler may have given a function a suffix. It may also have more than one copy
# of a jump in the code; for x86 it has been seen not to, so only there do the
# numbers count.
expect_functions() {
	name=$1
	shift
	lines "$name" site
	wanted=$(printf '%s\n' "$@" | without_copies | sort)
	expect "functions of $name" "$(echo "$places" | awk -F, '
		$0 == "-" { print; next }
		{
			split("", n)
			for (i = 1; i <= NF; i++) {
				sub(/\+0x[0-9a-f]+$/, "", $i)
				sub(/\.[a-z].*$/, "", $i)
				n[$i]++
			}
			out = ""
			for (f in n)
				out = out (out ? " " : "") f " " n[f]
			print out
		}' | without_copies | sort)" "$wanted"
}

# A kprobe on the place $2 of module $1 is refused, and that is because jump
# labels patch the code there.
expect_patched() {
	: >"$TRACEFS/error_log"
	if ( echo "p:test_markers $1:$2" >"$TRACEFS/kprobe_events" ) 2>/dev/null; then
		fail "$2 can be probed"
		echo >"$TRACEFS/kprobe_events"
		return
	fi
	grep -q "Failed to register probe event" "$TRACEFS/error_log" ||
		fail "$2 cannot be probed: $(grep error: "$TRACEFS/error_log")"
}

site_places() {
	machine=$(uname -m)
	lines kernel_sched_schedule site
	[ "$places" != - ] || { skip "no jump labels or no kallsyms"; return; }
	load site_blocks
	load many
	load init
	expect_functions kernel_sched_schedule "__schedule 1"
	expect_functions "$EVENT" "hit 1"
	expect_functions test_markers_none "fire_set 1"
	# Two in one function, an unrolled loop, an inline function in two files.
	expect_functions test_markers_many "two_in_one_function 1" \
		"two_in_one_function 1" "unrolled 4" "inlined_twice 2" \
		"many_b 1" "many_b 1"
	value=$(echo "$places" | tr ',' '\n' | sort -u | wc -l)
	if [ "$machine" = x86_64 ]; then
		expect "different places" "$value" 10
	else
		expect_least "different places" "$value" 10
	fi
	# Init code is gone, and of a site whose code is not patched nothing is known.
	lines test_markers_init site
	expect "sites in init code" "$(echo "$places" | grep -c '^-$')" 1
	expect "sites in other code" "$(echo "$places" | grep -c '+0x')" 2
	expect_functions test_markers_init_plain - -
	unload init
	unload many
	if [ -e "$TRACEFS/kprobe_events" ]; then
		lines "$EVENT" site
		expect_patched test_markers_site_blocks "$places"
	fi
	unload site_blocks
}

come_and_go() {
	insert site_again
	insert probe
	rmmod test_markers_site_again
	rmmod test_markers_probe
}

# Read over and over while modules come and go: each reading is in good form,
# and has the sites of the modules that are there all along.
read_while_loading() {
	load site_blocks
	load many
	start_job come_and_go
	for i in $(seq 20); do
		cat "$MARKERS" >"$tmp/list.$i"
	done
	stop_jobs
	rmmod test_markers_site_again 2>/dev/null
	rmmod test_markers_probe 2>/dev/null
	expect "wrong lines" "$(check_form "$tmp"/list.*)" ""
	site="^${TAB}site${TAB}test_markers_"
	# shellcheck disable=SC2013 # the words are lines
	for n in $(grep -c -e "${site}site_blocks$TAB" -e "${site}many$TAB" "$tmp"/list.*); do
		expect "sites in a reading" "${n##*:}" 9
	done
	# It was read with them and without them.
	n=$(grep -l "${site}site_again" "$tmp"/list.* | wc -l)
	[ "$n" -gt 0 ] && [ "$n" -lt 20 ] ||
		echo "# $n of 20 readings have a module that comes and goes"
	unload many site_blocks
}

# Held open while the modules that it tells of go.
read_after_unload() {
	load site_blocks
	load probe
	exec 3<"$MARKERS"
	read -r first <&3
	unload probe site_blocks
	cat <&3 >"$tmp/rest"
	exec 3<&-
	expect "first line" "${first%%"$TAB"*}" "# name"
	[ -s "$tmp/rest" ] || fail "nothing more to be read"
}

plan 5
run "form of the list" form
run "each state is shown" states
run "sites have their places" site_places
run "read while modules come and go" read_while_loading
run "open while modules go" read_after_unload
finish
