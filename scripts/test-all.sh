#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What takes too long for each change: the whole of ftracetest on the patched
# kernel and on one of the pristine source with the same configuration. Every
# test comes out the same in both, or this fails. Then the tests of the series
# on an arm64 machine.
# Usage: test-all.sh
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/tests/off.sh"
export LC_ALL=C

FTRACETEST=$(src_dir)/tools/testing/selftests/ftrace

# Runs ftracetest on the kernel in directory $2, with results in $results/$1;
# all of it or the tests that follow.
run_tests() {
	dir=$results/$1
	image=$2/arch/x86/boot/bzImage
	shift 2
	rm -rf "$dir"
	mkdir -p "$dir"
	"$KM_SCRIPTS/qemu.sh" -o "$dir" "$image" \
		"$KM_SCRIPTS/guest/ftracetest.sh" "$FTRACETEST" all "$@" >/dev/null ||
		die "ftracetest did not end well; see $dir"
	# result number description
	awk '
		/^(not )?ok [0-9]/ {
			result = /^not/ ? "failed" : / # SKIP/ ? "skipped" : "passed"
			sub(/^not /, "")
			sub(/^ok /, "")
			sub(/ *# .*/, "")
			print result, $0
		}
	' "$dir/output" >"$dir/summary"
	[ -s "$dir/summary" ] || die "ftracetest gave no results; see $dir/output"
}

# The tests that came out in another way, one line each; empty when none did.
differing() {
	diff "$results/$1/summary" "$results/$2/summary" | sed -n 's/^[<>] //p' |
		awk '{ print $2 }' | sort -nu |
		while read -r number; do
			sed -n "s/^$number //p" "$results/$1/tests"
		done | sort -u
}

tell() {
	for result in passed failed skipped; do
		printf ' %s %s' "$(grep -c "^$result " "$results/$1/summary")" "$result"
	done
}

check_kver
"$KM_SCRIPTS/deps.sh" source build guest clients
"$KM_SCRIPTS/source.sh"
"$KM_SCRIPTS/build.sh" plain
make_tmp
results=$KM_CACHE/run/test-all-$KVER
mkdir -p "$results"
export TIMEOUT="${TIMEOUT:-3600}"
configure_unpatched
say "building the unpatched kernel (log: $unpatched.log)"
unpatched_make bzImage >"$unpatched.log" 2>&1 ||
	die "the unpatched kernel does not build; see $unpatched.log"

say "ftracetest on both kernels (results: $results)"
run_tests patched "$on"
run_tests unpatched "$unpatched"
say "patched:$(tell patched)"
say "unpatched:$(tell unpatched)"
tests=$(differing patched unpatched)
if [ -n "$tests" ]; then
	# Some depend on what else the machine does.
	say "again, as they differ:" "$tests"
	# shellcheck disable=SC2086 # a list of words
	{
		run_tests patched-again "$on" $tests
		run_tests unpatched-again "$unpatched" $tests
	}
	tests=$(differing patched-again unpatched-again)
	[ -z "$tests" ] || die "they still differ:" "$tests"
fi
say "all tests came out the same"
"$KM_SCRIPTS/test-arm64.sh"
