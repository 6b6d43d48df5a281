#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make series: what it writes is the series, for git am, and what it cannot do
# is refused and leaves nothing behind. As in apply.sh, the trees hold the few
# files of the pristine source that the series touches.
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/stage.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/trees.sh"
export LC_ALL=C

LETTER=0000-cover-letter.txt
SIGNER='Tester Größe <tester@localhost>'

series() { make -s -C "$KM_ROOT" series OUT="$1"; }

# A clone that knows no author; only the links are its own.
stranger() {
	mkdir "$TMP/clone"
	for file in "$KM_ROOT"/* "$KM_ROOT"/.[!.]*; do
		[ "$(basename "$file")" = .git ] || ln -s "$file" "$TMP/clone"
	done
	git -C "$TMP/clone" init -q
}

# Each file of this clone that has its place in the kernel is in a patch.
all_files() {
	git -C "$KM_ROOT" ls-files -co --exclude-standard >"$TMP/ls" || return
	sed -n '/^scripts\/mod\//p
		/^\(\.ci\|patches\|scripts\|LICENSES\)\//d
		/^\(\.gitignore\|COPYING\|Makefile\|README.md\)$/d
		p' "$TMP/ls" | sort -u >"$TMP/ours"
	[ -s "$TMP/ours" ] && comm -23 "$TMP/ours" "$TMP/files" >"$TMP/left" || return
	cat "$TMP/left"
	[ ! -s "$TMP/left" ]
}

nothing_at() {
	[ ! -e "$1" ]
}

# $1 holds the patches, numbered without a gap, and the letter.
is_complete() {
	find "$1" -type f -printf '%f\n' | sort >"$TMP/found"
	{
		echo "$LETTER"
		while read -r p; do basename "$p"; done <"$TMP/patches"
	} | diff - "$TMP/found" &&
		sed 's/-.*//' "$TMP/found" | diff - "$TMP/numbers"
}

# Every patch in $1 is from $SIGNER and signed off once, by nobody else.
is_signed() {
	for p in "$1"/*.patch; do
		sed -n '1,/^---$/p' "$p" >"$TMP/message"
		grep -qx "From: $SIGNER" "$TMP/message" &&
			[ "$(grep '^Signed-off-by: ' "$TMP/message")" = "Signed-off-by: $SIGNER" ] ||
			{ echo "$p"; cat "$TMP/message"; return 1; }
	done
}

has_cover_letter() {
	cat "$1/$LETTER"
	grep -qx "Subject: \[PATCH 0*0/$(total)\] .*" "$1/$LETTER" &&
		grep -qx "Tester Größe ($(total)):" "$1/$LETTER" || return
	while read -r p; do
		grep -qxF "  $(subject "$p")" "$1/$LETTER" || return
	done <"$TMP/patches"
}

# The diffstat of the letter is the one that git makes of tree $2.
has_diffstat() {
	git -C "$2" diff --stat=200 --summary "HEAD~$(total)" |
		sed 's/ *|/ |/; s/ [-+]*$//' >"$TMP/stat"
	[ -s "$TMP/stat" ] || return
	sed -n '/^ .* | /,/^$/p' "$1/$LETTER" |
		sed 's/ *|/ |/; s/ [-+]*$//; /^$/d' | diff "$TMP/stat" -
}

am() {
	git -C "$2" am -q "$1"/*.patch && [ -z "$(git -C "$2" status --porcelain)" ]
}

make_tmp
make_series
out=$TMP/out git=$TMP/git plain=$TMP/plain
seq -f %04g 0 "$(total)" >"$TMP/numbers"
stranger

test_that "each file is in a patch" all_files
test_that "no OUT is refused" refuses "OUT=" series ""
test_that "without an identity it is refused" \
	refuses "user.email" env KM_ROOT="$TMP/clone" "$KM_SCRIPTS/export.sh" "$out"
test_that "and OUT is not created" nothing_at "$out"
test_that "an identity that is half there is refused" \
	refuses "user.email" env KM_ROOT="$TMP/clone" GIT_AUTHOR_NAME=Tester \
	GIT_COMMITTER_NAME=Tester "$KM_SCRIPTS/export.sh" "$out"
test_that "and OUT is not created" nothing_at "$out"

export GIT_AUTHOR_NAME='Tester Größe' GIT_AUTHOR_EMAIL=tester@localhost
export GIT_COMMITTER_NAME='Tester Größe' GIT_COMMITTER_EMAIL=tester@localhost
test_that "OUT that is a file is refused" \
	refuses "is not a directory" series "$KM_ROOT/Makefile"

test_that "it is written" series "$out"
test_that "all patches and the cover letter are there" is_complete "$out"
test_that "each patch is signed off" is_signed "$out"
test_that "the cover letter counts and lists the patches" has_cover_letter "$out"
test_that "OUT that has patches already is refused" \
	refuses "has patches already" series "$out"

git_tree "$git"
small_tree "$plain"
test_that "git am OUT/*.patch" am "$out" "$git"
test_that "make apply on another tree" apply "$plain"
test_that "both trees end the same, file for file" diff -r -x .git "$plain" "$git"
test_that "and mode for mode" same_modes "$plain" "$git"
test_that "the cover letter has the diffstat of the whole" has_diffstat "$out" "$git"
finish
