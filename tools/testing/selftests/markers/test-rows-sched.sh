#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of tasks: how they begin and end, and what the scheduler does with
# them.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_sched

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

PROGRAM=$MARKERS_PROGRAMS/test_rows_sched

# Event $1 should have $2 records that match the whole line $3.
expect_matches() {
	text_of "$1"
	n=$(echo "$value" | grep -cx "$3")
	expect "records of $1 that read '$3'" "$n" "$2"
	[ "$n" = "$2" ] || fail "$value"
}

# === Processes ================================================================

# The record of one more, with this pid, tgid and flags.
child() {
	value="$value${value:+$NL}parent_pid $pid child_pid $1 child_tgid $2"
	value="$value clone_flags $3"
}

forks() {
	switch_on kernel_process_fork
	filtered kernel_process_fork common_pid fork
	value=
	child "$forked" "$forked" 0
	child "$vforked" "$vforked" 4100
	[ "$cloned" -lt 0 ] || child "$cloned" "$cloned" 100000000
	child "$tid" "$pid" 3d0f00
	expect_text kernel_process_fork "$value"
}

# Those that fail are none; a thread that executes becomes the leader.
execs() {
	switch_on kernel_process_exec
	filtered kernel_process_exec common_pid exec
	expect_text kernel_process_exec "pid $pid old_pid $pid filename $PROGRAM
pid $pid old_pid $tid filename $PROGRAM"
}

# A script is named, not what interprets it.
exec_script() {
	printf '#!%s\n' "$PROGRAM" >"$tmp/script"
	chmod +x "$tmp/script"
	switch_on kernel_process_exec
	"$tmp/script" >/dev/null
	text_of kernel_process_exec
	n=$(echo "$value" | grep -c " filename $tmp/script\$")
	expect "executions of the script" "$n" 1
	! echo "$value" | grep -q "filename $PROGRAM" ||
		fail "its interpreter is told, too: $value"
}

exits() {
	switch_on kernel_process_exit
	provoke exits
	for line in "pid $pid code 0" "pid $exited code 768" \
		"pid $killed code 9" "pid $tid code 0"; do
		expect_matches kernel_process_exit 1 "$line"
		expect_matches kernel_process_exit 1 "${line%code*}.*"
	done
}

# A perf event of the task is not off already.
exit_perf() {
	[ -r "$EVENTS/kernel_process_exit/id" ] || fail "the event has no id"
	provoke perf-exit
	expect "exits that the task's perf event counted" "$count" 1
}

freed_once() {
	[ "$(grep -c ": kernel_process_free: pid $1\$" "$TRACE/trace")" = 1 ]
}

frees() {
	switch_on kernel_process_free
	provoke exits
	expect_soon freed_once "$pid"
	for one in "$exited" "$killed" "$tid"; do
		expect_soon freed_once "$one"
	done
}

waits() {
	switch_on kernel_process_wait
	filtered kernel_process_wait common_pid wait
	expect_text kernel_process_wait "pid $first${NL}pid 0${NL}pid $group"
}

# By exec, and by hand.
renames() {
	switch_on kernel_process_rename
	filtered kernel_process_rename common_pid rename
	expect_text kernel_process_rename "pid $pid comm test_rows_sched
pid $pid comm a name longer t
pid $pid comm short"
}

# The module tells of one that ran and one that did not.
kthreads() {
	event kernel_kthread_stop filter "common_pid == $$"
	event kernel_kthread_stop_ret filter "common_pid == $$"
	switch_on kernel_kthread_create kernel_kthread_stop kernel_kthread_stop_ret
	act kthread
	log_of kernel_kthread_create
	wanted=$value
	text_of kernel_kthread_create
	value=$(echo "$value" | grep '^fn test_rows_thread+')
	expect kernel_kthread_create "$value" "$wanted"
	for name in kernel_kthread_stop kernel_kthread_stop_ret; do
		log_of "$name"
		expect_text "$name" "$value"
	done
	expect "what the threads returned" "$(echo "$value" | tr '\n' ' ')" \
		"ret 1234 ret -4 "
}

# === Scheduler ================================================================

# Each time it sleeps, in a state that can be interrupted and frozen, and perhaps
# when others want its CPU.
switches() {
	provoke sleep
	text_of kernel_sched_schedule
	n=$(echo "$value" | grep -cx "prev_pid $pid next_pid [0-9]* prev_state 8193")
	expect "switches of the sleeper" "$n" "$rounds"
	n=$(echo "$value" |
		grep -cvx "prev_pid $pid next_pid [0-9]* prev_state \(0\|8193\)")
	expect "other switches" "$n" 0
	! echo "$value" | grep -q "prev_pid $pid next_pid $pid " ||
		fail "switches to itself: $value"
}

wakes() {
	provoke wake
	expect_records kernel_sched_try_wakeup "$rounds"
	expect_matches kernel_sched_try_wakeup "$rounds" \
		"pid $child cpu_id 1 state 1"
	n=$(grep -c "^ .*-$pid .*: kernel_sched_try_wakeup: " "$TRACE/trace")
	expect "wakeups by the writer" "$n" "$rounds"
	expect_records kernel_sched_wakeup "$rounds"
	expect_matches kernel_sched_wakeup "$rounds" "pid $child cpu_id 1"
}

# One that is not asleep yet, and one that is not even on its way.
wakes_self() {
	event kernel_sched_try_wakeup filter "pid == $$ && common_pid == $$"
	event kernel_sched_wakeup filter "pid == $$ && common_pid == $$"
	switch_on kernel_sched_try_wakeup kernel_sched_wakeup
	act wake_self
	log_of kernel_sched_try_wakeup
	expect_text kernel_sched_try_wakeup "$value"
	expect_records kernel_sched_wakeup 0
}

wakes_running() {
	switch_on kernel_sched_try_wakeup kernel_sched_wakeup
	act wake_running
	log_of kernel_sched_try_wakeup
	expect_matches kernel_sched_try_wakeup 1 "$value"
	log_of kernel_sched_wakeup
	task=${value% cpu_id*}
	text_of kernel_sched_wakeup
	woken=$(echo "$value" | grep -c "^$task ")
	text_of kernel_sched_try_wakeup
	n=$(echo "$value" | grep -c "^$task ")
	expect_least "wakeups of the thread" "$n" 2
	expect "those that came through" "$woken" "$n"
}

new_tasks() {
	switch_on kernel_sched_wakeup_new_task
	filtered kernel_sched_wakeup_new_task common_pid new
	expect_text kernel_sched_wakeup_new_task "pid $child cpu_id 1 state 0"
}

waits_for_tasks() {
	provoke ptrace
	# __TASK_TRACED, once for each look at the child.
	expect_records kernel_sched_wait_task "$rounds"
	expect_matches kernel_sched_wait_task "$rounds" "pid $child state 8"
}

# What sleeps may be in the queue still, and is moved at once then, or when it
# is woken. What runs may have begun to wait for the move.
migrates() {
	provoke migrate
	expect_records kernel_sched_migrate_task 3
	expect_matches kernel_sched_migrate_task 1 \
		"pid $child state \(1\|512\) dest_cpu 1"
	expect_matches kernel_sched_migrate_task 1 \
		"pid $pid state \(0\|2\|512\) dest_cpu 1"
	expect_matches kernel_sched_migrate_task 1 \
		"pid $pid state \(0\|2\|512\) dest_cpu 0"
}

# === Locks ====================================================================

# Lock $2 is held when marker $1 is hit by $4 at least $3 times.
held_at() {
	watch "$1" "$2" || return 0
	provoke "$4"
	expect_held "$3"
	unload locks
}

locked_switch() { held_at kernel_sched_schedule '&rq->__lock' 5 sleep; }
locked_wakeup() { held_at kernel_sched_wakeup '&rq->__lock' 5 wake; }
locked_new() {
	held_at kernel_sched_wakeup_new_task '&rq->__lock' 1 new
	held_at kernel_sched_wakeup_new_task '&p->pi_lock' 1 new
}
locked_wait() {
	held_at kernel_sched_wait_task '&rq->__lock' 5 ptrace
	held_at kernel_sched_wait_task '&p->pi_lock' 5 ptrace
}
locked_migration() {
	held_at kernel_sched_migrate_task '&p->pi_lock|&rq->__lock' 3 migrate
}
locked_rename() { held_at kernel_process_rename '&p->alloc_lock' 2 rename; }

# Nothing is held when a task wakes itself, which any of them may do.
locked_try_wakeup() {
	watch kernel_sched_try_wakeup '&p->pi_lock' || return 0
	provoke wake
	get locks held
	expect_least "hits with the lock held" "$value" 5
	get locks missing
	missing=$value
	act wake_self
	get locks missing
	expect_least "wakeups of oneself" "$value" $((missing + 1))
	unload locks
}

[ -x "$PROGRAM" ] ||
	skip_all "no test_rows_sched in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
[ "$(nproc)" -ge 2 ] || skip_all "only one CPU"
plan 23
keep_rows
run "tasks that are made" forks
run "programs that are executed" execs
run "a script that is executed" exec_script
run "tasks that exit" exits
run "the exit of a task in its own perf event" exit_perf
run "tasks that are freed" frees
run "waiting for children" waits
run "tasks that get a name" renames
run "kernel threads" kthreads
run "the context switch" switches
run "tasks that are woken" wakes
run "a task that wakes itself" wakes_self
run "a task that is woken while it runs" wakes_running
run "tasks that are woken for the first time" new_tasks
run "tasks that are waited for to be off their CPU" waits_for_tasks
run "tasks that migrate" migrates
run "the lock at the context switch" locked_switch
run "the lock at a wakeup" locked_wakeup
run "the lock at an attempt to wake" locked_try_wakeup
run "the locks at the first wakeup" locked_new
run "the locks at a wait for a task" locked_wait
run "the lock at a migration" locked_migration
run "the lock at a new name" locked_rename
finish
