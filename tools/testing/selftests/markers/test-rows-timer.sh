#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of timers: those of the kernel, of high resolution, and the
# interval timers of processes.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_sched

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

# All ways to arm one, to change it and to remove it, and what changes nothing.
timers() {
	switch_on kernel_timer_set kernel_timer_mod kernel_timer_del
	act timer
	for name in kernel_timer_set kernel_timer_mod kernel_timer_del; do
		expect_told "$name"
	done
}

expiry() {
	switch_on kernel_timer_run kernel_timer_done
	act expire
	expect_told kernel_timer_run
	expect_told kernel_timer_done
}

timeout_of_task() {
	switch_on kernel_timer_timeout
	act timeout
	expect_told kernel_timer_timeout
}

# On each CPU that is busy, with the number that its jiffies have then.
ticks() {
	get rows_sched jiffies
	first=$value
	switch_on kernel_timer_tick
	provoke burn
	switch_off kernel_timer_tick
	get rows_sched jiffies
	last=$value
	for cpu in 0 1; do
		tick="\[00$cpu\].*: kernel_timer_tick: jiffies \([0-9]*\)"
		n=$(sed -n "s/^ .*$tick cpu $cpu\$/\1/p" "$TRACE/trace" |
			awk -v first="$first" -v last="$last" '
			$1 < first || $1 > last || $1 < before { exit 1 }
			{ before = $1; n++ }
			END { print n + 0 }')
		expect_least "ticks of CPU $cpu" "$n" 10
		n=$(grep -c "$tick cpu [^$cpu]" "$TRACE/trace")
		expect "ticks of CPU $cpu that say another" "$n" 0
	done
}

# Each expires at its time or later.
hrtimers() {
	switch_on kernel_hrtimer_start kernel_hrtimer_expire
	act hrtimer
	expect_told kernel_hrtimer_start
	log_of kernel_hrtimer_expire
	wanted=$value
	begin=$(echo "$wanted" | sed -n '1s/ now.*//p')
	text_of kernel_hrtimer_expire
	value=$(echo "$value" | grep -F "$begin")
	expect "expiries" "$(echo "$value" | wc -l)" 2
	# The last digits are enough, for an awk that counts in doubles.
	printf '%s\n' "$wanted" "$value" | awk '
		{ now[NR] = substr($NF, length($NF) - 14) + 0 }
		END {
			for (i = 1; i <= 2; i++) {
				if (now[i + 2] < now[i] || now[i + 2] > now[i] + 1e10)
					exit 1
			}
		}' || fail "expired at another time: $value; should be: $wanted"
}

# With intervals and without, by alarm(), and not those that are refused.
itimers() {
	switch_on kernel_timer_itimer_set
	filtered kernel_timer_itimer_set common_pid itimer
	text() {
		value="$value${value:+$NL}which $1 interval_sec $2 interval_usec $3"
		value="$value value_sec $4 value_usec $5"
	}
	value=
	for which in 0 1 2; do
		text "$which" 0 0 0 20003
	done
	text 1 77 400009 99 20003
	text 1 0 0 0 0
	text 0 77 400009 99 20003
	text 0 0 0 1000 0
	text 0 0 0 0 0
	expect_text kernel_timer_itimer_set "$value"
	expect_text kernel_timer_itimer_expired \
		"which 0 pid $pid${NL}which 1 pid $pid${NL}which 2 pid $pid"
}

# Lock $2 is held when marker $1 is hit by $4 at least $3 times.
held_at() {
	watch "$1" "$2" || return 0
	act "$4"
	expect_held "$3"
	unload locks
}

locked_set() { held_at kernel_timer_set '&base->lock' 6 timer; }
locked_mod() { held_at kernel_timer_mod '&base->lock' 4 timer; }
locked_del() { held_at kernel_timer_del '&base->lock' 3 timer; }
locked_hrtimer() { held_at kernel_hrtimer_start hrtimer_bases.lock 2 hrtimer; }

[ -x "$MARKERS_PROGRAMS/test_rows_sched" ] ||
	skip_all "no test_rows_sched in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
[ "$(nproc)" -ge 2 ] || skip_all "only one CPU"
plan 10
keep_rows
run "timers that are armed, changed and removed" timers
run "timers that expire" expiry
run "a task that sleeps until its timeout" timeout_of_task
run "ticks" ticks
run "timers of high resolution" hrtimers
run "interval timers" itimers
run "the lock at the arming of a timer" locked_set
run "the lock at the change of a timer" locked_mod
run "the lock at the removal of a timer" locked_del
run "the lock at the start of a timer of high resolution" locked_hrtimer
finish
