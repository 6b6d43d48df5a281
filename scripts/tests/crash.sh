# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Guests that go wrong on purpose: source it after ktap.sh. What the guest's
# script printed is $TMP/output, its console's log $TMP/log.

PROGRAMS=${KM_TEST_PROGRAMS:-$(build_dir programs)}

# Runs the script of standard input in a guest of the plain kernel, with $1 on
# the kernel's command line. It begins in tracefs, with test_markers_rows_irq
# loaded: the module's parameters are in $ROWS. qemu.sh fails when the kernel
# says that something is wrong, which is what these want.
guest() {
	{
		echo '#!/bin/sh'
		echo "ROWS=/sys/module/test_markers_rows_irq/parameters"
		echo "PROGRAMS=$(quote "$PROGRAMS")"
		echo "insmod $(quote "$(modules_dir plain)/test_markers_rows_irq.ko") || exit"
		echo "cd /sys/kernel/tracing || exit"
		cat
	} >"$TMP/script"
	chmod +x "$TMP/script"
	rm -rf "$TMP/results"
	APPEND=$1 TIMEOUT=120 "$KM_SCRIPTS/qemu.sh" -o "$TMP/results" \
		"$(build_dir plain)/arch/x86/boot/bzImage" "$TMP/script" \
		>"$TMP/output" 2>"$TMP/error" || true
	tr -d '\r' <"$TMP/results/console.log" >"$TMP/log"
}

# The script came to its end, and said that all was well.
ends_well() {
	cat "$TMP/output" "$TMP/error"
	[ "$(cat "$TMP/results/status" 2>/dev/null)" = 0 ]
}

# The console has a line with pattern $1.
logged() {
	grep -aqE -e "$1" "$TMP/log" || { tail -n 30 "$TMP/log"; return 1; }
}

# What the kernel dumped of its records, first if it did so twice, has a line
# that ends with pattern $1.
dumped() {
	awk '/Dumping ftrace buffer:/ { on = 1 }
		on { print }
		on && /-----------/ && ++lines == 2 { exit }' "$TMP/log" >"$TMP/dump"
	grep -aE -e "us : $1\$" "$TMP/dump" || { cat "$TMP/dump"; return 1; }
}

# The kernel said nothing of a fault but what pattern $1 matches, and that it did.
no_fault_but() {
	grep -aE -e "$FAULTS" "$TMP/log" >"$TMP/faults" || true
	cat "$TMP/faults"
	grep -qE -e "$1" "$TMP/faults" && ! grep -vE -e "$1" "$TMP/faults"
}
