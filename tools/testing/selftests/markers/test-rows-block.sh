#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of block devices: of a loop device, whose driver has requests, of
# a RAM disk, whose driver has none, and of a disk that a module has.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows-mm.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows-mm.sh"

EVENTS_BIO='block_bio_queue block_bio_complete'
EVENTS_RQ='block_rq_issue block_rq_complete'
EVENTS_MORE='block_rq_requeue block_rq_merge block_bio_backmerge
	block_bio_frontmerge block_plug block_unplug block_split block_remap'

listed() {
	expect_listed <<-'EOF'
	block_bio_queue|dev #4u%u sector %llu size %u rw %x
	block_bio_complete|dev #4u%u sector %llu size %u error %d
	block_rq_issue|dev #4u%u sector %llu bytes %u
	block_rq_complete|dev #4u%u sector %llu bytes %u error %d
	block_rq_requeue|dev #4u%u sector %llu bytes %u
	block_rq_merge|dev #4u%u sector %llu bytes %u
	block_bio_backmerge|dev #4u%u sector %llu size %u rw %x
	block_bio_frontmerge|dev #4u%u sector %llu size %u rw %x
	block_plug|dev #4u%u
	block_unplug|dev #4u%u depth %u explicit #1u%u
	block_split|dev #4u%u sector %llu new_sector %llu rw %x
	block_remap|dev #4u%u sector %llu size %u old_dev #4u%u old_sector %llu
	EOF
}

# The number of the device $1, as the kernel has it.
number_of() {
	read_file "/sys/block/${1#/dev/}/dev"
	value=$((${value%:*} << 20 | ${value#*:}))
}

# All events record what is done with device $1.
record_device() {
	number_of "$1"
	dev=$value
	for name in $EVENTS_BIO $EVENTS_RQ $EVENTS_MORE; do
		event "$name" filter "dev == $dev"
		switch_on "$name"
	done
}

# $1 is read or write: block $4 of size $3 of device $2, in one go.
transfer() {
	case $1 in
	read) dd if="$2" of=/dev/null bs="$3" count=1 skip="$4" iflag=direct ;;
	write) dd if=/dev/zero of="$2" bs="$3" count=1 seek="$4" oflag=direct conv=notrunc ;;
	esac 2>"$tmp/dd"
}

# What a bio is for, without the flags that come along, of the event $1.
expect_bios() {
	text_of "$1"
	value=$(echo "$value" | sed 's/ rw \(.*\)\(.\)$/ rw \2/')
	expect "bios of $1" "$value" "$2"
}

expect_queued() {
	expect_bios block_bio_queue "$1"
}

# The disk of the module, and its events.
load_disk() {
	load rows_block
	disk=/dev/test_markers
	wait_until [ -b "$disk" ]
	record_device "$disk"
}

make_loop() {
	truncate -s 1M "$1/disk"
	loop=$(losetup -f --show "$1/disk") || fail "cannot set up a loop device"
}

loop_device() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	make_loop "$tmp"
	record_device "$loop"
	transfer write "$loop" 8192 3 || fail "cannot write"
	transfer read "$loop" 4096 5 || fail "cannot read"
	expect_queued "dev $dev sector 48 size 8192 rw 1${NL}dev $dev sector 40 size 4096 rw 0"
	expect_text block_rq_issue \
		"dev $dev sector 48 bytes 8192${NL}dev $dev sector 40 bytes 4096"
	expect_text block_rq_complete \
		"dev $dev sector 48 bytes 8192 error 0${NL}dev $dev sector 40 bytes 4096 error 0"
	expect_records block_bio_complete 0
	losetup -d "$loop"
}

# A file system that is full.
errors() {
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	mkdir "$tmp/small"
	mount -t tmpfs -o size=16k tmpfs "$tmp/small" || fail "cannot mount"
	make_loop "$tmp/small"
	# The driver takes a write that ends early for one that is done.
	! cat /dev/zero 2>/dev/null >"$tmp/small/fill" || fail "no end of space"
	record_device "$loop"
	! transfer write "$loop" 65536 1 || fail "could write"
	case $(cat "$tmp/dd") in
	*"No space left on device"*) error=-28 ;;
	*"Input/output error"*) error=-5 ;;
	*) error="of dd: $(cat "$tmp/dd")" ;;
	esac
	expect_queued "dev $dev sector 128 size 65536 rw 1"
	expect_text block_rq_issue "dev $dev sector 128 bytes 65536"
	expect_text block_rq_complete "dev $dev sector 128 bytes 65536 error $error"
	losetup -d "$loop"
	wait_until umount "$tmp/small" 2>/dev/null
}

ram_disk() {
	if [ ! -e /dev/ram0 ]; then
		skip "no RAM disks"
		return 0
	fi
	record_device /dev/ram0
	transfer write /dev/ram0 4096 2 || fail "cannot write"
	transfer read /dev/ram0 8192 4 || fail "cannot read"
	expect_queued "dev $dev sector 16 size 4096 rw 1${NL}dev $dev sector 64 size 8192 rw 0"
	expect_text block_bio_complete \
		"dev $dev sector 16 size 4096 error 0${NL}dev $dev sector 64 size 8192 error 0"
	expect_records block_rq_issue 0
	expect_records block_rq_complete 0
}

# === The module's disk ========================================================

requeues() {
	load_disk
	put rows_block requeue 2
	transfer write "$disk" 4096 5 || fail "cannot write"
	bytes="dev $dev sector 40 bytes 4096"
	expect_text block_rq_requeue "$bytes$NL$bytes"
	expect_text block_rq_issue "$bytes$NL$bytes$NL$bytes"
	expect_text block_rq_complete "$bytes error 0"
	unload rows_block
}

# The disk passes none on, and the tracepoint tells how many there are.
hold_requests() {
	writers=
	echo "dev == $dev" >"$TRACEFS/events/block/block_rq_insert/filter"
	echo 1 >"$TRACEFS/events/block/block_rq_insert/enable"
	put rows_block hold 1
}

held() {
	[ "$(grep -c ': block_rq_insert: ' "$TRACE/trace")" -eq "$1" ]
}

told_of() {
	grep -q ": $1: " "$TRACE/trace"
}

# Writes block $1, which waits as long as the disk holds requests. It is the same
# CPU each time, since without a scheduler each has its own list.
write_later() {
	taskset -c 0 dd if=/dev/zero of="$disk" bs=4096 count=1 seek="$1" oflag=direct \
		conv=notrunc 2>/dev/null &
	jobs_started="$jobs_started $!"
	writers="$writers $!"
}

let_write() {
	echo 0 >"$TRACEFS/events/block/block_rq_insert/enable"
	echo 0 >"$TRACEFS/events/block/block_rq_insert/filter"
	put rows_block hold 0
	for pid in $writers; do
		wait "$pid" || fail "cannot write"
	done
}

# One request grows at both ends.
merges() {
	load_disk
	hold_requests
	write_later 20
	wait_until held 1
	write_later 21
	wait_until told_of block_bio_backmerge
	write_later 19
	wait_until told_of block_bio_frontmerge
	expect_records block_rq_issue 0
	let_write
	expect_bios block_bio_backmerge "dev $dev sector 168 size 4096 rw 1"
	expect_bios block_bio_frontmerge "dev $dev sector 152 size 4096 rw 1"
	expect_text block_rq_issue "dev $dev sector 152 bytes 12288"
	expect_records block_rq_merge 0
	unload rows_block
}

# Of two requests, one grows until there is nothing between them. Only a
# scheduler puts them together.
rq_merges() {
	load_disk
	if ! echo mq-deadline 2>/dev/null >/sys/block/test_markers/queue/scheduler; then
		skip "no I/O scheduler"
		unload rows_block
		return 0
	fi
	hold_requests
	write_later 30
	wait_until held 1
	write_later 32
	wait_until held 2
	write_later 31
	wait_until told_of block_rq_merge
	let_write
	expect_bios block_bio_backmerge "dev $dev sector 248 size 4096 rw 1"
	expect_text block_rq_merge "dev $dev sector 256 bytes 4096"
	expect_text block_rq_issue "dev $dev sector 240 bytes 12288"
	expect_records block_bio_frontmerge 0
	unload rows_block
}

# What is read ahead is plugged. The tracepoints have the same names.
plugs() {
	load_disk
	echo 1 >"$TRACEFS/events/block/block_plug/enable"
	echo 1 >"$TRACEFS/events/block/block_unplug/enable"
	dd if="$disk" of=/dev/null bs=64k count=4 2>/dev/null
	echo 0 >"$TRACEFS/events/block/block_plug/enable"
	echo 0 >"$TRACEFS/events/block/block_unplug/enable"
	sed -n 's/^ *dd-.*: block_\(un\)*plug: \[dd\]/\1plug/p' "$TRACE/trace" >"$tmp/wanted"
	sed -n "s/^ *dd-.*: block_plug: dev $dev\$/plug/p
		s/^ *dd-.*: block_unplug: dev $dev depth \([0-9]*\) explicit 1\$/unplug \1/p" \
		"$TRACE/trace" >"$tmp/got"
	expect_least "plugs" "$(grep -c '^plug' "$tmp/got")" 1
	expect "plugs and unplugs" "$(cat "$tmp/got")" "$(cat "$tmp/wanted")"
	n=$(grep -c ': block_\(un\)*plug: dev ' "$TRACE/trace")
	expect "those of all" "$n" "$(wc -l <"$tmp/got")"
	expect_records block_rq_issue "$(awk '/^unplug/ { n += $2 } END { print n }' "$tmp/got")"
	unload rows_block
}

splits() {
	load_disk
	echo 8 >/sys/block/test_markers/queue/max_sectors_kb ||
		fail "cannot set a limit"
	transfer write "$disk" 32768 2 || fail "cannot write"
	expect_queued "dev $dev sector 128 size 32768 rw 1"
	expect_bios block_split "dev $dev sector 128 new_sector 144 rw 1
dev $dev sector 144 new_sector 160 rw 1
dev $dev sector 160 new_sector 176 rw 1"
	expect_records block_rq_issue 4
	unload rows_block
}

# A partition: what is written there goes to the disk.
remaps() {
	load_disk
	if ! addpart "$disk" 1 100 800 2>/dev/null; then
		skip "no partitions"
		unload rows_block
		return 0
	fi
	wait_until [ -b "${disk}1" ]
	read_file /sys/class/block/test_markers1/dev
	part=$((${value%:*} << 20 | ${value#*:}))
	echo >"$TRACE/trace"
	transfer write "${disk}1" 8192 3 || fail "cannot write"
	expect_text block_remap \
		"dev $dev sector 148 size 8192 old_dev $part old_sector 48"
	expect_text block_rq_issue "dev $dev sector 148 bytes 8192"
	unload rows_block
}

plan_rows 10
run "the formats" listed
run "requests of a loop device" loop_device
run "requests that fail" errors
run "bios of a RAM disk" ram_disk
run "requests that go back" requeues
run "bios that are merged" merges
run "requests that are merged" rq_merges
run "plugs" plugs
run "bios that are split" splits
run "a partition" remaps
finish
