#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shows that the series can be bisected: with each patch, in its order, all
# directories that it and those before it touch build with CONFIG_MARKERS and
# without, and our own lines without a warning at W=1. With the last one the
# whole kernel builds and boots. What was proved for the same files, options and
# compiler is not built again.
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/stage.sh"
. "$KM_SCRIPTS/kbuild.sh"
. "$KM_SCRIPTS/ours.sh"

# What was proved has a file in here, named after all that went into it.
proved=$KM_CACHE/patches-$KVER

# The checksum of the source, all files of the series in the work tree, the
# options and the compiler.
state_of() {
	{
		echo "$1"
		cat "$src/Makefile" "$TMP/fragment"
		gcc --version | head -n 1
		while read -r file; do
			[ ! -f "$tree/$file" ] || (cd "$tree" && sha256sum "$file")
		done <"$TMP/files"
	} | sha256sum | cut -d ' ' -f 1
}

# The directories of objects, and what is no object.
directories() {
	sed 's,[^/]*\.o$,,' | sort -u
}

# What CONFIG_MARKERS=$1 makes of the work tree builds.
prove() {
	use_objects "$1"
	our_objects "$1" | directories >"$TMP/objects"
	count=$(awk 'END { print NR }' "$TMP/objects")
	[ "$count" -gt 0 ] || { said="nothing to build"; return 0; }
	state=$(state_of "directories")
	[ ! -f "$proved/$state" ] || { said="built before"; return 0; }
	configure "CONFIG_MARKERS=$1"
	start_objects
	# shellcheck disable=SC2046 # a list of words
	make_objects W=1 $(cat "$TMP/objects") ||
		show_failure "$patch does not build with CONFIG_MARKERS=$1"
	our_findings "$log" >"$TMP/findings"
	[ ! -s "$TMP/findings" ] || {
		cat "$TMP/findings" >&2
		die "$patch builds with warnings with CONFIG_MARKERS=$1"
	}
	rm "$obj.unproved"
	: >"$proved/$state"
	said="built in $count directories"
}

# Nothing that the last patch touches is built.
builds_nothing() {
	! sed -n 's,^diff --git a/\(.*\) b/.*,\1,p' "$1" |
		grep -qv '^\(Documentation\|tools\)/\|^MAINTAINERS$'
}

prove_patch() {
	patch=$(basename "$1" .patch)
	if builds_nothing "$1"; then
		say "$patch: nothing to build"
		return
	fi
	refresh_tree
	our_lines
	prove y
	y=$said
	prove n
	say "$patch: CONFIG_MARKERS=y $y, =n $said"
}

prove_whole() {
	refresh_tree
	cat "$KM_SCRIPTS/config/common.config" "$KM_SCRIPTS/config/plain.config" \
		>"$TMP/fragment"
	state=$(state_of "kernel")
	if [ -f "$proved/$state" ]; then
		say "the whole series: built and booted before"
		return
	fi
	exec 9>&- # the work tree is not needed any more
	"$KM_SCRIPTS/build.sh" plain
	"$KM_SCRIPTS/modules.sh" plain
	KDIR='' BUILD=plain "$KM_SCRIPTS/boot.sh" /bin/true ||
		die "the kernel with the whole series does not boot"
	: >"$proved/$state"
	say "the whole series: built, with the selftests' modules, and booted"
}

check_kver
"$KM_SCRIPTS/deps.sh" source build guest
"$KM_SCRIPTS/source.sh"
check_space 4000
lock "$KM_CACHE/check.$KVER.lock"
make_tmp
kbuild_env
make_series
mkdir -p "$proved"
cp "$TMP/patches" "$TMP/all"
: >"$TMP/patches"
while read -r p; do
	echo "$p" >>"$TMP/patches"
	prove_patch "$p" </dev/null
done <"$TMP/all"
prove_whole
