# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What in a kernel tree is of the series, for the checks: source it after
# kbuild.sh. They have a work tree of their own, and two object directories, y
# and n by CONFIG_MARKERS, in which only single objects are built.
#
# shellcheck disable=SC2034 # $log is for kbuild.sh

src=$(src_dir)
tree=$(tree_dir).check

# Takes object directory y or n, to be configured for the work tree as it is: as
# the plain kernel, as far as the options have come to exist, with what only the
# checks compile.
use_objects() {
	obj=$(build_dir "check.$1") log=$(build_dir "check.$1").log
	mkdir -p "$obj"
	find "$tree/kernel/markers" "$tree/samples/markers" -name 'Kconfig*' \
		-exec cat {} + 2>/dev/null |
		awk '$1 == "config" { option = $2 } /^\t(bool|tristate) "/ { print option }' \
			>"$TMP/options"
	cat "$KM_SCRIPTS/config/common.config" "$KM_SCRIPTS/config/plain.config" \
		"$KM_SCRIPTS/config/check.config" |
		awk -v with="$1" -v options="$TMP/options" '
			FILENAME == options { have["CONFIG_" $1]; next }
			!/^CONFIG_[A-Z_]*MARKERS[A-Z_]*=/ { print; next }
			with == "y" { o = $0; sub(/=.*/, "", o); if (o in have) print }
			END { if (with == "n") print "# CONFIG_MARKERS is not set" }
		' "$TMP/options" - >"$TMP/fragment"
}

# The sources that the patches in $TMP/patches touch, as far as there are any.
# Programs of the build are made before any object is.
our_sources() {
	xargs sed -n 's,^diff --git a/\(.*\) b/.*,\1,p' <"$TMP/patches" | sort -u |
		while read -r file; do
			case $file in
			tools/* | scripts/* | Documentation/*) ;;
			*.[ch] | *.S) [ ! -f "$tree/$file" ] || echo "$file" ;;
			esac
		done
}

# What is compiled for source $1: another one that includes it, if there is such.
compiled_source() {
	grep -l "^#include \"${1##*/}\"" "$tree/${1%/*}"/*.c | sed "s,^$tree/,," |
		grep . || echo "$1"
}

# The objects that CONFIG_MARKERS=$1 makes of them. A header is in an object
# that includes it; that of the linker script is the script.
our_objects() {
	our_sources | while read -r file; do
		[ "$1" = y ] || [ -f "$src/$file" ] || continue
		case $file in
		*.c) file=$(compiled_source "$file") ;;
		esac
		case $file in
		*.[cS]) echo "${file%.*}.o" ;;
		include/asm-generic/vmlinux.lds.h) echo arch/x86/kernel/vmlinux.lds ;;
		esac
	done | sort -u
}

# Before objects are built whose warnings matter. make does not repeat a warning
# for an object that it has, so those that a run left behind that did not come
# to its end, or to a good one, go. Who has proved them removes $obj.unproved.
start_objects() {
	[ ! -e "$obj.unproved" ] || (cd "$obj" && our_objects y | xargs rm -f scripts/mod/*.o)
	: >"$obj.unproved"
}

# Builds objects as kmake does, whatever the options can say already.
make_objects() {
	case $obj in
	*.y) kmake CONFIG_MARKERS=y "$@" ;;
	*) kmake "$@" ;;
	esac
}

# $TMP/lines: the files of the series and the lines in them that it brought.
our_lines() {
	while read -r file; do
		[ -f "$tree/$file" ] || continue
		old=$src/$file
		[ -f "$old" ] || old=/dev/null
		diff -U0 "$old" "$tree/$file" | awk -v file="$file" '
			/^@@ / {
				split($3, new, ",")
				print file, new[1] + 0, new[2] == "" ? 1 : new[2]
			}
		'
	done <"$TMP/files" >"$TMP/lines"
}

# From the log $1, what is said about these lines and about our objects.
our_findings() {
	sed "s,$tree/,,g; s,$TMP/modules/,,g; s,^\(\.\./\)*,," "$1" | awk -v lines="$TMP/lines" '
		FILENAME == lines {
			for (i = 0; i < $3; i++)
				ours[$1, $2 + i]
			next
		}
		{ split($0, at, ":") }
		/^[^ :]+:[0-9]+:([0-9]+:)? *(fatal )?(warning|error|Warning|Error)/ && (at[1], at[2]) in ours
		/objtool:|modpost:|too many (errors|warnings)/
	' "$TMP/lines" - | sort -u
}
