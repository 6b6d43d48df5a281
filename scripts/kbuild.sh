# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Work trees and builds in them: source it after stage.sh.
#
# A work tree is the pristine source in hard links, with the files of the series
# as copies of their own. A file is replaced only when its content differs, so
# that kbuild rebuilds only what it must.
#
# $src  the pristine source    $obj  the object directory, with $log beside it
# $tree the work tree          $TMP/fragment  the options asked for
#
# shellcheck disable=SC2154 # who sources this sets them

# The work tree -------------------------------------------------------------

link_tree() {
	[ ! -d "$tree" ] || return 0
	rm -rf "$tree.tmp"
	mkdir -p "$(dirname "$tree")"
	cp -al "$src" "$tree.tmp" 2>/dev/null ||
		{ rm -rf "$tree.tmp" && cp -a "$src" "$tree.tmp"; } ||
		die "cannot copy the source to $tree; free some space"
	mv "$tree.tmp" "$tree"
	: >"$tree.files"
}

# Makes file $2 of the work tree have the content and mode of file $1.
put() {
	if [ -f "$tree/$2" ] && cmp -s "$1" "$tree/$2"; then
		return
	fi
	mkdir -p "$tree/$(dirname "$2")"
	cp "$1" "$tree/$2.km-new"
	chmod --reference="$1" "$tree/$2.km-new"
	mv -f "$tree/$2.km-new" "$tree/$2"
}

# What an earlier series brought and this one does not goes back.
restore() {
	if [ -e "$src/$1" ]; then
		put "$src/$1" "$1"
	else
		rm -f "$tree/$1"
		(cd "$tree" && rmdir -p "$(dirname "$1")" 2>/dev/null) || true
	fi
}

# Makes the work tree the source with the patches in $TMP/patches.
refresh_tree() {
	link_tree
	stage_apply "$src" ||
		die "the series does not fit linux-source-$KVER: $why; correct patches/$KVER"
	sort "$tree.files" >"$TMP/old"
	sort -u "$TMP/old" "$TMP/files" >"$tree.files"
	comm -23 "$TMP/old" "$TMP/files" | while read -r file; do
		restore "$file"
	done
	while read -r file; do
		if [ -e "$TMP/stage/$file" ]; then
			put "$TMP/stage/$file" "$file"
		else
			rm -f "$tree/$file"
		fi
	done <"$TMP/files"
	cp "$TMP/files" "$tree.files"
}

# Configuration -------------------------------------------------------------

kbuild_env() {
	CCACHE=$(command -v ccache || true)
	CCACHE=${CCACHE:+ccache}
	export CCACHE_DIR="$KM_CACHE/ccache" CCACHE_MAXSIZE=5G
	export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
		KBUILD_BUILD_USER=kernel-markers KBUILD_BUILD_HOST=localhost \
		KBUILD_BUILD_VERSION=1
	unset KDIR O MAKEFLAGS MFLAGS MAKELEVEL ARCH CROSS_COMPILE 2>/dev/null || true
}

kmake() {
	make -C "$tree" O="$obj" ${CCACHE:+CC="$CCACHE ${CROSS_COMPILE:-}gcc"} \
		-j"$(nproc)" "$@" \
		</dev/null >"$log" 2>&1
}

# What the configuration is made from, as one checksum.
config_inputs() {
	{
		cat "$TMP/fragment"
		"${CROSS_COMPILE:-}gcc" --version | head -n 1
		grep '\(^\|/\)Kconfig[^/]*$' "$TMP/files" | while read -r file; do
			[ ! -f "$tree/$file" ] || cat "$tree/$file"
		done
	} | sha256sum
}

# Prints every option asked for that .config does not have as asked.
config_misses() {
	awk '
		function name(line) {
			sub(/^# /, "", line)
			sub(/[= ].*/, "", line)
			return line
		}
		!/^(# )?CONFIG_/ { next }
		NR == FNR {
			have[name($0)] = /^#/ ? "n" : substr($0, index($0, "=") + 1)
			next
		}
		{
			n = name($0)
			want[n] = /^#/ ? "n" : substr($0, index($0, "=") + 1)
		}
		END {
			for (n in want) {
				h = (n in have) ? have[n] : "n"
				if (h != want[n])
					print n " is " h ", asked for " want[n]
			}
		}
	' "$obj/.config" "$TMP/fragment" | sort
}

# Configures $obj as $TMP/fragment asks; $1 is what to call it.
configure() {
	inputs=$(config_inputs)
	[ ! -f "$obj/.config" ] ||
		[ "$inputs" != "$(cat "$obj/.km-inputs" 2>/dev/null)" ] || return 0
	rm -f "$obj/.km-inputs"
	kmake KCONFIG_ALLCONFIG="$TMP/fragment" allnoconfig ||
		show_failure "cannot configure the $1 kernel"
	config_misses >"$TMP/misses"
	[ ! -s "$TMP/misses" ] || {
		sed 's/^/kernel-markers: /' "$TMP/misses" >&2
		die "the $1 kernel cannot have its configuration; correct scripts/config"
	}
	echo "$inputs" >"$obj/.km-inputs"
}

# The errors in the log, or its end, then $1.
show_failure() {
	grep -E -m 20 -A 6 '(error|Error|undefined reference)[: ]|\*\*\*' "$log" >&2 ||
		tail -n 30 "$log" >&2
	die "$1; the whole log is $log"
}
