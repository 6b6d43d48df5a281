#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of files: what they tell is what a program did.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows-mm.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows-mm.sh"

listed() {
	expect_listed <<-'EOF'
	fs_open|fd %d filename %s
	fs_close|fd %u
	fs_read|fd %u count %lu ret %ld
	fs_write|fd %u count %lu ret %ld
	fs_exec|filename %s
	fs_ioctl|fd %u cmd %u arg %lx
	fs_lseek|fd %u offset %lld origin %u ret %lld
	fs_pread64|fd %u count %lu pos %lld ret %ld
	fs_pwrite64|fd %u count %lu pos %lld ret %ld
	fs_readv|fd %u vlen %lu pos %lld ret %ld
	fs_writev|fd %u vlen %lu pos %lld ret %ld
	fs_select|fd %d mask %x
	fs_poll|fd %d mask %x
	EOF
}

files() {
	start_program files "$tmp"
	record_child fs_open
	for name in fs_close fs_read fs_write fs_ioctl; do
		event "$name" filter "common_pid == $child && (fd == 77 || fd == 78)"
		switch_on "$name"
	done
	let_run
	expect_told fs_open fs_close fs_read fs_write fs_ioctl
	rm -f "$tmp/file"
}

# One hit each for what has no format and for a script, none for its interpreter
# or what is not there.
execs() {
	echo garbage >"$tmp/garbage"
	printf '#!/bin/true\n' >"$tmp/script"
	chmod +x "$tmp/garbage" "$tmp/script"
	start_program exec "$tmp"
	record_child fs_exec
	let_run
	expect_told fs_exec
}

# Without a filter, too: the descriptor that we close, and its number only.
closes() {
	event fs_close filter "common_pid == $$ && fd == 7"
	switch_on fs_close
	exec 7</dev/null
	exec 7<&-
	expect_text fs_close "fd 7"
}

EVENTS_PLACES='fs_lseek fs_pread64 fs_pwrite64 fs_readv fs_writev'

places() {
	start_program places "$tmp"
	for name in $EVENTS_PLACES; do
		event "$name" filter "common_pid == $child && fd >= 77 && fd <= 79"
		switch_on "$name"
	done
	let_run
	for name in $EVENTS_PLACES; do
		expect_told "$name"
	done
	rm -f "$tmp/places"
}

looks() {
	start_program looks
	record_child fs_select fs_poll
	let_run
	expect_told fs_select fs_poll
}

# A part of a block is written: the rest has to be read before. Unless that was
# quick, who writes waits.
part_of_block() {
	echo >"$TRACE/trace"
	printf x | dd of="$loop" bs=1 seek=$(($1 * 4096 + 7)) conv=notrunc 2>/dev/null ||
		fail "cannot write"
	n=$(grep -c ': fs_buffer_wait_start: ' "$TRACE/trace")
}

buffers() {
	column fs_buffer_wait_start state
	if [ -z "$value" ]; then
		skip "this kernel has no buffers"
		return 0
	fi
	if [ ! -e /dev/loop-control ]; then
		skip "no loop devices"
		return 0
	fi
	expect_listed <<-'EOF'
	fs_buffer_wait_start|bh %p
	fs_buffer_wait_end|bh %p
	EOF
	truncate -s 1M "$tmp/disk"
	loop=$(losetup -f --show "$tmp/disk") || fail "cannot set up a loop device"
	for name in fs_buffer_wait_start fs_buffer_wait_end; do
		event "$name" filter 'comm == "dd"'
		switch_on "$name"
	done
	n=0
	for block in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$n" -eq 0 ] || break
		part_of_block "$block"
	done
	expect_least "waits for a buffer" "$n" 1
	text_of fs_buffer_wait_start
	started=$value
	text_of fs_buffer_wait_end
	expect "waits that ended" "$value" "$started"
	value=$(sed -n 's/^[^#].*[0-9]: fs_buffer_wait_\([a-z]*\): bh .*/\1/p' \
		"$TRACE/trace" | uniq | sort | uniq -c | tr -d ' ' | tr '\n' ' ')
	expect "begun and ended in turns" "$value" "${n}end ${n}start "
	losetup -d "$loop"
}

plan_rows 7
run "the formats" listed
run "open, read, write, ioctl, close" files
run "calls that name a place, or have vectors" places
run "select and poll" looks
run "waiting for a buffer" buffers
run "execve" execs
run "a close of our own" closes
finish
