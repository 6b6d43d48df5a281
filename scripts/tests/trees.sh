# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Small trees for the tests of the series: source it after stage.sh, call
# make_series. The user's git configuration plays no part.

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE 2>/dev/null || true

apply() { make -s -C "$KM_ROOT" apply KDIR="$1"; }
unapply() { make -s -C "$KM_ROOT" unapply KDIR="$1"; }

# A fresh small tree in $1.
small_tree() {
	rm -rf "$1"
	mkdir -p "$1/kernel"
	for file in Makefile Kbuild README $(cat "$TMP/files"); do
		[ -f "$(src_dir)/$file" ] || continue
		mkdir -p "$1/$(dirname "$file")"
		cp -p "$(src_dir)/$file" "$1/$file"
	done
}

git_tree() {
	small_tree "$1"
	git -C "$1" init -q
	git -C "$1" config user.name 'Tester Größe'
	git -C "$1" config user.email tester@localhost
	# The source of Debian says that git is to ignore all of it.
	git -C "$1" add -A -f
	git -C "$1" commit -qm base
}

# How many patches there are.
total() { awk 'END { print NR }' "$TMP/patches"; }

# Both trees have the same directories and files with the same modes.
same_modes() {
	for tree in "$1" "$2"; do
		(cd "$tree" && find . -path ./.git -prune -o -printf '%p %y %m\n' | sort) \
			>"$TMP/modes.$(basename "$tree")"
	done
	diff "$TMP/modes.$(basename "$1")" "$TMP/modes.$(basename "$2")"
}
