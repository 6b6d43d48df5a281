#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# BPF programs by bpftrace on markers, as on tracepoints. Only BPF uses the
# event then: it is not on in tracefs and perf records nothing.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

HIT=/sys/module/test_markers_record/parameters/hit

# bpftrace runs program $1 while command $2 runs; what either said is in order
# of the alphabet then.
bpf() {
	bpftrace -c "$2" -e "$1" >"$tmp/out" 2>"$tmp/err" ||
		fail "bpftrace failed: $(cat "$tmp/err")"
	expect "complaints of bpftrace" "$(cat "$tmp/err")" ""
	value=$(sed '/^$/d;/^Attaching/d' "$tmp/out" | sort)
}

# All kinds of fields. That an event has some in network order, of a type of its
# own, is no trouble.
fields() {
	cat >"$tmp/command" <<-END
		read -r on <$EVENTS/test_record_count/enable
		echo "in tracefs it is \$on"
		echo count,100 >$HIT
		echo count,100 >${HIT%hit}each
		echo int,2 >$HIT
		echo string >$HIT
		echo network >$HIT
		echo many >$HIT
		echo words >$HIT
	END
	bpf '
		tracepoint:markers:test_record_count {
			@n[str(args->text)] = count();
			@sum[str(args->text)] = sum(args->n);
			@sign = sum(args->sign);
		}
		tracepoint:markers:test_record_int {
			printf("int %d %d %d %ld %lu %lld\n", args->c, args->s,
				args->i, args->l, args->ul, args->pos);
		}
		tracepoint:markers:test_record_string {
			printf("string %s|%s|%s|%s|%s\n", str(args->plain),
				str(args->empty), str(args->null),
				str(args->error), str(args->last));
		}
		tracepoint:markers:test_record_network {
			printf("network %x %x %d\n", args->port, args->address,
				args->byte);
		}
		tracepoint:markers:test_record_many {
			printf("many %d %s %s %d %d %d\n", args->a, str(args->d),
				str(args->l), args->r, args->s, args->t);
		}
		tracepoint:markers:test_record_words {
			printf("words %d %d %d %d %d %d %d %d\n", args->asm_2,
				args->typeof_2, args->inline_2, args->linux_2,
				args->bool_2, args->_Bool_2,
				args->__linux___2, args->_);
		}
	' "/bin/sh $tmp/command"
	all=$((50 + 50 * $(nproc)))
	expect "what bpftrace said" "$value" "@n[even]: $all
@n[odd]: $all
@sign: $all
@sum[even]: $((all * 51))
@sum[odd]: $((all * 50))
in tracefs it is 0
int -128 -32768 -2147483648 -9223372036854775808 18446744073709551615 1234567890123456789
int -128 -32768 -2147483648 -9223372036854775808 18446744073709551615 1234567890123456789
many -1 four twelve -18 19 -20
network 901f 100007f 200
string two words||(null)|(fault)|end
words 1 2 3 4 5 6 7 8"
	expect_column test_record_count state off
	expect_records test_record_count 0
}

# dd makes a known number of system calls.
syscalls() {
	bpf '
		tracepoint:markers:kernel_arch_syscall_entry
		/comm == "dd" && args->syscall_id == 1 && args->a0 == 1/ {
			@calls[args->syscall_id] = count();
			@asked = sum(args->a2);
			@writing = 1;
		}
		tracepoint:markers:kernel_arch_syscall_exit
		/comm == "dd" && args->syscall_id == 1 && @writing/ {
			@done[args->success] = count();
			@written = sum(args->ret);
		}
		tracepoint:markers:kernel_sched_schedule
		/args->prev_pid == args->next_pid/ { printf("a switch to itself\n"); }
		END { clear(@writing); }
	' "$(command -v dd) if=/dev/zero of=/dev/null bs=3 count=1000 status=none"
	expect "what bpftrace said" "$value" "@asked: 3000
@calls[1]: 1000
@done[1]: 1000
@written: 3000"
	expect_column kernel_arch_syscall_entry state off
	expect_column kernel_sched_schedule state off
}

not_here() {
	skip "the numbers are those of x86-64"
}

command -v bpftrace >/dev/null || skip_all "no bpftrace"
plan 2
keep_record
run "a program reads all kinds of fields, and counts each hit" fields
if [ "$(uname -m)" = x86_64 ]; then
	run "a program counts system calls" syscalls
else
	run "a program counts system calls" not_here
fi
finish
