#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the guest: the KUnit suites, then every selftest and the kernel's own
# tests of tracing. Each writes its own KTAP file in the results; "streams" names
# them all before the first one runs.
set -u

KTAP=$KM_RESULTS/ktap
SELFTESTS=$KM_ROOT/tools/testing/selftests/markers
# What one selftest may take, in seconds.
LIMIT=${KM_TEST_LIMIT:-600}
CLIENTS='test-trace-cmd test-perf test-bpftrace'
# Programs that read what tracing writes, and markers whose locks are not looked
# at: the debug options find nothing there, and make them slow. Perf also calls
# from where a task is switched, and test-armed records all of them there.
PLAIN_ONLY='test-trace-cmd test-bpftrace test-kmark test-rows-block test-rows-fs
	test-rows-net test-rows-trap'
# Of the other markers of events, that kernel shows what locks their handlers
# find held.
DEBUG_CASES='(^|[ _])locks?( |$)|hangs'
FTRACETESTS='ftracetest-own ftracetest-markers'
FTRACETEST_LIMIT=900

# KUnit suites run when their module comes in, or ran at boot.
run_kunit() {
	for module in lib/kunit/kunit kernel/markers/markers_test; do
		[ ! -f "$KM_BUILD/$module.ko" ] || insmod "$KM_BUILD/$module.ko" || return
	done
	for suite in /sys/kernel/debug/kunit/*/results; do
		[ -f "$suite" ] || continue
		name=$(basename "$(dirname "$suite")")
		cat "$suite" >"$KTAP/kunit-$name.ktap"
		say_result "$KTAP/kunit-$name.ktap" "KUnit $name"
	done
}

# The selftests find their modules where kselftest builds them, beside them.
show_modules() {
	[ ! -d "${KM_TEST_MODULES:-}" ] ||
		mount --bind "$KM_TEST_MODULES" "$SELFTESTS/test_modules"
}

# The names of the selftests: the executable scripts, or what was asked for.
selftests() {
	[ -z "${KM_TEST_ONLY:-}" ] || { echo "$KM_TEST_ONLY"; return; }
	for test in "$SELFTESTS"/*.sh; do
		test=$(basename "$test" .sh)
		[ -x "$SELFTESTS/$test.sh" ] || continue
		! is_among "$test" "$PLAIN_ONLY" || [ "$KM_NAME" = plain ] ||
			continue
		echo "$test"
	done
	[ "$KM_NAME" != plain ] || [ ! -d "${KM_FTRACETEST:-}" ] ||
		echo "$FTRACETESTS" | tr ' ' '\n'
}

is_among() {
	for word in $2; do
		[ "$word" != "$1" ] || return 0
	done
	return 1
}

# Runs stream $1.
start() {
	case $1 in
	ftracetest-*)
		LIMIT=$FTRACETEST_LIMIT
		timeout -k 5 "$LIMIT" "$KM_ROOT/scripts/guest/ftracetest.sh" \
			"$KM_FTRACETEST" "${1#*-}"
		;;
	*) timeout -k 5 "$LIMIT" env ${cases:+"MARKERS_CASES=$cases"} \
		"$SELFTESTS/$1.sh" ;;
	esac
}

# Sets $cases to those of test $1 that are to be run, if not all are.
choose_cases() {
	cases=${MARKERS_CASES:-}
	case $KM_NAME-$1 in
	debug-test-rows-*) cases=${cases:-$DEBUG_CASES} ;;
	esac
}

# A test that ends badly (4 means skipped) says so in its own file. The packages
# of the clients were installed, so they are not to be skipped.
run_selftest() {
	out=$KTAP/$1.ktap
	choose_cases "$1"
	start "$1" >"$out" 2>"$KTAP/$1.err"
	status=$?
	case $status in
	0) ;;
	4)
		[ -s "$out" ] || echo "1..0 # SKIP" >"$out"
		! is_among "$1" "$CLIENTS" || echo "Bail out! skipped" >>"$out"
		;;
	124 | 137) echo "Bail out! no end after $LIMIT s" >>"$out" ;;
	*) grep -q '^ *not ok' "$out" ||
		echo "Bail out! exit status $status" >>"$out" ;;
	esac
	say_result "$out" "$1"
}

say_result() {
	result=FAILED
	if grep -q '^ *not ok\|^Bail out' "$1"; then
		:
	elif grep -q '^ *ok ' "$1"; then
		result=ok
	elif grep -q '^1\.\.0 # SKIP' "$1"; then
		result=skipped
	fi
	printf '  %-7s %s: %s\n' "$result" "$KM_NAME" "$2"
}

mkdir -p "$KTAP"
{
	[ -n "${KM_TEST_ONLY:-}" ] || printf '%s\n' kunit-markers_core kunit-markers_format kunit-markers_event kunit-markers_syscall
	selftests
} >"$KM_RESULTS/streams"
sed -n '/^vendor_id/{s/.*: //p;q}' /proc/cpuinfo >"$KM_RESULTS/vendor"
[ -n "${KM_TEST_ONLY:-}" ] || run_kunit
show_modules
export MARKERS_PROGRAMS="${KM_TEST_PROGRAMS:-}"
for name in $(selftests); do
	run_selftest "$name"
done
