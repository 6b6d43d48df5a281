# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # for those who source this, after functions.sh
#
# What the tests of the markers of sockets, IPC, files, block devices and memory
# share: the program test_rows_mm, and what it says of how records should read.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_mm

PROGRAM=${MARKERS_PROGRAMS:-$(dirname "$0")}/test_rows_mm
child=

# $1 cases, with the program.
plan_rows() {
	[ -x "$PROGRAM" ] ||
		skip_all "no test_rows_mm in ${PROGRAM%/*}; set MARKERS_PROGRAMS"
	plan "$1"
	keep_record
	mkfifo "$tmp/go" || skip_all "cannot make a FIFO"
	# With a writer there, nobody waits in an open.
	exec 9<>"$tmp/go"
}

# What follows should come true in a minute.
wait_until() {
	for _ in $(seq 300); do
		! "$@" || return 0
		sleep 0.2
	done
	fail "not so after 60 s: $*"
}

# Case "$@" of the program is there and waits, as $child.
start_program() {
	: >"$tmp/out"
	"$PROGRAM" "$@" <"$tmp/go" >"$tmp/out" 2>&1 &
	child=$!
	jobs_started="$jobs_started $child"
	wait_until grep -q '^ready' "$tmp/out"
}

# It does what it is there for. What it tells is in $tmp/out.
let_run() {
	echo >&9
	wait "$child" || fail "the program failed: $(grep '^#' "$tmp/out")"
}

# The events "$@" record what the program does.
record_child() {
	for name in "$@"; do
		event "$name" filter "common_pid == $child"
		switch_on "$name"
	done
}

# What the program told of marker $1.
told() {
	value=$(sed -n "s/^$1 //p" "$tmp/out")
}

# Same as text_of, without the hashed pointers.
text_without_pointers() {
	text_of "$1"
	value=$(printf '%s\n' "$value" | sed 's/^\(skb\|sock\) [0-9a-f]\{16\} /\1 P /')
}

# The records of each event "$@" read as the program told, and there are some.
expect_told() {
	for name in "$@"; do
		told "$name"
		wanted=$value
		[ -n "$wanted" ] || fail "the program told nothing of $name"
		text_without_pointers "$name"
		expect "$name" "$value" "$wanted"
	done
}

# While case $3 runs, with $5 instead of our directory if given, each hit of the
# marker $1 has a lock named $2 held by its task. There should be $4 hits.
expect_lock() {
	if ! insert locks 2>/dev/null; then
		skip "no lockdep"
		return 0
	fi
	start_program "$3" "${5:-$tmp}"
	put locks watch "$1 $2" || fail "cannot watch $1"
	let_run
	get locks held
	expect_least "hits of $1 with $2" "$value" "$4"
	get locks missing
	expect "hits of $1 without $2" "$value" 0
	put locks watch ""
	unload locks
}

# The markers in the standard input have sites in the kernel, with that format.
expect_listed() {
	sort >"$tmp/listed"
	value=$(awk -F '\t' '
		NR == FNR { split($0, row, "|"); wanted[row[1]]; next }
		$1 in wanted { print $1 "|" $10 "|" $3 "|" ($4 >= 1) }
	' "$tmp/listed" "$MARKERS" | sort)
	expect "the list" "$value" "$(sed 's/$/|off|1/' "$tmp/listed")"
}
