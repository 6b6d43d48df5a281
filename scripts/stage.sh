# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Source it after lib.sh. The series is always tried on copies of the few files
# it touches (the stage); a tree is written only when everything fitted there.
#
# shellcheck disable=SC2034 # $why is for who sources this
#
# $TMP/series  the complete patches        $TMP/files  the paths they touch
# $TMP/stage   the copies, patched         $why        the first misfit

# Makes $TMP/series and $TMP/files.
make_series() {
	"$KM_SCRIPTS/series.sh" "$TMP/series" || exit 1
	find "$TMP/series" -name '*.patch' | sort >"$TMP/patches"
	sed -n 's,^diff --git a/\(.*\) b/.*,\1,p' "$TMP"/series/*.patch 2>/dev/null |
		sort -u >"$TMP/files"
}

# The subject of patch file $1 as the commit will have it.
subject() {
	sed -n 's/^Subject: \[PATCH [^]]*\] //p' "$1" | head -n 1
}

# Copies what the series touches from tree $1 into an empty stage.
fill_stage() {
	rm -rf "$TMP/stage"
	mkdir "$TMP/stage"
	while read -r file; do
		if [ -L "$1/$file" ]; then
			why="$file is a symbolic link"
			return 1
		fi
		[ -e "$1/$file" ] || continue
		mkdir -p "$TMP/stage/$(dirname "$file")"
		cp -p "$1/$file" "$TMP/stage/$file"
	done <"$TMP/files"
}

# Patch $1 creates a file that the stage has: prints it.
collision() {
	sed -n '/^diff --git /{N;s,^diff --git a/\(.*\) b/.*\nnew file.*,\1,p}' "$1" |
		while read -r file; do
			[ ! -e "$TMP/stage/$file" ] || { echo "$file"; break; }
		done
}

# Reads what patch(1) said and prints the first file that did not fit.
misfit() {
	awk '
		/^\|diff --git / { sub(".* b/", ""); file = $0 }
		/^(patching|checking) file / {
			sub(/^[a-z]* file /, ""); sub(/ \(.*/, "")
			gsub(/\047/, ""); file = $0
		}
		/FAILED|^No file to patch|^Not deleting|^File .* is not|^Only garbage|malformed/ {
			print file; exit
		}
	' "$1"
}

# patch(1) on the stage with patch file $1, more options in the rest.
try_patch() {
	file=$1
	shift
	LC_ALL=C patch -p1 -f --fuzz=0 --no-backup-if-mismatch -r - \
		-d "$TMP/stage" "$@" <"$file" >"$TMP/patch.log" 2>&1 && return
	bad=$(misfit "$TMP/patch.log")
	why="$(basename "$file") does not fit ${bad:-(see patch: $(tail -n 1 "$TMP/patch.log"))}"
	return 1
}

# Tree $1 with the whole series applied, in the stage.
stage_apply() {
	fill_stage "$1" || return
	while read -r p; do
		bad=$(collision "$p")
		if [ -n "$bad" ]; then
			why="$(basename "$p") brings in $bad, which is already there"
			return 1
		fi
		try_patch "$p" || return
	done <"$TMP/patches"
}

# Tree $1 with the whole series taken back, in the stage.
stage_unapply() {
	fill_stage "$1" || return
	sort -r "$TMP/patches" >"$TMP/patches.reverse"
	while read -r p; do
		try_patch "$p" -R || return
	done <"$TMP/patches.reverse"
}

# Tree $1 has the series in it, exactly.
is_applied() {
	( stage_unapply "$1" )
}
