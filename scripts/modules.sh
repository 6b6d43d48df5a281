#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the selftests' modules for a kernel in the cache, outside of the clone.
# Usage: modules.sh plain|debug|arm64
set -eu
. "$(dirname "$0")/lib.sh"

SOURCE=$KM_ROOT/tools/testing/selftests/markers/test_modules

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

name=${1:?usage: modules.sh plain|debug|arm64}
dir=$(modules_dir "$name")
log=$dir.log
[ -d "$SOURCE" ] || exit 0
sync_dir "$SOURCE" "$dir"
unset ARCH CROSS_COMPILE
[ "$name" != arm64 ] || export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
env -u MAKEFLAGS make -C "$dir" KDIR="$(build_dir "$name")" >"$log" 2>&1 || {
	tail -n 30 "$log" >&2
	die "the test modules do not build for $name; the whole log is $log"
}
