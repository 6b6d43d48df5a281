#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Prints how many instructions a lock and its unlock take, in the rows that this
# kernel has. Runs as bench.sh does.
set -eu

TRACEFS=/sys/kernel/tracing
PARAMETERS=/sys/module/marker_bench/parameters
LOCKS=$TRACEFS/marker_locks

row() {
	text=$1
	printf '  %-50s' "$text"
	for mark in lock lock_irqsave; do
		echo "$mark" >"$PARAMETERS/cost"
		read -r cost <"$PARAMETERS/cost"
		printf ' %11s' "$cost"
	done
	echo
}

# The handler on both markers.
attach() {
	for marker in lock_spin_lock lock_spin_unlock; do
		echo "empty $marker" >"$PARAMETERS/handler"
	done
}

record() {
	for marker in lock_spin_lock lock_spin_unlock; do
		echo "$1" >"$TRACEFS/events/markers/$marker/enable"
	done
}

insmod "$KM_BENCH/marker_bench.ko"
if [ ! -e "$LOCKS" ]; then
	row 'without CONFIG_MARKERS_LOCKS'
	exit 0
fi
row 'with it, the markers off'
attach
row 'markers on, no lock is named'
echo jiffies_lock >"$LOCKS"
row 'markers on, another lock is named'
echo marker_bench:bench_lock >"$LOCKS"
row 'this lock is named, an empty handler each'
echo 1 >"$PARAMETERS/detach"
record 1
row 'this lock is named, recorded by ftrace'
record 0
for event in contention_begin contention_end; do
	[ ! -d "$TRACEFS/events/lock/$event" ] ||
		echo 1 >"$TRACEFS/events/lock/$event/enable"
done
echo >"$LOCKS"
row 'off again, the kernel'"'"'s lock:contention_* on'
echo 0 >"$TRACEFS/events/lock/enable"
