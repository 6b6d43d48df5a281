#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds kmark from the work tree and installs it below build/$KVER/kmark in the
# cache, for a guest that is not one of the selftests.
set -eu
. "$(dirname "$0")/lib.sh"

dir=$(build_dir kmark)
log=$dir.log
"$KM_SCRIPTS/deps.sh" kmark
mkdir -p "$dir.obj"
env -u MAKEFLAGS -u MAKELEVEL make -C "$(tree_dir)/tools/tracing/kmark" \
	OUTPUT="$dir.obj/" DESTDIR="$dir" prefix= install >"$log" 2>&1 || {
	tail -n 30 "$log" >&2
	die "kmark does not build; the whole log is $log"
}
