#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Static checks of all files here and of every line that the series adds to
# others' files. Prints a line for each tool and what it found; fails when one
# found anything.
# Usage: check.sh [checkpatch|maintainers|build|programs|sparse|kernel-doc|shellcheck|codespell...]
set -eu
. "$(dirname "$0")/lib.sh"
. "$KM_SCRIPTS/stage.sh"
. "$KM_SCRIPTS/kbuild.sh"
. "$KM_SCRIPTS/ours.sh"
export LC_ALL=C

KMARK=tools/tracing/kmark

# report TOOL COUNT THINGS: the findings are in $TMP/findings.
report() {
	found=$(awk 'END { print NR }' "$TMP/findings")
	echo "$1: $2 $3, $found findings"
	sed 's/^/  /' "$TMP/findings"
	[ "$found" = 0 ] || failed=1
}

lines() { awk 'END { print NR }' "$1"; }

# The files of this clone that are ours, of the kernel's license texts none.
our_files() {
	(cd "$KM_ROOT" && git ls-files -co --exclude-standard) |
		grep -v '^\(COPYING$\|LICENSES/\)' | while read -r file; do
		[ ! -f "$KM_ROOT/$file" ] || echo "$file"
	done
}

# Drops from the findings of checkpatch what checkpatch.ignore has.
unexpected() {
	awk -v ignore="$KM_SCRIPTS/checkpatch.ignore" '
		FILENAME == ignore {
			if (!/^#/ && NF) {
				type[++n] = $1
				file[n] = $2
			}
			next
		}
		{
			split($0, at, ":")
			for (i = 1; i <= n; i++) {
				if (index($0, ":" type[i] ": ") &&
				    (file[i] == "*" || file[i] == at[1])) {
					used[i]
					next
				}
			}
			print
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(i in used))
					print ignore ": " type[i], file[i], "does not occur; remove it"
		}
	' "$KM_SCRIPTS/checkpatch.ignore" "$1"
}

# Outside of a git tree, as checkpatch asks that about commits and licenses.
check_checkpatch() {
	while read -r p; do
		(cd "$TMP" && perl "$src/scripts/checkpatch.pl" --strict --root="$src" \
			--show-types --showfile --terse --no-summary "$p" </dev/null) ||
			[ $? -eq 1 ] || echo "$p: checkpatch failed"
	done <"$TMP/patches" >"$TMP/checkpatch" 2>&1
	sed "s,^$TMP/series/,," "$TMP/checkpatch" >"$TMP/said"
	unexpected "$TMP/said" >"$TMP/findings"
	report checkpatch "$(lines "$TMP/patches")" patches
}

# Every file that the series creates is in our entry in MAINTAINERS.
check_maintainers() {
	while read -r file; do
		[ -f "$src/$file" ] || echo "$file"
	done <"$TMP/files" >"$TMP/new"
	sed -n '/^KERNEL MARKERS$/,/^$/s/^F:[ \t]*//p' "$tree/MAINTAINERS" >"$TMP/covered"
	awk -v covered="$TMP/covered" '
		FILENAME == covered { path[++n] = $0; next }
		{
			for (i = 1; i <= n; i++)
				if ($0 == path[i] || path[i] ~ /\/$/ && index($0, path[i]) == 1)
					next
			print $0 ": not in MAINTAINERS"
		}
	' "$TMP/covered" "$TMP/new" >"$TMP/findings"
	report maintainers "$(lines "$TMP/new")" files
}

# Copies of the modules that are built out of the tree, their paths kept.
copy_modules() {
	for dir in samples/markers tools/testing/selftests/markers/test_modules \
		tools/testing/selftests/markers/bench; do
		mkdir -p "$TMP/modules/$dir"
		cp "$KM_ROOT/$dir"/*.[ch] "$KM_ROOT/$dir"/Makefile "$TMP/modules/$dir"
	done
	(cd "$TMP/modules" && xargs rm -f) <"$TMP/programs"
}

# Sources of ours that become programs, not objects of the kernel, one each.
our_programs() {
	(cd "$KM_ROOT" && grep '\.c$' "$TMP/ours" | grep -v "^$KMARK/" |
		xargs grep -l '^int main(\|_start:')
}

# What the compiler says of kmark, whose Makefile has the warnings.
kmark_findings() {
	mkdir -p "$TMP/kmark"
	env -u MAKEFLAGS -u MAKELEVEL make -C "$tree/$KMARK" OUTPUT="$TMP/kmark/" \
		>"$TMP/kmark.log" 2>&1 || echo "$KMARK does not build"
	sed -n "s,^.*\(src/[a-z]*\.[ch]:[0-9:]*\) *\(warning\|error\|fatal\),$KMARK/\1 \2,p" \
		"$TMP/kmark.log"
}

check_programs() {
	while read -r file; do
		bits=64
		case $file in
		*32.c) bits=32 ;;
		esac
		from=$tree
		[ -f "$from/$file" ] || from=$KM_ROOT
		gcc -m"$bits" -O2 -Wall -Wextra -ffreestanding -c -o /dev/null \
			"$from/$file" 2>&1 ||
			echo "$file does not compile"
	done <"$TMP/programs" >"$TMP/findings"
	kmark_findings >>"$TMP/findings"
	report programs "$(grep -c "^$KMARK/.*\.c$" "$TMP/ours" |
		awk -v n="$(lines "$TMP/programs")" '{ print n + $1 }')" sources
}

# Compiles all objects with and without CONFIG_MARKERS, with the make
# variables "$@"; the logs together become $TMP/log, the number is in $count.
compile() {
	: >"$TMP/log"
	count=0
	for with in y n; do
		use_objects "$with"
		configure "CONFIG_MARKERS=$with"
		our_objects "$with" >"$TMP/objects"
		: >"$obj.unproved"
		start_objects
		# shellcheck disable=SC2046 # a list of words
		make_objects "$@" $(cat "$TMP/objects") ||
			show_failure "does not build with CONFIG_MARKERS=$with"
		cat "$log" >>"$TMP/log"
		count=$((count + $(lines "$TMP/objects")))
		for dir in "$TMP"/modules/samples/markers "$TMP"/modules/tools/testing/selftests/markers/*; do
			case $with$dir in
			n*selftests*) continue ;;	# they test what is not there
			esac
			(cd "$dir" && rm -f ./*.o && ls ./*.c) | sed 's,^\./\(.*\)c$,\1o,' >"$TMP/objects"
			# shellcheck disable=SC2046
			kmake "$@" M="$dir" $(cat "$TMP/objects") ||
				show_failure "the modules do not build with CONFIG_MARKERS=$with"
			cat "$log" >>"$TMP/log"
			count=$((count + $(lines "$TMP/objects")))
		done
	done
	our_findings "$TMP/log" >"$TMP/findings"
}

check_build() {
	compile W=1
	report W=1 "$count" objects
}

check_sparse() {
	compile C=2
	# The compiler's, see check_build; and what it says of the pristine source,
	# but of another line there.
	sed -i "/\[-W/d; /context imbalance in 'newque'/d" "$TMP/findings"
	report sparse "$count" objects
}

check_kernel_doc() {
	grep '\.[ch]$' "$TMP/ours" >"$TMP/sources"
	(cd "$KM_ROOT" && xargs perl "$src/scripts/kernel-doc" -none -Wall) \
		<"$TMP/sources" >"$TMP/findings" 2>&1 || true
	report kernel-doc "$(lines "$TMP/sources")" files
}

check_shellcheck() {
	while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) ! head -n 1 "$KM_ROOT/$file" | grep -q '^#!.*sh$' || echo "$file" ;;
		esac
	done <"$TMP/ours" >"$TMP/shell"
	(cd "$KM_ROOT" && xargs shellcheck -x -f gcc) \
		<"$TMP/shell" >"$TMP/findings" 2>&1 || true
	report shellcheck "$(lines "$TMP/shell")" scripts
}

# A patch here has others' lines around ours. "nd" is a trace type, and
# "useable" a field of struct user_desc.
check_codespell() {
	while read -r file; do
		mkdir -p "$TMP/text/$(dirname "$file")"
		case $file in
		*.patch) sed '/^diff /,${/^+/!s/.*//}' "$KM_ROOT/$file" ;;
		*) cat "$KM_ROOT/$file" ;;
		esac >"$TMP/text/$file"
	done <"$TMP/ours"
	(cd "$TMP/text" && xargs codespell -L nd,useable) <"$TMP/ours" >"$TMP/findings" 2>&1 || true
	report codespell "$(lines "$TMP/ours")" files
}

check_kver
[ $# -gt 0 ] ||
	set -- checkpatch maintainers build programs sparse kernel-doc shellcheck codespell
"$KM_SCRIPTS/deps.sh" git source build kmark check
"$KM_SCRIPTS/source.sh"
check_space 4000
lock "$KM_CACHE/check.$KVER.lock"
make_tmp
kbuild_env
make_series
our_files >"$TMP/ours"
our_programs >"$TMP/programs"
refresh_tree
our_lines
copy_modules
failed=0
for tool in "$@"; do
	case $tool in
	checkpatch) check_checkpatch ;;
	maintainers) check_maintainers ;;
	build) check_build ;;
	programs) check_programs ;;
	sparse) check_sparse ;;
	kernel-doc) check_kernel_doc ;;
	shellcheck) check_shellcheck ;;
	codespell) check_codespell ;;
	*) die "no check '$tool'; see $0" ;;
	esac
done
exit "$failed"
