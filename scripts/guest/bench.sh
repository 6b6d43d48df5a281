#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Prints how many instructions a marker, a TRACE_EVENT and a system call take
# with this and that attached, and what programs take with each mask set. Runs in
# a guest whose processor counts them: its time is their number. KM_BENCH is the
# directory with marker_bench.ko and syscall_loop.
set -eu

TRACEFS=/sys/kernel/tracing
PARAMETERS=/sys/module/marker_bench/parameters

die() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

# A handler can be attached to a marker that this kernel does not have.
is_on() {
	grep -q "^$1	[^	]*	on	" "$TRACEFS/markers"
}

# What can be attached: "HANDLER MARKER" and PROBE, which marker_bench knows, and
# SYSTEM/EVENT, which ftrace records from then on.
attach() {
	for what in "$@"; do
		case $what in
		*/*) echo 1 >"$TRACEFS/events/$what/enable" ;;
		*' '*) echo "$what" >"$PARAMETERS/handler" && is_on "${what#* }" ;;
		*) echo "$what" >"$PARAMETERS/probe" ;;
		esac || die "cannot attach '$what'; see dmesg"
		case $what in
		*/*) recorded="$recorded $what" ;;
		esac
	done
}

detach() {
	echo 1 >"$PARAMETERS/detach"
	for event in $recorded; do
		echo 0 >"$TRACEFS/events/$event/enable"
	done
	recorded=
}

# Sets $cost to what mark $1 takes with the rest attached.
cost_of_mark() {
	mark=$1
	shift
	attach "$@"
	echo "$mark" >"$PARAMETERS/cost"
	read -r cost <"$PARAMETERS/cost"
	detach
}

# The same of a system call.
cost_of_call() {
	attach "$@"
	cost=$("$KM_BENCH/syscall_loop")
	detach
}

# A row of the first table: its text, what to attach once or twice to the marker
# and to the TRACE_EVENT ("-" when there is no such way), and how often.
compare() {
	text=$1 times=$4 costs=
	set -- "marker_6 $2" "event $3"
	printf '  %-50s' "$text"
	for pair in "$@"; do
		mark=${pair%% *} what=${pair#* }
		case $what in
		-) cost=- ;;
		*)
			set -- "$mark"
			while [ "$#" -le "$times" ]; do
				set -- "$@" "$what"
			done
			cost_of_mark "$@"
			;;
		esac
		printf ' %11s' "$cost"
		costs="$costs $cost"
	done
	echo
}

# Where the instructions of the last row, which is of recording, go: $1 are those
# of an empty handler and probe.
split() {
	cost_of_mark ring_buffer
	echo "$costs $1 $cost" | awk '
		function row(text, marker, event) {
			printf "    %-48s %11.1f %11.1f\n", text, marker, event
		}
		{
			row("to get there, as an empty handler", $3, $4)
			row("the ring buffer alone, seven words", $5, $5)
			row("filters, triggers, the fields, the way between",
			    $1 - $3 - $5, $2 - $4 - $5)
			printf "    %-48s %11.2f\n", "marker / TRACE_EVENT", $1 / $2
		}
	'
}

# A row of the second table.
number() {
	cost_of_mark "marker_$1" "empty bench_$1"
	printf '  %-50s %11s\n' "$1" "$cost"
}

# A row of the third table: its text and what to attach.
call() {
	text=$1
	shift
	cost_of_call "$@"
	[ -n "${unarmed:-}" ] || unarmed=$cost
	printf '  %-50s %11s %11s\n' "$text" "$cost" \
		"$(awk "BEGIN { printf \"%.1f\", $cost - $unarmed }")"
}

[ "$(id -u)" = 0 ] || die 'not root; loading modules needs it'
insmod "$KM_BENCH/marker_bench.ko" || die "cannot load marker_bench; see dmesg"
recorded=

printf '%-52s %11s %11s\n' 'Instructions, six numbers as arguments' marker TRACE_EVENT
compare 'off' '' '' 0
compare 'an empty handler' 'empty bench_6' empty_event 1
empty=$costs
compare 'two empty handlers' 'empty bench_6' empty_event 2
compare 'a handler that adds up the numbers' 'sum bench_6' sum_event 1
compare 'a handler that looks up the last by marker_arg()' 'sixth bench_6' - 1
compare 'recorded by ftrace' markers/bench_6 marker_bench/bench_event 1
split "$empty"
echo

printf '%-52s %11s\n' 'Instructions, an empty handler, by arguments' marker
for n in 0 2 6 10; do
	number "$n"
done
echo

printf '%-52s %11s %11s\n' 'Instructions of a system call (getppid)' all more
call 'nothing attached'
call 'sys_enter: an empty probe' empty_enter
call 'sys_exit: an empty probe' empty_exit
call 'sys_enter and sys_exit: empty probes' empty_enter empty_exit
call 'number and ip: marker off' mark_enter_short
call 'number and ip: an empty handler' mark_enter_short \
	'empty bench_entry_short'
call 'number, ip, six registers: marker off' mark_enter_registers
call 'number, ip, six registers: an empty handler' mark_enter_registers \
	'empty bench_entry_registers'
call 'pt_regs: marker off' mark_enter_pt_regs
call 'pt_regs: an empty handler' mark_enter_pt_regs \
	'empty bench_entry_pt_regs'
call 'kernel_arch_syscall_entry: an empty handler' \
	'empty kernel_arch_syscall_entry'
call 'kernel_arch_syscall_exit: an empty handler' \
	'empty kernel_arch_syscall_exit'
call 'both: an empty handler each' 'empty kernel_arch_syscall_entry' \
	'empty kernel_arch_syscall_exit'
call 'raw_syscalls:sys_enter: recorded by ftrace' raw_syscalls/sys_enter
call 'raw_syscalls:sys_exit too: recorded by ftrace' raw_syscalls/sys_enter \
	raw_syscalls/sys_exit
call 'kernel_arch_syscall_entry: recorded by ftrace' \
	markers/kernel_arch_syscall_entry
call 'kernel_arch_syscall_exit too: recorded by ftrace' \
	markers/kernel_arch_syscall_entry markers/kernel_arch_syscall_exit
rmmod marker_bench

# What programs take with a mask set in use ------------------------------------

processes() {
	i=0
	while [ "$i" -lt 100 ]; do
		/bin/true
		i=$((i + 1))
	done
}

reads_and_writes() {
	dd if=/dev/zero of=/tmp/bench bs=1k count=20000 status=none
}

# shellcheck disable=SC2016 # the variables are perl's
PACKETS='
	use Socket;
	socket(R, AF_INET, SOCK_DGRAM, 0) && bind(R, pack_sockaddr_in(0, INADDR_LOOPBACK))
		or die;
	$to = getsockname(R);
	for (1 .. 2000) {
		socket(S, AF_INET, SOCK_DGRAM, 0) && connect(S, $to) && send(S, "x", 0)
			or die;
		recv(R, $x, 1, 0);
	}'

packets() {
	perl -e "$PACKETS"
}

compiler() {
	gcc -O2 -c -o /tmp/bench.o "$KM_BENCH/syscall_loop.c"
}

# Sets $time to the processor time in ms that program $1 takes, its children's too.
time_of() {
	TIMEFORMAT='%3U %3S'
	time=$({ time "$1" >/dev/null; } 2>&1 |
		awk 'END { printf "%.0f", ($1 + $2) * 1000 }')
}

records() {
	awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }' \
		"$TRACEFS"/per_cpu/cpu*/stats
}

# A row of the table: the set, and for each program how much more it takes than
# with none, and the records.
set_row() {
	printf '  %-8s' "$1"
	for program in $PROGRAMS; do
		echo >"$TRACEFS/trace"
		kmark mask use "$1"
		time_of "$program"
		kmark mask use none
		eval "base=\$base_$program"
		# shellcheck disable=SC2154 # set by eval
		printf ' %6s %% %9s' \
			"$(awk "BEGIN { printf \"%.0f\", ($time / $base - 1) * 100 }")" \
			"$(records)"
	done
	echo
}

PROGRAMS='processes reads_and_writes packets compiler'
command -v kmark >/dev/null || exit 0
ip link set lo up
printf '\n%s\n  %-8s' 'Processor time more with a mask set in use, and records' set
for program in $PROGRAMS; do
	printf " %18s" "$program"
done
printf '\n  %-8s' '(none)'
for program in $PROGRAMS; do
	"$program"	# all is in the caches
	time_of "$program"
	eval "base_$program=\$time"
	printf ' %15s ms' "$time"
done
echo
for set in default sched io net mem syscall all; do
	set_row "$set"
done
