#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Removes the build and work trees and the results of runs from the cache. The
# kernel source, the downloaded package and ccache stay: they save the most.
set -eu
. "$(dirname "$0")/lib.sh"

lock "$KM_CACHE/build.$KVER.lock"
for dir in tree build run; do
	rm -rf "${KM_CACHE:?}/$dir"
done
rm -f "$KM_CACHE/accel"
say "removed tree, build and run from $KM_CACHE (src, deb and ccache stay)"
