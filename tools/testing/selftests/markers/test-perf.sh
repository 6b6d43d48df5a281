#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perf counts and records markers as it does with any trace event, and what it
# shows is what was passed.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=records.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/records.sh"

HIT=/sys/module/test_markers_record/parameters/hit
FIELDS='int spec string convert network hidden names words noargs many'

# perf records with these options while a shell runs "$1".
record() {
	what=$1
	shift
	perf record -o "$tmp/perf.data" "$@" -- sh -c "$what" \
		>"$tmp/record.log" 2>&1 ||
		fail "perf record failed: $(cat "$tmp/record.log")"
}

script() {
	perf script -i "$tmp/perf.data" "$@" >"$tmp/script" 2>"$tmp/script.err" ||
		fail "perf script failed: $(cat "$tmp/script.err")"
	expect "complaints of perf script" "$(cat "$tmp/script.err")" ""
}

# What perf script says of event $1, in lines, without blanks at both ends.
scripted() {
	value=$(sed -n "s/^ *markers:$1: *//p" "$tmp/script" | sed 's/ *$//')
}

all_fields() {
	hits="echo char >$HIT;"
	set -- -e markers:test_record_char
	for name in $FIELDS; do
		set -- "$@" -e "markers:test_record_$name"
		hits="$hits echo $name >$HIT;"
	done
	record "$hits" -a "$@"
	script -F trace:event,trace
	for name in $FIELDS; do
		"text_$name"
		wanted=$(printf '%s\n' "$value" | sed 's/^ *//;s/ *$//')
		scripted "test_record_$name"
		expect "test_record_$name" "$value" "$wanted"
	done
}

# That is in the recording, too. libtraceevent knows few conversions, so for it
# characters are numbers and some flags are left out.
characters() {
	script -F trace:event,trace
	scripted test_record_char
	value=$(echo "$value" | sed 's/\[[+ ]42\]/[42]/g')
	expect test_record_char "$value" \
		"first 97 second 126 third 122 plus [42] blank [42] behind 43"
}

# $2 of event $1, as perf stat counts it for all CPUs.
counts() {
	value=$(sed -n "s/^\([0-9]*\),.*,markers:$1,.*/\1/p" "$tmp/stat")
	expect "count of $1" "$value" "$2"
}

counted() {
	perf stat -x, -o "$tmp/stat" -a -e markers:test_record_count \
		-e markers:test_record_noargs -e markers:test_record_many \
		sh -c "echo count,300 >$HIT; echo noargs,7 >$HIT; echo count,200 >${HIT%hit}each" ||
		fail "perf stat failed"
	counts test_record_count $((300 + 200 * $(nproc)))
	counts test_record_noargs 7
	counts test_record_many 0
}

# Of one task only, and with a filter.
counted_task() {
	perf stat -x, -o "$tmp/stat" -e markers:test_record_count \
		--filter 'text == "odd" && n <= 100' \
		-e markers:test_record_string \
		sh -c "echo count,300 >$HIT; echo string,3 >$HIT; echo count,200 >${HIT%hit}each" ||
		fail "perf stat failed"
	counts test_record_count 50
	counts test_record_string 3
}

# The innermost function is that with the site. The first stack through a module
# has no names from perf 6.1, so one of no interest goes ahead.
stacks() {
	record "echo noargs >$HIT; echo count,3 >$HIT; echo string,2 >$HIT" -a -g \
		-e markers:test_record_noargs -e markers:test_record_count \
		-e markers:test_record_string
	script -F trace:event,ip,sym
	value=$(awk '
		/markers:test_record/ { event = $1; next }
		event != "" && NF {
			if (event !~ /noargs/)
				print event, $2
			event = ""
		}
	' "$tmp/script" | sort | uniq -c | sed 's/^ *//')
	expect "innermost functions" "$value" \
		"3 markers:test_record_count: hit_count
2 markers:test_record_string: hit_string"
}

# The same in the core kernel.
stacks_core() {
	record 'for i in 1 2 3 4 5; do sleep 0.02; done' -a -g \
		-e markers:kernel_sched_schedule
	script -F trace:event,ip,sym
	value=$(awk '
		/markers:kernel_sched/ { here = 1; next }
		here && NF { print $2; here = 0 }
	' "$tmp/script" | sort -u)
	expect "innermost function" "$value" __schedule
}

command -v perf >/dev/null || skip_all "no perf"
plan 6
keep_record
run "perf script shows what was passed" all_fields
run "characters and flags" characters
run "perf stat counts each hit" counted
run "perf stat of one task with a filter" counted_task
run "stacks begin in the function with the site" stacks
run "stacks of the core kernel" stacks_core
finish
