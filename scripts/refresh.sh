#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Writes patches/$KVER anew from the commits of a kernel git tree, one patch
# each: what a commit edits becomes the patch, what it adds and this clone has
# too becomes a file that the patch brings in. Edit there, never by hand here.
# Usage: refresh.sh KDIR BASE
set -eu
. "$(dirname "$0")/lib.sh"

kgit() {
	git -C "$kdir" -c core.quotePath=false "$@"
}

# The name of the patch for commit $2, number $1.
patch_name() {
	printf '%04d-%s.patch' "$1" "$(kgit log -1 --format=%f "$2")"
}

# The files of commit $1 that this clone holds, and those that it does not.
split_files() {
	: >"$TMP/overlay"
	: >"$TMP/edits"
	kgit diff-tree -r --no-commit-id --no-renames --name-status "$1" |
		while read -r status file; do
			if [ "$status" = A ] && [ -f "$KM_ROOT/$file" ]; then
				echo "$file" >>"$TMP/overlay"
			else
				echo "$file" >>"$TMP/edits"
			fi
		done
}

write_patch() {
	kgit log -1 --format='Subject: %s%n%n%b' "$1" |
		sed '/^Signed-off-by: /d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
	[ -s "$TMP/edits" ] || return 0
	printf -- '---\n'
	xargs -d '\n' git -C "$kdir" diff-tree -p --no-renames --no-commit-id \
		--abbrev=12 "$1" -- <"$TMP/edits"
}

kdir=${1:?usage: refresh.sh KDIR BASE}
base=${2:?usage: refresh.sh KDIR BASE}
dir=$KM_ROOT/patches/$KVER
make_tmp
mkdir -p "$TMP/new" "$dir"
n=0
for commit in $(kgit rev-list --reverse "$base..HEAD"); do
	n=$((n + 1))
	name=$(patch_name "$n" "$commit")
	split_files "$commit"
	write_patch "$commit" >"$TMP/new/$name"
	{
		printf '%s' "$name"
		while read -r file; do
			printf ' \\\n\t%s' "$file"
		done <"$TMP/overlay"
		echo
	} >>"$TMP/new/series"
done
[ "$n" -gt 0 ] || die "$kdir has no commits since $base; commit the series there"
rm -f "$dir"/*.patch "$dir/series"
mv "$TMP/new"/* "$dir"
say "wrote $n patches to patches/$KVER"
