# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the tests of kernel markers share. A test sources this, says how many
# cases it has (plan), runs functions as cases (run) and ends (finish). A case
# passes when it told of nothing wrong and left nothing behind.
#
# MARKERS_MODULES	the directory with the built test modules
#
# To start a program takes long in an emulated machine, so what is done often is
# done by the shell itself, but for the list of markers, which is long.

MARKERS_MODULES=${MARKERS_MODULES:-$(dirname "$0")/test_modules}
TRACEFS=/sys/kernel/tracing
MARKERS=$TRACEFS/markers
EVENTS=$TRACEFS/events/markers
LKST_EVENTS=$TRACEFS/events/lkst
TAB=$(printf '\t')
NL='
'

# The marker that most tests use, and its two formats.
# shellcheck disable=SC2034 # for those who source this
{
EVENT=test_markers_event
BLOCKS='dev %d blocks %lu note %s'
BOCKS='dev %d bocks %lu note %s'
}

set -u

kept=
tracing=
triggers=
planned=0
passed=0
failed=0
skipped=0
tainted=0
before=
tmp=
wrong=
reason=

# === The run ==================================================================

# The whole test cannot run here.
skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit 4
}

# $1 cases are going to be run.
plan() {
	planned=$1
	[ "$(id -u)" = 0 ] || skip_all "not root"
	[ -d /proc/sys/kernel ] || skip_all "no procfs"
	[ -e "$TRACEFS/trace" ] || mount -t tracefs nodev "$TRACEFS" 2>/dev/null ||
		skip_all "no tracefs"
	[ -e "$MARKERS" ] || skip_all "this kernel has no markers"
	[ -e "$MARKERS_MODULES/test_markers_calls.ko" ] ||
		skip_all "no test modules in $MARKERS_MODULES; set MARKERS_MODULES"
	tmp=$(mktemp -d) || skip_all "no temporary directory"
	trap on_exit EXIT
	clean_up
	state
	before=$value
	mistakes
	tainted=$value
	echo "TAP version 13"
	[ -n "${MARKERS_CASES:-}" ] || echo "1..$planned"
}

# test_markers_calls stays loaded for all cases, and starts each with no hits.
keep_calls() {
	kept=test_markers_calls
	insert calls || skip_all "cannot load test_markers_calls"
}

# Each case starts with tracing as it is after boot.
keep_tracing() {
	[ -d "$EVENTS" ] || skip_all "no trace events of markers"
	tracing=yes
	reset_tracing
}

# So it does with test_markers_record, which stays loaded for all cases.
keep_record() {
	keep_tracing
	kept=test_markers_record
	insert record || skip_all "cannot load test_markers_record"
	state
	before=$value
}

# One case: $2 is its function, $1 what it shows. It is none if it is not among
# MARKERS_CASES, an extended regular expression.
run() {
	if ! echo "$1" | grep -qE -e "${MARKERS_CASES:-}"; then
		planned=$((planned - 1))
		return
	fi
	number=$((passed + failed + skipped + 1))
	wrong=
	reason=
	echo "selftests: markers: $$-$number: $1" >/dev/kmsg
	[ "$kept" != test_markers_calls ] || put calls hits 0
	"$2" || fail "$2 returned $?"
	check_left
	if [ -n "$wrong" ]; then
		failed=$((failed + 1))
		echo "not ok $number $1"
	elif [ -n "$reason" ]; then
		skipped=$((skipped + 1))
		echo "ok $number $1 # SKIP $reason"
	else
		passed=$((passed + 1))
		echo "ok $number $1"
	fi
}

finish() {
	[ -z "${MARKERS_CASES:-}" ] || echo "1..$planned"
	echo "# Totals: pass:$passed fail:$failed xfail:0 xpass:0 skip:$skipped error:0"
	[ "$failed" -eq 0 ] || exit 1
	if [ $((passed + skipped)) -ne "$planned" ]; then
		echo "# planned $planned cases, ran $((passed + skipped))"
		exit 1
	fi
	[ "$passed" -gt 0 ] || exit 4
	exit 0
}

# The case goes on, so that all that is wrong is told.
fail() {
	printf '%s\n' "$*" | sed 's/^/# /'
	wrong=yes
}

# The case cannot be shown here, for this reason.
skip() {
	reason=$*
}

# $1 is $2, and should be $3.
expect() {
	[ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

# $1 is $2, and should be at least $3.
expect_least() {
	[ "${2:-0}" -ge "$3" ] || fail "$1 is '$2', expected $3 or more"
}

# Kernel messages of this case.
log() {
	dmesg | sed "1,/selftests: markers: $$-$number: /d"
}

# So many lines of the log should have that string, for each pair of a number
# and a string.
expect_log() {
	out=$(dmesg | awk '
		BEGIN {
			mark = ARGV[1]
			for (i = 3; i < ARGC; i += 2)
				string[i] = ARGV[i]
			ARGC = 1
		}
		index($0, mark) { split("", n) }
		{
			for (i in string)
				if (index($0, string[i]))
					n[i]++
		}
		END {
			for (i in string)
				if (n[i] + 0 != ARGV[i - 1])
					print n[i] + 0, "log lines with", string[i]
		}
	' "selftests: markers: $$-$number: " "$@")
	[ -z "$out" ] || fail "expected $*, but there are $out"
}

# Puts the console's log level at warnings until the test ends.
quiet() {
	[ -n "${printk:-}" ] || printk=$(cut -f 1 /proc/sys/kernel/printk)
	echo 5 >/proc/sys/kernel/printk
}

clean_up() {
	stop_jobs
	[ -z "$tracing" ] || reset_tracing
	loaded | while read -r mod; do
		rmmod "$mod"
	done
}

on_exit() {
	clean_up
	rm -rf "$tmp"
	[ -z "${printk:-}" ] || echo "$printk" >/proc/sys/kernel/printk
}

# The kernel's taint, as far as it is from an oops, a warning or a lockup.
mistakes() {
	# The shell's own read would get one digit.
	value=$(($(cat /proc/sys/kernel/tainted) & (1 << 7 | 1 << 9 | 1 << 14)))
}

# What a case may not change: the modules and the markers; and at the end, what
# the kernel says of itself.
check_left() {
	stop_jobs
	[ -z "$tracing" ] || reset_tracing
	left=$(loaded)
	if [ "$left" != "$kept" ]; then
		fail "loaded are: $left"
		clean_up
		[ -z "$kept" ] || insert "${kept#test_markers_}"
	fi
	state
	[ "$value" = "$before" ] ||
		fail "$MARKERS does not show what it did before:" "$value"
	[ "$number" -eq "$planned" ] || return 0
	mistakes
	[ "$value" = "$tainted" ] || fail "the kernel reported a mistake"
}

# === Jobs in the background ===================================================

jobs_started=

# Runs a function over and over until stop_jobs. Its output is lost.
start_job() {
	( trap 'exit 0' TERM; while :; do "$@"; done ) >/dev/null 2>&1 &
	jobs_started="$jobs_started $!"
}

stop_jobs() {
	for pid in $jobs_started; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	jobs_started=
}

# === Modules ==================================================================

# What looks something up leaves it in $value, since a command substitution is
# a process more.
value=

# Puts a small file in $value.
read_file() {
	value=
	while IFS= read -r line; do
		value="$value${value:+$NL}$line"
	done <"$1"
}

# The test modules that are loaded.
loaded() {
	while read -r mod _; do
		case $mod in
		test_markers_*) echo "$mod" ;;
		esac
	done </proc/modules
}

insert() {
	mod=$1
	shift
	insmod "$MARKERS_MODULES/test_markers_$mod.ko" "$@"
}

# Loads test_markers_$1 with the parameters that follow.
load() {
	insert "$@" || fail "cannot load $*"
}

# Same for one that should fail, with error message $1.
load_fails() {
	message=$1
	shift
	if out=$(insert "$@" 2>&1); then
		fail "could load $*"
	else
		case $out in
		*"$message"*) ;;
		*) fail "loading $1 failed with '$out', expected '$message'" ;;
		esac
	fi
}

unload() {
	for mod in "$@"; do
		rmmod "test_markers_$mod" || fail "cannot unload $mod"
	done
}

# Gets parameter $2 of test_markers_$1.
get() {
	read_file "/sys/module/test_markers_$1/parameters/$2"
}

# The same gets value $3.
put() {
	printf '%s\n' "$3" >"/sys/module/test_markers_$1/parameters/$2"
}

# The same should be $3.
expect_param() {
	get "$1" "$2"
	expect "$2 of test_markers_$1" "$value" "$3"
}

# test_markers_calls does "$1" and should get $2, 0 if not given.
call() {
	put calls call "$1" || fail "no such call: $1"
	get calls ret
	[ "$value" = "${2:-0}" ] ||
		fail "$1 returned $value, expected ${2:-0}"
}

# How often was handler $1 with private data $2 called?
calls_of() {
	value=0
	while read -r func private n; do
		[ "$func $private" != "$1 $2" ] || value=$n
	done </sys/module/test_markers_calls/parameters/hits
}

# It should be $3 times.
expect_calls() {
	calls_of "$1" "$2"
	expect "calls of $1 with data $2" "$value" "$3"
}

# === The list of markers ======================================================

# Splits the line $1 at its tabs. No column of the list is empty.
split() {
	set -f
	IFS=$TAB
	# shellcheck disable=SC2086 # to be split
	set -- $1
	unset IFS
	set +f
	# shellcheck disable=SC2034 # for those who source this
	f1=${1:-} f2=${2:-} f3=${3:-} f4=${4:-} f5=${5:-} f6=${6:-} f7=${7:-}
	f8=${8:-} f9=${9:-} f10=${10:-}
}

# All of the list but the counters.
state() {
	value=$(awk -F '\t' '
		/^\t/ { print; next }
		{ print $1, $2, $3, $4, $5, $10 }
	' "$MARKERS")
}

# The columns of the marker $1, as $f1 to $f10; empty when there is none.
columns() {
	split "$(grep "^$1$TAB" "$MARKERS")"
}

# Column $2 of the marker $1: lkst state sites handlers hits recursions unwatched
# lost format.
column() {
	columns "$1"
	case $2 in
	lkst) value=$f2 ;;
	state) value=$f3 ;;
	sites) value=$f4 ;;
	handlers) value=$f5 ;;
	hits) value=$f6 ;;
	recursions) value=$f7 ;;
	unwatched) value=$f8 ;;
	lost) value=$f9 ;;
	format) value=$f10 ;;
	*) fail "no column $2" ;;
	esac
}

# The lines of kind $2, site or handler, of the marker $1: module or function,
# state and format, with "|" between them. $places is what the lines of sites
# have beside these, one a line.
lines() {
	sed -n "/^$1$TAB/,/^[^$TAB]/{/^$TAB$2$TAB/p}" "$MARKERS" >"$tmp/lines"
	value=
	places=
	while IFS= read -r line; do
		split "$line"
		if [ "$2" = site ]; then
			places="$places${places:+$NL}$f4"
			f4=$f5
		fi
		value="$value${value:+$NL}$f2|$f3|$f4"
	done <"$tmp/lines"
}

# The lines of kind $2 of marker $1 should be those that follow.
expect_lines() {
	name=$1
	kind=$2
	shift 2
	wanted=
	for line in "$@"; do
		wanted="$wanted${wanted:+$NL}$line"
	done
	lines "$name" "$kind"
	expect "${kind}s of $name" "$value" "$wanted"
}

expect_sites() {
	name=$1
	shift
	expect_lines "$name" site "$@"
}

expect_handlers() {
	name=$1
	shift
	expect_lines "$name" handler "$@"
}

expect_column() {
	column "$1" "$2"
	expect "$2 of $1" "$value" "$3"
}

# There should be no marker $1.
expect_gone() {
	expect_column "$1" state ""
}

# === Trace events =============================================================

# What is read and written here is in this directory: tracefs or an instance.
TRACE=$TRACEFS

# As after boot, as far as the tests change it.
reset_tracing() {
	TRACE=$TRACEFS
	for instance in "$TRACEFS"/instances/*/; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	echo 0 >"$TRACEFS/tracing_on"
	[ -z "$triggers" ] || grep -Hs '^[^#]' "$EVENTS"/*/trigger |
		while IFS=: read -r file trigger; do
			echo "!${trigger%% \[*}" >>"$file"
		done
	triggers=
	echo 0 >"$TRACEFS/events/enable"
	echo 0 >"$EVENTS/filter"
	[ ! -e "$LKST_EVENTS/filter" ] || echo 0 >"$LKST_EVENTS/filter"
	echo >"$TRACEFS/set_event_pid"
	[ ! -e "$TRACEFS/lkst_mset" ] || echo none >"$TRACEFS/lkst_mset"
	[ ! -e "$TRACEFS/snapshot" ] || echo 0 >"$TRACEFS/snapshot"
	echo >"$TRACEFS/trace"
	echo 1 >"$TRACEFS/tracing_on"
}

# File $2 of event $1 gets $3. To truncate a file of triggers removes some.
event() {
	[ "$2" != trigger ] || triggers=yes
	echo "$3" >>"$TRACE/events/markers/$1/$2" ||
		fail "cannot write '$3' to $2 of event $1"
}

# Switches the events "$@" on.
switch_on() {
	for name in "$@"; do
		event "$name" enable 1
	done
}

switch_off() {
	for name in "$@"; do
		event "$name" enable 0
	done
}

# test_markers_record hits $1, as its parameter hit says.
hit() {
	put record hit "$1" || fail "cannot hit $1"
}

# The same for each.
hit_each() {
	put record each "$1" || fail "cannot hit $1 on each CPU"
}

# What file $2 of the buffer, trace if not given, says of event $1, in lines.
text_of() {
	value=$(sed -n "s/^[^#].*[0-9]: $1: //p" "$TRACE/${2:-trace}")
}

# The records of event $1 should read "$2", in file $3 if given.
expect_text() {
	text_of "$1" "${3:-trace}"
	expect "$1" "$value" "$2"
}

# Event $1 should have $2 records, in file $3 if given.
expect_records() {
	n=$(grep -c "^[^#].*[0-9]: $1: " "$TRACE/${3:-trace}")
	expect "records of $1 in ${3:-trace}" "$n" "$2"
}

# What follows should come true in a few seconds, since a worker does it.
expect_soon() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		! "$@" || return 0
		sleep 0.2
	done
	fail "not so after 4 s: $*"
}

event_gone() {
	[ ! -e "$EVENTS/$1" ]
}

event_there() {
	[ -e "$EVENTS/$1" ]
}
