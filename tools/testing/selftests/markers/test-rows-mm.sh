#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of memory: allocations that a module makes, and faults, swapping,
# waits and reclaim that a program brings about.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows-mm.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows-mm.sh"

KMEM=$TRACEFS/events/kmem

listed() {
	expect_listed <<-'EOF'
	mm_page_alloc|pfn %ld order %u gfp_flags %x
	mm_page_free|pfn %lu order %u
	mm_kmalloc|ptr %p call_site %pS bytes_req %lu bytes_alloc %lu gfp_flags %x
	mm_kfree|ptr %p call_site %pS
	mm_cache_alloc|ptr %p call_site %pS size %lu
	mm_cache_free|ptr %p call_site %pS
	mm_vmalloc|addr %p size %lu
	mm_vfree|addr %p
	mm_fault_entry|address #p%lu ip #p%lu write_access #1u%u
	mm_fault_exit|res %x
	mm_fault_nosem|address #p%lu ip #p%lu error_code %lx
	mm_no_page|address #p%lu
	mm_wp_page|address #p%lu
	mm_swap_page|address #p%lu
	mm_shrink_entry|order %d gfp_flags %x
	mm_shrink_exit|nr_reclaimed %lu
	mm_filemap_wait_start|pfn %lu bit_nr %d
	mm_filemap_wait_end|pfn %lu bit_nr %d
	mm_oom_kill|pid %d
	mm_page_cache_add|pfn %lu order %u dev #4u%u inode %lu index %lu
	mm_page_cache_remove|pfn %lu order %u dev #4u%u inode %lu index %lu
	mm_mmap|address #p%lu len %lu flags %lx vm_flags %lx
	mm_munmap|address #p%lu len %lu
	mm_kswapd_wake|nid %d zone %u order %u
	mm_kswapd_sleep|nid %d
	EOF
}

# === Allocations of the module ================================================

# The module does $1; the events "$@" are on, for what this shell does.
run_module() {
	job=$1
	shift
	load rows_mm
	echo 0 >"$TRACEFS/options/hash-ptr"
	for name in "$@"; do
		event "$name" filter "common_pid == $$"
		switch_on "$name"
	done
	put rows_mm run "$job"
	for name in "$@"; do
		switch_off "$name"
	done
	cat /sys/module/test_markers_rows_mm/parameters/did >"$tmp/out"
}

end_module() {
	echo 1 >"$TRACEFS/options/hash-ptr"
	unload rows_mm
}

# What the records of event $1 tell of the module's functions.
text_of_module() {
	text_of "$1"
	value=$(printf '%s\n' "$value" | sed -n \
		's/ call_site \([a-z_]*\)[^ ]* \[test_markers_rows_mm\]/ call_site \1/p')
}

expect_module() {
	for name in "$@"; do
		told "$name"
		wanted=$value
		[ -n "$wanted" ] || fail "the module told nothing of $name"
		text_of_module "$name"
		value=$(printf '%s\n' "$value" | sed 's/ bytes_alloc [0-9]*/ bytes_alloc */')
		expect "$name" "$value" "$wanted"
	done
}

# How much was allocated is what the tracepoint of the same place tells.
kmallocs() {
	echo "common_pid == $$" >"$KMEM/kmalloc/filter"
	echo 1 >"$KMEM/kmalloc/enable"
	run_module kmalloc mm_kmalloc mm_kfree
	echo 0 >"$KMEM/kmalloc/enable"
	echo 0 >"$KMEM/kmalloc/filter"
	expect_module mm_kmalloc mm_kfree
	# Nor by a function of the allocator on the way.
	text_of mm_kmalloc
	expect "large ones" "$(echo "$value" | grep -c ' bytes_req [56]0000 ')" 2
	text_of_module mm_kmalloc
	got=$(printf '%s\n' "$value" |
		sed 's/ptr \([^ ]*\) .* bytes_req \([0-9]*\) bytes_alloc \([0-9]*\) .*/\1 \2 \3/')
	value=$(sed -n 's/^[^#].*: kmalloc: call_site=.*\[test_markers_rows_mm\] ptr=\([^ ]*\) bytes_req=\([0-9]*\) bytes_alloc=\([0-9]*\) .*/\1 \2 \3/p' \
		"$TRACE/trace")
	expect "what was asked for and allocated" "$got" "$value"
	end_module
}

caches() {
	run_module cache mm_cache_alloc mm_cache_free
	expect_module mm_cache_alloc mm_cache_free
	end_module
}

# Those of the records of event $1 whose first value is one that was told of it.
text_of_told() {
	told "$1"
	printf '%s\n' "$value" >"$tmp/told"
	text_of "$1"
	printf '%s\n' "$value" >"$tmp/text"
	value=$(awk 'NR == FNR { told[$2]; next } $2 in told' "$tmp/told" "$tmp/text")
}

freed_all() {
	text_of_told mm_vfree
	wanted=$(cat "$tmp/told")
	[ "$value" = "$wanted" ]
}

# A worker frees the second one.
vmallocs() {
	switch_on mm_vfree
	run_module vmalloc mm_vmalloc
	text_of_told mm_vmalloc
	expect "mm_vmalloc" "$value" "$(cat "$tmp/told")"
	expect_soon freed_all
	end_module
}

# All blocks of the largest order, and the failure of the next.
blocks() {
	run_module pages mm_page_alloc mm_page_free
	told blocks
	n=$value
	expect_least "blocks of the largest order" "$n" 3
	told mm_page_alloc
	order=$(echo "$value" | sed -n '1s/.* order \([0-9]*\) .*/\1/p')
	for name in mm_page_alloc mm_page_free; do
		text_of "$name"
		got=$(echo "$value" | grep " order $order\\( \\|\$\\)")
		told "$name"
		lines=$(echo "$value" | wc -l)
		expect "the first of $name" "$(echo "$got" | head -n "$lines")" "$value"
		[ "$name" = mm_page_free ] || {
			told failure
			expect "the last of $name" "$(echo "$got" | tail -n 1)" "$value"
			got=$(echo "$got" | sed '$d')
		}
		expect "$name" "$(echo "$got" | wc -l)" "$n"
	done
	end_module
}

# === Pages of a program =======================================================

# Frame and order of each record, of the marker $1 and of the tracepoint.
expect_same_pages() {
	got=$(sed -n "s/^[^#].*[0-9]: $1: pfn \(-*[0-9]*\) order \([0-9]*\).*/\1 \2/p" \
		"$tmp/trace")
	wanted=$(sed -n "s/^[^#].*[0-9]: $1: page=[^ ]* pfn=0x\([0-9a-f]*\) order=\([0-9]*\).*/\1 \2/p" \
		"$tmp/trace" | awk '
		{
			n = 0
			for (i = 1; i <= length($1); i++)
				n = n * 16 + index("0123456789abcdef", substr($1, i, 1)) - 1
			print n, $2
		}')
	[ "$got" = "$wanted" ] || {
		printf '%s\n' "$got" >"$tmp/got"
		printf '%s\n' "$wanted" >"$tmp/wanted"
		fail "$1 and its tracepoint differ: $(diff "$tmp/got" "$tmp/wanted" | head -n 5)"
	}
}

pages() {
	start_program pages
	for name in mm_page_alloc mm_page_free; do
		echo "common_pid == $child" >"$KMEM/$name/filter"
	done
	# Nothing happens in the program while one of the two is off.
	for name in mm_page_alloc mm_page_free; do
		record_child "$name"
		echo 1 >"$KMEM/$name/enable"
	done
	let_run
	for name in mm_page_alloc mm_page_free; do
		echo 0 >"$KMEM/$name/enable"
		echo 0 >"$KMEM/$name/filter"
	done
	cat "$TRACE/trace" >"$tmp/trace"
	expect_same_pages mm_page_alloc
	expect_same_pages mm_page_free
	told page
	expect "pages of the program" "$(echo "$value" | wc -l)" 63
	for pfn in $value; do
		for name in mm_page_alloc mm_page_free; do
			grep -q ": $name: pfn $pfn order 0" "$tmp/trace" ||
				fail "no $name of frame $pfn"
		done
	done
}

# === Faults ===================================================================

# The records of $1 for addresses that the program told of.
text_of_faults() {
	sed -n 's/^mm_fault_entry address \([^ ]*\) .*/\1/p' "$tmp/out" >"$tmp/told"
	text_of "$1"
	printf '%s\n' "$value" >"$tmp/text"
	value=$(awk 'NR == FNR { told[$1]; next } $2 in told' "$tmp/told" "$tmp/text")
}

# Each entry is followed by its exit.
faults() {
	start_program faults "$tmp"
	record_child mm_fault_entry mm_fault_exit mm_no_page mm_wp_page
	let_run
	sed -n 's/^[^#].*[0-9]: mm_fault_\([a-z]*\): /\1 /p' "$TRACE/trace" >"$tmp/pairs"
	wrong_order=$(awk '
		$1 == "entry" && open { print }
		$1 == "exit" && !open { print }
		{ open = $1 == "entry" }
		END { if (open) print "no last exit" }
	' "$tmp/pairs")
	expect "faults without a partner" "$wrong_order" ""
	sed -n 's/^mm_fault_entry address \([^ ]*\) .*/\1/p' "$tmp/out" >"$tmp/told"
	got=$(awk '
		NR == FNR { told[$1]; next }
		$1 == "entry" { hit = $3 in told ? $0 : "" }
		$1 == "exit" && hit != "" { print substr(hit, 7), $2, $3 }
	' "$tmp/told" "$tmp/pairs")
	told mm_fault_entry
	expect "faults" "$got" "$value"
	for name in mm_no_page mm_wp_page; do
		told "$name"
		wanted=$value
		text_of_faults "$name"
		expect "$name" "$value" "$wanted"
	done
}

wp_lock() {
	expect_lock mm_wp_page 'ptlock_ptr(ptdesc)' faults 1
}

segv() {
	start_program segv
	record_child mm_fault_nosem mm_fault_entry
	let_run
	expect_told mm_fault_nosem
	told mm_fault_nosem
	address=${value#address }
	address=${address%% *}
	text_of mm_fault_entry
	case $value in
	*"$address"*) fail "a fault without an area was handled" ;;
	esac
}

# === Swapping =================================================================

swap() {
	if [ ! -e /proc/swaps ] || [ ! -e /dev/ram1 ]; then
		skip "no swap or no RAM disk"
		return 0
	fi
	expect_listed <<-'EOF'
	mm_swap_out|pfn %lu
	mm_swap_in|pfn %lu
	mm_swap_file_open|file %p filename %s pages %u prio %d
	mm_swap_file_close|file %p filename %s
	EOF
	switch_on mm_swap_file_open mm_swap_file_close
	# Nothing to swap to, yet.
	! swapon /dev/ram1 2>/dev/null || fail "could swap"
	! swapoff /dev/ram1 2>/dev/null || fail "could end swapping"
	mkswap /dev/ram1 >/dev/null
	swapon -p 5 /dev/ram1 || fail "cannot swap"
	text_of mm_swap_file_open
	file=${value#file }
	file=${file%% *}
	pages=$(awk '$1 == "/dev/ram1" { print $3 / 4 }' /proc/swaps)
	expect mm_swap_file_open "$value" \
		"file $file filename /dev/ram1 pages $pages prio 5"
	expect_records mm_swap_file_close 0
	start_program swap
	record_child mm_swap_out mm_swap_in mm_swap_page
	let_run
	expect_told mm_swap_out mm_swap_in mm_swap_page
	swapoff /dev/ram1
	expect_text mm_swap_file_close "file $file filename /dev/ram1"
	expect_records mm_swap_file_open 1
}

# === Mappings =================================================================

maps() {
	start_program maps
	record_child mm_mmap mm_munmap
	let_run
	expect_told mm_mmap mm_munmap
}

# === The page cache ===========================================================

# What $1 says of the pages of the device: frame and index, and the rest once.
text_of_cache() {
	text_of "$1"
	cached=$(echo "$value" | sed 's/ order .* index / /')
	value=$(echo "$value" | sed 's/pfn [0-9]* //; s/ index .*//' | sort -u)
}

# The device's pages that have been added should be those that the program saw,
# and so should those that have been removed.
expect_cached() {
	told page
	wanted=$(echo "$value" | awk '{ print "pfn", $0, NR - 1 }')
	text_of_cache mm_page_cache_add
	rest=$value
	expect "pages added" "$cached" "$wanted"
	case $rest in
	"order 0 dev "*" inode $dev") ;;
	*) fail "pages were added with '$rest'" ;;
	esac
	text_of_cache mm_page_cache_remove
	expect "pages removed" "$(echo "$cached" | sort)" "$(echo "$wanted" | sort)"
	expect "what they were removed from" "$value" "$rest"
}

record_cache() {
	for name in mm_page_cache_add mm_page_cache_remove; do
		echo >"$TRACE/trace"
		event "$name" filter "inode == $dev && index < 256"
		switch_on "$name"
	done
}

# The last who closes the device takes its pages along, in batches. While it is
# open, they can be dropped one by one.
cached() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	truncate -s 2M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	read_file "/sys/block/${loop#/dev/}/dev"
	dev=$((${value%:*} << 20 | ${value#*:}))
	start_program wait "$loop"
	record_cache
	let_run
	expect_cached
	switch_off mm_page_cache_add mm_page_cache_remove
	exec 8<"$loop"
	start_program wait "$loop"
	record_cache
	let_run
	expect_records mm_page_cache_remove 0
	echo 1 >/proc/sys/vm/drop_caches
	expect_cached
	exec 8<&-
	losetup -d "$loop"
}

cache_lock() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	truncate -s 2M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	expect_lock mm_page_cache_remove '&xa->xa_lock' wait 256 "$loop"
	losetup -d "$loop"
}

# === Waiting ==================================================================

read_blocks() {
	echo 1 >/proc/sys/vm/drop_caches
	start_program wait "$loop"
	record_child mm_filemap_wait_start mm_filemap_wait_end
	let_run
	switch_off mm_filemap_wait_start mm_filemap_wait_end
	told page
	printf '%s\n' "$value" >"$tmp/told"
	for name in start end; do
		text_of "mm_filemap_wait_$name"
		printf '%s\n' "$value" >"$tmp/$name"
	done
	# How often it waited for a page of the device.
	n=$(awk 'NR == FNR { told[$1]; next } ($2 in told) && $3 == "bit_nr" && $4 == 0' \
		"$tmp/told" "$tmp/start" | wc -l)
}

# Who reads waits until the device has unlocked the page, unless it was quick.
waits() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	truncate -s 2M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	n=0
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$n" -eq 0 ] || break
		read_blocks
		cmp -s "$tmp/start" "$tmp/end" ||
			fail "waits began and ended: $(diff "$tmp/start" "$tmp/end" | head -n 5)"
	done
	expect_least "waits for a page of the device" "$n" 1
	losetup -d "$loop"
}

# === Reclaim ==================================================================

# Most memory is held, so that what is asked for has some reclaimed.
hold_memory() {
	load rows_mm
	put rows_mm run hold
	read_file /sys/module/test_markers_rows_mm/parameters/did
	[ "${value#free }" -le 200 ] || skip "too much memory: $value MB after most is held"
}

release_memory() {
	put rows_mm run release
	unload rows_mm
}

shrink_once() {
	# Cache that can go, as long as somebody has the device open.
	cat "$loop" >/dev/null
	start_program shrink
	record_child mm_shrink_entry mm_shrink_exit
	let_run
	n=$(grep -c ': mm_shrink_entry: ' "$TRACE/trace")
}

shrink() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	truncate -s 128M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	exec 8<"$loop"
	hold_memory
	n=0
	for _ in 1 2 3 4 5; do
		[ "$n" -eq 0 ] || break
		shrink_once
	done
	release_memory
	exec 8<&-
	expect_least "reclaims" "$n" 1
	expect_records mm_shrink_exit "$n"
	value=$(sed -n 's/^[^#].*[0-9]: mm_shrink_\([a-z]*\): .*/\1/p' "$TRACE/trace" |
		uniq | sort | uniq -c | tr -d ' ' | tr '\n' ' ')
	expect "begun and ended in turns" "$value" "${n}entry ${n}exit "
	text_of mm_shrink_entry
	bad=$(echo "$value" | while read -r _ order _ gfp; do
		# Who may not reclaim (0x400) does not get there.
		[ "$order" -ge 0 ] && [ "$order" -le 10 ] && [ $((0x$gfp & 0x400)) -ne 0 ] ||
			echo "order $order gfp_flags $gfp"
	done)
	expect "reclaims with other flags" "$bad" ""
	text_of mm_shrink_exit
	sum=0
	for word in $value; do
		[ "$word" = nr_reclaimed ] || sum=$((sum + word))
	done
	expect_least "pages reclaimed" "$sum" 1
	losetup -d "$loop"
}

# What tells of kswapd: "wake NODE ORDER" or "sleep NODE", of the markers and of
# the tracepoints of the same places.
text_of_kswapd() {
	sed -n 's/^[^#].*[0-9]: mm_kswapd_wake: nid \([0-9]*\) zone [0-4] order \([0-9]*\)$/wake \1 \2/p
		s/^[^#].*[0-9]: mm_kswapd_sleep: nid \([0-9]*\)$/sleep \1/p' \
		"$TRACE/trace" >"$tmp/markers"
	sed -n 's/^[^#].*[0-9]: mm_vmscan_kswapd_wake: nid=\([0-9]*\) order=\([0-9]*\)$/wake \1 \2/p
		s/^[^#].*[0-9]: mm_vmscan_kswapd_sleep: nid=\([0-9]*\)$/sleep \1/p' \
		"$TRACE/trace" >"$tmp/tracepoints"
}

kswapd_sleeps() {
	text_of_kswapd
	case $(tail -n 1 "$tmp/tracepoints") in
	sleep*) return 0 ;;
	esac
	return 1
}

kswapd() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	truncate -s 128M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	exec 8<"$loop"
	hold_memory
	cat "$loop" >/dev/null
	start_program shrink
	switch_on mm_kswapd_wake mm_kswapd_sleep
	for name in wake sleep; do
		echo 1 >"$TRACEFS/events/vmscan/mm_vmscan_kswapd_$name/enable"
	done
	let_run
	wait_until kswapd_sleeps
	# Nothing comes between the last two of these.
	echo 0 >"$TRACE/tracing_on"
	for name in wake sleep; do
		echo 0 >"$TRACEFS/events/vmscan/mm_vmscan_kswapd_$name/enable"
	done
	release_memory
	exec 8<&-
	text_of_kswapd
	expect_least "wakes of kswapd" "$(grep -c wake "$tmp/markers")" 1
	expect_least "sleeps of kswapd" "$(grep -c sleep "$tmp/markers")" 1
	cmp -s "$tmp/markers" "$tmp/tracepoints" ||
		fail "they differ: $(diff "$tmp/markers" "$tmp/tracepoints" | head -n 5)"
	value=$(grep ': mm_kswapd_' "$TRACE/trace" | grep -vc ' kswapd[0-9]*-[0-9]')
	expect "records of others" "$value" 0
	losetup -d "$loop"
}

# === Out of memory ============================================================

# Empty where events are not counted.
oom_kills() {
	value=$(sed -n 's/^oom_kill //p' /proc/vmstat)
}

gone() {
	! kill -0 "$child" 2>/dev/null
}

# The kernel prints a lot, with a trace of calls that is no mistake.
oom() {
	if [ ! -e /proc/sysrq-trigger ]; then
		skip "no SysRq"
		return 0
	fi
	quiet
	start_program sleep
	echo 1000 >"/proc/$child/oom_score_adj"
	oom_kills
	before_oom=$value
	switch_on mm_oom_kill
	echo 1 >/proc/sys/kernel/printk
	echo >&9
	echo f >/proc/sysrq-trigger
	wait "$child"
	expect "status of the victim" "$?" 137
	echo 5 >/proc/sys/kernel/printk
	expect_text mm_oom_kill "pid $child"
	oom_kills
	[ -z "$value" ] ||
		expect "kills that were counted" "$((value - before_oom))" 1
}

plan_rows 17
run "the formats" listed
run "kmalloc() of each kind, and kfree()" kmallocs
run "objects of a cache" caches
run "vmalloc() and vfree()" vmallocs
run "blocks of pages, until there are no more" blocks
run "pages of a program" pages
run "faults" faults
run "the page table lock" wp_lock
run "faults that nobody handles" segv
run "swapping" swap
run "mappings" maps
run "pages of the page cache" cached
run "the lock of the page cache" cache_lock
run "waiting for a page" waits
run "reclaim" shrink
run "kswapd" kswapd
run "a victim of the OOM killer" oom
finish
