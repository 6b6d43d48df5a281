#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All that CI needs: builds the two kernels, runs KUnit and the selftests in a
# guest of each, then the tests of the host side (scripts/tests). Everything is
# KTAP and is counted in the end by ktap.awk.
# Usage: test.sh [plain|debug|host...]
set -eu
. "$(dirname "$0")/lib.sh"

SELFTESTS=tools/testing/selftests/markers

# Makes directory $2 hold the files of directory $1, untouched where equal.
sync_dir() {
	mkdir -p "$2"
	(cd "$1" && find . -type f) | while read -r file; do
		cmp -s "$1/$file" "$2/$file" && continue
		mkdir -p "$2/$(dirname "$file")"
		cp "$1/$file" "$2/$file"
	done
	(cd "$2" && find . -type f -name '*.[ch]') | while read -r file; do
		[ -e "$1/$file" ] || case $file in
		*.mod.c) ;;
		*) rm "$2/$file" ;;
		esac
	done
}

# Builds the selftests' modules for kernel $1, outside of the clone.
build_modules() {
	KM_TEST_MODULES=$(build_dir "$1").modules
	export KM_TEST_MODULES
	[ -d "$KM_ROOT/$SELFTESTS/test_modules" ] || return 0
	sync_dir "$KM_ROOT/$SELFTESTS/test_modules" "$KM_TEST_MODULES"
	log=$KM_TEST_MODULES.log
	env -u MAKEFLAGS make -C "$KM_TEST_MODULES" KDIR="$KM_BUILD" \
		>"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "the test modules do not build for $1; the whole log is $log"
	}
}

# The one KTAP result of a whole step: step FILE TEXT COMMAND...
step() {
	file=$1 text=$2
	shift 2
	code=0
	"$@" || code=$?
	{
		printf 'KTAP version 1\n1..1\n'
		if [ "$code" -eq 0 ]; then echo "ok 1 $text"; else echo "not ok 1 $text"; fi
	} >"$file"
}

# Boots kernel $1 on the tests; what the guest promised and did not write fails.
test_guest() {
	dir=$results/$1
	rm -rf "$dir"
	mkdir -p "$dir/ktap"
	KM_NAME=$1 KM_BUILD=$(build_dir "$1")
	export KM_NAME KM_BUILD
	build_modules "$1"
	say "testing in a guest: $1 (results: $dir)"
	step "$dir/ktap/guest.ktap" "the guest ends well and its log has no report" \
		env MEMORY="$(guest_memory "$1")" "$KM_SCRIPTS/qemu.sh" -o "$dir" "$KM_BUILD/arch/x86/boot/bzImage" \
		"$KM_SCRIPTS/guest/test.sh"
	[ -f "$dir/streams" ] || echo tests >"$dir/streams"
	while read -r name; do
		printf '%s\n' "$dir/ktap/$name.ktap"
	done <"$dir/streams" >>"$results/promised"
	find "$dir/ktap" -name '*.ktap' >>"$results/promised"
}

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
"$KM_SCRIPTS/deps.sh" git source build guest
"$KM_SCRIPTS/source.sh"
export TIMEOUT="${TIMEOUT:-1800}"
for what in "$@"; do
	[ "$what" = host ] || "$KM_SCRIPTS/build.sh" "$what"
done
for what in "$@"; do
	if [ "$what" = host ]; then test_host; else test_guest "$what"; fi
done
sort -u "$results/promised" | tr '\n' '\0' |
	xargs -0 awk -v base="$results/" -f "$KM_SCRIPTS/ktap.awk"
