#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shows on a running kernel what markers do: loads the samples, runs processes
# and timers, prints what the markers told and checks it. Wants root in a guest
# with tracefs mounted; KM_BUILD is the object directory of its kernel, and
# KM_SYSCALLS32 the program that test_syscalls32.c makes.
# Exit status: 0 if all checks were good.
set -u

MARKERS=/sys/kernel/tracing/markers
MODULES='marker_wrong_probe marker_count_probe marker_timer_probe
	marker_syscall_probe marker_log_probe marker_site'
failed=0

die() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

heading() {
	printf '\n== %s\n' "$*"
}

indent() {
	sed 's/^/   /'
}

# check WHAT COMMAND...: is COMMAND true?
check() {
	what=$1
	shift
	if "$@" >/dev/null 2>&1; then
		printf 'ok - %s\n' "$what"
	else
		printf 'FAIL - %s\n' "$what"
		failed=$((failed + 1))
	fi
}

is_loaded() {
	[ -d "/sys/module/$1" ]
}

load() {
	ko=$1.ko
	shift
	insmod "$KM_BUILD/samples/markers/$ko" "$@" ||
		die "cannot load $ko with '$*'; see dmesg"
}

# Column $2 of marker $1: 2 LKST, 3 state, 4 sites, 5 handlers, 6 hits.
column() {
	awk -F '\t' -v name="$1" -v n="$2" '$1 == name { print $n }' "$MARKERS"
}

# What the kernel logged since the demo began, without its time stamps.
kernel_log() {
	dmesg | awk -v start="$start" '
		index($0, start) { seen = 1; next }
		seen { sub(/^\[[^]]*\] */, ""); print }'
}

logged() {
	kernel_log | grep -q -e "$1"
}

# Events are printed a moment later than they happen.
wait_for_log() {
	tries=20
	until logged "$1" || [ "$tries" -eq 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
}

# The events that the logging probe printed and $1 matches.
events() {
	kernel_log | sed -n 's/^marker_log_probe: //p' | grep -e "$1"
}

unload() {
	for module in $MODULES; do
		! is_loaded "$module" || rmmod "$module" || return
	done
}

clean_up() {
	unload
	[ -z "${console:-}" ] || echo "$console" >/proc/sys/kernel/printk
	[ -z "${dir:-}" ] || rm -rf "$dir"
}

# ------------------------------------------------------------------------------

RECORDED='-e markers:kernel_timer_set -e markers:kernel_sched_schedule
	-e markers:kernel_arch_syscall_entry'

set_up() {
	[ -n "${KM_BUILD:-}" ] ||
		die 'KM_BUILD is not set; it names the object directory of the kernel'
	[ "$(id -u)" = 0 ] || die 'not root; loading modules needs it'
	[ -r "$MARKERS" ] ||
		die "no $MARKERS; boot a kernel with CONFIG_MARKERS and mount tracefs"
	[ -f "$KM_BUILD/samples/markers/marker-site.ko" ] ||
		die "no samples in $KM_BUILD; build with CONFIG_SAMPLE_MARKERS=m"
	[ -x "${KM_SYSCALLS32:-}" ] ||
		die 'KM_SYSCALLS32 names no program; make demo builds it'
	command -v perl >/dev/null || die 'no perl in PATH; install perl-base'
	command -v trace-cmd >/dev/null ||
		die 'no trace-cmd in PATH; install trace-cmd'
	command -v kmark >/dev/null || die 'no kmark in PATH; make demo builds it'
	for module in $MODULES; do
		! is_loaded "$module" || die "$module is loaded; unload it first"
	done
	trap clean_up EXIT
	trap 'exit 130' INT TERM
	dir=$(mktemp -d) || die 'no temporary directory; mount a writable /tmp'
	# A terminal that shows the kernel's messages gets only the grave ones.
	console=$(cat /proc/sys/kernel/printk)
	echo 5 >/proc/sys/kernel/printk
	start="marker demo begins $$"
	echo "$start" >/dev/kmsg
	# A name of its own for a program whose events are to be logged.
	cp "$(command -v sleep)" "$dir/marker-demo"
}

show_kernel() {
	echo "Kernel markers on Linux $(uname -r), $(nproc) CPUs:" \
		"$(grep -c '^	site' "$MARKERS") sites"
	check 'every marker is off and has no handler' none_on
}

switch_a_lot() {
	i=0
	while [ "$i" -lt 15 ]; do
		echo "$i" | cat >/dev/null
		i=$((i + 1))
	done
}

same_number() {
	[ -n "$1" ] && [ "$1" -gt 0 ] && [ "$1" -eq "$2" ]
}

# Both the core and the probe counted to the end when the module has gone.
count_switches() {
	heading 'Counting: marker-count-probe marker=kernel_sched_schedule arg=2'
	before=$(column kernel_sched_schedule 6)
	load marker-count-probe marker=kernel_sched_schedule arg=2
	switch_a_lot
	sed 's/^/so far: /' /proc/marker-count | indent
	rmmod marker_count_probe
	counted=$(kernel_log |
		sed -n 's/^marker_count_probe: kernel_sched_schedule hits //p')
	hits=$(($(column kernel_sched_schedule 6) - before))
	check "the probe counted ${counted:-no} switches, the marker $hits hits" \
		same_number "$counted" "$hits"
}

# A socket's receive timeout is a timer that the sleeper itself arms.
# shellcheck disable=SC2016 # the variables are perl's
SLEEPER='
	$0 = "marker-demo";
	socketpair(A, B, 1, 1, 0) or die;
	setsockopt(A, 1, 20, pack("l!l!", 0, 200000)) or die;
	recv(A, $x, 1, 0);'

is_200_ms() {
	[ -n "$1" ] && [ "$1" -ge 180 ] && [ "$1" -le 200 ]
}

# Runs a program as $process until it ends.
run() {
	"$@" &
	process=$!
	wait "$process"
}

log_events() {
	heading 'Logging: marker-log-probe comm=marker-demo'
	load marker-log-probe comm=marker-demo max_events=1000
	run "$dir/marker-demo" 0.1
	sleeper=$process
	run perl -e "$SLEEPER"
	receiver=$process
	# It is the latest of the events, which are printed in order.
	wait_for_log " pid $receiver kernel_timer_set: function process_timeout "

	echo "   a sleep of 100 ms (process $sleeper):"
	events " \(prev\|next\)_pid $sleeper " | sed -n \
		-e "/prev_pid $sleeper .* prev_state 0x2*0*1$/{p;n;p}" \
		-e '/prev_state 0x80$/p' | indent
	check 'it went to sleep (state 1, 2000: freezable)' \
		logged "prev_pid $sleeper .* prev_state 0x2*0*1$"
	check 'it ran again' logged "next_pid $sleeper "
	check 'it exited (state 0x80)' \
		logged "prev_pid $sleeper .* prev_state 0x80$"

	echo "   a receive that times out after 200 ms (process $receiver):"
	timer=$(events " pid $receiver kernel_timer_set: function process_timeout " |
		tail -n 1)
	echo "$timer" | indent
	delay=$(echo "$timer" | sed -n 's/.*(in \(.*\) ms).*/\1/p')
	check "it set a timer for process_timeout in ${delay:-no} ms" \
		is_200_ms "$delay"
}

handler_is() {
	grep -q "^	handler	$1 .*	$2	" "$MARKERS"
}

# A 64-bit program that prints what its calls return. The page is mapped and
# never touched.
# shellcheck disable=SC2016 # the variables are perl's
CALLER='
	$0 = "call-demo";
	$time = pack("qq", 0, 50_000_000);
	$page = syscall(9, 0, 4096, 3, 0x22, -1, 0);
	$inet = pack("SnC4x8", 2, 9, 127, 0, 0, 1);
	$unix = pack("Sa*", 1, "/nowhere/socket");
	socket(I, 2, 1, 0) && socket(U, 1, 1, 0) or die;
	for ([35, $time, 0], [35, $page, 0], [42, fileno(I), $inet, length $inet],
	     [42, fileno(U), $unix, length $unix]) {
		($number, @args) = @$_;
		$ret = syscall($number, @args);
		print $ret < 0 ? -($! + 0) : $ret, "\n";
	}'

# Runs a program with the probe of system calls loaded with the parameters $1.
# What the probe told of it is in $dir/calls, without time, CPU and process; what
# it said itself in $dir/said, and how it ended in $code.
trace_calls() {
	# shellcheck disable=SC2086 # a list of words
	load marker-syscall-probe $1
	shift
	run "$@" >"$dir/said"
	code=$?
	rmmod marker_syscall_probe
	kernel_log | sed -n "s/^marker_syscall_probe: .* pid $process //p" \
		>"$dir/calls"
}

told() {
	grep -q -x -e "$1" "$dir/calls"
}

# Each call that was decoded, and what it returned.
decoded() {
	sed -n '/^syscall_id/!{N;s/\n.* ret / -> /p}' "$dir/calls"
}

show_calls() {
	heading 'System calls: marker-syscall-probe comm=call-demo'
	trace_calls comm=call-demo perl -e "$CALLER"
	decoded | indent
	check 'nanosleep: the time that the argument points at' \
		told 'x86-64 nanosleep: 0 s 50000000 ns'
	check 'nanosleep: a page that was never touched is not there' \
		told 'x86-64 nanosleep: (not there)'
	check 'connect: address and port' \
		told 'x86-64 connect: inet 127.0.0.1 port 9'
	check 'connect: path' told 'x86-64 connect: unix /nowhere/socket'
	check 'each call returned what the program got' \
		[ "$(sed -n 's/.* ret //p' "$dir/calls")" = "$(cat "$dir/said")" ]
}

# Which calls came in by the i386 ABI, in order.
entries_32() {
	sed -n 's/^syscall_id \([0-9]*\) arch i386 .*/\1/p' "$dir/calls"
}

# Which calls returned what. execve() is not the program's own, and where brk()
# is nobody knows.
exits_32() {
	sed -n '/^syscall_id \(11\|45\) /d
		s/^syscall_id \([0-9]*\) success . ret /\1 /p' "$dir/calls"
}

# The call that was made with six known values, from an address that begins with
# $1: the program is at the bottom of its memory, the vDSO at the top.
told_registers() {
	told "syscall_id 9999 arch i386 ip $1[0-9a-f]* a0 0x81020304 a1 0x82030405 a2 0x83040506 a3 0x84050607 a4 0x85060708 a5 0x86070809"
}

told_twice() {
	[ "$(grep -c -x -e "$1" "$dir/calls")" = 2 ]
}

show_registers() {
	heading 'System calls with individual registers: comm=test_syscalls32 raw=1'
	trace_calls 'comm=test_syscalls32 raw=1' "$KM_SYSCALLS32"
	grep 'syscall_id 9999 ' "$dir/calls" | fold -s -w 76 | indent
	decoded | indent
	check 'a 32-bit program ran' [ "$code" = 0 ]
	check 'int 0x80: all six arguments' told_registers 0x80
	check 'vdso: all six arguments' told_registers 0xf7
	check 'the number of each call' [ "$(entries_32 | xargs)" = \
		'9998 9999 20 6 45 407 102 9999 20 6 45 407 102 1' ]
	returned="9999 -38 20 $process 6 -9 407 0 102 -9"
	check 'what each call returned' \
		[ "$(exits_32 | xargs)" = "9998 -38 $returned $returned" ]
	check 'nanosleep, twice: the time that an argument points at' \
		told_twice 'i386 clock_nanosleep_time64: 0 s 20000000 ns'
	check 'socketcall, twice: an address behind a second pointer' \
		told_twice 'i386 connect: inet 127.0.0.1 port 9'
}

# What trace-cmd reports of the program in $dir/recorded.
report() {
	grep -e "$1" "$dir/recorded"
}

# The same events as any tool shows them; only those of one program.
record_events() {
	heading 'Recording: trace-cmd record -e markers:...'
	# shellcheck disable=SC2086 # a list of words
	trace-cmd record -q -o "$dir/trace.dat" $RECORDED -F \
		perl -e "$SLEEPER" >"$dir/said" 2>&1 ||
		indent <"$dir/said"
	trace-cmd report -i "$dir/trace.dat" 2>/dev/null |
		sed 's/^ *//; s/  *kernel/ kernel/; s/:[[:blank:]]*/: /g' >"$dir/recorded"
	sleeper=$(sed -n 's/^marker-demo-\([0-9]*\) .*/\1/p;T;q' "$dir/recorded")
	{
		report 'kernel_timer_set: .*process_timeout'
		report "kernel_sched_schedule: .*next_pid $sleeper " | tail -n 1
		report 'kernel_arch_syscall_entry: syscall_id 45 '
	} | fold -s -w 76 | indent
	check 'the timer for process_timeout was recorded' \
		report 'kernel_timer_set: timer .* function process_timeout+0x0 '
	check 'and the call that set it, by number and registers' \
		report 'kernel_arch_syscall_entry: syscall_id 45 .* a2 1 a3 0 '
	check 'and the switch to it when it was over' \
		report "kernel_sched_schedule: .*next_pid $sleeper "
}

lived() {
	grep -q "$1" "$dir/life"
}

# A mask set has names of either kind; one write switches all of it on.
use_mask_set() {
	heading 'The names of LKST, and a mask set: kmark mask use life'
	kmark list 'PROCESS_*' | cut -c 1-52 | indent
	export KMARK_ETC="$dir"
	printf 'PROCESS_FORK\nPROCESS_EXEC\nkernel_process_exit\n' |
		kmark mask new life
	check 'the set is in use' kmark mask use life
	run "$dir/marker-demo" 0.01
	check 'and no longer' kmark mask use none
	kmark dump | sed 's/^ *//; s/  *\[/ [/' |
		grep -e "child_pid $process \|^marker-demo-$process " >"$dir/life"
	fold -s -w 76 "$dir/life" | indent
	check 'it has the fork by its name of LKST' \
		lived "PROCESS_FORK: parent_pid $$ child_pid $process "
	check 'and so the exec' lived \
		"PROCESS_EXEC: pid $process old_pid $process filename $dir/marker-demo$"
	check 'and the exit by the name of the marker' \
		lived "kernel_process_exit: pid $process code 0$"
	check 'that is all, and each of them once' \
		[ "$(grep -c . "$dir/life")" = 3 ]
}

hit_sites() {
	heading 'Sites in a module: marker-site'
	check 'before it is loaded a handler for its event is pending' \
		handler_is collect_integer_string pending
	load marker-site
	check 'and then it is active' handler_is collect_integer_string active
	load marker-count-probe marker=sample_subsystem_eventb
	dd if=/proc/marker-site bs=42 count=1 2>/dev/null
	dd if=/proc/marker-site bs=42 count=1 2>/dev/null
	check "two opens hit sample_subsystem_eventb 20 times" \
		grep -q -x 'sample_subsystem_eventb hits 20' /proc/marker-count
	rmmod marker_count_probe
	load marker-count-probe marker=sample_site_read arg=1
	dd if=/proc/marker-site bs=7 count=1 2>/dev/null
	dd if=/proc/marker-site bs=42 count=1 2>/dev/null
	indent </proc/marker-count
	check 'reads of 7 and 42 bytes: argument 1 is from 7 to 42' grep -q -x \
		'sample_site_read hits 2 arg 1 min 7 max 42' /proc/marker-count
	wait_for_log 'sample_subsystem_event: '
	events ' sample_' | head -n 2 | indent
	check 'the event has its integer and its string' logged \
		'sample_subsystem_event: integer 123 string example string$'
	check 'the site in the init function was hit' logged \
		'sample_site_init: module marker_site$'
}

timer_line() {
	grep -q -x "$1" /proc/marker-timer
}

timers_good() {
	timer_line 'not pending 0' && timer_line 'unlike the arguments 0'
}

# Was the timer that $1 armed seen with the values it was armed with?
timer_as_armed() {
	armed=$(sed -n "s/^$1 armed: *//p" /proc/marker-timer)
	seen=$(sed -n "s/^$1 seen: *\(.*\) cpu [0-9]*$/\1/p" /proc/marker-timer)
	[ -n "$armed" ] && [ "$armed" = "$seen" ]
}

look_under_lock() {
	heading 'Reading what a lock protects: marker-timer-probe'
	load marker-timer-probe
	switch_a_lot
	sleep 0.5
	grep -v add_timer_on /proc/marker-timer | indent
	check 'the base lock was held at every timer' \
		timer_line 'base not locked 0'
	check 'every timer was pending, and as the arguments said' timers_good
	check 'mod_timer() was seen with its values' timer_as_armed mod_timer
	check 'add_timer_on() was seen with its values' timer_as_armed add_timer_on
}

refuse_wrong_format() {
	heading 'A wrong format: marker-wrong-probe'
	insmod "$KM_BUILD/samples/markers/marker-wrong-probe.ko" \
		2>"$dir/insmod" && echo 'loaded' >"$dir/insmod"
	{
		sed 's/^.*ko: //' "$dir/insmod"
		kernel_log | grep -e '^markers: .*wrong_handler.* differs from '
	} | fold -s -w 76 | indent
	check 'another format than that of the sites is refused with EPERM' \
		grep -q 'Operation not permitted' "$dir/insmod"
	check 'the kernel named both formats' logged \
		'wrong_handler.*"timer %p expires %ld .*"timer %p expires %lu '
	check 'a format outside of the grammar is refused with EINVAL' logged \
		'^marker_wrong_probe: .*#1: -\(EINVAL\|22\)$'
	check 'the module is not loaded' [ ! -d /sys/module/marker_wrong_probe ]
}

show_summary() {
	heading 'Summary'
	awk -F '\t' '
		BEGIN {
			row = "   %-26s %-21s %-5s %5s %8s %6s\n"
			printf row, "marker", "LKST", "state", "sites", "hits", "skips"
		}
		/^[#\t]/ { next }
		$6 { printf row, $1, $2, $3, $4, $6, $7 + $8; next }
		{ others++ }
		END { if (others) print "   and " others " more, off and never hit" }
	' "$MARKERS"
}

none_on() {
	! awk -F '\t' '$3 == "on" || $2 == "handler"' "$MARKERS" | grep -q .
}

unload_all() {
	heading 'Unloading'
	check 'every sample is unloaded' unload
	check 'every marker is off again and has no handler' none_on
}

set_up
show_kernel
count_switches
log_events
show_calls
show_registers
record_events
use_mask_set
hit_sites
look_under_lock
refuse_wrong_format
show_summary
unload_all

echo
if [ "$failed" -ne 0 ]; then
	echo "demo: $failed checks FAILED"
	exit 1
fi
echo 'demo: all checks passed'
