#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of the scheduler and of timers: what they tell is true, and the
# locks that they are hit under are held.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

TIMER=kernel_timer_set
SCHED=kernel_sched_schedule
CPU1=/sys/devices/system/cpu/cpu1/online

# All sites of the marker $1 should be in the core kernel, and in state $2.
expect_core_sites() {
	column "$1" format
	format=$value
	lines "$1" site
	expect "the sites of $1" "$(echo "$value" | sort -u)" \
		"vmlinux|$2|$format"
	expect_column "$1" state "$2"
}

listed() {
	expect_column "$TIMER" format \
		'timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p'
	expect_column "$SCHED" format \
		'prev_pid %d next_pid %d prev_state #4u%ld ## rq %p prev %p next %p'
	for state in off on off; do
		[ "$state" = off ] || load core
		expect_core_sites "$TIMER" "$state"
		expect_core_sites "$SCHED" "$state"
		[ "$state" = off ] || unload core
	done
}

# Values of a timer of ours, by both ways to arm one.
timer_values() {
	load core
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		put core timer "add,$cpu" || fail "add_timer_on() on CPU $cpu"
		expect_param core timer_cpu "$cpu"
	done
	want=$(nproc)
	expect_param core timer_ours "$want"
	# Far from where it is, to an idle timer, and nearer again.
	put core timer mod,7200
	expect_param core timer_ours $((want + 1))
	put core timer del
	put core timer mod,3600
	put core timer mod,100
	expect_param core timer_ours $((want + 3))
	put core timer del
	expect_param core timer_bad 0
	unload core
}

# All timers of the system, for a while.
timer_lock() {
	load core
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.05
	done
	get core timer_hits
	expect_least "timers seen" "$value" 10
	expect_param core timer_bad 0
	expect_column "$TIMER" recursions 0
	unload core
}

# Timers of a CPU that goes offline are moved, not set.
timer_migrates() {
	if [ ! -w "$CPU1" ]; then
		skip "CPU 1 cannot go offline"
		return 0
	fi
	load core
	put core timer add,1
	expect_param core timer_cpu 1
	if echo 0 >"$CPU1"; then
		expect_param core timer_cpu 0
		expect_param core timer_ours 1
		echo 1 >"$CPU1" || fail "CPU 1 does not come back"
	else
		fail "CPU 1 does not go"
	fi
	# And it is still good for use.
	put core timer mod,7200
	expect_param core timer_ours 2
	put core timer del
	expect_param core timer_bad 0
	expect_param core sched_bad 0
	unload core
}

# A thread that sleeps in state $1 (0: is busy) is switched from in that state,
# at least $2 times of $3, and in others only as it ends.
sleep_shows() {
	put core sleep "$1,$3" || fail "cannot sleep in state $1"
	get core sched_states
	times=0
	out=0
	for line in $value; do
		n=${line#*:}
		out=$((out + n))
		case ${line%:*} in
		"$1") times=$n ;;
		128) expect "times it died" "$n" 1 ;;
		0) ;;	# preempted
		2) ;;	# waited for a lock as it ended
		*) fail "switched from in state $line" ;;
		esac
	done
	expect_least "times in state $1" "$times" "$2"
	expect_param core sched_in "$out"
	expect_param core sched_bad 0
}

sched_states() {
	load core
	sleep_shows 1 20 20
	sleep_shows 2 20 20
	sleep_shows 1026 20 20	# TASK_IDLE
	unload core
}

# Two busy threads on one CPU take it from each other.
sched_preempted() {
	load core
	sleep_shows 0 3 60
	unload core
}

switches() {
	sed -n 's/^ctxt //p' /proc/stat
}

# Delivered or not.
hits() {
	while IFS= read -r line; do
		split "$line"
		[ "$f1" != "$SCHED" ] || echo $((f6 + f7 + f8))
	done <"$MARKERS"
}

# As many hits as the kernel counts context switches. What happens between the
# two looks makes the difference that is allowed.
sched_counts() {
	load core
	hits0=$(hits); switches0=$(switches); hits1=$(hits)
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.05
	done
	hits2=$(hits); switches2=$(switches); hits3=$(hits)
	n=$((switches2 - switches0))
	expect_least "switches" "$n" 10
	expect_least "hits of $n switches, at the most" $((hits3 - hits0)) "$n"
	expect_least "switches for $((hits2 - hits1)) hits" "$n" $((hits2 - hits1))
	expect_column "$SCHED" recursions 0
	expect_param core sched_bad 0
	unload core
}

fork_a_lot() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		( : )
	done
}

# Both are switched on and off while tasks fork and switch.
arm_while_forking() {
	load calls
	start_job fork_a_lot
	start_job fork_a_lot
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		call "register $SCHED f0 0"
		call "register $TIMER f1 1"
		call "unregister $SCHED f0 0"
		call "unregister $TIMER f1 1"
	done
	call "register $SCHED f0 0"
	calls_of f0 0
	old=$value
	fork_a_lot
	calls_of f0 0
	expect_least "calls" "$value" $((old + 10))
	call "unregister $SCHED f0 0"
	stop_jobs
	expect_param calls bad 0
	expect_column "$SCHED" state off
	unload calls
}

plan 8
run "sites of the core kernel are listed and switched" listed
run "kernel_timer_set tells what was set" timer_values
run "kernel_timer_set is hit with the base's lock held" timer_lock
run "kernel_timer_set is not hit for a migrated timer" timer_migrates
run "kernel_sched_schedule tells the state of who sleeps" sched_states
run "kernel_sched_schedule tells the state of who is preempted" sched_preempted
run "kernel_sched_schedule is hit at each switch, with the lock held" sched_counts
run "armed and disarmed while tasks fork" arm_while_forking
finish
