#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of System V IPC: what they tell is what a program did.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows-mm.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows-mm.sh"

listed() {
	expect_listed <<-'EOF'
	ipc_msg_create|id %d flags %x
	ipc_sem_create|id %d flags %x
	ipc_shm_create|id %d flags %x
	ipc_msg_send|id %d ret %ld
	ipc_msg_receive|id %d ret %ld
	ipc_sem_op|id %d ret %ld
	ipc_shm_attach|id %d ret %ld
	ipc_shm_detach|addr #p%lx ret %ld
	ipc_call|call %u first %d ret %ld
	EOF
}

# The case $1, all of the events that follow.
told_of() {
	start_program "$1"
	shift
	record_child "$@"
	let_run
	expect_told "$@"
}

create() { told_of ipc-create ipc_msg_create ipc_sem_create ipc_shm_create; }
msg() { told_of msg ipc_msg_send ipc_msg_receive; }
sem() { told_of sem ipc_sem_op; }
shm() { told_of shm ipc_shm_attach ipc_shm_detach; }

# Of a program for 32 bits.
one_call() {
	start_program ipc-call
	record_child ipc_call
	let_run
	if grep -q '^none' "$tmp/out"; then
		skip "there is no such call here"
	else
		expect_told ipc_call
	fi
}

msg_rwsem() { expect_lock ipc_msg_create '&ids->rwsem' ipc-create 2; }
sem_rwsem() { expect_lock ipc_sem_create '&ids->rwsem' ipc-create 2; }
shm_rwsem() { expect_lock ipc_shm_create '&ids->rwsem' ipc-create 2; }
msg_lock() { expect_lock ipc_msg_create '&new->lock' ipc-create 2; }
sem_lock() { expect_lock ipc_sem_create '&new->lock' ipc-create 2; }
shm_lock() { expect_lock ipc_shm_create '&new->lock' ipc-create 2; }

[ -e /proc/sysvipc/msg ] || skip_all "no System V IPC"
plan_rows 12
run "the formats" listed
run "queues, sets and segments that are created" create
run "messages" msg
run "semaphores" sem
run "shared memory" shm
run "the call for all of these" one_call
run "the lock of all queues" msg_rwsem
run "the lock of all sets" sem_rwsem
run "the lock of all segments" shm_rwsem
run "the lock of the queue" msg_lock
run "the lock of the set" sem_lock
run "the lock of the segment" shm_lock
finish
