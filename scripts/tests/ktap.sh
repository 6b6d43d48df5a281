# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For the tests of the host side: source it after lib.sh, say what is expected,
# end with finish. Prints KTAP; what commands said comes out as comments.

nr=0
failed=0

# test_that TEXT COMMAND...: the command succeeds.
test_that() {
	claim=$1
	shift
	nr=$((nr + 1))
	if "$@" >"$TMP/said" 2>&1; then
		echo "ok $nr - $claim"
	else
		echo "not ok $nr - $claim"
		failed=$((failed + 1))
		sed 's/^/# /' "$TMP/said"
	fi
}

# Command $3... fails and says one line of its own, and that has pattern $2.
refuses() {
	pattern=$1
	shift
	if "$@" >"$TMP/refusal" 2>&1; then
		cat "$TMP/refusal"
		echo "should have failed"
		return 1
	fi
	grep -v '^make' "$TMP/refusal" | tee "$TMP/lines"
	[ "$(awk 'END { print NR }' "$TMP/lines")" = 1 ] || {
		echo "should be one line"
		return 1
	}
	grep -q "^kernel-markers: .*$pattern" "$TMP/lines" || {
		echo "should say: $pattern"
		return 1
	}
}

# Command $2... fails, and among what it says is pattern $1.
fails_with() {
	pattern=$1
	shift
	if "$@" >"$TMP/refusal" 2>&1; then
		cat "$TMP/refusal"
		echo "should have failed"
		return 1
	fi
	cat "$TMP/refusal"
	grep -q "$pattern" "$TMP/refusal" || {
		echo "should say: $pattern"
		return 1
	}
}

skip() {
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}

finish() {
	echo "1..$nr"
	exit "$((failed > 0))"
}
