#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KUnit and the selftests on an emulated arm64 machine. Nothing there reads a
# marker's arguments in a way of its own (CONFIG_ARCH_HAS_MARKER_ARG), so it is
# the generic code that runs. The guest's programs are Debian's for arm64, in a
# root of their own in the cache; the packages of this machine stay as they are.
# Usage: test-arm64.sh
set -eu
. "$(dirname "$0")/lib.sh"

# What guest/init and the tests run; apt adds what these need.
# usr-is-merged is there to be chosen before usrmerge, which wants perl.
PROGRAMS='usr-is-merged dash coreutils diffutils findutils grep sed mawk
	hostname kmod mount procps util-linux'

# apt-get for arm64 that knows nothing of what is installed here.
arm64_apt() {
	apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o APT::Install-Recommends=false -o APT::Sandbox::User=root \
		-o Acquire::Languages=none -o Dir::State="$dir/apt" \
		-o Dir::State::status="$dir/apt/status" \
		-o Dir::Cache="$dir/apt/cache" "$@" </dev/null >>"$log" 2>&1
}

download() {
	say "downloading the programs of the arm64 guest"
	rm -rf "$dir/apt"
	mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
	: >"$dir/apt/status"
	: >"$log"
	# shellcheck disable=SC2086 # a list of words
	arm64_apt update && arm64_apt -y --download-only install $PROGRAMS ||
		die "apt has no programs for arm64 (see $log); check its sources"
}

# Makes $root, once. No script of a package runs, so what these would set up is
# made by hand.
make_root() {
	[ ! -d "$root" ] || return 0
	download
	rm -rf "$root.tmp"
	mkdir -p "$root.tmp"
	(
		cd "$root.tmp" || exit
		mkdir -p dev etc proc run sys tmp usr/bin usr/lib usr/sbin var/tmp
		for name in bin lib sbin; do
			ln -s "usr/$name" "$name"
		done
		for deb in "$dir"/apt/cache/archives/*.deb; do
			# dpkg-deb -x would put directories in the links' place.
			dpkg-deb --fsys-tarfile "$deb" |
				tar -x -f - --keep-directory-symlink || exit
		done
		ln -sf mawk usr/bin/awk
	) >>"$log" 2>&1 || die "cannot unpack the arm64 guest's programs; see $log"
	mv "$root.tmp" "$root"
	rm -rf "$dir/apt"
}

# Copies "$@" to where they are here, in the root.
share() {
	for path in "$@"; do
		mkdir -p "$root$(dirname "$path")"
		rm -rf "$root$path"
		cp -R "$path" "$root$path"
	done
}

check_kver
"$KM_SCRIPTS/deps.sh" source build arm64
"$KM_SCRIPTS/source.sh"
"$KM_SCRIPTS/build.sh" arm64
dir=$KM_CACHE/build/arm64
root=$dir/root.$(echo "$PROGRAMS" | cksum | cut -d ' ' -f 1)
log=$dir/root.log
mkdir -p "$dir"
lock "$dir/lock"
make_root

KM_NAME=arm64 KM_BUILD=$(build_dir arm64) KM_TEST_MODULES=$(modules_dir arm64)
export KM_NAME KM_BUILD KM_TEST_MODULES
"$KM_SCRIPTS/modules.sh" arm64
share "$KM_SCRIPTS" "$KM_ROOT/tools/testing/selftests/markers" \
	"$KM_BUILD/lib/kunit/kunit.ko" "$KM_BUILD/kernel/markers/markers_test.ko" \
	"$KM_TEST_MODULES"

results=$KM_CACHE/run/test-arm64-$KVER
rm -rf "$results"
mkdir -p "$results/ktap"
say "testing in an arm64 guest (results: $results)"
code=0
GUEST=arm64 GUEST_ROOT=$root CPU=cortex-a57 TIMEOUT=${TIMEOUT:-3600} \
	"$KM_SCRIPTS/qemu.sh" -o "$results" "$KM_BUILD/arch/arm64/boot/Image" \
	"$KM_SCRIPTS/guest/test.sh" || code=$?
[ -s "$results/streams" ] || die "the arm64 guest ran no tests; see $results/console.log"
sed "s,.*,$results/ktap/&.ktap," "$results/streams" | tr '\n' '\0' |
	xargs -0 awk -v base="$results/" -f "$KM_SCRIPTS/ktap.awk" || code=1
exit "$code"
