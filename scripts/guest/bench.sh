#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints how many instructions a marker, a TRACE_EVENT and a system call take
# with this and that attached. Runs in a guest whose processor counts them.
# KM_BENCH is the directory with marker_bench.ko and syscall_loop.
set -eu

TRACEFS=/sys/kernel/tracing
PARAMETERS=/sys/module/marker_bench/parameters

die() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

# A handler can be attached to a marker that this kernel does not have.
is_on() {
	grep -q "^$1	on	" "$TRACEFS/markers"
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
