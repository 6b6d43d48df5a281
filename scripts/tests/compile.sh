#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the compiler takes and what it refuses, with CONFIG_MARKERS and without.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/off.sh"
export LC_ALL=C

# Compiles the statement $2 into a module's object in tree $1.
compile() {
	cat >"$TMP/m/statement.c" <<-EOF
		#include <linux/marker.h>
		#include <linux/module.h>

		struct pair {
			int a;
			int b;
		};

		void statement(int i, long l, void *p, struct pair pair, __int128 wide,
			       const char *string);
		void statement(int i, long l, void *p, struct pair pair, __int128 wide,
			       const char *string)
		{
			$2
		}
		MODULE_DESCRIPTION("one statement");
		MODULE_LICENSE("GPL");
	EOF
	tree_make "$1" M="$TMP/m" W=1 statement.o >"$TMP/compile.log" 2>&1 && return
	cat "$TMP/compile.log"
	return 1
}

# Statement $2 compiles, in tree $1, without a warning.
takes() {
	compile "$1" "$2" || return
	! grep -i warning "$TMP/compile.log"
}

# Statement $2 is an error in tree $1, whose message has $3.
refuses_to_compile() {
	! compile "$1" "$2" >/dev/null || { echo "was compiled"; return 1; }
	grep "error: .*$3" "$TMP/compile.log" || { cat "$TMP/compile.log"; return 1; }
}

# Nothing of a marker is left in an object of the tree without.
leaves_nothing() {
	compile "$off" "$1" || return
	{ objdump -rx "$TMP/m/statement.o" && strings -a "$TMP/m/statement.o"; } \
		>"$TMP/left" || return
	! grep -iE 'marker_|__markers|secret_format' "$TMP/left"
}

# The samples are compiled in tree $1.
samples() {
	rm -rf "$TMP/samples"
	cp -r "$KM_ROOT/samples/markers" "$TMP/samples"
	objects=$(find "$TMP/samples" -name '*.c' -exec basename {} .c ';' | sed 's/$/.o/')
	# shellcheck disable=SC2086 # a list of words
	tree_make "$1" M="$TMP/samples" $objects
}

make_tmp
mkdir "$TMP/m"
echo 'obj-m := statement.o' >"$TMP/m/Makefile"
configure_off
echo "KTAP version 1"
for tree in "$on" "$off"; do
	with="with CONFIG_MARKERS"
	[ "$tree" = "$on" ] || with="without CONFIG_MARKERS"
	test_that "$with: no arguments" \
		takes "$tree" 'trace_mark(m, MARK_NOARGS); _trace_mark(m, MARK_NOARGS);'
	test_that "$with: trace types" takes "$tree" \
		'trace_mark(m, "i #2d%d l #n4u%lx p #0%p s %s ## p %pS", i, l, p, string, p);'
	test_that "$with: a branch without braces" takes "$tree" \
		'if (i) trace_mark(m, "i %d", i); else _trace_mark(m, "l %ld", l);'
	test_that "$with: names that are keywords and macros" takes "$tree" \
		'trace_mark(current, MARK_NOARGS); trace_mark(if, MARK_NOARGS); trace_mark(__m, MARK_NOARGS);'
	test_that "$with: a wrong type is refused" refuses_to_compile "$tree" \
		'trace_mark(m, "l %d", l);' 'expects argument of type'
	test_that "$with: a missing argument is refused" refuses_to_compile "$tree" \
		'_trace_mark(m, "i %d l %ld", i);' 'expects a matching'
	test_that "$with: one argument too many is refused" refuses_to_compile "$tree" \
		'trace_mark(m, "i %d", i, i);' 'too many arguments'
	test_that "$with: a struct is refused" refuses_to_compile "$tree" \
		'trace_mark(m, "pair %d", pair);' 'expects argument of type'
	test_that "$with: more than 64 bits are refused" refuses_to_compile "$tree" \
		'trace_mark(m, "wide %llu", wide);' 'expects argument of type'
	test_that "$with: a missing name is refused" refuses_to_compile "$tree" \
		'trace_mark(, "i %d", i);' 'a marker needs a name'
	test_that "$with: a name in quotes is refused" refuses_to_compile "$tree" \
		'trace_mark("m", "i %d", i);' 'valid preprocessing token'
	test_that "$with: a name with a dot is refused" refuses_to_compile "$tree" \
		'_trace_mark(m.i, "i %d", i);' 'expected'
	test_that "$with: the samples compile" samples "$tree"
done
test_that "without CONFIG_MARKERS nothing is left of a site" leaves_nothing \
	'trace_mark(m, "secret_format %d", i); _trace_mark(m, "secret_format %s", string);'
finish
