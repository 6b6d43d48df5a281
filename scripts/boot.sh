#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Boots the patched kernel (or the one built in KDIR) with a shell, or with RUN.
# Usage: boot.sh [SCRIPT]; BUILD=plain|debug
set -eu
. "$(dirname "$0")/lib.sh"

check_kver
build=${BUILD:-plain}
if [ $# -gt 0 ]; then
	check_script "$1"
elif [ -z "${KDIR:-}" ]; then
	# Before a build, which takes minutes.
	check_terminal
fi
use_kernel "$build"
use_kmark
MEMORY=$(guest_memory "$build")
export KM_NAME="$build" MEMORY
exec "$KM_SCRIPTS/qemu.sh" "$KM_BUILD/arch/x86/boot/bzImage" "$@"
