# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the tests of the markers of tasks, signals, timers and interrupts share:
# they let a program, or the module test_markers_rows_$ROWS, do what the markers
# are about, and compare the records with what that tells of it.

# shellcheck disable=SC1091,SC2034,SC2154 # what functions.sh has, and the program says

MARKERS_PROGRAMS=${MARKERS_PROGRAMS:-$(dirname "$0")}
ROWS=${ROWS:-sched}

# The module stays loaded for all cases.
keep_rows() {
	[ -d "$EVENTS" ] || skip_all "no trace events of markers"
	kept=test_markers_rows_$ROWS
	tracing=yes
	reset_tracing
	insert "rows_$ROWS" || skip_all "cannot load $kept"
	state
	before=$value
}

# What the program tells is there as variables.
told() {
	if grep -q '^#' "$tmp/told"; then
		fail "$(cat "$tmp/told")"
	else
		. "$tmp/told"
	fi
}

# The program does $1.
provoke() {
	"$MARKERS_PROGRAMS/test_rows_$ROWS" "$1" >"$tmp/told" ||
		fail "test_rows_$ROWS $1 failed"
	told
}

# It does $3, and event $1 records what has this program's pid in field $2 from
# its exec() on.
filtered() {
	sh -c 'echo "$2 == $$" >"$0" && echo >"$1" && exec "$3" "$4"' \
		"$EVENTS/$1/filter" "$TRACE/trace" "$2" \
		"$MARKERS_PROGRAMS/test_rows_$ROWS" "$3" >"$tmp/told" ||
		fail "test_rows_$ROWS $3 failed"
	told
}

# The module does $1. What it tells of event $2 is in $value with log_of.
act() {
	put "rows_$ROWS" call "$1" || fail "cannot do $1"
}

log_of() {
	get "rows_$ROWS" log
	value=$(echo "$value" | sed -n "s/^$1 //p")
}

# Event $1 should have the records that the module tells of it, besides others
# that do not begin like these.
expect_told() {
	log_of "$1"
	wanted=$value
	begin=$(echo "$wanted" | sed -n '1s/\([^ ]* [^ ]*\).*/\1/p')
	text_of "$1"
	value=$(echo "$value" | grep "^$begin\( \|\$\)")
	expect "$1" "$value" "$wanted"
}

# Looks whether lock $2 is held at marker $1.
watch() {
	if [ ! -d /sys/module/test_markers_locks ] && ! insert locks 2>/dev/null; then
		skip "this kernel has no lockdep"
		return 1
	fi
	put locks watch "$1 $2" || fail "cannot watch $1"
	column "$1" state
	expect "state of $1" "$value" on
}

# It was, each time, and that was $1 times at least.
expect_held() {
	get locks held
	expect_least "hits with the lock held" "$value" "$1"
	expect_param locks missing 0
	put locks watch ""
}
