#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What identifies a task, and its changes: each one is told once, with the task
# and what was before and is after.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

TASK=${MARKERS_PROGRAMS:-$(dirname "$0")}/test_rows_task

# The program's change "$@" has a record of marker lkst_sync_$1.
changes() {
	marker=lkst_sync_$1
	shift
	switch_on "$marker"
	told=$("$TASK" "$@") || fail "$TASK $* failed"
	switch_off "$marker"
	pid=${told%% *}
	ids=${told#* }
	expect_records "$marker" 1
	expect_text "$marker" "pid $pid old ${ids% *} new ${ids#* }"
}

uid() {
	changes uid uid 1001
	expect "ids" "$ids" "0 1001"
}

gid() {
	changes gid gid 1002
	expect "ids" "$ids" "0 1002"
}

others() {
	switch_on lkst_sync_uid lkst_sync_gid
	"$TASK" others >/dev/null || fail "$TASK failed"
	expect_records lkst_sync_uid 0
	expect_records lkst_sync_gid 0
}

pgid() {
	changes pgid pgid
	expect "group" "${ids#* }" "$pid"
}

sid() {
	changes pgid sid
	expect "group" "${ids#* }" "$pid"
}

tid() {
	changes tid exec
	[ "${ids% *}" != "${ids#* }" ] || fail "the thread was the leader"
	# The leader itself has nothing to change.
	echo >"$TRACE/trace"
	switch_on lkst_sync_tid
	"$TASK" nothing
	expect_records lkst_sync_tid 0
}

# Proves the lock of tasks for marker $1 that "$2" provokes.
locked() {
	insert locks || { skip "no lockdep"; return 0; }
	put locks watch "$1 tasklist_lock"
	"$TASK" "$2" >/dev/null
	get locks held
	expect_least "hits with tasklist_lock" "$value" 1
	expect_param locks missing 0
	put locks watch ""
	unload locks
}

pgid_locked() {
	locked lkst_sync_pgid pgid
}

tid_locked() {
	locked lkst_sync_tid exec
}

plan 8
[ -x "$TASK" ] || skip_all "no $TASK; set MARKERS_PROGRAMS"
keep_tracing
run "another real user" uid
run "another real group of users" gid
run "other users and groups than the real ones" others
run "another process group" pgid
run "another session" sid
run "the id of a thread that executes a program" tid
run "the process group: tasklist_lock is held" pgid_locked
run "the thread: tasklist_lock is held" tid_locked
finish
