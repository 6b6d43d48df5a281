#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# kmark shows what tracefs has, and switches the events of mask sets and no
# others, whatever is wrong with the sets.
#
# MARKERS_PROGRAMS	the directory with the built kmark and kmark-sets

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

MARKERS_PROGRAMS=${MARKERS_PROGRAMS:-$(dirname "$0")}
SHIPPED='all default io mem net sched syscall'

# The status of kmark is in $status, its output in $tmp/out and $tmp/err.
kmark() {
	status=0
	"$KMARK" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# kmark does "$@" and has nothing to say of it, but of the name of the set.
kmark_does() {
	kmark "$@"
	expect "status of kmark $*" "$status" 0
	expect "complaints of kmark $*" "$(grep -v lkst_mset "$tmp/err")" ""
}

# It ends with status $1 and says one line, which has $2 in it.
kmark_fails() {
	wanted=$1
	string=$2
	shift 2
	kmark "$@"
	expect "status of kmark $*" "$status" "$wanted"
	expect "lines that kmark $* says" "$(wc -l <"$tmp/err")" 1
	grep -qF -- "$string" "$tmp/err" ||
		fail "kmark $* said '$(cat "$tmp/err")', expected '$string'"
	[ ! -s "$tmp/out" ] || fail "kmark $* printed: $(head -n 3 "$tmp/out")"
}

# The user's set $1 has the lines that follow.
user_set() {
	name=$1
	shift
	printf '%s\n' "$@" >"$KMARK_ETC/$name"
}

# The events of markers that are on in the directory $TRACE, in lines.
on() {
	value=$(grep '^markers:\|^lkst:' "$TRACE/set_event" | sort)
}

# They should be those of the file $2, after $1.
expect_on() {
	on
	echo "$value" | grep . >"$tmp/on"
	sort "$2" | diff - "$tmp/on" >"$tmp/diff" ||
		fail "$1: $(grep '^[<>]' "$tmp/diff" | head -n 5)"
}

# The markers that are events.
marker_events() {
	for dir in "$EVENTS"/*/; do
		dir=${dir%/}
		echo "markers:${dir##*/}"
	done
}

# JSON goes to a program that checks it and prints what $2 of file $1 is.
json() {
	if command -v jq >/dev/null; then
		value=$(jq -r "$2" "$1") || fail "this is not JSON: $(head -c 200 "$1")"
	else
		# shellcheck disable=SC2016 # of Perl
		perl -MJSON::PP -0777 -e 'decode_json(<STDIN>)' <"$1" ||
			fail "this is not JSON: $(head -c 200 "$1")"
		value=unknown
	fi
}

# $value is what jq made of it, if there was one, and should be $2.
expect_json() {
	[ "$value" = unknown ] || expect "$1" "$value" "$2"
}

# === The list =================================================================

# How many markers there are.
all_markers() {
	value=$(grep -vc "^[#$TAB]" "$MARKERS")
}

# Blanks are of no meaning in a table.
squash() {
	sed 's/  */ /g; s/ *$//'
}

# Names, state, sites, handlers and formats are those of the file; so are counts.
listed() {
	column test_record_int hits
	hits=$value
	switch_on test_record_int
	hit int,7
	kmark_does list
	awk -F '\t' '/^[^#\t]/ { print $1, $2, $3, $4, $5, $10 }' "$MARKERS" |
		squash >"$tmp/wanted"
	awk 'NR > 1 {
		line = $1 " " $2 " " $3 " " $4 " " $5
		for (i = 1; i <= 9; i++)
			sub(/^ *[^ ]+ */, "")
		print line " " $0
	}' "$tmp/out" | squash >"$tmp/shown"
	cmp "$tmp/wanted" "$tmp/shown" >/dev/null ||
		fail "the list differs: $(diff "$tmp/wanted" "$tmp/shown" | head -n 4)"
	columns test_record_int
	expect "what is shown of test_record_int" \
		"$(awk '$1 == "test_record_int" { print $3, $4, $5, $6, $7, $8, $9 }' "$tmp/out")" \
		"$f3 $f4 $f5 $f6 $f7 $f8 $f9"
	expect "what it counts" "$((f6 - hits)) $f7 $f8 $f9" "7 0 0 0"
	kmark_does list -v test_record_int
	expect "sites and handlers" "$(grep -c "^$TAB\(site\|handler\)$TAB" "$tmp/out")" 2
}

names_of() {
	kmark_does list "$1"
	value=$(awk 'NR > 1 { print $1 }' "$tmp/out" | tr '\n' ' ')
}

patterns() {
	names_of kernel_sched_schedule
	expect "by its name" "$value" "kernel_sched_schedule "
	names_of PROCESS_CONTEXTSWITCH
	expect "by the name in LKST" "$value" "kernel_sched_schedule "
	names_of lkst:PROCESS_CONTEXTSWITCH
	expect "by the name in that group" "$value" "kernel_sched_schedule "
	names_of 'test_record_[hi]*'
	expect "by a glob" "$value" "$(grep -o '^test_record_[hi][a-z]*' "$MARKERS" | tr '\n' ' ')"
	names_of 'lkst:TIMER_*'
	expect "by a glob of LKST" "$value" \
		"$(awk -F '\t' '$2 ~ /^TIMER_/ { print $1 }' "$MARKERS" | tr '\n' ' ')"
	kmark_does list 'markers:*'
	all_markers
	expect "markers" "$(wc -l <"$tmp/out")" "$((value + 1))"
	kmark_fails 3 'nearest: kernel_sched_schedule' list kernel_sched_schedul
	kmark_fails 3 'PROCESS_CONTEXTSWITCH' list process_contextswitc
	kmark_fails 3 'no marker matches "lkst:kernel_*"' list 'lkst:kernel_*'
	kmark_fails 3 'reserves the name "LKST_EXTEND"' list LKST_EXTEND
	kmark_fails 2 'neither of the groups' list 'sched:*'
}

list_json() {
	switch_on test_record_int
	hit int,3
	column test_record_int hits
	hits=$value
	kmark_does list --json
	json "$tmp/out" length
	all=$value
	all_markers
	[ "$all" = unknown ] || expect "markers" "$all" "$value"
	json "$tmp/out" '.[] | select(.name == "test_record_int") |
		"\(.on) \(.hits) \(.sites | length) \(.handlers[0].state) " +
		"\(.sites[0].module) \(.lkst)"'
	expect_json "test_record_int" "true $hits 1 active test_markers_record null"
	json "$tmp/out" '.[] | select(.name == "kernel_sched_schedule") | "\(.lkst) \(.on)"'
	expect_json "kernel_sched_schedule" "PROCESS_CONTEXTSWITCH false"
	json "$tmp/out" '.[] | select(.name == "test_record_spec") | .format'
	format=$value
	column test_record_spec format
	[ "$format" = unknown ] || expect "format" "$format" "$value"
}

# === Sets =====================================================================

# Those of the set default.
rare='kernel_process_(fork|exec|exit|free|wait|rename)'
rare="$rare|kernel_kthread_(create|stop|stop_ret)"
rare="$rare|kernel_send_signal|kernel_signal_(deliver|handle)"
rare="$rare|kernel_oops|kernel_panic|mm_oom_kill|kernel_module_(load|free)"
rare="$rare|kernel_(softlockup|hardlockup|hung_task|kexec|crash_kexec)"
rare="$rare|kernel_cpu_(up|down)|mm_swap_file_(open|close)|net_ipv4_addr_(add|del)"
rare="$rare|net_socket_(create|bind|connect|listen|accept|shutdown|socketpair)"
rare="$rare|net_socket_(getsockname|getpeername|setsockopt|getsockopt)"
rare="$rare|ipc_(msg|sem|shm)_create"
rare="$rare|lkst_(init|kernel_dump|mset_xchg|buff_shift|buff_ovwrtn|state_task)"
rare="$rare|lkst_sync_(uid|gid|pgid|tid)"

# All sets tell that another one comes into use.
xchg=:lkst_mset_xchg

# What the installed set $1 is promised to have, of what this kernel has.
promised() {
	case $1 in
	all) cat ;;
	default) grep -xE "markers:($rare)" ;;
	io) grep -E ":(fs|block)_|$xchg" ;;
	mem) grep ":mm_\|$xchg" ;;
	net) grep ":net_\|$xchg" ;;
	sched) grep -E ":kernel_(sched|process|kthread)_|:kernel_cpu_idle\$|$xchg" ;;
	syscall) grep ":kernel_arch_syscall_\|$xchg" ;;
	esac
}

shipped() {
	expect "installed sets" "$(cd "$KMARK_SETS" && echo *)" "$SHIPPED"
	marker_events >"$tmp/events"
	for name in $SHIPPED; do
		kmark_does mask use "$name"
		promised "$name" <"$tmp/events" >"$tmp/wanted"
		[ -s "$tmp/wanted" ] || fail "nothing is promised of $name"
		expect_on "$name" "$tmp/wanted"
		kmark_does mask show -e "$name"
		cmp -s "$tmp/wanted" "$tmp/out" || fail "mask show -e $name has others"
	done
	kmark_does mask use none
	: >"$tmp/wanted"
	expect_on none "$tmp/wanted"
}

# In both systems of names, with globs, exclusions and comments; what is not of
# markers stays as it is.
coordinates() {
	echo 1 >"$TRACEFS/events/sched/sched_switch/enable"
	user_set mine '# mine' '' 'kernel_timer_set	# a comment' \
		'  PROCESS_CONTEXTSWITCH  ' 'lkst:TIMER_*' '!TIMER_RUN' \
		'markers:test_record_i*' '[!a-z]*TIMER_nothing*' 'no_such_*'
	kmark_does mask use mine
	{
		echo markers:kernel_timer_set
		echo lkst:PROCESS_CONTEXTSWITCH
		echo markers:test_record_int
		for dir in "$LKST_EVENTS"/TIMER_*/; do
			dir=${dir%/}
			[ "${dir##*/}" = TIMER_RUN ] || echo "lkst:${dir##*/}"
		done
	} >"$tmp/wanted"
	expect_on mine "$tmp/wanted"
	grep -qx sched:sched_switch "$TRACEFS/set_event" ||
		fail "an event of another group went off"
	kmark_does mask use none
	expect "what is left" "$(cat "$TRACEFS/set_event")" sched:sched_switch
}

# What a trigger holds in readiness is not on yet.
in_readiness() {
	event test_record_noargs trigger enable_event:markers:test_record_int
	read -r enabled <"$EVENTS/test_record_int/enable"
	expect "the event" "$enabled" '0*'
	user_set mine test_record_int
	kmark_does mask use mine
	read -r enabled <"$EVENTS/test_record_int/enable"
	expect "the event" "$enabled" '1*'
	kmark_does mask use none
	read -r enabled <"$EVENTS/test_record_int/enable"
	expect "the event" "$enabled" '0*'
}

# An event that is in both sets records each hit while they change.
switching() {
	load site_blocks
	mkdir "$TRACEFS/instances/kmark"
	TRACE=$TRACEFS/instances/kmark
	echo 8192 >"$TRACE/buffer_size_kb"
	user_set one "$EVENT" 'test_record_*' 'ipc_*' PROCESS_FORK
	user_set two 'net_*' "$EVENT" PROCESS_EXIT 'test_record_i*'
	kmark_does mask use -B kmark one
	column "$EVENT" hits
	before_hits=$value
	put site_blocks hammer 1
	for n in 1 2 3 4 5; do
		kmark_does mask use -B kmark two
		get site_blocks fired
		[ "$n" -ne 1 ] || first=$value
		kmark_does mask use -B kmark one
	done
	get site_blocks fired
	last=$value
	put site_blocks hammer 0
	get site_blocks fired
	fired=$value
	expect_least "hits while the sets changed" "$((last - first))" 100
	column "$EVENT" hits
	expect "hits" "$((value - before_hits))" "$fired"
	expect_column "$EVENT" lost 0
	expect "overwritten" "$(cat "$TRACE"/per_cpu/cpu*/stats |
		awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n }')" 0
	expect_records "$EVENT" "$fired"
	rmdir "$TRACEFS/instances/kmark"
	TRACE=$TRACEFS
	unload site_blocks
}

instance() {
	mkdir "$TRACEFS/instances/kmark"
	kmark_does mask use -B kmark syscall
	on
	expect "events at the top" "$value" ""
	TRACE=$TRACEFS/instances/kmark
	marker_events | promised syscall >"$tmp/wanted"
	expect_on "in the instance" "$tmp/wanted"
	kmark_does mask use net
	expect_on "in the instance" "$tmp/wanted"
	for name in other '' . .. kmark/events; do
		kmark_fails 8 'no instance' mask use -B "$name" net
		kmark_fails 8 'no instance' status -B "$name"
		kmark_fails 8 'no instance' dump -B "$name"
	done
	rmdir "$TRACEFS/instances/kmark"

	mkdir "$TRACEFS/instances/.kmark"
	kmark_does mask use -B .kmark syscall
	TRACE=$TRACEFS/instances/.kmark
	expect_on "in an instance whose name begins with a dot" "$tmp/wanted"
	TRACE=$TRACEFS
	rmdir "$TRACEFS/instances/.kmark"
}

# The kernel learns the name, and tells of it where it can.
told_kernel() {
	mkdir "$TRACEFS/instances/kmark"
	TRACE=$TRACEFS/instances/kmark
	if [ ! -e "$TRACE/lkst_mset" ]; then
		kmark mask use -B kmark net
		expect "status" "$status" 0
		expect "warnings" "$(grep -c lkst_mset "$tmp/err")" 1
		skip "this kernel has no lkst_mset"
		return
	fi
	kmark_does mask use -B kmark default
	expect lkst_mset "$(cat "$TRACE/lkst_mset")" default
	expect_text lkst_mset_xchg "from none to default"
	kmark_does mask use -B kmark net
	expect lkst_mset "$(cat "$TRACE/lkst_mset")" net
	expect_text lkst_mset_xchg "from none to default${NL}from default to net"
	kmark_does mask list -B kmark
	expect "the set in use" "$(sed -n 's/^\* \([a-z]*\) .*/\1/p' "$tmp/out")" net
	kmark_does mask use -B kmark none
	expect lkst_mset "$(cat "$TRACE/lkst_mset")" none
	rmdir "$TRACEFS/instances/kmark"
}

# === What is wrong ============================================================

# With $1 as the set "broken" kmark ends with status $2, says $3 after the name
# of the file and its line, and changes nothing.
broken() {
	# shellcheck disable=SC2059 # a format, for bytes of all kinds
	printf "$1" >"$KMARK_ETC/broken"
	kmark_fails "$2" "$KMARK_ETC/broken:$3" mask use broken
	on
	expect "events that are on" "$value" "$still"
}

broken_sets() {
	kmark_does mask use sched
	on
	still=$value
	broken '' 4 '1: there is no event'
	broken '# nothing\n\n \n' 4 '3: there is no event'
	broken 'net_*\r\nfs_*\r\n' 4 '1: there is a carriage return'
	broken 'net_*\n\001\002\n' 4 '2: byte 0x01'
	broken 'net_*\nfs\000_*\n' 4 '2: byte 0x00'
	broken '\177ELF' 4 '1: byte 0x7f'
	broken 'net_*\n\n%0600d\n' 4 '3: the line is longer'
	broken '#%0600d\n' 4 '1: the line is longer'
	broken 'net_* fs_*\n' 4 '1: there is more than one name'
	broken 'net_*\nsched:sched_switch\n' 4 '2: "sched:sched_switch" is in neither'
	broken 'net_[ab\n' 4 '1: "net_[ab" has a [ without'
	broken 'net;\n' 4 '1: "net;" has a'
	broken '!\n' 4 '1: "!" has no name'
	broken 'lkst:\n' 4 '1: "lkst:" has no name'
	broken '*\nkernel_timer_st\n' 3 '2: there is no event "kernel_timer_st"'
	grep -q 'nearest: kernel_timer_set' "$tmp/err" || fail "nothing is suggested"
	broken 'TIMER_ADDS' 3 '1: there is no event "TIMER_ADDS" in this kernel; nearest: TIMER_ADD'
	broken 'lkst:kernel_timer_set\n' 3 '1: there is no event "kernel_timer_set"'
	broken '*\n!kernel_timer_st\n' 3 '2: there is no event "kernel_timer_st"'
	broken 'net_*\nLKST_ETYPE_MAX\n' 3 '2: LKST reserves the name "LKST_ETYPE_MAX"'
	yes kernel_timer_set | head -n 200000 >"$KMARK_ETC/broken"
	kmark_fails 4 'the file is larger than' mask use broken
	head -c 100000 /dev/urandom >"$KMARK_ETC/broken"
	kmark_fails 4 "$KMARK_ETC/broken:" mask use broken
	rm "$KMARK_ETC/broken"
	ln -s /dev/zero "$KMARK_ETC/broken"
	kmark_fails 4 "$KMARK_ETC/broken: this is not a file" mask use broken
	rm "$KMARK_ETC/broken"
	mkfifo "$KMARK_ETC/broken"
	kmark_fails 4 "$KMARK_ETC/broken: this is not a file" mask use broken
	kmark_does mask list
	rm "$KMARK_ETC/broken"
	user_set empty 'no_such_*'
	kmark_fails 3 'has none of its events' mask use empty
	on
	expect "events that are on" "$value" "$still"
}

# All names that are not there are told of at once.
unknown_names() {
	user_set mine kernel_sched_schedul net_nothing_at_all kernel_timer_set fs_opne
	kmark mask use mine
	expect "status" "$status" 3
	expect "what is wrong" "$(sed 's/^[^:]*: //; s/:.*//' "$tmp/err" | sort -u)" \
		"$KMARK_ETC/mine"
	expect "lines" "$(cut -d : -f 3 "$tmp/err" | tr '\n' ' ')" "1 2 4 "
	on
	expect "events that are on" "$value" ""
	kmark_fails 3 'no mask set "shed"; nearest: sched' mask use shed
	kmark_fails 2 'cannot be the name' mask use ../sets/net
	kmark_fails 2 'cannot be the name' mask new none net_socket_bind
	kmark_fails 2 'usage: kmark mask use' mask use
	kmark_fails 2 'no command "mark"' mark
	kmark_fails 2 'no "mask us"' mask us net
}

# A module's event comes and goes, and a plain name of it with that.
unloaded() {
	load site_blocks
	user_set mine "$EVENT"
	user_set lenient "$EVENT*" kernel_timer_set
	kmark_does mask use mine
	echo "markers:$EVENT" >"$tmp/wanted"
	expect_on mine "$tmp/wanted"
	kmark_does mask use none
	unload site_blocks
	expect_soon event_gone "$EVENT"
	kmark_fails 3 "no event \"$EVENT\"" mask use mine
	kmark_does mask use lenient
	echo markers:kernel_timer_set >"$tmp/wanted"
	expect_on lenient "$tmp/wanted"
}

# Runs kmark as a user who is nobody.
as_nobody() {
	status=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$KMARK" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	expect "status of kmark $*" "$status" "$wanted"
}

not_permitted() {
	mode=$(stat -c %a "$TRACEFS")
	chmod 700 "$TRACEFS"
	user_set mine kernel_timer_set
	chmod 600 "$KMARK_ETC/mine"
	wanted=5
	for command in list status dump 'mask use net' 'mask show mine' 'mask delete mine'; do
		# shellcheck disable=SC2086 # words
		as_nobody $command
		expect "lines of kmark $command" "$(wc -l <"$tmp/err")" 1
		[ ! -s "$tmp/out" ] || fail "kmark $command printed something"
	done
	as_nobody mask new other net_socket_bind
	[ ! -e "$KMARK_ETC/other" ] || fail "nobody wrote a set"
	wanted=0
	as_nobody mask list
	expect "sets" "$(wc -l <"$tmp/out")" 8
	as_nobody mask show net
	cmp -s "$tmp/out" "$KMARK_SETS/net" || fail "the set net is another"
	chmod "$mode" "$TRACEFS"
}

# Elsewhere there may be no tracefs, and no kernel with markers.
elsewhere() {
	mkdir "$tmp/empty"
	for command in list status dump 'mask use net'; do
		# shellcheck disable=SC2086 # words
		KMARK_TRACEFS=$tmp/empty kmark_fails 6 'no tracefs' $command
	done
	mkdir -p "$tmp/old/events"
	: >"$tmp/old/set_event"
	for command in list status dump 'mask use net'; do
		# shellcheck disable=SC2086 # words
		KMARK_TRACEFS=$tmp/old kmark_fails 7 'has no markers' $command
	done
	# shellcheck disable=SC2016 # of the shell in there
	unshare -m sh -c 'umount -l "$1"; umount -l /sys/kernel/debug 2>/dev/null; shift; "$@"' \
		sh "$TRACEFS" "$KMARK" list \
		>"$tmp/out" 2>"$tmp/err"
	expect "status without tracefs" $? 6
	grep -q 'tracefs is not mounted' "$tmp/err" || fail "said: $(cat "$tmp/err")"
	rm -rf "$tmp/empty" "$tmp/old"
}

# === Files of sets ============================================================

user_sets() {
	kmark_does mask new mine kernel_timer_set 'TIMER_*' '!TIMER_RUN'
	kmark_does mask show mine
	expect "the set" "$(cat "$tmp/out")" "kernel_timer_set${NL}TIMER_*${NL}!TIMER_RUN"
	kmark_fails 1 'already' mask new mine net_socket_bind
	expect "the set" "$(head -n 1 "$KMARK_ETC/mine")" kernel_timer_set
	kmark_fails 3 'other:2: there is no event "net_nothing"' \
		mask new other net_socket_bind net_nothing
	kmark_fails 4 'other:1: there is more than one name' mask new other 'a b'
	printf 'net_*\n!net_dev_*\n' | "$KMARK" mask new net 2>"$tmp/err" ||
		fail "cannot read a set from standard input: $(cat "$tmp/err")"
	kmark_does mask use net
	marker_events | grep ':net_' | grep -v ':net_dev_' >"$tmp/wanted"
	expect_on "the user's net" "$tmp/wanted"
	kmark_does mask list
	names=$(cut -c 3- "$tmp/out" | awk '$2 == "user" { print $1 }' | paste -sd ' ')
	expect "sets of the user's" "$names" "mine net"
	expect "sets" "$(wc -l <"$tmp/out")" 8
	kmark_does mask delete net
	kmark_fails 1 'came with kmark' mask delete net
	kmark_fails 3 'no mask set "other"' mask delete other
	kmark_does mask use net
	marker_events | promised net >"$tmp/wanted"
	expect_on "the installed net" "$tmp/wanted"
	expect "files" "$(ls -A "$KMARK_ETC")" mine
}

edited() {
	user_set mine kernel_timer_set
	EDITOR='sed -i s/timer_set/timer_run/' kmark_does mask edit mine
	expect "the set" "$(cat "$KMARK_ETC/mine")" kernel_timer_run
	expect "mode" "$(stat -c %a "$KMARK_ETC/mine")" 644
	VISUAL='sed -i s/_run/_set/' EDITOR=false kmark_does mask edit mine
	expect "the set" "$(cat "$KMARK_ETC/mine")" kernel_timer_set
	# One of the installed becomes the user's if it is changed.
	EDITOR=true kmark_does mask edit io
	[ ! -e "$KMARK_ETC/io" ] || fail "what was not changed was written"
	EDITOR="sed -i 's/^block/net/'" kmark_does mask edit io
	expect "the set" "$(grep -v '^#\|^$' "$KMARK_ETC/io" | tr '\n' ' ')" \
		"fs_* net_* lkst_mset_xchg* "
	expect "files" "$(ls -A "$KMARK_ETC")" "io${NL}mine"
	EDITOR=false kmark_fails 1 'the editor failed' mask edit mine
	expect "files" "$(ls -A "$KMARK_ETC")" "io${NL}mine"
	# What was written is not lost.
	EDITOR='sed -i s/_set/_st/' kmark mask edit mine
	expect "status" "$status" 3
	expect "the set" "$(cat "$KMARK_ETC/mine")" kernel_timer_set
	copy=$(sed -n 's/.*what you wrote is in //p' "$tmp/err")
	expect "the copy" "$(cat "$copy")" kernel_timer_st
	printf 'x y\n' >"$tmp/bad"
	EDITOR="cp $tmp/bad" kmark mask edit mine
	expect "status" "$status" 4
	expect "the set" "$(cat "$KMARK_ETC/mine")" kernel_timer_set
}

# Nothing that was there is lost when there is no room.
full_disk() {
	mount -t tmpfs -o size=64k nodev "$KMARK_ETC" || {
		skip "cannot mount a tmpfs"
		return
	}
	kmark_does mask new mine kernel_timer_set
	cat /dev/zero >"$KMARK_ETC/.fill" 2>/dev/null
	kmark_fails 1 'No space left on device' mask new other kernel_timer_set
	EDITOR='sed -i s/_set/_run/' kmark_fails 1 'No space left on device' mask edit mine
	expect "the set" "$(cat "$KMARK_ETC/mine")" kernel_timer_set
	expect "files" "$(ls -A "$KMARK_ETC")" ".fill${NL}mine"
	umount "$KMARK_ETC"
	for command in list 'list --json' status dump 'mask list' 'mask show net'; do
		# shellcheck disable=SC2086 # words
		"$KMARK" $command >/dev/full 2>"$tmp/err"
		expect "status of kmark $command" $? 1
		grep -q 'standard output: No space left' "$tmp/err" ||
			fail "kmark $command said: $(cat "$tmp/err")"
	done
}

# A reader that goes ends it, by the signal or by the error. The second has to be
# told by a shell that ignores it from its start.
closed_pipe() {
	for command in 'list -v' 'list --json' dump; do
		cat >"$tmp/pipe" <<-END
			exec 3>&1
			{ sleep 1; "$KMARK" $command 2>"$tmp/err"; echo \$? >&3; } | :
		END
		expect "status of kmark $command" "$(sh "$tmp/pipe")" 141
		expect "what it says" "$(cat "$tmp/err")" ""
		expect "status of kmark $command" \
			"$(trap '' PIPE; sh "$tmp/pipe")" 1
		expect "what it says" "$(cat "$tmp/err")" \
			"kmark: cannot write to standard output: Broken pipe"
	done
}

# === Status and dump ==========================================================

status_of() {
	mkdir "$TRACEFS/instances/kmark"
	TRACE=$TRACEFS/instances/kmark
	echo global >"$TRACE/trace_clock"
	echo 16 >"$TRACE/buffer_size_kb"
	echo markers:test_record_count >"$TRACE/set_event"
	echo lkst:IPC_MSG_CREATE >>"$TRACE/set_event"
	read -r size <"$TRACE/buffer_size_kb"
	hit_each count,2000
	echo 0 >"$TRACE/tracing_on"
	kmark_does status
	sed -n '/^instance kmark$/,/^instance /p' "$tmp/out" >"$tmp/part"
	grep -qx 'instance (top)' "$tmp/out" || fail "the one at the top is not there"
	for line in 'tracing_on off' 'clock global' "buffer_size_kb $size" \
		'events_on markers 1 lkst 1'; do
		tr -s ' \t' ' ' <"$tmp/part" | grep -qx " $line" || fail "no line '$line'"
	done
	for dir in "$TRACE"/per_cpu/cpu*; do
		wanted=$(sed -n 's/^\(overrun\|entries\): //p' "$dir/stats" | paste -sd ' ')
		cpu=${dir##*/cpu}
		shown=$(sed -n "s/.*cpu  *$cpu: entries \([0-9]*\) overrun \([0-9]*\) .*/\1 \2/p" \
			"$tmp/part")
		expect "cpu $cpu" "$shown" "$wanted"
		expect_least "overrun" "${wanted#* }" 1
	done
	kmark_does status --json -B kmark
	json "$tmp/out" '.instances[0] | "\(.name) \(.tracing_on) \(.clock) \(.buffer_size_kb) " +
		"\(.events_on.markers) \(.events_on.lkst) \(.cpus | length)"'
	expect_json "status" \
		"kmark false global $size 1 1 $(find "$TRACE/per_cpu" -name 'cpu*' | wc -l)"
	kmark_does status --json
	json "$tmp/out" '[.instances[].name] | "\(length) \(.[0]) \(.[1])"'
	expect_json "instances" "2 null kmark"
	json "$tmp/out" '.markers.markers'
	all=$value
	all_markers
	[ "$all" = unknown ] || expect "markers" "$all" "$value"
	rmdir "$TRACEFS/instances/kmark"
}

# The buffer is shown as tracefs shows it, as often as one likes.
dumped() {
	mkdir "$TRACEFS/instances/kmark"
	TRACE=$TRACEFS/instances/kmark
	switch_on test_record_string test_record_int
	hit string,300
	hit int,300
	switch_off test_record_string test_record_int
	for n in 1 2; do
		kmark_does dump -B kmark
		cat "$TRACE/trace" >"$tmp/trace"
		cmp -s "$tmp/out" "$tmp/trace" || fail "the dump is another, time $n"
	done
	expect_records test_record_int 300
	kmark_does dump
	expect "records at the top" "$(grep -vc '^#' "$tmp/out")" 0
	rmdir "$TRACEFS/instances/kmark"
}

# Each case begins without sets of the user's.
check() {
	rm -rf "$KMARK_ETC"
	mkdir "$KMARK_ETC"
	run "$@"
}

[ -x "$MARKERS_PROGRAMS/kmark" ] ||
	skip_all "no kmark in $MARKERS_PROGRAMS (it needs libtracefs-dev); set MARKERS_PROGRAMS"
plan 20
keep_record
[ -d "$LKST_EVENTS" ] || skip_all "this kernel has no events of LKST"
# Where anybody can run it.
chmod 755 "$tmp"
cp "$MARKERS_PROGRAMS/kmark" "$tmp/kmark"
cp -r "$MARKERS_PROGRAMS/kmark-sets" "$tmp/sets"
KMARK=$tmp/kmark
export KMARK_ETC="$tmp/etc" KMARK_SETS="$tmp/sets"
check "the list is that of the kernel" listed
check "patterns in both systems of names" patterns
check "the list as JSON" list_json
check "the installed sets, each event of them and no other" shipped
check "sets in both systems of names leave other groups alone" coordinates
check "an event that a trigger holds in readiness" in_readiness
check "an event in two sets misses nothing while they change" switching
check "instances" instance
check "the kernel learns the name of the set" told_kernel
check "broken sets change nothing" broken_sets
check "unknown names change nothing" unknown_names
check "the event of a module that goes" unloaded
check "not permitted" not_permitted
check "no tracefs, no markers" elsewhere
check "sets of the user's" user_sets
check "edited sets" edited
check "a full disk" full_disk
check "a closed pipe" closed_pipe
check "status" status_of
check "dump" dumped
finish
