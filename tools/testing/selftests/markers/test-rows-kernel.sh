#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of the kernel's log, of modules, of idle CPUs and such that come and
# go, of locks that are waited for, of tasks that hang, and the one that programs
# hit themselves. Lockups and other kernels need a kernel of their own.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_irq

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2034,SC2154,SC2317 # what functions.sh has and does
ROWS=irq
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

FILE=$TRACEFS/marker_event

# === The log ==================================================================

# Records of the log that have "$1" should be "$2".
expect_log_records() {
	text_of kernel_vprintk
	value=$(echo "$value" | grep -F -e "$1")
	expect "log" "$value" "$2"
}

# The module does $1, and all that it printed is told.
printing() {
	switch_on kernel_vprintk
	act "$1"
	log_of kernel_vprintk
	expect_log_records "string test_markers_rows_irq: " "$value"
}

# Of all levels; one is longer than a string.
levels() {
	put rows_irq fill "$(printf '%0400d' 7 | cut -c 1-390)"
	printing printk
	text_of kernel_vprintk
	n=$(echo "$value" | sed -n 's/.* string \(.*0000\) caller .*/\1/p' |
		awk '{ print length($0) }')
	expect "length of the longest" "$n" 255
}

# Others may print in between, which is rare.
continued() {
	switch_on kernel_vprintk
	act printk_cont
	log_of kernel_vprintk
	wanted=$value
	text_of kernel_vprintk
	value=$(echo "$value" | grep ' string \( goes on\| and ends\|[a-z_]*: this\) ')
	expect kernel_vprintk "$value" "$wanted"
}

from_irq() { printing printk_irq; }

from_nmi() {
	switch_on kernel_vprintk
	if ! put rows_irq call printk_nmi 2>/dev/null; then
		skip "no NMIs to be had from a module here"
		return
	fi
	log_of kernel_vprintk
	expect_log_records "string test_markers_rows_irq: " "$value"
}

# What a program says, with level and without.
from_program() {
	switch_on kernel_vprintk
	echo "<5>test_rows_kernel begins" >/dev/kmsg
	echo "test_rows_kernel: 100% <2>" >/dev/kmsg
	default=$(cut -f 2 /proc/sys/kernel/printk)
	expect_log_records test_rows_kernel \
		"loglevel 5 string test_rows_kernel begins caller $$
loglevel $default string test_rows_kernel: 100% <2> caller $$"
}

# A handler that prints is not called for that, and what it prints is logged.
handler_prints() {
	column kernel_vprintk recursions
	before_it=$value
	act printk_handler
	log_of handled
	expect "calls of the handler" "$value" 1
	expect_log 1 ": a message" 1 ": about a message"
	column kernel_vprintk recursions
	expect_least recursions "$value" $((before_it + 1))
}

# === Modules ==================================================================

modules() {
	switch_on kernel_module_load kernel_module_free
	load context
	expect_text kernel_module_load "name test_markers_context"
	expect_text kernel_module_free ""
	unload context
	expect_text kernel_module_load "name test_markers_context"
	expect_text kernel_module_free "name test_markers_context"
}

# It fails after it was loaded.
module_fails() {
	switch_on kernel_module_load kernel_module_free
	load_fails "Input/output error" init fail=1
	expect_text kernel_module_load "name test_markers_init"
	expect_text kernel_module_free "name test_markers_init"
}

# It fails before.
module_refused() {
	switch_on kernel_module_load kernel_module_free
	load_fails "Invalid parameters" init fail=perhaps
	expect_text kernel_module_load ""
	expect_text kernel_module_free ""
}

# === Idle CPUs ================================================================

# Into a state and out of it, in turns, on the CPU that it says.
idle() {
	switch_on kernel_cpu_idle
	# Until all its sites were on, not each entry had an exit.
	echo >"$TRACE/trace"
	sleep 1
	echo 0 >"$TRACE/tracing_on"
	for cpu in 0 1; do
		out=$(sed -n "s/^[^#].*\[00$cpu\].* kernel_cpu_idle: //p" "$TRACE/trace" |
			awk -v cpu="$cpu" '
			$1 != "state" || $3 != "cpu" || $4 != cpu { bad = $0 }
			$2 != 4294967295 && $2 > 15 { bad = $0 }
			NR > 1 && ($2 == 4294967295) == out { bad = "twice " $0 }
			{ out = ($2 == 4294967295) }
			END { print bad ? bad : NR + 0 }')
		case $out in
		*[!0-9]*) fail "CPU $cpu: $out" ;;
		*) expect_least "records of CPU $cpu" "$out" 4 ;;
		esac
	done
}

# === CPUs that come and go ====================================================

CPU1=/sys/devices/system/cpu/cpu1

# Its file $1 can be written.
can_go() {
	[ ! -w "$CPU1/$1" ] || return 0
	skip "CPU 1 cannot go"
	return 1
}

# With where it got to, and back.
hotplug() {
	can_go online || return 0
	online=$(cat "$CPU1/hotplug/state")
	switch_on kernel_cpu_up kernel_cpu_down
	echo 0 >"$CPU1/online"
	expect_text kernel_cpu_down "cpu 1 state 0 ret 0"
	expect_text kernel_cpu_up ""
	echo 1 >"$CPU1/online"
	expect_text kernel_cpu_up "cpu 1 state $online ret 0"
	expect_text kernel_cpu_down "cpu 1 state 0 ret 0"
}

# One whose callback fails on the way, is back where it was.
hotplug_fails() {
	can_go hotplug/fail || return 0
	online=$(cat "$CPU1/hotplug/state")
	state=$(sed -n 's/^ *\([0-9]*\): workqueue:online$/\1/p' \
		/sys/devices/system/cpu/hotplug/states)
	switch_on kernel_cpu_up kernel_cpu_down
	echo "$state" >"$CPU1/hotplug/fail" || fail "cannot make state '$state' fail"
	! echo 0 2>/dev/null >"$CPU1/online" || fail "it could go"
	expect_text kernel_cpu_down "cpu 1 state $online ret -11"
	expect_text kernel_cpu_up ""
	expect "CPU 1 is online" "$(cat "$CPU1/online")" 1
}

# Whoever asked for it has the lock.
hotplug_locked() {
	can_go online || return 0
	for name in kernel_cpu_down kernel_cpu_up; do
		watch "$name" cpu_hotplug_lock || return 0
		echo 0 >"$CPU1/online"
		echo 1 >"$CPU1/online"
		expect_held 1
	done
	unload locks
}

# === Locks ====================================================================

# Where in the function does not matter.
without_offset() {
	value=$(echo "$value" | sed 's/ ip \([^ +]*\)+[^ ]*/ ip \1/')
}

# Each that had to wait, and nothing of those that had not.
locks() {
	names='lock_mutex_wait_start lock_mutex_wait_end lock_rwsem_wait_start'
	names="$names lock_rwsem_wait_end lock_semaphore_wait_start"
	names="$names lock_semaphore_wait_end"
	# shellcheck disable=SC2086 # to be split
	switch_on $names
	act locks
	# shellcheck disable=SC2086 # to be split
	switch_off $names
	for name in $names; do
		log_of "$name"
		wanted=$value
		[ -n "$wanted" ] || fail "the module told nothing of $name"
		text_of "$name"
		value=$(echo "$value" | grep '^lock test_rows_')
		without_offset
		expect "$name" "$value" "$wanted"
	done
}

# === Tasks that hang ==========================================================

HUNG=/proc/sys/kernel/hung_task

hung_seen() {
	grep -q ": kernel_hung_task: pid $pid " "$TRACE/trace"
}

# As long as it does, also when no more warnings are to be printed.
hangs() {
	if [ ! -e "${HUNG}_timeout_secs" ]; then
		skip "nobody looks for tasks that hang"
		return
	fi
	warnings=$(cat "${HUNG}_warnings")
	timeout=$(cat "${HUNG}_timeout_secs")
	echo 0 >"${HUNG}_warnings"
	switch_on kernel_hung_task
	act hang
	log_of pid
	pid=$value
	echo 1 >"${HUNG}_timeout_secs"
	for _ in 1 2 3 4 5; do
		! hung_seen || break
		sleep 1
	done
	expect_soon hung_seen
	act hang_end
	echo "$timeout" >"${HUNG}_timeout_secs"
	echo "$warnings" >"${HUNG}_warnings"
	text_of kernel_hung_task
	value=$(echo "$value" | sed -n "s/^pid $pid seconds //p")
	last=0
	for seconds in $value; do
		expect_least "seconds of $pid" "$seconds" $((last + 1))
		last=$seconds
	done
	[ "$last" -le 60 ] || fail "it hung for $last seconds"
}

# === What programs say ========================================================

# Writing $1, as printf takes it, should give a record of $2.
says() {
	echo >"$TRACE/trace"
	# shellcheck disable=SC2059 # that is how it comes
	printf "$1" >"$FILE" || fail "cannot write '$1'"
	expect_text userspace_event "string $2"
}

user_events() {
	event userspace_event filter "common_pid == $$"
	switch_on userspace_event
	says 'hello\n' hello
	says 'hello' hello
	says 'hello\000' hello
	says 'hello\n\000' hello
	says 'two words, 100%% "so"\n' 'two words, 100% "so"'
	says '\n' ''
	says 'one\ntwo\n\n' 'one?two?'
	says 'a\tb\033[31mc\177d\000e\n' 'a?b?[31mc?d?e'
	says 'caf\303\251\n' "$(printf 'caf\303\251')"
}

# With what does not count at its end, too.
longest() {
	switch_on userspace_event
	text=$(printf '%0255d' 7)
	says "$text" "$text"
	says "$text\n" "$text"
	says "$text\n\000" "$text"
}

# Each is told by its error, and by no record.
refused() {
	switch_on userspace_event
	for n in 256 257 5000; do
		printf "%0${n}d\n" 7 >"$tmp/text"
		! dd if="$tmp/text" of="$FILE" bs=8192 status=none 2>"$tmp/error" ||
			fail "could write $n characters"
		grep -q "Message too long" "$tmp/error" ||
			fail "$n characters failed with: $(cat "$tmp/error")"
	done
	provoke event-fault
	expect "the error of a bad address" "$error" 14
	: >"$FILE"
	! cat "$FILE" >/dev/null 2>&1 || fail "could read it"
	expect_records userspace_event 0
}

# Nobody listens, and nobody is told so.
unheard() {
	echo hello >"$FILE" || fail "cannot write"
	! printf '%0256d' 7 2>/dev/null >"$FILE" || fail "could write too much"
	expect_column userspace_event state off
}

# Others than readers of the buffer hear it, too.
counted_user() {
	column userspace_event hits
	first=$value
	switch_on userspace_event
	for i in 1 2 3; do
		echo "$i" >"$FILE"
	done
	column userspace_event hits
	expect "hits" $((value - first)) 3
}

[ -x "$MARKERS_PROGRAMS/test_rows_irq" ] ||
	skip_all "no test_rows_irq in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
[ "$(nproc)" -ge 2 ] || skip_all "only one CPU"
plan 20
keep_rows
quiet
run "messages of all levels" levels
run "a message that is continued" continued
run "a message from an interrupt" from_irq
run "a message from an NMI" from_nmi
run "messages of a program" from_program
run "a handler that prints" handler_prints
run "modules that come and go" modules
run "a module that fails" module_fails
run "a module that is refused" module_refused
run "idle CPUs" idle
run "a CPU that goes and comes" hotplug
run "a CPU that cannot go" hotplug_fails
run "the lock of CPUs that come and go" hotplug_locked
run "locks that are waited for" locks
run "a task that hangs" hangs
run "what programs say" user_events
run "the longest that programs say" longest
run "what programs cannot say" refused
run "what nobody hears" unheard
run "what programs say is counted" counted_user
finish
