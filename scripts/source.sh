#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Gets the pristine kernel source of line $KVER into the cache, once.
set -eu
. "$(dirname "$0")/lib.sh"

# Leaves the source package of line $KVER in directory $1.
download() {
	(cd "$1" && apt-get download "linux-source-$KVER") >>"$log" 2>&1
}

fetch() {
	rm -rf "$deb.tmp"
	mkdir -p "$deb.tmp"
	say "downloading linux-source-$KVER"
	if ! download "$deb.tmp"; then
		as_root apt-get update >>"$log" 2>&1 && download "$deb.tmp" ||
			die "apt has no linux-source-$KVER (see $log); check apt's sources or give KDIR="
	fi
	mkdir -p "$deb"
	mv "$deb.tmp"/*.deb "$deb"
	rmdir "$deb.tmp"
}

# Unpacks package $1; the tree appears under its name only when it is whole.
unpack() {
	say "unpacking $(basename "$1")"
	rm -rf "$src.tmp"
	mkdir -p "$src.tmp"
	dpkg-deb --fsys-tarfile "$1" |
		tar -xO -f - "./usr/src/linux-source-$KVER.tar.xz" |
		tar -xJ -f - --strip-components=1 -C "$src.tmp" &&
		[ -f "$src.tmp/Kbuild" ] ||
		die "cannot unpack $1; delete it and run again"
	mv "$src.tmp" "$src"
}

check_kver
src=$(src_dir)
deb=$KM_CACHE/deb
log=$KM_CACHE/apt.log
[ ! -f "$src/Kbuild" ] || exit 0
check_space 6000
lock "$KM_CACHE/src/$KVER.lock"
[ ! -f "$src/Kbuild" ] || exit 0
command -v apt-get >/dev/null 2>&1 ||
	die "the kernel source comes from Debian's linux-source-$KVER and there is no apt-get; give KDIR="
pkg=$(find "$deb" -name "linux-source-${KVER}_*.deb" 2>/dev/null | sort -V | tail -n 1)
if [ -z "$pkg" ]; then
	fetch
	pkg=$(find "$deb" -name "linux-source-${KVER}_*.deb" | sort -V | tail -n 1)
fi
unpack "$pkg"
