#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints what markers cost, beside tracepoints: instructions, in a guest whose
# processor counts them (guest/bench.sh), and bytes, from objects.
# Usage: bench.sh; KDIR=BUILD for a kernel that was built elsewhere
set -eu
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

build_bench() {
	KM_BENCH=$KM_CACHE/build/$KVER/bench
	export KM_BENCH
	log=$KM_BENCH.log
	rm -rf "$KM_BENCH"
	mkdir -p "$KM_BENCH"
	cp "$KM_ROOT"/tools/testing/selftests/markers/bench/* "$KM_BENCH"
	env -u MAKEFLAGS -u MAKELEVEL make -C "$KM_BENCH" KDIR="$KM_BUILD" \
		>"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "the benchmark does not build; the whole log is $log"
	}
}

# Bytes ------------------------------------------------------------------------

# Object $1 by what its bytes are for: KIND BYTES. Left out is what a running
# kernel does not keep: lists of places to patch at boot, and notes.
section_bytes() {
	size -A -d "$1" | awk '
		BEGIN {
			for (n = split("text static_call.text", name); n; n--)
				kind["." name[n]] = "code"
			for (n = split(".orc_unwind .orc_unwind_ip", name); n; n--)
				kind[name[n]] = "unwind"
			for (n = split(".data .ref.data .bss .rodata " \
				       "__markers __jump_table " \
				       "__tracepoints __tracepoints_ptrs " \
				       "__bpf_raw_tp_map .static_call_sites", \
				       name); n; n--)
				kind[name[n]] = "data"
		}
		$1 ~ /^(\.rodata\.str|__tracepoints_strings$)/ { kind[$1] = "strings" }
		$1 in kind { sum[kind[$1]] += $2 }
		END {
			for (k in sum)
				print k, sum[k]
		}
	'
}

# Prints how far the block that a jump label jumps to lies behind the beginning
# of its function marked() in object $1: what runs while it is off.
hot_bytes() {
	start=$(nm "$1" | sed -n 's/ t marked$//p')
	block=$(objdump -r -j __jump_table "$1" |
		sed -n 's/.*_PC32.*\.text+0x//p' | sed -n 2p)
	echo $((0x$block - 0x$start))
}

# The size of symbol $2 of object $1.
symbol_bytes() {
	nm -S "$1" | awk -v name="$2" '$4 == name { print $2 }' |
		{ read -r size && echo $((0x$size)); }
}

# What kmalloc() takes for $1 bytes.
kmalloc_bytes() {
	for bucket in 8 16 32 64 96 128 192 256 512 1024; do
		[ "$1" -gt "$bucket" ] || break
	done
	echo "$bucket"
}

allocated() {
	symbol_bytes "$KM_BENCH/size_allocated.o" "allocated_$1"
}

# Everything about object $1, more than in the object without a mark; $2 bytes
# are allocated at run time.
object_bytes() {
	{
		section_bytes "$KM_BENCH/size_nothing.o" | sed 's/ / -/'
		section_bytes "$KM_BENCH/$1.o"
		echo hot $(($(hot_bytes "$KM_BENCH/$1.o") -
			$(symbol_bytes "$KM_BENCH/size_nothing.o" marked)))
		echo allocated "$2"
	} | awk '
		{ sum[$1] += $2 }
		END {
			sum["code"] -= sum["hot"]
			for (k in sum) {
				print k, sum[k]
				total += sum[k]
			}
			print "total", total
		}
	'
}

print_bytes() {
	fields=6
	instance=$(($(allocated event_file) +
		$(kmalloc_bytes "$(allocated event_directory)") +
		fields * $(allocated event_field)))
	marker=$(($(kmalloc_bytes "$(allocated marker)") +
		$(allocated marker_counts)))
	for part in marker_event event_args event_names event_ops event_name \
		event_format event_print_fmt; do
		marker=$((marker + $(kmalloc_bytes "$(allocated $part)")))
	done
	object_bytes size_site $((marker + instance)) >"$TMP/site"
	object_bytes size_event "$instance" >"$TMP/event"
	printf '\n%-52s %11s %11s\n' 'Bytes, six numbers as arguments, one processor' \
		marker TRACE_EVENT
	while read -r kind text; do
		printf '  %-50s %11s %11s\n' "$text" \
			"$(sed -n "s/^$kind //p" "$TMP/site")" \
			"$(sed -n "s/^$kind //p" "$TMP/event")"
	done <<-END
		hot code that is passed while it is off
		code other code
		data data in the image
		strings strings
		unwind tables to unwind the stack
		allocated allocated at run time
		total all
	END
	printf '  %-50s %11s\n' 'each processor more' "$(allocated marker_counts)"
}

check_kver
use_kernel plain
use_kmark
"$KM_SCRIPTS/deps.sh" build clients
make_tmp
build_bench
ACCEL=icount "$KM_SCRIPTS/qemu.sh" "$KM_BUILD/arch/x86/boot/bzImage" \
	"$KM_SCRIPTS/guest/bench.sh"
print_bytes
