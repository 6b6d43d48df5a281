#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What the tracer tells of itself: that a trace begins and which tasks there are,
# that the mask set changes, that a snapshot is taken, that events are
# overwritten, that the buffers are dumped.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

OTHER=$TRACEFS/instances/other

# What lkst_init should say in $TRACE.
begin_of() {
	read -r kb _ <"$TRACE/per_cpu/cpu0/buffer_size_kb"
	clock=$(sed 's/.*\[\(.*\)\].*/\1/' "$TRACE/trace_clock")
	value="buffer_kb ${kb% *} cpus $(nproc) clock $clock"
}

has_hits() {
	column "$1" hits
	[ "$value" -eq "$2" ]
}

has_records() {
	n=$(grep -c "^[^#].*[0-9]: $1: " "$TRACE/trace")
	[ "$n" -ge "$2" ]
}

# Event lkst_init should come for the $1-th time, and not more often.
expect_begins() {
	expect_soon has_records lkst_init "$1"
	begin_of
	text=$value
	wanted=
	for _ in $(seq "$1"); do
		wanted="$wanted${wanted:+$NL}$text"
	done
	expect_text lkst_init "$wanted"
}

# It comes with the first event that is switched on, be it the first in a set of
# many, and when tracing is switched on; not with others.
begin() {
	echo markers:kernel_timer_set markers:lkst_init >"$TRACE/set_event"
	expect_begins 1
	switch_on kernel_process_fork
	echo 1 >"$TRACE/tracing_on"
	sleep 1
	expect_begins 1
	echo 0 >"$TRACE/tracing_on"
	echo 1 >"$TRACE/tracing_on"
	expect_begins 2
	echo 0 >"$TRACE/events/enable"
	switch_on lkst_init
	expect_begins 3
}

# Who is not there at the first event hears of it later.
begin_late() {
	switch_on kernel_process_fork
	sleep 1
	switch_on lkst_init
	expect_begins 1
}

# pid, parent, thread group and name of all tasks. /proc has more of the names of
# kernel threads, and what a worker works for.
tasks() {
	printf '%s\n' /proc/[0-9]*/task/[0-9]*/status | awk '{
		file = $0
		pid = ""
		while ((getline line <file) > 0) {
			value = line
			sub(/^[^\t]*\t/, "", value)
			if (line ~ /^Name:/)
				name = value
			else if (line ~ /^Tgid:/)
				tgid = value
			else if (line ~ /^Pid:/)
				pid = value
			else if (line ~ /^PPid:/)
				ppid = value
		}
		close(file)
		if (name ~ /^kworker\/[0-9u][0-9:H]*[-+]/)
			sub(/[-+].*/, "", name)
		if (pid != "")
			print pid, "ppid", ppid, "tgid", tgid, "comm", substr(name, 1, 15)
	}' | sort
}

# Each task that was there all the time is told of once.
state_of_tasks() {
	tasks >"$tmp/before"
	echo markers:lkst_init markers:lkst_state_task >"$TRACE/set_event"
	expect_soon has_records lkst_init 1
	tasks >"$tmp/after"
	comm -12 "$tmp/before" "$tmp/after" >"$tmp/stayed"
	expect_soon has_records lkst_state_task "$(wc -l <"$tmp/stayed")"
	text_of lkst_state_task
	printf '%s\n' "$value" | sed 's/^pid //' | sort >"$tmp/told"
	expect_least "tasks" "$(wc -l <"$tmp/stayed")" 10
	grep -q "^2 ppid 0 tgid 2 comm kthreadd$" "$tmp/stayed" ||
		fail "kthreadd is not among them: $(head -3 "$tmp/stayed")"
	value=$(comm -23 "$tmp/stayed" "$tmp/told")
	expect "tasks that were not told of" "$value" ""
	value=$(uniq -d "$tmp/told")
	expect "tasks that were told of twice" "$value" ""
	# lkst_init came first of all.
	value=$(grep -v '^#' "$TRACE/trace" | head -n 1 | sed 's/.*[0-9]: \(lkst_[a-z]*\): .*/\1/')
	expect "the first record" "$value" lkst_init
}

# An instance has a begin of its own, which others do not see.
instance() {
	mkdir "$OTHER"
	switch_on lkst_init lkst_mset_xchg lkst_buff_shift
	expect_begins 1
	TRACE=$OTHER
	echo 77 >"$TRACE/buffer_size_kb"
	switch_on lkst_init lkst_mset_xchg lkst_buff_shift
	expect_begins 1
	echo mine >"$TRACE/lkst_mset"
	expect_text lkst_mset_xchg "from none to mine"
	echo 1 >"$TRACE/snapshot"
	expect_soon has_records lkst_buff_shift 1
	expect_text lkst_buff_shift "instance other"
	TRACE=$TRACEFS
	expect_begins 1
	expect_text lkst_mset_xchg ""
	expect_text lkst_buff_shift ""
	expect "mask set" "$(cat "$TRACE/lkst_mset")" none
	rmdir "$OTHER"
}

# It goes away while its begin is still to be told.
instance_gone() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		mkdir "$OTHER"
		echo 1 >"$OTHER/events/markers/lkst_init/enable"
		echo 0 >"$OTHER/tracing_on"
		echo 1 >"$OTHER/tracing_on"
		rmdir "$OTHER" || fail "cannot remove the instance"
	done
}

mask_set() {
	switch_on lkst_mset_xchg
	echo 1 >"$LKST_EVENTS/LKST_MSET_XCHG/enable"
	echo net-1.conf >"$TRACE/lkst_mset"
	echo net-1.conf >"$TRACE/lkst_mset"
	printf none >"$TRACE/lkst_mset"
	expect "mask set" "$(cat "$TRACE/lkst_mset")" none
	changes="from none to net-1.conf${NL}from net-1.conf to net-1.conf"
	changes="$changes${NL}from net-1.conf to none"
	expect_text lkst_mset_xchg "$changes"
	expect_text LKST_MSET_XCHG "$changes"

	long=$(printf '%064d' 0)
	for bad in "" "two words" "tab${TAB}inside" "ä" "$long"; do
		! printf '%s\n' "$bad" 2>/dev/null >"$TRACE/lkst_mset" ||
			fail "'$bad' was taken"
	done
	expect_log 4 "lkst_mset: a name is one word of printable ASCII" \
		1 "lkst_mset: a name has at most 63 characters"
	expect "mask set" "$(cat "$TRACE/lkst_mset")" none
	echo "${long#0}" >"$TRACE/lkst_mset"
	expect "mask set" "$(cat "$TRACE/lkst_mset")" "${long#0}"
	echo none >"$TRACE/lkst_mset"
}

# A shift is for each snapshot, in the buffer that is used from then on.
snapshots() {
	echo 1 >"$TRACE/snapshot"
	switch_on lkst_buff_shift test_record_count
	hit count,3
	echo 1 >"$TRACE/snapshot"
	expect_soon has_records lkst_buff_shift 1
	expect_text lkst_buff_shift "instance top"
	expect_records test_record_count 0
	expect_records test_record_count 3 snapshot
	expect_records lkst_buff_shift 0 snapshot

	# By a trigger, within the hit of a marker, twice. What is in the buffer
	# that is used again stays there.
	event test_record_noargs trigger snapshot:2
	column lkst_buff_shift hits
	hits=$value
	for shift in 1 2 2; do
		hit noargs
		expect_soon has_hits lkst_buff_shift $((hits + shift))
	done
	expect_text lkst_buff_shift "instance top${NL}instance top"
	expect_text lkst_buff_shift "instance top" snapshot
	expect_records test_record_count 0
	expect_records test_record_count 3 snapshot
}

# It takes one for each that was taken otherwise, not for its own.
shifted_by_itself() {
	switch_on lkst_buff_shift
	event lkst_buff_shift trigger snapshot
	column lkst_buff_shift hits
	hits=$value
	for shift in 1 2; do
		echo 1 >"$TRACE/snapshot"
		expect_soon has_hits lkst_buff_shift $((hits + shift))
		sleep 0.5
		expect_column lkst_buff_shift hits $((hits + shift))
	done
}

# There have been $1 more hits, by all CPUs.
expect_told() {
	column lkst_buff_ovwrtn hits
	expect "hits of lkst_buff_ovwrtn" $((value - hits)) "$1"
}

# It is told once for each CPU, until somebody has read there. What is told is
# overwritten, too, so it is counted where it is hit.
overwritten() {
	echo 8 >"$TRACE/buffer_size_kb"
	echo >"$TRACE/trace"
	switch_on lkst_buff_ovwrtn test_record_count
	column lkst_buff_ovwrtn hits
	hits=$value
	hit_each count,10
	expect_told 0
	hit_each count,400
	hit_each count,400
	expect_told "$(nproc)"
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		over=$(sed -n 's/^overrun: //p' "$TRACE/per_cpu/cpu$cpu/stats")
		expect_least "overrun of CPU $cpu" "$over" 100
	done

	cat "$TRACE/trace_pipe" >"$tmp/pipe" &
	reader=$!
	jobs_started="$jobs_started $reader"
	expect_soon grep -q "test_record_count: n 400" "$tmp/pipe"
	sleep 1
	kill "$reader"
	wait "$reader" 2>/dev/null
	hit_each count,10
	expect_told "$(nproc)"
	# The last page is written to, and the overrun is read, before more comes.
	hit_each count,400
	hit_each count,400
	expect_told $((2 * $(nproc)))

	# Each tells of its CPU.
	echo >"$TRACE/trace"
	hit_each count,100
	n=0
	while [ "$n" -lt 100 ] && ! has_records lkst_buff_ovwrtn "$(nproc)"; do
		n=$((n + 1))
		hit_each count,10
	done
	text_of lkst_buff_ovwrtn
	value=$(printf '%s\n' "$value" | grep 'overrun [1-9][0-9]*$' | cut -d ' ' -f 2 |
		sort -n | tr '\n' ' ')
	expect "CPUs" "$value" "$(seq 0 $(($(nproc) - 1)) | tr '\n' ' ')"
	echo 1408 >"$TRACE/buffer_size_kb"
}

# What is lost as the buffer shrinks is not told of, and changes nothing.
shrunk() {
	echo 400 >"$TRACE/buffer_size_kb"
	echo >"$TRACE/trace"
	switch_on lkst_buff_ovwrtn test_record_count
	column lkst_buff_ovwrtn hits
	hits=$value
	hit_each count,1500
	echo 8 >"$TRACE/buffer_size_kb"
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		over=$(sed -n 's/^overrun: //p' "$TRACE/per_cpu/cpu$cpu/stats")
		expect_least "overrun of CPU $cpu" "$over" 100
	done
	expect_told 0
	hit_each count,800
	expect_told "$(nproc)"
	echo 1408 >"$TRACE/buffer_size_kb"
}

# It is the last one, as the dump switches tracing off.
dump() {
	[ -e /proc/sysrq-trigger ] || { skip "no sysrq"; return; }
	quiet
	mkdir "$OTHER"
	echo 1 >"$OTHER/events/lkst/LKST_KERNEL_DUMP/enable"
	switch_on lkst_kernel_dump test_record_noargs
	hit noargs
	expect "tracing" "$(cat "$TRACE/tracing_on")" 1
	sysrq=$(cat /proc/sys/kernel/sysrq)
	echo z >/proc/sysrq-trigger
	echo "$sysrq" >/proc/sys/kernel/sysrq
	expect "tracing after the dump" "$(cat "$TRACE/tracing_on")" 0
	expect_log 1 "test_record_noargs:" 1 "lkst_kernel_dump: reason sysrq-z"
	TRACE=$OTHER
	expect "tracing of the instance" "$(cat "$TRACE/tracing_on")" 1
	expect_text LKST_KERNEL_DUMP "reason sysrq-z"
	TRACE=$TRACEFS
	rmdir "$OTHER"
}

[ -e "$TRACEFS/lkst_mset" ] || skip_all "this tracer tells nothing of itself"
plan 11
keep_record
run "a trace begins" begin
run "a trace has begun before one hears of it" begin_late
run "the tasks that there are at the begin" state_of_tasks
run "each instance for itself" instance
run "an instance that goes at once" instance_gone
run "changes of the mask set" mask_set
run "snapshots" snapshots
run "snapshots by a trigger of the event that tells of them" shifted_by_itself
run "events that are overwritten" overwritten
run "events that are overwritten after the buffer shrank" shrunk
run "a dump to the console" dump
finish
