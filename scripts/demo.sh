#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The main job, from nothing to decoded events: packages, source, series, build,
# boot, and guest/demo.sh in the guest.
set -eu
. "$(dirname "$0")/lib.sh"

check_kver
exec env KDIR= BUILD=plain "$KM_SCRIPTS/boot.sh" "$KM_SCRIPTS/guest/demo.sh"
