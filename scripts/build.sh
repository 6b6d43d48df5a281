#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the patched kernel of line $KVER in the cache, only what has changed.
# Usage: build.sh plain|debug|arm64 [make-target...]
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/stage.sh"
. "$KM_SCRIPTS/kbuild.sh"

build() {
	start=$(date +%s)
	say "building the $name kernel $KVER (log: $log)"
	kmake "$@" || show_failure "the $name kernel does not build"
	say "built the $name kernel in $(($(date +%s) - start)) s"
}

name=${1:?usage: build.sh plain|debug|arm64 [make-target...]}
shift
[ -f "$KM_SCRIPTS/config/$name.config" ] ||
	die "no kernel build '$name'; one of: plain debug arm64"
check_kver
src=$(src_dir) tree=$(tree_dir) obj=$(build_dir "$name")
log=$obj.log
[ -f "$src/Kbuild" ] || die "no source for $KVER in the cache; run scripts/source.sh"
if [ -f "$obj/vmlinux" ]; then check_space 2000; else check_space 4000; fi
mkdir -p "$obj"
lock "$KM_CACHE/build.$KVER.lock"
make_tmp

kbuild_env
make_series
refresh_tree
common=$KM_SCRIPTS/config/common.config image=bzImage
if [ "$name" = arm64 ]; then
	common='' image=Image
	export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
fi
cat ${common:+"$common"} "$KM_SCRIPTS/config/$name.config" >"$TMP/fragment"
configure "$name"
if [ $# -gt 0 ]; then build "$@"; else build "$image" modules; fi
