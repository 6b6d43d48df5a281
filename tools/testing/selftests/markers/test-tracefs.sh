#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Markers as trace events in tracefs: what is passed to a marker is what its
# record shows and what its format file tells tools; filters, triggers and
# instances work with it; and an event comes and goes with its sites without
# loss of what was recorded.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=records.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/records.sh"

# === Records ==================================================================

# One hit of each marker "$@", all on at once; text_$1 says how it should read.
records_of() {
	for name in "$@"; do
		switch_on "test_record_$name"
	done
	for name in "$@"; do
		hit "$name"
	done
	for name in "$@"; do
		"text_$name"
		expect_text "test_record_$name" "$value"
	done
}

records_numbers() {
	records_of int spec char convert network
}

records_fields() {
	records_of hidden names words noargs many
	expect_records test_record_noargs 1
}

records_strings() {
	records_of string
}

records_user() {
	get record user
	expect_least "characters of our name" "${#value}" 2
	records_of user
}

# %p is hashed, as everywhere, unless the instance is told not to.
records_pointers() {
	address=$(sed -n 's/ . test_record_variable\t.*//p' /proc/kallsyms)
	rest="px $address symbol test_record_variable+0x0/0x[0-9a-f]* \[test_markers_record\]"
	rest="$rest name test_record_variable \[test_markers_record\]"
	rest="$rest int 0x\(0*\)${address#"${address%%[!0]*}"}"
	rest="$rest string [0-9a-f]\{16\} null 0000000000000000"
	switch_on test_record_pointer
	hit pointer
	for hash in 1 0 1; do
		echo "$hash" >"$TRACEFS/options/hash-ptr"
		text_of test_record_pointer
		echo "$value" | grep -qx "p [0-9a-f]\{16\} $rest" ||
			fail "with hash-ptr $hash it reads '$value', expected '$rest'"
		shown=${value#p }
		shown=${shown%% *}
		case $hash:$shown in
		0:"$address") ;;
		1:"$address") fail "the address is not hashed" ;;
		0:*) fail "the address shows as $shown" ;;
		esac
	done
}

# As many records as hits, in order, also when all CPUs hit at once.
records_counted() {
	cpus=$(nproc)
	switch_on test_record_count
	hit_each count,400
	expect_records test_record_count $((400 * cpus))
	text_of test_record_count
	for cpu in $(seq 0 $((cpus - 1))); do
		n=$(echo "$value" | awk -v cpu="$cpu" '
			$4 == cpu && $2 == n + 1 && $6 == ($2 % 2 ? -$2 : $2) &&
				$8 == ($2 % 2 ? "odd" : "even") { n++ }
			END { print n + 0 }')
		expect "records of CPU $cpu in order" "$n" 400
	done
	switch_off test_record_count
	hit_each count,10
	expect_records test_record_count $((400 * cpus))
}

# === The format file ==========================================================

# How the format file of event $1 should go on behind the fields that all events
# have is told by field, for each of its own, and by print.
expect_format() {
	value=$(sed '1,/^$/d' "$EVENTS/$1/format")
	expect "format of $1" "$value" "$fields$NL${printed}"
	fields=
	printed=
}

fields=
printed=

# type name offset size signed
field() {
	fields="$fields${TAB}field:$1 $2;${TAB}offset:$3;${TAB}size:$4;"
	fields="$fields${TAB}signed:$5;$NL"
}

# The format, or what follows it.
print() {
	[ -n "$printed" ] || printed='print fmt: '
	printed=$printed$1
}

# The value of field $1, of $2 bytes in the other order.
swapped() {
	value=
	byte=0
	while [ "$byte" -lt "$2" ]; do
		value="$value${value:+ | }(((REC->$1 >> $((byte * 8))) & 0xff)"
		value="$value << $((($2 - 1 - byte) * 8)))"
		byte=$((byte + 1))
	done
	value="($value)"
}

format_numbers() {
	field "signed char" c 8 1 1
	field "unsigned char" uc 9 1 0
	field "short" s 10 2 1
	field "unsigned short" us 12 2 0
	field "int" i 16 4 1
	field "unsigned int" u 20 4 0
	field "long" l 24 8 1
	field "unsigned long" ul 32 8 0
	field "long" q 40 8 1
	field "unsigned long" uq 48 8 0
	field "long" pos 56 8 1
	print '"c %hhd uc %hhu s %hd us %hu i %d u %u l %lld ul %llu q %lld uq %llu'
	print ' pos %lld", REC->c, REC->uc, REC->s, REC->us, REC->i, REC->u, REC->l'
	print ', REC->ul, REC->q, REC->uq, REC->pos'
	expect_format test_record_int
}

format_converted() {
	field "long" wide 8 8 1
	field "signed char" narrow 16 1 1
	field "unsigned short" half 18 2 0
	field "unsigned int" four 20 4 0
	field "unsigned long" upper 24 8 0
	field "unsigned int" lower 32 4 0
	field "unsigned long" octal 40 8 0
	field "__data_loc char[]" string 48 4 0
	print '"wide %lld narrow %hhd half %hu four %x upper %llX lower %u octal %llo'
	print ' string %s", REC->wide, REC->narrow, REC->half, REC->four, REC->upper'
	print ', REC->lower, REC->octal, __get_str(string)'
	expect_format test_record_convert
}

format_network() {
	field __be16 port 8 2 0
	field __be32 address 12 4 0
	field __be64 id 16 8 0
	field __be16 sign 24 2 0
	field "unsigned char" byte 26 1 0
	print '"port %hu address %x id %llu sign %hd byte %hhu"'
	for swap in "port 2" "address 4" "id 8" "sign 2"; do
		swapped "${swap% *}" "${swap#* }"
		print ", $value"
	done
	print ', REC->byte'
	expect_format test_record_network
}

format_names() {
	field int first 8 4 1
	field int second 12 4 1
	field int third 16 4 1
	print '"first %d second %d third %d", REC->first, REC->second, REC->third'
	expect_format test_record_hidden

	field int x 8 4 1
	field int x_3 12 4 1
	field int x_2 16 4 1
	field int arg4 20 4 1
	field int common_pid_2 24 4 1
	field "unsigned int" arg6 28 4 0
	field int arg4_2 32 4 1
	print '"x %d x %d x_2 %d %d common_pid %d 0x%x arg4 %d", REC->x, REC->x_3'
	print ', REC->x_2, REC->arg4, REC->common_pid_2, REC->arg6, REC->arg4_2'
	expect_format test_record_names

	print '""'
	expect_format test_record_noargs
}

# Each has a number of its own, which its format file tells, too.
event_ids() {
	value=$(awk '
		FNR == 1 {
			dir = FILENAME
			sub("/format$", "", dir)
			id = "none"
			getline id <(dir "/id")
			close(dir "/id")
			sub(".*/", "", dir)
		}
		$0 == "name: " dir { names++ }
		$0 == "ID: " id { ids++ }
		END { print names + 0, "names and", ids + 0, "ids are right" }
	' "$EVENTS"/*/format)
	set -- "$EVENTS"/*/
	expect_least "events" $# 10
	expect "it" "$value" "$# names and $# ids are right"
	# Those of other events are their own as well.
	cat "$TRACEFS"/events/*/*/id | sort | uniq -d >"$tmp/ids"
	expect "ids that two events have" "$(cat "$tmp/ids")" ""
}

# Names of files that the directory of all our events has have no event.
event_names() {
	for name in enable filter; do
		[ -f "$EVENTS/$name" ] || fail "no file $name in $EVENTS"
		expect_column "$name" sites 1
		hit "$name"
		dmesg | grep -q "markers: $name: no trace event: tracefs has a file of that name" ||
			fail "nobody was told that there is no event $name"
	done
	switch_on format trigger
	hit format,2
	hit trigger
	expect_text format "n 1${NL}n 2"
	expect_text trigger "id 1"
}

# === Filters and triggers =====================================================

# With filter $1, so many of 20 records stay: $2; in text: $3.
filtered() {
	event test_record_count filter "$1"
	echo >"$TRACE/trace"
	hit count,20
	expect_records test_record_count "$2"
	[ $# -eq 2 ] || {
		value=$(sed -n 's/^[^#].*: test_record_count: n \([0-9]*\) .*/\1/p' \
			"$TRACE/trace" | tr '\n' ' ')
		expect "records with filter $1" "$value" "$3"
	}
}

filters() {
	switch_on test_record_count
	filtered 'n > 5 && n <= 8' 3 '6 7 8 '
	filtered 'sign < -15' 2 '17 19 '
	filtered 'sign == -3 || n == 4' 2 '3 4 '
	filtered 'n & 8' 8
	filtered 'text == "odd"' 10
	filtered 'text != "odd" && n < 6' 2 '2 4 '
	filtered 'text ~ "e*"' 10
	filtered 'text == "none"' 0
	filtered 'common_pid == 1' 0
	filtered "common_pid == $$" 20
	filtered 0 20
	if echo 'nothing == 1' 2>/dev/null >"$EVENTS/test_record_count/filter"; then
		fail "could filter by a field that there is not"
	fi
	event test_record_count filter 0
}

# The whole range of 64 bits, and the value as it is in the packet.
filters_range() {
	switch_on test_record_int test_record_network
	for filter in 'uq == 18446744073709551615' 'l < -9223372036854775807' \
		'c == -128' 'uc == 255' 's < 0' 'us > 65534' 'u == 0xffffffff'; do
		echo >"$TRACE/trace"
		event test_record_int filter "$filter"
		hit int
		expect_records test_record_int 1
	done
	echo >"$TRACE/trace"
	event test_record_int filter 'uc < 0'
	hit int
	expect_records test_record_int 0
}

# A record without a filter is made in a shorter way, and is the same: what it
# tells of interrupts, preemption and migration too.  Only the second of these
# columns may differ: the tick asks for a reschedule when it likes.
filter_or_not() {
	switch_on test_record_int
	hit int
	event test_record_int filter 'c < 0'
	hit int
	event test_record_int filter 0
	event test_record_int trigger 'traceoff if c > 0'
	hit int
	expect_records test_record_int 3
	value=$(sed -n '/^#/d;s/^.*\] \(.\).\([^ ]*\) *[0-9.]*: test_record_int: /\1.\2 /p' \
		"$TRACE/trace" | sort -u)
	expect "kinds of records" "$value" "$(echo "$value" | head -n 1)"
}

hist() {
	file=$EVENTS/test_record_count/hist
	event test_record_count trigger 'hist:keys=text:vals=n,sign'
	hit count,20
	value=$(awk '/^{/ { gsub(/[{},:]/, " "); print } /^ *(Hits|Entries|Dropped)/' "$file" |
		sed 's/  */ /g;s/^ //;s/ $//' | sort)
	# -1 - 3 - ... - 19 in 64 bits.
	expect "histogram" "$value" "Dropped: 0
Entries: 2
Hits: 20
text even hitcount 10 n 110 sign 110
text odd hitcount 10 n 100 sign 18446744073709551516"
	# It recorded nothing besides.
	expect_records test_record_count 0
}

# One event's trigger switches the other on, or off.
enables() {
	event test_record_count trigger 'enable_event:markers:test_record_int:1 if n == 3'
	hit int
	hit count,2
	hit int
	expect_records test_record_int 0
	hit count,4
	hit int,2
	expect_records test_record_int 2
	event test_record_count trigger '!enable_event:markers:test_record_int:1 if n == 3'
	switch_off test_record_int
	hit int
	expect_records test_record_int 2
	switch_on test_record_int
	event test_record_count trigger 'disable_event:markers:test_record_int if n == 7'
	hit count,6
	hit int
	expect_records test_record_int 3
	hit count,8
	hit int
	expect_records test_record_int 3
	expect_records test_record_count 0
}

tracing_off() {
	switch_on test_record_count
	event test_record_count trigger 'traceoff if n == 5'
	hit count,20
	text_of test_record_count
	expect_least "records before tracing went off" "$(echo "$value" | wc -l)" 4
	[ "$(echo "$value" | wc -l)" -le 5 ] || fail "tracing did not go off: $value"
	read -r on <"$TRACEFS/tracing_on"
	expect tracing_on "$on" 0
}

# The buffer is put aside, and what comes later is not in there.
snapshot() {
	if [ ! -e "$TRACEFS/snapshot" ]; then
		skip "no snapshots"
		return 0
	fi
	switch_on test_record_count test_record_char
	hit char
	hit count,3
	echo 1 >"$TRACEFS/snapshot"
	hit count,4
	expect_records test_record_count 3 snapshot
	expect_records test_record_char 1 snapshot
	expect_records test_record_count 4
	echo 0 >"$TRACEFS/snapshot"
	echo >"$TRACEFS/trace"
	event test_record_char trigger snapshot
	hit count,3
	hit char
	hit count,5
	expect_records test_record_count 3 snapshot
	expect_records test_record_count 5
}

stacktrace() {
	switch_on test_record_count test_record_string
	event test_record_count trigger 'stacktrace if n == 2'
	event test_record_string trigger stacktrace
	hit count,3
	hit string
	for name in count string; do
		n=$(grep -c "=> hit_$name\$" "$TRACEFS/trace")
		expect "stacks through the site of $name" "$n" 1
	done
}

# === Selection ================================================================

set_event() {
	echo markers:test_record_count >"$TRACEFS/set_event"
	echo markers:test_record_int >>"$TRACEFS/set_event"
	expect set_event "$(sort "$TRACEFS/set_event")" \
		"markers:test_record_count${NL}markers:test_record_int"
	hit count,2
	hit int
	hit char
	echo '!markers:test_record_int' >>"$TRACEFS/set_event"
	hit int
	expect_records test_record_count 2
	expect_records test_record_int 1
	expect_records test_record_char 0
	echo >"$TRACEFS/set_event"
	hit count
	expect_records test_record_count 2
	echo 'markers:*' >"$TRACEFS/set_event"
	hit char
	hit noargs
	echo >"$TRACEFS/set_event"
	expect_records test_record_char 1
	expect_records test_record_noargs 1
	# The directory of all of them.
	switch_on test_record_int
	read -r on <"$EVENTS/enable"
	expect "enable of all" "$on" X
	echo 1 >"$EVENTS/enable"
	read -r on <"$EVENTS/enable"
	expect "enable of all" "$on" 1
	hit spec
	echo 0 >"$EVENTS/enable"
	hit spec
	read -r on <"$EVENTS/enable"
	expect "enable of all" "$on" 0
	expect_records test_record_spec 1
}

# Hits of other tasks are not recorded, and are not lost either.
event_pid() {
	switch_on test_record_count
	echo $$ >"$TRACEFS/set_event_pid"
	hit count,3
	( put record hit count,5 )
	hit_each count,5
	expect_records test_record_count 3
	echo >"$TRACEFS/set_event_pid"
	( put record hit count,5 )
	expect_records test_record_count 8
}

# An instance has a buffer and filters of its own.
instances() {
	mkdir "$TRACEFS/instances/one" "$TRACEFS/instances/two" ||
		fail "cannot make instances"
	TRACE=$TRACEFS/instances/one
	switch_on test_record_count
	event test_record_count filter 'n < 4'
	TRACE=$TRACEFS/instances/two
	switch_on test_record_count test_record_char
	TRACE=$TRACEFS
	hit count,10
	hit char
	expect_records test_record_count 0
	expect_column test_record_count handlers 2
	TRACE=$TRACEFS/instances/one
	expect_records test_record_count 3
	expect_records test_record_char 0
	TRACE=$TRACEFS/instances/two
	expect_records test_record_count 10
	text_char
	expect_text test_record_char "$value"
	TRACE=$TRACEFS
	rmdir "$TRACEFS/instances/one" || fail "cannot remove an instance that is on"
	hit count
	TRACE=$TRACEFS/instances/two
	expect_records test_record_count 11
	TRACE=$TRACEFS
	rmdir "$TRACEFS/instances/two" || fail "cannot remove an instance that is on"
	expect_column test_record_count state off
}

# === An event's life ==========================================================

id_of() {
	value=
	[ ! -e "$EVENTS/$1/id" ] || read -r value <"$EVENTS/$1/id"
}

# $1 hits of a site of test_markers_site_$2.
fire() {
	put "site_$2" fire "$1"
}

# It goes with its site, and comes back as what it was.
comes_and_goes() {
	[ ! -e "$EVENTS/$EVENT" ] || fail "$EVENT is there without a site"
	load site_blocks
	event_there "$EVENT" || fail "no event with the site"
	id_of "$EVENT"
	blocks=$value
	unload site_blocks
	event_gone "$EVENT" || fail "the event is there without a site"
	load site_bocks
	id_of "$EVENT"
	bocks=$value
	[ "$bocks" != "$blocks" ] || fail "another format has the same id $value"
	grep -q 'unsigned long bocks;' "$EVENTS/$EVENT/format" ||
		fail "not the format of the new site"
	unload site_bocks
	event_gone "$EVENT" || fail "the event is there without a site"
	load site_blocks
	id_of "$EVENT"
	expect "id of the one that came back" "$value" "$blocks"
	unload site_blocks
	load site_bocks
	id_of "$EVENT"
	expect "id of the other one" "$value" "$bocks"
	unload site_bocks
}

# While it is on it stays without a site, and so do its settings.
stays_while_on() {
	load site_blocks
	switch_on "$EVENT"
	event "$EVENT" filter 'dev > 1'
	fire 3 blocks
	text="dev 2 blocks 2007 note hello${NL}dev 3 blocks 3007 note hello"
	expect_text "$EVENT" "$text"
	unload site_blocks
	event_there "$EVENT" || fail "it went while it was on"
	expect_text "$EVENT" "$text"
	load site_blocks
	expect "its filter" "$(cat "$EVENTS/$EVENT/filter")" "dev > 1"
	fire 2 blocks
	expect_text "$EVENT" "$text${NL}dev 2 blocks 2007 note hello"
	unload site_blocks
	switch_off "$EVENT"
	expect_soon event_gone "$EVENT"
	expect_text "$EVENT" "$text${NL}dev 2 blocks 2007 note hello"
}

# What was recorded stays, of it and of others, and is printed.
keeps_records() {
	mkdir "$TRACEFS/instances/one"
	load site_blocks
	switch_on "$EVENT" test_record_count
	TRACE=$TRACEFS/instances/one
	switch_on test_record_count "$EVENT"
	TRACE=$TRACEFS
	fire 2 blocks
	hit count,5
	switch_off "$EVENT"
	TRACE=$TRACEFS/instances/one
	switch_off "$EVENT"
	for TRACE in "$TRACEFS" "$TRACEFS/instances/one"; do
		expect_records test_record_count 5
		expect_records "$EVENT" 2
	done
	TRACE=$TRACEFS
	unload site_blocks
	event_gone "$EVENT" || fail "it did not go"
	for TRACE in "$TRACEFS" "$TRACEFS/instances/one"; do
		expect_records test_record_count 5
		text="dev 1 blocks 1007 note hello${NL}dev 2 blocks 2007 note hello"
		expect_text "$EVENT" "$text"
	done
	echo 1 >"$TRACEFS/options/fields"
	n=$(grep -c "$EVENT: .*blocks=" "$TRACEFS/trace")
	echo 0 >"$TRACEFS/options/fields"
	expect "records that are shown by their fields" "$n" 2
	# Records of both formats beside each other.
	TRACE=$TRACEFS
	load site_bocks
	switch_on "$EVENT"
	fire 1 bocks
	expect_text "$EVENT" "$text${NL}dev 1 bocks 1007 note hello"
	switch_off "$EVENT"
	unload site_bocks
}

# A new format has to wait until the old one is not used any more.
waits_for_old() {
	load site_blocks
	switch_on "$EVENT"
	fire 1 blocks
	unload site_blocks
	load site_bocks
	expect_log 1 "$EVENT: no trace event: that of another format is still in use"
	grep -q 'unsigned long blocks;' "$EVENTS/$EVENT/format" ||
		fail "an event that is on changed its format"
	fire 1 bocks
	expect_records "$EVENT" 1
	switch_off "$EVENT"
	expect_soon grep -q 'unsigned long bocks;' "$EVENTS/$EVENT/format"
	switch_on "$EVENT"
	fire 1 bocks
	expect_text "$EVENT" "dev 1 blocks 1007 note hello${NL}dev 1 bocks 1007 note hello"
	switch_off "$EVENT"
	unload site_bocks
	event_gone "$EVENT" || fail "it did not go"
}

# A histogram keeps an event, too, and counts what the site that comes back hits.
stays_with_triggers() {
	load site_blocks
	event "$EVENT" trigger 'hist:keys=dev'
	fire 3 blocks
	grep -q 'Hits: 3' "$EVENTS/$EVENT/hist" || fail "no histogram"
	unload site_blocks
	event_there "$EVENT" || fail "it went while it had a trigger"
	load site_blocks
	fire 2 blocks
	grep -q 'Hits: 5' "$EVENTS/$EVENT/hist" || fail "the histogram stopped"
	unload site_blocks
	event "$EVENT" trigger '!hist:keys=dev'
	expect_soon event_gone "$EVENT"
}

# An event probe holds the event without having a handler.
stays_with_eprobe() {
	load site_blocks
	if ! echo "e:markers_test/probe markers.$EVENT" 2>/dev/null \
		>>"$TRACEFS/dynamic_events"; then
		skip "no event probes"
		unload site_blocks
		return
	fi
	unload site_blocks
	event_there "$EVENT" || fail "it went while an event probe was there"
	echo '-:markers_test/probe' >>"$TRACEFS/dynamic_events"
	expect_soon event_gone "$EVENT"
}

# Modules come and go while all of it is recorded.
reload() {
	insmod "$MARKERS_MODULES/test_markers_site_blocks.ko" || return 0
	put site_blocks fire 3
	rmmod test_markers_site_blocks
}

toggle() {
	echo 1 >"$EVENTS/enable"
	echo 0 >"$EVENTS/enable"
}

races() {
	start_job reload
	start_job toggle
	switch_on test_record_count
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		hit count,5
		sleep 0.1
	done
	stop_jobs
	echo 0 >"$EVENTS/enable"
	[ ! -d /sys/module/test_markers_site_blocks ] || unload site_blocks
	expect_soon event_gone "$EVENT"
}

plan 30
keep_record
run "numbers read as they were passed" records_numbers
run "fields that are hidden, named and many" records_fields
run "strings, also bad ones and long ones" records_strings
run "strings of user space" records_user
run "pointers" records_pointers
run "each hit on each CPU is one record" records_counted
run "format files: numbers" format_numbers
run "format files: converted values" format_converted
run "format files: network order" format_network
run "format files: names" format_names
run "ids are unique" event_ids
run "events with the names of files" event_names
run "filters by numbers and strings" filters
run "filters of the whole range" filters_range
run "records with and without a filter are the same" filter_or_not
run "histograms" hist
run "one event switches another" enables
run "an event switches tracing off" tracing_off
run "snapshots" snapshot
run "the stack at a hit" stacktrace
run "set_event" set_event
run "set_event_pid" event_pid
run "instances" instances
run "an event comes and goes with its site" comes_and_goes
run "an event stays while it is on" stays_while_on
run "records stay when a module goes" keeps_records
run "a new format waits for the old one" waits_for_old
run "an event stays while it has a trigger" stays_with_triggers
run "an event stays while it has an event probe" stays_with_eprobe
run "modules come and go while tracing is on" races
finish
