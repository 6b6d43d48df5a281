#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Writes the series for line $KVER as mails: a numbered patch each, signed off by
# the user, for git am, and the cover letter, whose text is in
# patches/$KVER/cover-letter. The letter does not end in .patch, since git am
# stops at a mail without a patch.
# Usage: export.sh OUTDIR
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/stage.sh"
export LC_ALL=C

LETTER=0000-cover-letter.txt

check_out() {
	[ -n "$out" ] || die "no directory given; say OUT=/path/to/write/the/series/to"
	[ -d "$out" ] || {
		[ ! -e "$out" ] || die "$out is not a directory; give OUT= another name"
		return 0
	}
	[ -w "$out" ] || die "$out is not writable; give OUT= another directory"
	for file in "$out"/*.patch "$out/$LETTER"; do
		[ ! -e "$file" ] ||
			die "$out has patches already ($(basename "$file")); remove them or give OUT= another directory"
	done
}

# Patch $1 with a diffstat below its message, as git format-patch has it.
with_diffstat() {
	awk -f "$KM_SCRIPTS/diffstat.awk" "$1" >"$TMP/stat"
	awk -v stat="$TMP/stat" '
		{ print }
		/^---$/ && !done++ { while ((getline line < stat) > 0) print line }
	' "$1"
}

# Subjects below the author's name, as git shortlog prints them.
shortlog() {
	printf '%s (%d):\n' "${AUTHOR%% <*}" "$total"
	while read -r p; do
		printf '  %s\n' "$(subject "$p")"
	done <"$TMP/patches"
}

# The head of a patch with the subject and the text of the letter.
cover_letter() {
	sed '/^Subject: /,$d' "$(head -n 1 "$TMP/patches")"
	sed "1s,^Subject: ,&[PATCH $(printf "%0${#total}d" 0)/$total] ," "$text" |
		awk 'NR == 2 {
			print "MIME-Version: 1.0"
			print "Content-Type: text/plain; charset=UTF-8"
			print "Content-Transfer-Encoding: 8bit"
		} { print }'
	echo
	shortlog
	echo
	awk -f "$KM_SCRIPTS/diffstat.awk" "$TMP"/series/*.patch
	printf -- '\n-- \nkernel-markers\n\n'
}

check_kver
out=${1:-}
text=$KM_ROOT/patches/$KVER/cover-letter
check_out
[ -f "$text" ] || die "$text is missing; write the text of the cover letter there"
"$KM_SCRIPTS/deps.sh" git
AUTHOR=$(git_author "$KM_ROOT") || exit
export AUTHOR
make_tmp
make_series
total=$(awk 'END { print NR }' "$TMP/patches")
[ "$total" -gt 0 ] || die "the series for $KVER is empty; nothing to write"

mkdir "$TMP/out"
cover_letter >"$TMP/out/$LETTER"
while read -r p; do
	with_diffstat "$p" >"$TMP/out/$(basename "$p")"
done <"$TMP/patches"
mkdir -p "$out" 2>/dev/null && cp "$TMP/out"/* "$out" 2>/dev/null ||
	die "cannot write to $out; make room, or give OUT= another directory"
say "wrote $total patches and $LETTER to $out; next, in a git tree of linux-$KVER:"
say "git am $(cd "$out" && pwd -P)/*.patch"
