# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Trees like that of the plain kernel, but without CONFIG_MARKERS or without the
# series, in which only single objects are built: source it after lib.sh, call
# configure_off, configure_unpatched after make_tmp.
#
# $on   the object tree of the plain kernel        $off  the one without markers
# $unpatched  the one of the pristine source

on=$(build_dir plain)
off=$on.off
unpatched=$on.unpatched
CCACHE=$(command -v ccache || true)
CCACHE=${CCACHE:+ccache}
export CCACHE_DIR="$KM_CACHE/ccache"

# make in object tree $1.
tree_make() {
	obj=$1
	shift
	from=$(tree_dir)
	[ "$obj" != "$unpatched" ] || from=$(src_dir)
	env -u MAKEFLAGS -u MAKELEVEL make -C "$from" O="$obj" \
		${CCACHE:+CC="$CCACHE gcc"} -j"$(nproc)" "$@"
}

on_make() {
	tree_make "$on" "$@"
}

unpatched_make() {
	tree_make "$unpatched" "$@"
}

off_make() {
	tree_make "$off" "$@"
}

# configure TREE SED-COMMAND: the plain kernel's options, changed.
configure() {
	mkdir -p "$1"
	sed "$2" "$on/.config" >"$TMP/config"
	cmp -s "$TMP/config" "$1/.config.in" && return
	cp "$TMP/config" "$1/.config"
	tree_make "$1" olddefconfig prepare >"$TMP/prepare.log" 2>&1 || {
		tail -n 5 "$TMP/prepare.log" >&2
		die "cannot configure a kernel without markers"
	}
	cp "$TMP/config" "$1/.config.in"
}

configure_off() {
	configure "$off" 's/^CONFIG_MARKERS=y/# CONFIG_MARKERS is not set/'
}

configure_unpatched() {
	configure "$unpatched" '/^CONFIG_[A-Z_]*MARKERS/d'
}
