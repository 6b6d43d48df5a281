#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Boots a kernel in QEMU on this machine's own root, read-only, and runs a
# script there: its output comes out here, its exit status is returned.
# Usage: qemu.sh [-o RESULTS] BZIMAGE [SCRIPT [ARG...]]
#
# Without SCRIPT: a shell on this terminal. In the guest the directory RESULTS
# is /run/results, writable. Every KM_* variable goes along.
#
# TIMEOUT  seconds until a guest with a script is ended (300)
# MEMORY   megabytes of the guest (1024)
# APPEND   more for the kernel command line
# ACCEL    kvm or tcg, found out when not given; or icount: one processor, whose
#          time is the number of instructions that it has run, a nanosecond each
# REBOOT   yes: the guest may reboot, and then its script is run again
# CPU      what QEMU calls the processor (tcg: max; kvm: host)
# GUEST    x86 (the default) or arm64, always emulated
# GUEST_ROOT  the root of the guest, if it is not that of this machine
set -eu
. "$(dirname "$0")/lib.sh"

case ${GUEST:=x86} in
x86) QEMU=qemu-system-x86_64 MACHINE=q35 CONSOLE=ttyS0 ;;
arm64) QEMU=qemu-system-aarch64 MACHINE=virt CONSOLE=ttyAMA0
	ACCEL=${ACCEL:-tcg} ;;
*) die "GUEST=$GUEST is none of x86, arm64; correct it" ;;
esac

# Hardware virtualisation ------------------------------------------------------

# KVM can open, create a machine and run a few instructions, and still not run
# this kernel. So have it do all that a guest of ours does, once.
kvm_runs() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	ACCEL=kvm TIMEOUT=30 "$KM_SCRIPTS/qemu.sh" -o "$TMP/probe" "$image" /bin/true \
		>/dev/null 2>&1 </dev/null
}

# The answer holds until this machine boots again.
accel_key() {
	echo "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || uname -a) $(id -u)"
}

remember_accel() {
	memo=$KM_CACHE/accel
	printf '%s\n%s\n' "$(accel_key)" "$1" >"$memo.$$" 2>/dev/null &&
		mv -f "$memo.$$" "$memo" || true
}

# Prints kvm or tcg.
find_accel() {
	if [ "$(sed -n 1p "$KM_CACHE/accel" 2>/dev/null)" = "$(accel_key)" ]; then
		sed -n 2p "$KM_CACHE/accel"
		return
	fi
	accel=tcg
	! kvm_runs || accel=kvm
	remember_accel "$accel"
	echo "$accel"
}

# The guest --------------------------------------------------------------------

# What guest/init reads: the environment, and the script with its arguments.
write_job() {
	env | sed -n 's/^\(KM_[A-Z_0-9]*\)=.*/\1/p' | while read -r name; do
		eval "value=\$$name"
		# shellcheck disable=SC2154 # set by eval
		printf 'export %s=%s\n' "$name" "$(quote "$value")"
	done
	printf 'export KVER=%s KM_CACHE=%s\n' "$(quote "$KVER")" "$(quote "$KM_CACHE")"
	[ $# -eq 0 ] || {
		printf 'set --'
		for word in "$@"; do
			printf ' %s' "$(quote "$word")"
		done
		printf '\n'
	}
}

command_line() {
	printf '%s ' "root=/dev/root rootfstype=9p ro" \
		"rootflags=trans=virtio,version=9p2000.L,msize=512000,cache=loose" \
		"init=$KM_SCRIPTS/guest/init" \
		"console=$CONSOLE loglevel=7 panic=-1 oops=panic ${APPEND:-}"
}

# Before 8.1 QEMU may run code that another processor has just patched (it did
# not lock the page while it translated): patching a jump label then ends in
# "Oops: int3". One thread for all processors is slower and does not.
tcg_threads() {
	"$QEMU" --version | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' |
		awk '{ print ($1 * 100 + $2 >= 801 ? "multi" : "single"); exit }'
}

# exec's QEMU; what is special to the run comes as arguments.
guest() {
	case $accel in
	kvm) set -- -accel kvm -cpu "${CPU:-host}" -smp 2 "$@" ;;
	icount) set -- -accel tcg,thread=single -icount shift=0,sleep=off \
		-cpu "${CPU:-max}" -smp 1 "$@" ;;
	*) set -- -accel tcg,thread="$(tcg_threads)" -cpu "${CPU:-max}" -smp 2 "$@" ;;
	esac
	[ -n "${REBOOT:-}" ] || set -- -no-reboot "$@"
	exec "$QEMU" -machine "$MACHINE" -m "${MEMORY:-1024}" -nodefaults -display none \
		-kernel "$image" -append "$(command_line)" \
		-fsdev local,id=root,path="${GUEST_ROOT:-/}",security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=root,mount_tag=/dev/root \
		-fsdev local,id=results,path="$results",security_model=none,multidevs=remap \
		-device virtio-9p-pci,fsdev=results,mount_tag=results "$@"
}

run_shell() {
	say "a shell in the guest; leave it with 'exit' (Ctrl-A X ends QEMU)"
	stty size >"$results/size" 2>/dev/null || true
	( guest -chardev stdio,id=con,mux=on,signal=off,logfile="$log" \
		-serial chardev:con -mon chardev=con )
}

# Ends the guest and the tail that this run started.
# shellcheck disable=SC2317 # called by a trap
end_guest() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
	[ -z "${tail:-}" ] || kill "$tail" 2>/dev/null || true
	rm -rf "$TMP"
}

# A guest that KVM cannot go on with stays as it is.
kvm_gave_up() {
	grep -q 'KVM internal error' "$results/qemu.log" 2>/dev/null
}

# Runs the guest with a time limit, showing what its script prints.
run_script() {
	pid='' tail=''
	trap end_guest EXIT
	: >"$results/output"
	( guest -serial file:"$log" >"$results/qemu.log" 2>&1 </dev/null ) &
	pid=$!
	tail -s 0.2 --pid="$pid" -n +1 -f "$results/output" &
	tail=$!
	limit=$(($(date +%s) + timeout))
	late=
	while kill -0 "$pid" 2>/dev/null; do
		if [ "$(date +%s)" -ge "$limit" ] || kvm_gave_up; then
			late=yes
			kill "$pid" 2>/dev/null || true
			sleep 1
			kill -9 "$pid" 2>/dev/null || true
			break
		fi
		sleep 0.2
	done
	wait "$pid" 2>/dev/null && code=0 || code=$?
	pid=
	wait "$tail" 2>/dev/null || true
	tail=
}

# Fails when the run did not end as it should have.
judge() {
	! kvm_gave_up ||
		die "hardware virtualisation failed (see $results/qemu.log); say ACCEL=tcg"
	if [ -n "$late" ]; then
		tail -n 25 "$log" >&2
		die "the script still ran after $timeout s and was ended (TIMEOUT=SECONDS allows more); its log is $log"
	fi
	if [ "$code" -ne 0 ] && [ ! -s "$log" ]; then
		die "QEMU failed: $(head -n 1 "$results/qemu.log")"
	fi
	check_log
	if [ ! -s "$results/status" ]; then
		tail -n 25 "$log" >&2
		die "the guest died before its script ended; its log is $log"
	fi
}

# Fails when the kernel reported a mistake on the console or by its taint
# (bit 9 a warning, bit 7 an oops, bit 14 a soft lockup).
check_log() {
	if grep -a -E -m 1 "$FAULTS" "$log" >"$TMP/fault"; then
		grep -a -E -m 1 -A 25 "$FAULTS" "$log" >&2
		die "the kernel reported '$(tr -d '\r' <"$TMP/fault")'; its log is $log"
	fi
	taint=$(cat "$results/tainted" 2>/dev/null || echo 0)
	[ $((taint & (1 << 7 | 1 << 9 | 1 << 14))) -eq 0 ] ||
		die "the kernel is tainted by a mistake ($taint); its log is $log"
}

results=
while getopts o: option; do
	case $option in
	o) results=$OPTARG ;;
	*) die "usage: qemu.sh [-o RESULTS] BZIMAGE [SCRIPT [ARG...]]" ;;
	esac
done
shift $((OPTIND - 1))
image=${1:?usage: qemu.sh [-o RESULTS] BZIMAGE [SCRIPT [ARG...]]}
shift

command -v "$QEMU" >/dev/null || die "no $QEMU in PATH; install Debian's qemu-system-x86 or qemu-system-arm"
[ -f "$image" ] || die "no kernel image $image; build the kernel first"
case $KM_SCRIPTS in
*[[:space:]]*) die "$KM_SCRIPTS has a blank in its name; move the clone" ;;
esac
timeout=${TIMEOUT:-300}
case $timeout in
'' | *[!0-9]*) die "TIMEOUT=$timeout is no number of seconds; correct it" ;;
esac
if [ $# -gt 0 ]; then
	check_script "$1"
	script=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
	shift
	set -- "$script" "$@"
else
	check_terminal
fi
mkdir -p "$KM_CACHE"
make_tmp
if [ -z "$results" ]; then
	find "$KM_CACHE/run" -maxdepth 1 -name 'boot-*' -mtime +7 \
		-exec rm -rf {} + 2>/dev/null || true
	results=$KM_CACHE/run/boot-$(date +%Y%m%d-%H%M%S).$$
fi
mkdir -p "$results"
results=$(cd "$results" && pwd -P)
log=$results/console.log
rm -f "$results/status" "$results/tainted" "$results/size"
: >"$log"
case ${ACCEL:-} in
'' | kvm | tcg | icount) ;;
*) die "ACCEL=$ACCEL is none of kvm, tcg, icount; correct it" ;;
esac
accel=${ACCEL:-$(find_accel)}
[ -z "${REBOOT:-}" ] || export KM_REBOOT=yes
write_job "$@" >"$results/job"
if [ $# -eq 0 ]; then
	run_shell
	exit
fi
run_script
if kvm_gave_up && [ -z "${ACCEL:-}" ]; then
	say "hardware virtualisation failed (see $results/qemu-kvm.log); again without it" >&2
	remember_accel tcg
	mv "$results/qemu.log" "$results/qemu-kvm.log"
	rm -rf "$TMP"
	exec "$KM_SCRIPTS/qemu.sh" -o "$results" "$image" "$@"
fi
judge
status=$(cat "$results/status")
[ "$status" = 0 ] || say "the script ended with status $status; the log is $log" >&2
exit "$status"
