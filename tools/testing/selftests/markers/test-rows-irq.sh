#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of interrupts and of what they leave for later: handlers, threads,
# vectors, NMIs, softirqs, tasklets and workqueues.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_irq

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2034,SC2154,SC2317 # what functions.sh has and does
ROWS=irq
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

# Events of the module itself that stand between the others.
HERE=test_markers_rows_irq

# All records in file $1 of tracefs, trace if not given, with the name of their
# event, that match $2.
sequence() {
	value=$(sed -n 's/^[^#].*[0-9]: \([a-z_]*\): /\1 /p' "$TRACE/${1:-trace}" |
		grep -e "${2:-}")
}

# Those that match $1, if given, should be what the module told of these.
expect_sequence() {
	read_file "/sys/module/test_markers_rows_irq/parameters/log"
	wanted=$(echo "$value" | grep -e "${1:-}")
	sequence trace "${1:-}"
	[ "$value" = "$wanted" ] || fail "records:
$value
expected:
$wanted"
}

# === Interrupts ===============================================================

# Switches on all of the line that the module has.
switch_on_irq() {
	get rows_irq irq
	for name in kernel_irq_entry kernel_irq_exit kernel_irq_handler \
		kernel_irq_thread_entry kernel_irq_thread_exit; do
		event "$name" filter "irq_id == $value"
		switch_on "$name"
	done
	switch_on "$HERE"
}

# The module does $1, and that is told.
irqs() {
	switch_on_irq
	act "$1"
	expect_sequence
}

shared() { irqs irq; }

# Another CPU may be in the thread before this one is out of the interrupt.
threaded() {
	switch_on_irq
	act thread
	expect_sequence '_thread_\| in thread$'
	expect_sequence 'irq_entry\|irq_handler\|irq_exit\| in wake$'
	sequence
	expect "records" "$(echo "$value" | wc -l)" 7
}

nested() { irqs nested; }

percpu() {
	switch_on_irq
	if ! put rows_irq call percpu 2>/dev/null; then
		skip "the handler of per-CPU interrupts cannot be had here"
		return
	fi
	expect_sequence
}

# All CPUs are busy in user mode until spin_stop.
spin_start() {
	"$MARKERS_PROGRAMS/test_rows_irq" spin >"$tmp/told" &
	spinner=$!
	expect_soon grep -q begin "$tmp/told"
	told
}

spin_stop() {
	kill "$spinner"
	wait "$spinner" 2>/dev/null
}

# Interrupts user mode, too.
registers() {
	switch_on_irq
	switch_off "$HERE" kernel_irq_exit kernel_irq_handler
	spin_start
	act regs
	spin_stop
	expect_sequence
	n=$(echo "$value" | awk -v begin="$begin" -v end="$end" '
		/ kernel_mode 0 / && $NF >= begin && $NF < end { n++ }
		END { print n + 0 }')
	expect_least "interrupts of the program" "$n" 1
	expect_records kernel_irq_entry 20
}

# === Vectors and NMIs =========================================================

# $1 records are "$HERE: in call", each between the entry and the exit of vector
# $2; and there are $3 pairs of these at least on the CPU.
expect_around() {
	get rows_irq cpu
	sequence "per_cpu/cpu$value/trace" "vector $2\$\|in call"
	out=$(echo "$value" | awk -v calls="$1" -v least="$3" '
		/vector_entry/ { if (open) bad = "two entries"; open = 1; pairs++ }
		/vector_exit/ { if (!pairs) next; if (!open) bad = "exit without entry"; open = 0 }
		/in call/ { if (!open) bad = "call outside"; n++ }
		END {
			if (open) bad = "no exit"
			if (n + 0 != calls) bad = n + 0 " calls"
			if (pairs < least) bad = pairs + 0 " pairs"
			if (bad) print bad
		}')
	[ -z "$out" ] || fail "vector $2: $out: $value"
}

vectors() {
	switch_on kernel_arch_vector_entry kernel_arch_vector_exit
	switch_on "$HERE"
	# To switch them on takes calls, too, of which only one has been told.
	echo >"$TRACE/trace"
	act vectors
	echo 0 >"$TRACE/tracing_on"
	# Single function calls, others, and reschedules. A call may also be found by
	# the vector for others; then its own may come together with the next one.
	expect_around 5 '25[12]' 10
	for vector in 252 253; do
		get rows_irq cpu
		sequence "per_cpu/cpu$value/trace" "vector $vector\$"
		out=$(echo "$value" | awk '
			/vector_entry/ { if (open++) exit 1; n++ }
			/vector_exit/ { if (n && --open) exit 1 }
			END { print n + 0 }') || fail "not in pairs: $value"
		expect_least "pairs of vector $vector" "$out" 5
	done
	text_of kernel_arch_vector_entry
	others=$(echo "$value" | grep -cv "^vector \(236\|25[123]\)\$")
	expect "entries of other vectors" "$others" 0
}

# Each tick comes by that of the local timer.
timer_vector() {
	event kernel_arch_vector_entry filter "vector == 236"
	event kernel_arch_vector_exit filter "vector == 236"
	# Not the entry first: what comes before the exit is on would lack it.
	switch_on kernel_arch_vector_exit kernel_arch_vector_entry kernel_timer_tick
	spin_start
	sleep 1
	spin_stop
	echo 0 >"$TRACE/tracing_on"
	for cpu in 0 1; do
		sequence "per_cpu/cpu$cpu/trace" .
		# The first may have begun before, and the last not have ended.
		out=$(echo "$value" | awk '
			/vector_entry/ { if (open) bad = "two entries"; open = 1; seen = 1 }
			/timer_tick/ { if (seen && !open) bad = "tick outside"; n++ }
			/vector_exit/ { if (seen && !open) bad = "exit alone"; open = 0 }
			END { print bad ? bad : n + 0 }')
		case $out in
		*[!0-9]*) fail "CPU $cpu: $out: $value" ;;
		0) fail "CPU $cpu had no tick" ;;
		esac
	done
}

nmis() {
	switch_on kernel_arch_nmi "$HERE"
	if ! put rows_irq call nmi 2>/dev/null; then
		skip "no NMIs to be had from a module here"
		return
	fi
	log_of kernel_arch_nmi
	limit=${value#* ns }
	limit=${limit% handled*}
	begin=${value% ns *}
	text_of kernel_arch_nmi
	out=$(echo "$value" | grep -F "$begin ns " | sed 's/.* ns //' |
		awk -v limit="$limit" '
		$1 < 50000 || $1 > limit || $3 != 1 { print "bad:", $0 }
		END { print NR }')
	expect "NMIs that our handler took" "$out" 5
	expect_records "$HERE" 5
	# Seen as what it is: the context of a record has Z or z for an NMI.
	n=$(grep -c "^ .*\] d.[Zz].* $HERE: in nmi" "$TRACE/trace")
	expect "hits in NMI" "$n" 5
}

# === Softirqs, tasklets, workqueues ===========================================

tasklets() {
	for name in raise entry exit; do
		event "kernel_softirq_$name" filter \
			"common_pid == $$ && (softirq_id == 0 || softirq_id == 6)"
		switch_on "kernel_softirq_$name"
	done
	for name in low_entry low_exit high_entry high_exit; do
		event "kernel_tasklet_$name" filter "common_pid == $$"
		switch_on "kernel_tasklet_$name"
	done
	switch_on "$HERE"
	act tasklet
	expect_sequence
}

works() {
	switch_on kernel_workqueue_queue kernel_workqueue_start \
		kernel_workqueue_end "$HERE"
	act work
	expect_sequence "function test_rows_\|$HERE"
}

queue_lock() {
	watch kernel_workqueue_queue '&pool->lock' || return 0
	act work
	expect_held 4
	unload locks
}

# Not while it runs.
work_lock() {
	for name in kernel_workqueue_start kernel_workqueue_end; do
		watch "$name" '&pool->lock' || return 0
		act work
		get locks missing
		expect_least "$name without the lock" "$value" 4
		expect_param locks held 0
		put locks watch ""
	done
	unload locks
}

[ -x "$MARKERS_PROGRAMS/test_rows_irq" ] ||
	skip_all "no test_rows_irq in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
[ "$(nproc)" -ge 2 ] || skip_all "only one CPU"
plan 12
keep_rows
run "handlers that share an interrupt" shared
run "a thread of an interrupt" threaded
run "a nested interrupt" nested
run "a per-CPU interrupt" percpu
run "what an interrupt interrupts" registers
run "vectors of what other CPUs send" vectors
run "the vector of the timer" timer_vector
run "NMIs" nmis
run "softirqs and tasklets" tasklets
run "work" works
run "the lock at the queueing of work" queue_lock
run "no lock at the execution of work" work_lock
finish
