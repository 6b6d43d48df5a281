#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of signals: whoever sends one, and what becomes of it.
#
# MARKERS_PROGRAMS	the directory with the built test_rows_sched

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows.sh
# shellcheck disable=SC1091,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows.sh"

USR1=10 KILL=9 USR2=12 WINCH=28 RTMIN=34

# To others, to oneself, to whoever does not want it, and by a timer.
sent() {
	switch_on kernel_send_signal
	filtered kernel_send_signal pid signals
	value=
	for signal in $USR1 $USR2 $USR2 $WINCH $USR1 $USR1 $RTMIN; do
		value="$value${value:+$NL}pid $pid signal $signal"
	done
	expect_text kernel_send_signal "$value"
}

# With a handler, without, and ignored; what is not taken by the task is not
# delivered.
delivered() {
	switch_on kernel_signal_deliver
	filtered kernel_signal_deliver common_pid signals
	expect "handled signals" "$handled" 2
	value="signal $USR1 handler 0x$handler flags $flags"
	value="$value${NL}signal $USR2 handler 0x1 flags 14000000"
	value="$value${NL}signal $WINCH handler 0x0 flags 0"
	value="$value${NL}signal $USR1 handler 0x$handler flags $flags"
	expect_text kernel_signal_deliver "$value"
}

handled() {
	switch_on kernel_signal_handle
	filtered kernel_signal_handle common_pid signals
	expect "handled signals" "$handled" 2
	value="signal $USR1 handler 0x$handler"
	value="$value${NL}signal $USR1 handler 0x$handler"
	expect_text kernel_signal_handle "$value"
}

# One that dies takes no signal out of its queue, but has it delivered.
killed() {
	switch_on kernel_send_signal kernel_signal_deliver kernel_signal_handle
	provoke killed
	text_of kernel_send_signal
	value=$(echo "$value" | grep "^pid $child ")
	expect "signals to the child" "$value" "pid $child signal $KILL"
	value=$(sed -n "s/^ .*-$child .*: kernel_signal_deliver: //p" "$TRACE/trace")
	expect "what was delivered to it" "$value" \
		"signal $KILL handler 0x0 flags 0"
	value=$(grep -c "^ .*-$child .*: kernel_signal_handle: " "$TRACE/trace")
	expect "handlers of it" "$value" 0
}

locked() {
	watch kernel_send_signal '&sighand->siglock' || return 0
	provoke signals
	expect_held 7
	watch kernel_signal_deliver '&sighand->siglock'
	provoke signals
	provoke killed
	expect_held 5
	unload locks
}

[ -x "$MARKERS_PROGRAMS/test_rows_sched" ] ||
	skip_all "no test_rows_sched in $MARKERS_PROGRAMS; set MARKERS_PROGRAMS"
[ "$(uname -m)" = x86_64 ] || skip_all "not x86"
plan 5
keep_rows
run "signals that are sent" sent
run "signals that are delivered" delivered
run "signals that are handled" handled
run "a task that is killed" killed
run "the lock that is held" locked
finish
