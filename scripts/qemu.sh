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
# ACCEL    kvm or tcg; found out when not given
set -eu
. "$(dirname "$0")/lib.sh"

QEMU=qemu-system-x86_64

# What in a console log means that the kernel itself found a mistake.
FAULTS='BUG:|WARNING:|Oops|general protection|Call Trace:|INFO: task|INFO: possible|INFO: trying|rcu:.*stall|stalls on CPU|KASAN:|UBSAN:|KCSAN:|kmemleak:.*new suspected|suspicious RCU|possible recursive locking|inconsistent lock state|invalid wait context|bad unlock balance|held lock freed|ODEBUG:|list_(add|del) corruption|refcount_t:|Kernel panic|double fault|soft lockup|hard LOCKUP|detected unhandled'

# Hardware virtualisation ------------------------------------------------------

# A boot sector that prints "km-guest-ok" on the serial port, then halts.
probe_image() {
	printf '\061\300\216\330\374\276\030\174\272\370\003\254\204\300\164\003\356\353\370\346\364\364\353\375km-guest-ok\n\0'
	head -c 473 /dev/zero
	printf '\125\252'
}

# KVM can open and create a machine and still never run it: see it print.
kvm_runs() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	probe_image >"$TMP/probe.img"
	timeout -k 1 10 "$QEMU" -accel kvm -cpu host -m 32 -nodefaults \
		-display none -no-reboot -serial file:"$TMP/probe.out" \
		-device isa-debug-exit,iobase=0xf4 \
		-drive file="$TMP/probe.img",format=raw,if=ide,snapshot=on \
		>/dev/null 2>&1 </dev/null || true
	grep -q km-guest-ok "$TMP/probe.out" 2>/dev/null
}

# Prints kvm or tcg. The answer holds until this machine boots again.
find_accel() {
	memo=$KM_CACHE/accel
	key=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || uname -a)
	if [ "$(sed -n 1p "$memo" 2>/dev/null)" = "$key $(id -u)" ]; then
		sed -n 2p "$memo"
		return
	fi
	accel=tcg
	! kvm_runs || accel=kvm
	printf '%s\n%s\n' "$key $(id -u)" "$accel" >"$memo.$$" 2>/dev/null &&
		mv -f "$memo.$$" "$memo" || true
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
		"console=ttyS0 loglevel=7 panic=-1 oops=panic ${APPEND:-}"
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
	kvm) set -- -accel kvm -cpu host "$@" ;;
	*) set -- -accel tcg,thread="$(tcg_threads)" -cpu max "$@" ;;
	esac
	exec "$QEMU" -machine q35 -smp 2 -m "${MEMORY:-1024}" -nodefaults -no-reboot -display none \
		-kernel "$image" -append "$(command_line)" \
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
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
		if [ "$(date +%s)" -ge "$limit" ]; then
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

command -v "$QEMU" >/dev/null || die "no $QEMU in PATH; install qemu-system-x86"
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
elif [ ! -t 0 ]; then
	die "a shell needs a terminal; give RUN=script"
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
accel=${ACCEL:-$(find_accel)}
write_job "$@" >"$results/job"
if [ $# -eq 0 ]; then
	run_shell
	exit
fi
run_script
judge
status=$(cat "$results/status")
[ "$status" = 0 ] || say "the script ended with status $status; the log is $log" >&2
exit "$status"
