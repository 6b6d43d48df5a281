# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What every script here shares. Source it; it runs nothing by itself.
#
# KM_ROOT   the tree that holds patches/ and the kernel files (this clone)
# KM_CACHE  sources, build trees and ccache, shared by all clones
# KVER      the kernel line worked on

KM_SCRIPTS=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
while [ ! -f "$KM_SCRIPTS/lib.sh" ]; do KM_SCRIPTS=$(dirname "$KM_SCRIPTS"); done
KM_ROOT=${KM_ROOT:-$(dirname "$KM_SCRIPTS")}
KM_CACHE=${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/kernel-markers
KVER=${KVER:-6.12}
export KM_ROOT KVER

# What in a console log means that the kernel itself found a mistake.
# shellcheck disable=SC2034 # for those who source this
FAULTS='BUG:|WARNING:|Oops|general protection|Call Trace:|INFO: task|INFO: possible|INFO: trying|rcu:.*stall|stalls on CPU|KASAN:|UBSAN:|KCSAN:|kmemleak:.*new suspected|suspicious RCU|possible recursive locking|inconsistent lock state|invalid wait context|bad unlock balance|held lock freed|ODEBUG:|list_(add|del) corruption|refcount_t:|Kernel panic|double fault|soft lockup|hard LOCKUP|detected unhandled'

say() {
	printf 'kernel-markers: %s\n' "$*"
}

die() {
	say "$*" >&2
	exit 1
}

# A directory for this run, removed at its end; sets $TMP.
make_tmp() {
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/kernel-markers.XXXXXX") ||
		die "no temporary directory; free space in ${TMPDIR:-/tmp} or set TMPDIR"
	trap 'rm -rf "$TMP"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# The kernel lines that patches/ has a series for, on one line.
supported() {
	for s in "$KM_ROOT"/patches/*/series; do
		[ -f "$s" ] && basename "$(dirname "$s")"
	done | sort -V | tr '\n' ' ' | sed 's/ $//'
}

check_kver() {
	case $KVER in
	*[!0-9.]* | '') ;;
	*) [ -f "$KM_ROOT/patches/$KVER/series" ] && return ;;
	esac
	die "no series for kernel '$KVER'; use KVER= one of: $(supported)"
}

# Quotes its argument for a shell to read back.
quote() {
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# Takes the lock file $1 on file descriptor 9 until this process ends.
lock() {
	mkdir -p "$(dirname "$1")" && exec 9>"$1" ||
		die "cannot write $1; make it writable or set XDG_CACHE_HOME"
	flock -n 9 || { say "waiting for another run to finish ($1)"; flock 9; }
}

# Refuses when less than $1 MB are free where the cache lies.
check_space() {
	mkdir -p "$KM_CACHE" 2>/dev/null ||
		die "cannot create $KM_CACHE; make it writable or set XDG_CACHE_HOME"
	need=${KM_NEED_MB:-$1}
	free=$(df -Pk "$KM_CACHE" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge "$need" ] ||
		die "$free MB free in $KM_CACHE, $need MB needed; free some or set XDG_CACHE_HOME"
}

# Refuses a script that the guest could not run.
check_script() {
	[ -e "$1" ] || die "$1 does not exist (from $(pwd)); give RUN= a script, without arguments"
	[ -f "$1" ] && [ -x "$1" ] || die "$1 is not an executable file; run chmod +x on it"
}

check_terminal() {
	[ -t 0 ] || die "a shell needs a terminal; give RUN=script"
}

# The author as git knows it in directory $1, "Name <mail>"; nothing that git
# would have to guess from the names of the user and the host.
git_author() {
	author=$(git -C "$1" -c user.useConfigOnly=true var GIT_AUTHOR_IDENT 2>/dev/null) &&
		git -C "$1" -c user.useConfigOnly=true var GIT_COMMITTER_IDENT >/dev/null 2>&1 ||
		die "git does not know who you are; set user.name and user.email with git config"
	printf '%s\n' "$author" | sed 's/ [0-9]* [-+][0-9]*$//'
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

src_dir() { echo "$KM_CACHE/src/linux-$KVER"; }
tree_dir() { echo "$KM_CACHE/tree/$KVER"; }
build_dir() { echo "$KM_CACHE/build/$KVER/$1"; }
modules_dir() { echo "$(build_dir "$1").modules"; }

# Sets KM_BUILD to where the kernel of KDIR was built, or without KDIR to the
# build $1, which is brought up to date.
use_kernel() {
	if [ -n "${KDIR:-}" ]; then
		[ -d "$KDIR" ] || die "$KDIR is not a directory; give KDIR= a built kernel tree"
		KM_BUILD=$(cd "$KDIR" && pwd -P)
		[ -f "$KM_BUILD/arch/x86/boot/bzImage" ] ||
			die "no arch/x86/boot/bzImage in $KDIR; build it, with the options in scripts/config/common.config"
		"$KM_SCRIPTS/deps.sh" guest
	else
		"$KM_SCRIPTS/deps.sh" source build guest
		"$KM_SCRIPTS/source.sh"
		"$KM_SCRIPTS/build.sh" "$1"
		KM_BUILD=$(build_dir "$1")
	fi
	export KM_BUILD
}

# Puts kmark, built for the kernel of use_kernel, into the guest, as KM_KMARK.
use_kmark() {
	[ -z "${KDIR:-}" ] || return 0
	"$KM_SCRIPTS/kmark.sh"
	KM_KMARK=$(build_dir kmark)
	export KM_KMARK
}

# What the guest of build $1 needs, unless the user says so: the debug kernel
# spends memory on its shadow.
guest_memory() {
	case $1 in
	debug) echo "${MEMORY:-2048}" ;;
	*) echo "${MEMORY:-1024}" ;;
	esac
}
