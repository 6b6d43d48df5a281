#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs the Debian packages that a task needs and that are missing.
# Usage: deps.sh patch|git|source|build|guest|kmark|clients|arm64|check...
set -eu
. "$(dirname "$0")/lib.sh"

# package:command-it-brings, or package alone when it brings no command
packages() {
	case $1 in
	patch) echo patch:patch ;;
	git) echo patch:patch git:git ;;
	source) echo xz-utils:xz ;;
	build) echo gcc:gcc make:make flex:flex bison:bison bc:bc lz4:lz4 \
		ccache:ccache patch:patch libc6-dev libelf-dev ;;
	guest) echo qemu-system-x86:qemu-system-x86_64 kmod:kmod ;;
	kmark) echo gcc:gcc make:make pkg-config:pkg-config libtraceevent-dev \
		libtracefs-dev ;;
	clients) echo trace-cmd:trace-cmd linux-perf:perf bpftrace:bpftrace \
		iproute2:ip iputils-ping:ping stress-ng:stress-ng jq:jq ;;
	arm64) echo gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc \
		qemu-system-arm:qemu-system-aarch64 ;;
	check) echo sparse:sparse shellcheck:shellcheck codespell:codespell \
		perl:perl ;;
	*) die "deps.sh: no task '$1'; one of patch git source build guest kmark clients arm64 check" ;;
	esac
}

have() {
	case $1 in
	*:kmod) command -v kmod || [ -x /usr/bin/kmod ] || [ -x /bin/kmod ] ;;
	*:*) command -v "${1#*:}" ;;
	*) ! command -v dpkg-query ||
		dpkg-query -W -f '${db:Status-Status}\n' "$1" | grep -qx installed ;;
	esac >/dev/null 2>&1
}

# Prints the packages of "$@" that are missing.
missing() {
	for p in "$@"; do
		have "$p" || printf '%s ' "${p%%:*}"
	done
}

install_packages() {
	log=$KM_CACHE/apt.log
	mkdir -p "$KM_CACHE"
	set -- env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends "$@"
	as_root "$@" >"$log" 2>&1 && return
	as_root apt-get update >>"$log" 2>&1 || return
	as_root "$@" >>"$log" 2>&1
}

want=
for task in "$@"; do
	want="$want $(packages "$task")"
done
# shellcheck disable=SC2086 # a list of words
lacking=$(missing $want)
lacking=${lacking% }
[ -n "$lacking" ] || exit 0

command -v apt-get >/dev/null 2>&1 ||
	die "missing: $lacking (Debian names), and no apt-get here; install them by hand"
[ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 ||
	die "missing: $lacking; install them as root (no sudo here)"
say "installing $lacking"
# shellcheck disable=SC2086
install_packages $lacking ||
	die "cannot install $lacking; see $KM_CACHE/apt.log, or install them by hand"
# shellcheck disable=SC2086
lacking=$(missing $want)
[ -z "$lacking" ] || die "still not in PATH after installing: $lacking; check PATH"
