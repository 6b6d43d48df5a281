#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A handler that takes a lock: it gets one that is free, and passes over its block
# when that is not so, whoever has the lock, which is counted.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

# KIND $1, WHERE $2: the handler should get the lock $3 times of 4, and abort the
# others.
expect_tries() {
	lines test_markers_trylock handler
	was=$aborts
	put trylock got 0
	put trylock run "$1,$2,4" || fail "cannot run $1,$2"
	expect_param trylock got "$3"
	expect_param trylock bad 0
	lines test_markers_trylock handler
	expect "aborts of $1, $2" "$((aborts - was))" "$((4 - $3))"
}

free() {
	for kind in raw spin read write sem; do
		for leave in end break return goto; do
			put trylock leave "$leave"
			expect_tries "$kind" free 4
		done
	done
	put trylock leave end
}

held() {
	for kind in raw spin read write sem; do
		expect_tries "$kind" held 0
	done
}

readers() {
	expect_tries read reading 4
	expect_tries write reading 0
}

down() {
	expect_tries sem down 0
	expect_tries sem free 4
}

other_cpu() {
	for kind in raw spin read write sem; do
		expect_tries "$kind" other 0
	done
}

nmi() {
	if ! put trylock run raw,nmi 2>/dev/null; then
		skip "no NMIs here"
		return
	fi
	for kind in raw spin read write; do
		expect_tries "$kind" nmi 4
	done
	expect_tries sem nmi 0
}

# The count is that of one handler, not of those beside it.
each_its_own() {
	load calls
	call "register test_markers_trylock f0 0 -"
	call "register test_markers_trylock f1 0 -"
	lines test_markers_trylock handler
	was=${aborts%%"$NL"*}
	put trylock run "raw,held,3"
	lines test_markers_trylock handler
	expect "aborts of each" "$aborts" "$((was + 3))${NL}0${NL}0"
	expect_calls f0 0 3
	expect_calls f1 0 3
	call "unregister test_markers_trylock f0 0"
	call "unregister test_markers_trylock f1 0"
	unload calls
}

plan 7
kept=test_markers_trylock
insert trylock || skip_all "cannot load test_markers_trylock"
state
before=$value
run "locks that are free" free
run "locks that this context has" held
run "a lock that this context reads under" readers
run "a semaphore that is down" down
run "locks that another CPU has" other_cpu
run "locks that are free, in an NMI" nmi
run "each handler has a count of its own" each_its_own
finish
