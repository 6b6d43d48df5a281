#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The main job, from nothing to decoded events: packages, source, series, build,
# boot, and guest/demo.sh in the guest.
set -eu
. "$(dirname "$0")/lib.sh"

# The 32-bit program, $KM_SYSCALLS32; needs no more than a 64-bit compiler.
build_syscalls32() {
	dir=$(build_dir guest)
	KM_SYSCALLS32=$dir/test_syscalls32
	export KM_SYSCALLS32
	mkdir -p "$dir"
	gcc -m32 -O2 -Wall -static -no-pie -fno-pie -nostdlib -ffreestanding \
		-fno-stack-protector -fcf-protection=none \
		-o "$KM_SYSCALLS32.$$" \
		"$KM_ROOT/tools/testing/selftests/markers/test_syscalls32.c" \
		>"$KM_SYSCALLS32.log" 2>&1 ||
		die "cannot build a 32-bit program; see $KM_SYSCALLS32.log"
	mv -f "$KM_SYSCALLS32.$$" "$KM_SYSCALLS32"
}

check_kver
"$KM_SCRIPTS/deps.sh" source build guest clients
build_syscalls32
exec env KDIR= BUILD=plain "$KM_SCRIPTS/boot.sh" "$KM_SCRIPTS/guest/demo.sh"
