#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Writes the series of line $KVER as complete mailbox patches into a directory.
# Usage: series.sh OUTDIR
#
# patches/<line>/series names the patches in order, one a line, each followed by
# the files (or directories) of this clone that it brings in as new files:
#
#	0002-core.patch include/linux/marker.h kernel/markers
#
# '#' starts a comment line; a trailing backslash continues a line.
# A patch is "Subject: ...", a blank line, the message, and optionally "---" and
# a git-format diff of what it edits. AUTHOR ("Name <mail>") signs the series.
set -eu
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

# The series file without comments, continued lines joined.
entries() {
	awk '
		/^[ \t]*#/ { next }
		{ line = line $0 }
		sub(/\\[ \t]*$/, " ", line) { next }
		{ if (line ~ /[^ \t]/) print line; line = "" }
		END { if (line ~ /[^ \t]/) print line }
	' "$dir/series"
}

# The files below overlay path $1, one a line. What git ignores stays out.
overlay_files() {
	[ -e "$KM_ROOT/$1" ] || die "$dir/series: no file '$1' in $KM_ROOT; correct the line"
	if [ ! -d "$KM_ROOT/$1" ]; then
		echo "$1"
	elif git -C "$KM_ROOT" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$KM_ROOT" ls-files -co --exclude-standard -- "$1" |
			while read -r file; do
				[ ! -f "$KM_ROOT/$file" ] || echo "$file"
			done
	else
		(cd "$KM_ROOT" && find "$1" -type f)
	fi | sort
}

# File $1 of this clone as a git-format diff against nothing.
new_file() {
	mode=100644
	[ ! -x "$KM_ROOT/$1" ] || mode=100755
	printf 'diff --git a/%s b/%s\nnew file mode %s\n' "$1" "$1" "$mode"
	[ -s "$KM_ROOT/$1" ] || { echo 'index 0000000..e69de29'; return 0; }
	lines=$(awk 'END { print NR }' "$KM_ROOT/$1")
	printf -- '--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%s @@\n' "$1" "$lines"
	sed 's/^/+/' "$KM_ROOT/$1"
	[ -z "$(tail -c 1 "$KM_ROOT/$1" | tr -d '\n')" ] ||
		printf '\n\\ No newline at end of file\n'
}

# The mail header, message and sign-off of patch $1, number $2 of $3.
message() {
	awk -v author="$author" -v date="$date" -v nr="$2" -v of="$3" '
		NR == 1 {
			if (!sub(/^Subject: /, ""))
				exit bad = 1
			printf "From %040d Mon Sep 17 00:00:00 2001\n", 0
			print "From: " author
			print "Date: " date
			printf "Subject: [PATCH %0" length(of) "d/%d] %s\n", nr, of, $0
			print "MIME-Version: 1.0"
			print "Content-Type: text/plain; charset=UTF-8"
			print "Content-Transfer-Encoding: 8bit"
			print ""
			next
		}
		/^---$/ || /^diff --git / { exit }
		NR == 2 && /^$/ { next }
		/^$/ { blank = blank "\n"; next }
		{ printf "%s%s\n", blank, $0; blank = ""; last = $0; seen[$0] }
		END {
			if (bad)
				exit 1
			sign = "Signed-off-by: " author
			if (!(sign in seen)) {
				if (last !~ /^[A-Z][A-Za-z-]*: /)
					print ""
				print sign
			}
			print "---"
		}
	' "$1"
}

# The edits that patch $1 carries.
edits() {
	awk '/^diff --git / { on = 1 } on' "$1"
}

# Writes patch number $1 of $2, $3, with overlay paths $4...
write_patch() {
	nr=$1 of=$2 name=$3
	shift 3
	[ -f "$dir/$name" ] || die "$dir/series: no patch '$name'; correct the line"
	{
		message "$dir/$name" "$nr" "$of" ||
			die "$dir/$name does not start with 'Subject: '; correct it"
		echo
		for path in "$@"; do
			overlay_files "${path%/}"
		done >"$out/.overlay"
		while read -r file; do
			new_file "$file"
		done <"$out/.overlay"
		edits "$dir/$name"
		printf -- '-- \nkernel-markers\n\n'
	} >"$out/$(printf %04d "$nr")-${name#[0-9][0-9][0-9][0-9]-}"
	rm "$out/.overlay"
}

check_kver
out=${1:?usage: series.sh OUTDIR}
dir=$KM_ROOT/patches/$KVER
author=${AUTHOR:-kernel-markers <kernel-markers@localhost>}
date=${DATE:-$(date -R)}
mkdir -p "$out"
entries >"$out/.entries"
total=$(awk 'END { print NR }' "$out/.entries")
n=0
while read -r entry; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # a list of words
	write_patch "$n" "$total" $entry
done <"$out/.entries"
rm "$out/.entries"
