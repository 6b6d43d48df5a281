#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Boots the patched kernel (or the one built in KDIR) with a shell, or with RUN.
# Usage: boot.sh [SCRIPT]; BUILD=plain|debug
set -eu
. "$(dirname "$0")/lib.sh"

check_kver
build=${BUILD:-plain}
[ $# -eq 0 ] || check_script "$1"
if [ -n "${KDIR:-}" ]; then
	[ -d "$KDIR" ] || die "$KDIR is not a directory; give KDIR= a built kernel tree"
	KM_BUILD=$(cd "$KDIR" && pwd -P)
	[ -f "$KM_BUILD/arch/x86/boot/bzImage" ] ||
		die "no arch/x86/boot/bzImage in $KDIR; build it, with the options in scripts/config/common.config"
	"$KM_SCRIPTS/deps.sh" guest
else
	"$KM_SCRIPTS/deps.sh" source build guest
	"$KM_SCRIPTS/source.sh"
	"$KM_SCRIPTS/build.sh" "$build"
	KM_BUILD=$(build_dir "$build")
fi
MEMORY=$(guest_memory "$build")
export KM_BUILD KM_NAME="$build" MEMORY
exec "$KM_SCRIPTS/qemu.sh" "$KM_BUILD/arch/x86/boot/bzImage" "$@"
