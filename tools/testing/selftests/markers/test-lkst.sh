#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers under the names of LKST: events that record what those of the
# markers do, each with a state of its own.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

# The names of LKST and of their markers, from the list.
names() {
	awk -F '\t' '/^[^#\t]/ && $2 != "-" { print $2, $1 }' "$MARKERS"
}

# The records of event $1, without the name of the event.
records_of() {
	value=$(sed -n "s/^\([^#].*\): $1: /\1 /p" "$TRACE/trace")
}

# Each marker that has a name there is an event of that name, and nothing else.
all_there() {
	names >"$tmp/names"
	expect_least "names" "$(wc -l <"$tmp/names")" 4
	while read -r name marker; do
		[ -d "$EVENTS/$marker" ] || fail "no event $marker"
		[ -d "$LKST_EVENTS/$name" ] || fail "no event lkst:$name"
	done <"$tmp/names"
	value=$(cd "$LKST_EVENTS" && printf '%s\n' */ | tr -d / | sort)
	expect "events of LKST" "$value" "$(cut -d ' ' -f 1 "$tmp/names" | sort)"
	grep -qx 'PROCESS_CONTEXTSWITCH kernel_sched_schedule' "$tmp/names" ||
		fail "the context switch has another name"
	grep -qx 'TIMER_ADD kernel_timer_set' "$tmp/names" ||
		fail "the arming of a timer has another name"
}

reserved() {
	expect "reserved names" "$(sed -n "s/^# reserved$TAB//p" "$MARKERS")" \
		"LKST_BUFF_OVFLOW${NL}LKST_EXTEND${NL}LKST_EXTENDE${NL}LKST_ETYPE_MAX"
	for name in LKST_BUFF_OVFLOW LKST_EXTEND LKST_EXTENDE LKST_ETYPE_MAX; do
		[ ! -e "$LKST_EVENTS/$name" ] || fail "there is an event lkst:$name"
	done
}

# Fields and print format are those of the marker; the number is not.
same_format() {
	names >"$tmp/names"
	out=$(awk -v markers="$EVENTS" -v lkst="$LKST_EVENTS" '
		function read_format(dir,	file, line) {
			file = dir "/format"
			name = id = format = ""
			while ((getline line <file) > 0) {
				if (line ~ /^name: /)
					name = substr(line, 7)
				else if (line ~ /^ID: /)
					id = substr(line, 5)
				else
					format = format line "\n"
			}
			close(file)
			if (format == "" || id == "" || id in ids)
				print dir, "has no format, or no ID of its own"
			ids[id]
		}
		{
			read_format(markers "/" $2)
			wanted = format
			read_format(lkst "/" $1)
			if (format != wanted)
				print "the formats of", $1, "and", $2, "differ"
			if (name != $1)
				print "the format of", $1, "has the name", name
		}' "$tmp/names")
	[ -z "$out" ] || fail "$out"
}

# What both record of the same hits is the same, but for the time.
same_records() {
	echo "common_pid == $$" >"$EVENTS/kernel_arch_syscall_entry/filter"
	echo "common_pid == $$" >"$LKST_EVENTS/SYSCALL_ENTRY/filter"
	echo 1 >"$EVENTS/kernel_arch_syscall_entry/enable"
	echo 1 >"$LKST_EVENTS/SYSCALL_ENTRY/enable"
	: >/dev/null
	: </dev/null
	echo 0 >"$LKST_EVENTS/SYSCALL_ENTRY/enable"
	echo 0 >"$EVENTS/kernel_arch_syscall_entry/enable"
	records_of kernel_arch_syscall_entry
	echo "$value" | sed 's/.* syscall_id /syscall_id /' >"$tmp/marker"
	records_of SYSCALL_ENTRY
	echo "$value" | sed 's/.* syscall_id /syscall_id /' >"$tmp/lkst"
	expect_least "records" "$(wc -l <"$tmp/lkst")" 6
	# The marker's was on a little longer, before and after.
	grep -vxFf "$tmp/marker" "$tmp/lkst" >"$tmp/more"
	expect "records that the marker does not have" "$(cat "$tmp/more")" ""
	grep -q '^syscall_id [0-9]* ([a-z0-9]*) ' "$tmp/lkst" ||
		fail "the calls have no names"
}

# Each is switched, filtered and counted for itself.
apart() {
	echo 1 >"$LKST_EVENTS/SYSCALL_EXIT/enable"
	read -r on <"$EVENTS/kernel_arch_syscall_exit/enable"
	expect "the marker's event" "$on" 0
	expect_column kernel_arch_syscall_exit handlers 1
	expect_column kernel_arch_syscall_exit state on
	echo 1 >"$EVENTS/kernel_arch_syscall_exit/enable"
	expect_column kernel_arch_syscall_exit handlers 2
	echo 0 >"$LKST_EVENTS/SYSCALL_EXIT/enable"
	expect_column kernel_arch_syscall_exit handlers 1
	echo 0 >"$EVENTS/kernel_arch_syscall_exit/enable"
	expect_column kernel_arch_syscall_exit state off
	records_of SYSCALL_EXIT
	expect_least "records" "$(echo "$value" | wc -l)" 2
}

# In an instance, by set_event, with a trigger.
selected() {
	mkdir "$TRACEFS/instances/lkst"
	TRACE=$TRACEFS/instances/lkst
	echo lkst:SYSCALL_ENTRY >"$TRACE/set_event"
	expect set_event "$(cat "$TRACE/set_event")" lkst:SYSCALL_ENTRY
	echo "hist:keys=syscall_id if common_pid == $$" >"$TRACE/events/lkst/SYSCALL_ENTRY/trigger"
	: >/dev/null
	grep -q '^{ syscall_id: ' "$TRACE/events/lkst/SYSCALL_ENTRY/hist" ||
		fail "the histogram is empty"
	# Who reads what records his own calls does not come to an end.
	echo 0 >"$TRACE/tracing_on"
	records_of SYSCALL_ENTRY
	expect_least "records of the instance" "$(echo "$value" | wc -l)" 1
	TRACE=$TRACEFS
	records_of SYSCALL_ENTRY
	expect "records outside of it" "$value" ""
	rmdir "$TRACEFS/instances/lkst"
	expect_column kernel_arch_syscall_entry state off
}

plan 6
[ -d "$LKST_EVENTS" ] || skip_all "this kernel has no events of LKST"
keep_tracing
run "each name that a marker has is an event" all_there
run "reserved names are listed, and no events" reserved
run "the formats are those of the markers" same_format
run "the records are those of the markers" same_records
run "both have a state of their own" apart
run "instances, set_event and histograms" selected
finish
