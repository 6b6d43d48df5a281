#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user gets wrong, and machines that lack something: one line that says
# what and what to do. And guests that go wrong: the run fails and shows why.
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"

unset KDIR RUN BUILD ACCEL 2>/dev/null || true

front() { make -s -C "$KM_ROOT" "$@"; }

# Runs script $2 (its text) in a guest of the plain kernel for at most $1 s.
in_guest() {
	printf '#!/bin/sh\n%s\n' "$2" >"$TMP/script"
	chmod +x "$TMP/script"
	TIMEOUT=$1 "$KM_SCRIPTS/qemu.sh" -o "$TMP/results" \
		"$(build_dir plain)/arch/x86/boot/bzImage" "$TMP/script"
}

# The guest's script ends with status $1, and so does its run.
returns() {
	code=0
	in_guest 120 "echo what it says; exit $1" || code=$?
	echo "status $code"
	[ "$code" = "$1" ]
}

says_only_that() {
	[ "$(in_guest 120 'echo one; echo two >&2')" = "one
two" ]
}

# A QEMU whose hardware virtualisation gives up, though it worked before.
kvm_that_gives_up() {
	mkdir -p "$TMP/kvm" "$TMP/cache/kernel-markers"
	cat >"$TMP/kvm/qemu-system-x86_64" <<-EOF
		#!/bin/sh
		case "\$*" in
		*'-accel kvm'*) echo 'KVM internal error. Suberror: 1'; exec sleep 1000 ;;
		esac
		exec $(command -v qemu-system-x86_64) "\$@"
	EOF
	chmod +x "$TMP/kvm/qemu-system-x86_64"
}

with_that_kvm() {
	env PATH="$TMP/kvm:$PATH" XDG_CACHE_HOME="$TMP/cache" TIMEOUT=120 \
		"$KM_SCRIPTS/qemu.sh" -o "$TMP/results" \
		"$(build_dir plain)/arch/x86/boot/bzImage" "$@"
}

asking_for_that_kvm() {
	( ACCEL=kvm; export ACCEL; with_that_kvm /bin/true )
}

# Such a guest is started anew without it, now and from then on.
runs_without_kvm() {
	memo=$TMP/cache/kernel-markers/accel
	with_that_kvm /bin/true || return
	sed -i '2s/.*/kvm/' "$memo"
	with_that_kvm /bin/uname || return
	[ "$(cat "$TMP/results/output")" = Linux ] && grep -qx tcg "$memo"
}

no_guest_left() {
	echo "$TMP/results" >"$TMP/mine"
	! grep -sqaF -f "$TMP/mine" /proc/[0-9]*/cmdline
}

# Everything in PATH but the commands named.
path_without() {
	rm -rf "${TMP:?}/bin"
	mkdir "$TMP/bin"
	for dir in /usr/bin /bin /usr/sbin /sbin; do
		find "$dir/" -mindepth 1 -maxdepth 1 -exec ln -sf -t "$TMP/bin" {} +
	done
	for command in "$@"; do
		rm -f "$TMP/bin/$command"
	done
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		env HOME=/nonexistent XDG_CACHE_HOME="$TMP/nobody" TMPDIR=/tmp "$@"
}

kernel_tree() {
	mkdir -p "$1/kernel"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 1\n' \
		"${2%.*}" "${2#*.}" >"$1/Makefile"
	: >"$1/Kbuild"
}

make_tmp
chmod 755 "$TMP"
mkdir "$TMP/empty" "$TMP/nobody"
chmod 777 "$TMP/nobody"
kernel_tree "$TMP/old" 5.4
kernel_tree "$TMP/line" "$KVER"

for target in demo test series check check-patches boot apply unapply; do
	test_that "$target: an unknown KVER is refused, the known are named" \
		refuses "no series for kernel '5.9'.*$KVER" \
		front "$target" KVER=5.9 KDIR="$TMP/old"
done
test_that "a KVER that is a path is refused" \
	refuses "no series" front demo KVER=../6.12
for verb in apply unapply; do
	test_that "$verb: no KDIR" refuses "KDIR=" front $verb
	test_that "$verb: KDIR does not exist" \
		refuses "does not exist" front $verb KDIR="$TMP/none"
	test_that "$verb: KDIR is a file" \
		refuses "is not a directory" front $verb KDIR="$TMP/old/Makefile"
	test_that "$verb: KDIR is no kernel tree" \
		refuses "is not a kernel tree" front $verb KDIR="$TMP/empty"
	test_that "$verb: KDIR is another line" \
		refuses "is kernel 5.4" front $verb KDIR="$TMP/old"
done
test_that "nothing was written to them" \
	test -z "$(find "$TMP/empty" "$TMP/old" -mindepth 1 ! -name Makefile ! -name Kbuild ! -name kernel)"

test_that "boot: KDIR does not exist" \
	refuses "is not a directory" front boot KDIR="$TMP/none"
test_that "boot: KDIR holds no kernel image" \
	refuses "no arch/x86/boot/bzImage" front boot KDIR="$TMP/old"
test_that "no kernel image" \
	refuses "no kernel image" "$KM_SCRIPTS/qemu.sh" "$TMP/none" "$0"
test_that "no room on the disk" \
	refuses "999999999 MB needed" env KM_NEED_MB=999999999 "$KM_SCRIPTS/build.sh" plain
test_that "no room on the disk, from nothing" \
	refuses "999999999 MB needed" \
	env KM_NEED_MB=999999999 XDG_CACHE_HOME="$TMP/cache" "$KM_SCRIPTS/source.sh"
test_that "a cache that cannot be" \
	refuses "set XDG_CACHE_HOME" env XDG_CACHE_HOME=/dev/null "$KM_SCRIPTS/source.sh"

path_without qemu-system-x86_64 apt-get
test_that "no QEMU in PATH" \
	refuses "no qemu-system-x86_64 in PATH" \
	env PATH="$TMP/bin" "$KM_SCRIPTS/qemu.sh" "$TMP/none" "$0"
test_that "no QEMU and no apt-get" \
	refuses "missing: qemu-system-x86.*no apt-get" \
	env PATH="$TMP/bin" "$KM_SCRIPTS/deps.sh" guest
path_without apt-get
test_that "no source and no apt-get" \
	refuses "no apt-get" \
	env PATH="$TMP/bin" XDG_CACHE_HOME="$TMP/cache" "$KM_SCRIPTS/source.sh"
if [ "$(id -u)" = 0 ] && as_nobody test -r "$KM_SCRIPTS/lib.sh"; then
	path_without flex sudo
	test_that "a missing tool, neither root nor sudo" \
		refuses "missing: flex; install" \
		as_nobody PATH="$TMP/bin" "$KM_SCRIPTS/deps.sh" build
	test_that "a tree that is not writable" \
		refuses "is not writable" \
		as_nobody "$KM_SCRIPTS/apply.sh" apply "$TMP/line"
else
	skip "a missing tool, neither root nor sudo" "needs root and a clone all can read"
	skip "a tree that is not writable" "needs root and a clone all can read"
fi

test_that "RUN is no script" \
	refuses "none does not exist" "$KM_SCRIPTS/qemu.sh" "$KM_ROOT/Makefile" "$TMP/none"
test_that "RUN is not executable" \
	refuses "chmod +x" "$KM_SCRIPTS/qemu.sh" "$KM_ROOT/Makefile" "$KM_ROOT/Makefile"
test_that "no RUN and no terminal" \
	refuses "needs a terminal" "$KM_SCRIPTS/qemu.sh" "$KM_ROOT/Makefile"
test_that "TIMEOUT is no number" \
	refuses "TIMEOUT=soon" env TIMEOUT=soon "$KM_SCRIPTS/qemu.sh" "$KM_ROOT/Makefile" "$0"
test_that "ACCEL is none that there is" \
	refuses "ACCEL=bogus is none of kvm" \
	env ACCEL=bogus "$KM_SCRIPTS/qemu.sh" "$KM_ROOT/Makefile" "$KM_SCRIPTS/guest/test.sh"
test_that "a guest's status 0 is returned" returns 0
test_that "a guest's status 7 is returned" returns 7
test_that "a guest's output comes out and nothing else" says_only_that
test_that "a hung guest ends at its limit, its log is shown" \
	fails_with "still ran after 12 s" in_guest 12 "sleep 1000"
test_that "and is gone" no_guest_left
kvm_that_gives_up
test_that "a guest that KVM gives up runs without it" runs_without_kvm
test_that "a guest that KVM gives up fails if KVM was asked for" \
	fails_with "hardware virtualisation failed.*ACCEL=tcg" \
	asking_for_that_kvm
test_that "a warning of the kernel fails the run" \
	fails_with "the kernel reported.*WARNING: made by a test" \
	in_guest 120 'echo "WARNING: made by a test" >/dev/kmsg'
test_that "a panic fails the run" \
	fails_with "the kernel reported" in_guest 120 'echo c >/proc/sysrq-trigger; sleep 60'
test_that "a guest that goes before its script ends fails the run" \
	fails_with "died before its script ended" \
	in_guest 120 'echo b >/proc/sysrq-trigger; sleep 60'
finish
