#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Puts the series on a kernel tree, or takes it off again. What does not fit is
# refused with the reason, and then nothing has been touched.
# Usage: apply.sh apply|unapply KDIR
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/stage.sh"

# The line, as 6.12, of the kernel tree $1; nothing when it is none.
kernel_line() {
	[ -f "$1/Kbuild" ] && [ -f "$1/Makefile" ] && [ -d "$1/kernel" ] || return 0
	awk -F ' *= *' '
		$1 == "VERSION" { v = $2 }
		$1 == "PATCHLEVEL" { print v "." $2; exit }
	' "$1/Makefile"
}

check_tree() {
	[ -n "$1" ] || die "no tree given; say KDIR=/path/to/linux"
	[ -e "$1" ] || die "$1 does not exist; give KDIR= a kernel tree"
	[ -d "$1" ] || die "$1 is not a directory; give KDIR= a kernel tree"
	line=$(kernel_line "$1")
	[ -n "$line" ] || die "$1 is not a kernel tree (it lacks Kbuild, Makefile or kernel/); give KDIR= one"
	[ "$line" = "$KVER" ] ||
		die "$1 is kernel $line, the series is for $KVER; use KVER= one of: $(supported)"
	while read -r file; do
		dir=$1/$(dirname "$file")
		[ ! -d "$dir" ] || [ -w "$dir" ] ||
			die "$dir is not writable; make it writable or use another tree"
	done <"$TMP/files"
	[ -w "$1" ] || die "$1 is not writable; make it writable or use another tree"
}

# Plain trees ---------------------------------------------------------------

# Writes the staged file $1 beside its place in the tree, all attributes set.
place() {
	mkdir -p "$kdir/$(dirname "$1")" &&
		cp "$TMP/stage/$1" "$kdir/$1$suffix" || return
	if [ -e "$kdir/$1" ]; then
		chmod --reference="$kdir/$1" "$kdir/$1$suffix" &&
			chown --reference="$kdir/$1" "$kdir/$1$suffix"
	elif [ -x "$TMP/stage/$1" ]; then
		chmod 755 "$kdir/$1$suffix"
	else
		chmod 644 "$kdir/$1$suffix"
	fi
}

# Removes file $1 of the tree and the directories that it leaves empty.
remove() {
	rm -f "$kdir/$1"
	prune "$1"
}

prune() {
	(cd "$kdir" && rmdir -p "$(dirname "$1")" 2>/dev/null) || true
}

# Takes back what place() did.
withdraw() {
	while read -r file; do
		rm -f "$kdir/$file$suffix"
		prune "$file"
	done <"$TMP/files"
}

# The stage becomes the tree: first every file beside its place, then renames.
install_stage() {
	suffix=.km$$
	while read -r file; do
		[ -e "$TMP/stage/$file" ] || continue
		place "$file" 2>"$TMP/why" || {
			withdraw
			die "cannot write $kdir/$file ($(sed 's/.*: //;q' "$TMP/why")); nothing changed"
		}
	done <"$TMP/files"
	while read -r file; do
		if [ -e "$TMP/stage/$file" ]; then
			mv -f "$kdir/$file$suffix" "$kdir/$file"
		else
			remove "$file"
		fi
	done <"$TMP/files"
}

# Git trees -----------------------------------------------------------------

kgit() {
	git -C "$kdir" "$@"
}

check_git() {
	kgit rev-parse --git-dir >/dev/null 2>"$TMP/why" ||
		die "git cannot use $kdir: $(head -n 1 "$TMP/why")"
	head=$(kgit rev-parse -q --verify HEAD) ||
		die "$kdir has no commit; commit the kernel source first"
	for state in rebase-apply rebase-merge MERGE_HEAD CHERRY_PICK_HEAD; do
		[ ! -e "$(cd "$kdir" && git rev-parse --git-path "$state" | sed "s,^[^/],$kdir/&,")" ] ||
			die "$kdir is in the middle of a git operation ($state); finish or abort it"
	done
	dirty=$(kgit status --porcelain --untracked-files=no | head -n 1)
	[ -z "$dirty" ] ||
		die "$kdir has changes (first: ${dirty#???}); commit or stash them"
}

# What the series edits git has to know of. A source package may bring a
# .gitignore with it that leaves files out.
check_tracked() {
	while read -r file; do
		[ ! -e "$kdir/$file" ] || kgit cat-file -e "HEAD:$file" 2>/dev/null ||
			die "$kdir/$file is not in git; add the source with git add -A -f and commit it"
	done <"$TMP/files"
}

git_am() {
	xargs git -C "$kdir" -c apply.ignoreWhitespace=false am -q -b --no-3way \
		--no-scissors --whitespace=nowarn <"$TMP/patches" >"$TMP/am.log" 2>&1 &&
		return
	kgit am --abort >/dev/null 2>&1 || true
	[ "$(kgit rev-parse HEAD)" = "$head" ] || kgit reset -q --keep "$head"
	die "git am failed ($(head -n 1 "$TMP/am.log")); nothing changed"
}

# The files of commit $1 that the series touches, on the stage and patched,
# are exactly what HEAD has, and HEAD has nothing else.
is_series() {
	rm -rf "$TMP/base" && mkdir "$TMP/base"
	while read -r file; do
		kgit cat-file -e "$1:$file" 2>/dev/null || continue
		mkdir -p "$TMP/base/$(dirname "$file")"
		kgit cat-file blob "$1:$file" >"$TMP/base/$file"
	done <"$TMP/files"
	stage_apply "$TMP/base" || return
	kgit -c core.quotePath=false diff --name-only --no-renames "$1" HEAD |
		sort >"$TMP/changed"
	extra=$(comm -3 "$TMP/files" "$TMP/changed" | head -n 1 | tr -d '\t')
	[ -z "$extra" ] || { why="the commits differ in $extra"; return 1; }
	while read -r file; do
		[ "$(kgit hash-object --no-filters "$TMP/stage/$file")" = \
			"$(kgit rev-parse "HEAD:$file")" ] ||
			{ why="$file is not as the series leaves it"; return 1; }
	done <"$TMP/files"
}

# The top commits have the subjects of the series.
has_subjects() {
	kgit log -n "$total" --format=%s --reverse >"$TMP/subjects"
	while read -r p; do subject "$p"; done <"$TMP/patches" |
		cmp -s - "$TMP/subjects"
}

# ---------------------------------------------------------------------------

do_apply() {
	if [ -e "$kdir/.git" ]; then
		check_git
		AUTHOR=$(git_author "$kdir") || exit
		export AUTHOR
		rm -rf "$TMP/series"
		make_series
	fi
	if ! stage_apply "$kdir"; then
		! is_applied "$kdir" || die "$kdir has the series already; take it off first with make unapply"
		die "the series does not fit $kdir: $why; nothing changed"
	fi
	if [ -e "$kdir/.git" ]; then
		check_tracked
		git_am
	else
		install_stage
	fi
	say "applied $total patches to $kdir"
}

do_unapply() {
	if [ -e "$kdir/.git" ]; then
		check_git
		base=$(kgit rev-parse -q --verify "HEAD~$total") && has_subjects ||
			die "the series is not on top of $kdir (HEAD is '$(kgit log -1 --format=%s)'); if it is below your own commits move those away first"
		is_series "$base" ||
			die "the commits on top of $kdir are not the series as it is here: $why; reset them by hand"
		kgit reset -q --keep "$base" 2>"$TMP/why" ||
			die "git refuses: $(head -n 1 "$TMP/why"); nothing changed"
	else
		[ -e "$kdir/include/linux/marker.h" ] ||
			die "$kdir does not have the series; nothing to take off"
		stage_unapply "$kdir" ||
			die "$kdir does not have the series as it is here: $why; nothing changed"
		install_stage
	fi
	say "took $total patches off $kdir"
}

check_kver
verb=${1:?usage: apply.sh apply|unapply KDIR}
kdir=${2:-}
make_tmp
make_series
check_tree "$kdir"
kdir=$(cd "$kdir" && pwd -P)
total=$(awk 'END { print NR }' "$TMP/patches")
[ "$total" -gt 0 ] || die "the series for $KVER is empty; nothing to do"
if [ -e "$kdir/.git" ]; then
	"$KM_SCRIPTS/deps.sh" git
else
	"$KM_SCRIPTS/deps.sh" patch
fi
"do_$verb"
