#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# trace-cmd records markers and its report, which libtraceevent makes from the
# format files, shows what was passed. It gets no help: to it they are events
# like all others.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=records.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/records.sh"

HIT=/sys/module/test_markers_record/parameters/hit
FIELDS='int spec string convert network hidden names words noargs many'

# trace-cmd records the events "$@" while a shell runs $commands, and reports
# what it recorded. It may not complain, and nothing may be lost.
record() {
	# shellcheck disable=SC2046 # a list of options
	set -- $(printf ' -e markers:%s' "$@")
	trace-cmd record -o "$tmp/trace.dat" "$@" sh -c "$commands" \
		>"$tmp/record.log" 2>&1 ||
		fail "trace-cmd record failed: $(cat "$tmp/record.log")"
	report
}

report() {
	trace-cmd report "$@" -i "$tmp/trace.dat" >"$tmp/report" 2>"$tmp/report.err" ||
		fail "trace-cmd report failed: $(cat "$tmp/report.err")"
	expect "complaints of trace-cmd report" "$(cat "$tmp/report.err")" ""
	! grep -i 'FAILED TO PARSE\|EVENTS DROPPED\|BAD\|unknown' "$tmp/report" ||
		fail "trace-cmd could not read all records"
}

# What the report says of event $1, in lines. It aligns them, so blanks at both
# ends are of no meaning.
reported() {
	value=$(sed -n "s/^.*[0-9]: $1: *//p" "$tmp/report" | sed 's/ *$//')
}

trim() {
	value=$(printf '%s\n' "$value" | sed 's/^ *//;s/ *$//')
}

# One hit of each marker, which the next cases look at, too.
all_fields() {
	commands="echo char >$HIT"
	for name in $FIELDS; do
		commands="$commands; echo $name >$HIT"
	done
	# shellcheck disable=SC2046,SC2086 # lists of words
	record test_record_char $(printf ' test_record_%s' $FIELDS)
	for name in $FIELDS; do
		"text_$name"
		trim
		wanted=$value
		reported "test_record_$name"
		expect "test_record_$name" "$value" "$wanted"
	done
}

# libtraceevent knows few conversions, so for it characters are numbers and some
# flags are left out.
characters() {
	report
	reported test_record_char
	value=$(echo "$value" | sed 's/\[[+ ]42\]/[42]/g')
	expect test_record_char "$value" \
		"first 97 second 126 third 122 plus [42] blank [42] behind 43"
}

# The value of each field by itself, as programs read it: that in network order
# as it is in the record.
raw_fields() {
	report -R
	reported test_record_int
	wanted='c=-128 uc=255 s=-32768 us=65535 i=-2147483648 u=4294967295'
	wanted="$wanted l=-9223372036854775808 ul=18446744073709551615"
	wanted="$wanted q=-9223372036854775808 uq=18446744073709551615"
	wanted="$wanted pos=1234567890123456789"
	expect test_record_int "$value" "$wanted"
	reported test_record_network
	wanted='port=36895 address=16777343 id=1549776473967043089'
	expect test_record_network "$value" "$wanted sign=65279 byte=200"
	reported test_record_names
	expect test_record_names "$value" \
		"x=1 x_3=2 x_2=3 arg4=4 common_pid_2=5 arg6=0x6 arg4_2=7"
	reported test_record_convert
	wanted='wide=4294967295 narrow=-1 half=65535 four=23456789'
	wanted="$wanted upper=FFFFFFFFFFFFFFFF lower=4294967294 octal=377"
	expect test_record_convert "$value" "$wanted string=by address"
}

counted() {
	commands="echo count,500 >$HIT; echo count,500 >${HIT%hit}each"
	record test_record_count
	reported test_record_count
	expect records "$(echo "$value" | wc -l)" $((500 + 500 * $(nproc)))
	value=$(echo "$value" | awk '
		$2 <= 0 || $6 != ($2 % 2 ? -$2 : $2) ||
		$8 != ($2 % 2 ? "odd" : "even")')
	expect "wrong records" "$value" ""
}

# By the kernel as they are recorded, and by trace-cmd as they are reported.
filtered() {
	trace-cmd record -o "$tmp/trace.dat" -e markers:test_record_count \
		-f 'text == "odd" && n > 4' sh -c "echo count,10 >$HIT" \
		>"$tmp/record.log" 2>&1 || fail "$(cat "$tmp/record.log")"
	report
	reported test_record_count
	expect "records that were let through" \
		"$(echo "$value" | cut -d ' ' -f 2 | tr '\n' ' ')" "5 7 9 "
	report -F 'test_record_count: n > 5 && text == "odd"'
	reported test_record_count
	expect "records that were shown" \
		"$(echo "$value" | cut -d ' ' -f 2 | tr '\n' ' ')" "7 9 "
}

# What the marker of the scheduler tells of a switch is what the event of the
# scheduler tells. Its state is that in bits, which sched_switch has in letters.
switches() {
	trace-cmd record -o "$tmp/trace.dat" -e markers:kernel_sched_schedule \
		-e sched:sched_switch sh -c 'for i in 1 2 3 4 5; do sleep 0.02; done' \
		>"$tmp/record.log" 2>&1 || fail "$(cat "$tmp/record.log")"
	report -R
	value=$(awk '
		function field(name,   at) {
			at = match($0, "[ \t]" name "=-?[0-9]+")
			return substr($0, at + length(name) + 2, RLENGTH - length(name) - 2)
		}
		/: sched_switch: / {
			pids[$2] = field("prev_pid") " " field("next_pid")
		}
		/: kernel_sched_schedule: / {
			if (!($2 in pids))
				next
			if (pids[$2] != field("prev_pid") " " field("next_pid"))
				print
			n++
		}
		END { if (n < 10) print n + 0, "switches compared" }
	' "$tmp/report")
	expect "switches that the two tell in different ways" "$value" ""
}

command -v trace-cmd >/dev/null || skip_all "no trace-cmd"
plan 6
keep_record
run "the report shows what was passed" all_fields
run "characters and flags" characters
run "each field by itself" raw_fields
run "each hit is reported" counted
run "filters of trace-cmd" filtered
run "context switches" switches
finish
