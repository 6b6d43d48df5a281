# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A tree like that of the plain kernel, but without CONFIG_MARKERS, in which only
# single objects are built: source it after lib.sh, call configure_off after
# make_tmp.
#
# $on   the object tree of the plain kernel        $off  the one without markers

on=$(build_dir plain)
off=$on.off
CCACHE=$(command -v ccache || true)
CCACHE=${CCACHE:+ccache}
export CCACHE_DIR="$KM_CACHE/ccache"

# make in object tree $1.
tree_make() {
	obj=$1
	shift
	env -u MAKEFLAGS -u MAKELEVEL make -C "$(tree_dir)" O="$obj" \
		${CCACHE:+CC="$CCACHE gcc"} -j"$(nproc)" "$@"
}

on_make() {
	tree_make "$on" "$@"
}

off_make() {
	tree_make "$off" "$@"
}

configure_off() {
	mkdir -p "$off"
	sed 's/^CONFIG_MARKERS=y/# CONFIG_MARKERS is not set/' "$on/.config" >"$TMP/config"
	cmp -s "$TMP/config" "$off/.config.in" && return
	cp "$TMP/config" "$off/.config"
	off_make olddefconfig prepare >"$TMP/prepare.log" 2>&1 || {
		tail -n 5 "$TMP/prepare.log" >&2
		die "cannot configure a kernel without markers"
	}
	cp "$TMP/config" "$off/.config.in"
}
