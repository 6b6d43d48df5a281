#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What ktap.awk counts: it decides whether a test run is good.
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"

# counts STATUS LINE KTAP...: the last line and the status for these files.
counts() {
	status=$1 line=$2
	shift 2
	rm -f "$TMP"/*.ktap
	n=0
	for text in "$@"; do
		n=$((n + 1))
		printf %b "$text" >"$TMP/$n.ktap"
	done
	code=0
	awk -v base="$TMP/" -f "$KM_SCRIPTS/ktap.awk" "$TMP"/*.ktap >"$TMP/out" || code=$?
	cat "$TMP/out"
	echo "status $code"
	[ "$code" = "$status" ] && [ "$(tail -n 1 "$TMP/out")" = "$line" ]
}

make_tmp
test_that "a plain file" counts 0 "2 passed, 0 failed" '1..2\nok 1 a\nok 2 b\n'
test_that "files add up" counts 0 "2 passed, 0 failed" '1..1\nok 1 a\n' '1..1\nok 1 b\n'
test_that "a failure" counts 1 "1 passed, 1 failed" '1..2\nok 1 a\nnot ok 2 b\n'
test_that "a skip is said" \
	counts 0 "1 passed, 0 failed, 1 skipped" '1..2\nok 1 a\nok 2 b # SKIP no\n'
test_that "a plan at the end" counts 0 "1 passed, 0 failed" 'ok 1 a\n1..1\n'
test_that "fewer results than planned" counts 1 "1 passed, 1 failed" '1..2\nok 1 a\n'
test_that "no plan" counts 1 "1 passed, 1 failed" 'ok 1 a\n'
test_that "an empty file" counts 1 "1 passed, 1 failed" '1..1\nok 1 a\n' ''
test_that "nothing ran" counts 1 "0 passed, 0 failed, 1 skipped" '1..0 # SKIP no\n'
test_that "a bail out" counts 1 "1 passed, 1 failed" '1..1\nok 1 a\nBail out! why\n'
test_that "nested results count, their sum does not" \
	counts 0 "3 passed, 0 failed" \
	'KTAP version 1\n1..2\n    KTAP version 1\n    # Subtest: s\n    1..2\n    ok 1 a\n    ok 2 b\nok 1 s\nok 2 c\n'
test_that "a nested failure counts once" \
	counts 1 "1 passed, 1 failed" \
	'1..1\n  1..2\n  ok 1 a\n  not ok 2 b\nnot ok 1 s\n'
test_that "a sum that fails alone counts" \
	counts 1 "1 passed, 1 failed" '1..1\n  1..1\n  ok 1 a\nnot ok 1 s\n'
test_that "a short nested plan" \
	counts 1 "1 passed, 1 failed" '1..1\n  1..2\n  ok 1 a\nok 1 s\n'
test_that "parameters of a KUnit case count, without a plan" \
	counts 0 "3 passed, 0 failed" \
	'1..1\n    1..2\n        # Subtest: p\n        ok 1 x\n        ok 2 y\n    ok 1 p\n    ok 2 q\nok 1 s\n'
test_that "times of the kernel log in front" \
	counts 0 "1 passed, 0 failed" '[    1.234567] 1..1\n[    1.234568] ok 1 a\n'
finish
