#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All that CI needs: builds the two kernels, runs KUnit and the selftests in a
# guest of each, and the tests of the host side (scripts/tests). The debug
# kernel is built first, since its guest, the slowest, runs beside all else: a
# guest keeps little more than one processor busy. Everything is KTAP and is
# counted in the end by ktap.awk.
# Usage: test.sh [plain|debug|host...]
set -eu
. "$(dirname "$0")/lib.sh"

# Builds the selftests' programs, outside of the clone.
build_programs() {
	KM_TEST_PROGRAMS=$KM_CACHE/build/$KVER/programs
	export KM_TEST_PROGRAMS
	mkdir -p "$KM_TEST_PROGRAMS"
	log=$KM_TEST_PROGRAMS.log
	env -u MAKEFLAGS make -C "$(tree_dir)/tools/testing/selftests/markers" TEST_GEN_MODS_DIR= \
		OUTPUT="$KM_TEST_PROGRAMS" all >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "the test programs do not build; the whole log is $log"
	}
}

# Boots kernel $1 on the tests, with results in $2, in the background; $guest is
# its process.
start_guest() {
	dir=$results/$2
	rm -rf "$dir"
	mkdir -p "$dir/ktap"
	KM_NAME=$1 KM_BUILD=$(build_dir "$1") KM_TEST_MODULES=$(modules_dir "$1")
	KM_FTRACETEST=$(src_dir)/tools/testing/selftests/ftrace
	export KM_NAME KM_BUILD KM_TEST_MODULES KM_FTRACETEST
	"$KM_SCRIPTS/modules.sh" "$1"
	say "testing in a guest: $2 (results: $dir)"
	MEMORY=$(guest_memory "$1") "$KM_SCRIPTS/qemu.sh" -o "$dir" \
		"$KM_BUILD/arch/x86/boot/bzImage" "$KM_SCRIPTS/guest/test.sh" &
	guest=$!
}

# Waits for the guest of process $1 with results in $2; what it promised and did
# not write fails.
finish_guest() {
	dir=$results/$2
	not=
	wait "$1" || not='not '
	printf 'KTAP version 1\n1..1\n%sok 1 %s\n' "$not" \
		"the guest ends well and its log has no report" >"$dir/ktap/guest.ktap"
	[ -f "$dir/streams" ] || echo tests >"$dir/streams"
	while read -r name; do
		printf '%s\n' "$dir/ktap/$name.ktap"
	done <"$dir/streams" >>"$results/promised"
	find "$dir/ktap" -name '*.ktap' >>"$results/promised"
}

test_guest() {
	start_guest "$@"
	finish_guest "$guest" "$2"
	guest=
}

# For a shell that starts guests: they end with it.
trap_end() {
	guest='' debug_guest=''
	trap 'kill $guest $debug_guest 2>/dev/null || true' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# 32-bit programs enter the kernel in another way on Intel's processors than on
# AMD's: boots kernel $1 again, on the kind that it has not been on.
test_other_vendor() (
	trap_end
	vendor=GenuineIntel
	! grep -qx "$vendor" "$results/$1/vendor" 2>/dev/null || vendor=AuthenticAMD
	export ACCEL=tcg CPU="max,vendor=$vendor" KM_TEST_ONLY=test-syscalls
	test_guest "$1" "$1-$vendor"
)

# Runs the host side's own tests.
test_host() {
	dir=$results/host
	rm -rf "$dir"
	mkdir -p "$dir"
	for test in "$KM_SCRIPTS"/tests/*.sh; do
		[ -x "$test" ] || continue
		name=$(basename "$test" .sh)
		say "testing the host side: $name"
		printf '%s\n' "$dir/$name.ktap" >>"$results/promised"
		code=0
		"$test" >"$dir/$name.ktap" 2>"$dir/$name.err" </dev/null || code=$?
		[ "$code" -eq 0 ] || grep -q '^ *not ok' "$dir/$name.ktap" ||
			echo "Bail out! exit status $code" >>"$dir/$name.ktap"
	done
}

check_kver
[ $# -gt 0 ] || set -- plain debug host
results=$KM_CACHE/run/test-$KVER
rm -rf "$results"
mkdir -p "$results"
"$KM_SCRIPTS/deps.sh" git source build guest kmark clients
"$KM_SCRIPTS/source.sh"
export TIMEOUT="${TIMEOUT:-3600}"
trap_end
for what in "$@"; do
	[ "$what" = debug ] || continue
	"$KM_SCRIPTS/build.sh" debug
	build_programs
	start_guest debug debug
	debug_guest=$guest guest=
done
for what in "$@"; do
	case $what in
	debug) ;;
	host) test_host ;;
	*)
		"$KM_SCRIPTS/build.sh" "$what"
		build_programs
		test_guest "$what" "$what"
		;;
	esac
	[ "$what" != plain ] || test_other_vendor plain
done
[ -z "$debug_guest" ] || finish_guest "$debug_guest" debug
sort -u "$results/promised" | tr '\n' '\0' |
	xargs -0 awk -v base="$results/" -f "$KM_SCRIPTS/ktap.awk"
