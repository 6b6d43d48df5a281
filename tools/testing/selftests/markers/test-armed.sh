#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All markers are recorded at once while the machine is busy: nothing is reported,
# and each hit is in the buffer, or was, or is counted as lost.
#
# MARKERS_BUSY	for how many seconds

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

MARKERS_BUSY=${MARKERS_BUSY:-10}

quiet

# One of each kind that markers are about.
stress() {
	stress-ng --quiet --temp-path "$tmp" --timeout "$MARKERS_BUSY" \
		--fork 1 --switch 1 --timer 1 --sock 1 --udp 1 --mmap 1 --hdd 1 \
		--hdd-bytes 1m --sem-sysv 1 --shm-sysv 1 --msg 1 --sigq 1 --mutex 1 \
		--vm 1 --vm-bytes 8m
}

compile() {
	gcc -O2 -c -o "$tmp/busy.o" "$tmp/busy.c" || fail "cannot compile"
}

# So is the compiler, as long as that, and to the end of its work.
busy() {
	printf '#include <stdio.h>\n#include <stdlib.h>\n' >"$tmp/busy.c"
	printf 'int main(void) { return printf("%%d", rand()) < 0; }\n' >>"$tmp/busy.c"
	stress >"$tmp/stress" 2>&1 &
	stress=$!
	while kill -0 "$stress" 2>/dev/null; do
		if command -v gcc >/dev/null; then compile; else sleep 1; fi
	done
	wait "$stress" || fail "stress-ng returned $?: $(cat "$tmp/stress")"
}

# Adds up column $1 of all markers, as far as they have $2.
sum() {
	value=$(awk -F '\t' -v n="$1" -v twin="$2" '
		/^[#\t]/ || (twin && $2 == "-") { next }
		{ sum += $n }
		END { printf "%.0f", sum }' "$MARKERS")
}

# What became of the records in $TRACE.
count_records() {
	value=$(cat "$TRACE"/per_cpu/cpu*/stats | awk -F ': ' '
		$1 == "entries" || $1 == "overrun" || $1 == "read events" { sum += $2 }
		END { printf "%.0f", sum }')
}

# Group $1 is recorded, and that of all its markers, or of those with a name in
# LKST only.
recorded() {
	twin=
	[ "$1" != lkst ] || twin=yes
	sum 6 "$twin"
	hits=$value
	sum 9 "$twin"
	lost=$value
	echo 1 >"$TRACE/events/$1/enable" || fail "cannot switch all events on"
	busy
	echo 0 >"$TRACE/events/$1/enable"
	sum 6 "$twin"
	hits=$((value - hits))
	sum 9 "$twin"
	lost=$((value - lost))
	count_records
	expect "records and losses of $hits hits" $((value + lost)) "$hits"
	expect_least "hits" "$hits" 10000
	echo "# $hits hits, $value records, $lost lost"
}

overwritten() { recorded markers; }

# Nobody else has events on, so losses are those of the instance.
in_instance() {
	mkdir "$TRACEFS/instances/other"
	TRACE=$TRACEFS/instances/other
	echo 64 >"$TRACE/buffer_size_kb"
}

full() {
	in_instance
	echo 0 >"$TRACE/options/overwrite"
	recorded markers
	expect_least "records lost" "$lost" 1
	TRACE=$TRACEFS
	rmdir "$TRACEFS/instances/other"
}

read_meanwhile() {
	in_instance
	cat "$TRACE/trace_pipe" >"$tmp/read" &
	reader=$!
	recorded lkst
	kill "$reader"
	wait "$reader" 2>/dev/null
	expect_least "lines read" "$(wc -l <"$tmp/read")" 1000
	rm -f "$tmp/read"
	TRACE=$TRACEFS
	rmdir "$TRACEFS/instances/other"
}

command -v stress-ng >/dev/null || skip_all "no stress-ng"
command -v ip >/dev/null || skip_all "no ip to bring the loopback up with"
plan 3
keep_tracing
ip link set lo up
run "all is recorded, what is old is overwritten" overwritten
run "all is recorded until the buffer is full" full
run "all that LKST had is recorded and read meanwhile" read_meanwhile
finish
