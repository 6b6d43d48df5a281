#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The markers of sockets and packets: what they tell is what a program did, over
# the loopback interface.

# shellcheck source-path=SCRIPTDIR source=functions.sh source=rows-mm.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"
. "$(dirname "$0")/rows-mm.sh"

CALLS='net_socket_create net_socket_bind net_socket_connect net_socket_listen'
CALLS="$CALLS net_socket_accept net_socket_shutdown"
MORE_CALLS='net_socket_socketpair net_socket_getsockname net_socket_getpeername'
MORE_CALLS="$MORE_CALLS net_socket_setsockopt net_socket_getsockopt"
MESSAGES='net_socket_sendmsg net_socket_recvmsg'

listed() {
	expect_listed <<-'EOF'
	net_dev_xmit|skb %p dev %s protocol #n2u%u len %u
	net_dev_receive|skb %p dev %s protocol #n2u%u len %u
	net_tcpv4_rcv|skb %p saddr #n4u%u daddr #n4u%u sport #n2u%u dport #n2u%u
	net_udpv4_rcv|skb %p saddr #n4u%u daddr #n4u%u sport #n2u%u dport #n2u%u
	net_socket_create|family %d type %d protocol %d ret %d
	net_socket_bind|fd %d addrlen %d ret %d
	net_socket_connect|fd %d addrlen %d ret %d
	net_socket_listen|fd %d backlog %d ret %d
	net_socket_accept|fd %d flags %d ret %d
	net_socket_shutdown|fd %d how %d ret %d
	net_socket_sendmsg|sock %p size %lu ret %d
	net_socket_recvmsg|sock %p size %lu ret %d
	net_socket_socketpair|family %d type %d protocol %d fd0 %d fd1 %d ret %d
	net_socket_getsockname|fd %d ret %d
	net_socket_getpeername|fd %d ret %d
	net_socket_setsockopt|fd %d level %d optname %d optlen %d ret %d
	net_socket_getsockopt|fd %d level %d optname %d ret %d
	net_napi_schedule|napi %p dev %s
	net_napi_poll|napi %p dev %s work %d budget %d
	net_napi_complete|napi %p dev %s
	net_ipv4_addr_add|dev %s label %s address #n4u%u prefix_len %u
	net_ipv4_addr_del|dev %s label %s address #n4u%u prefix_len %u
	EOF
}

calls() {
	start_program calls
	# shellcheck disable=SC2086 # to be split
	record_child $CALLS
	let_run
	# shellcheck disable=SC2086 # to be split
	expect_told $CALLS
}

more_calls() {
	start_program more-calls
	# shellcheck disable=SC2086 # to be split
	record_child $MORE_CALLS
	let_run
	# shellcheck disable=SC2086 # to be split
	expect_told $MORE_CALLS
}

# The sockets of the records of $1, by the letters they have in $sockets.
letters() {
	text_of "$1"
	value=$(printf '%s\n' "$value" | while read -r _ sock _; do
		case $sock in
		"${sockets% *}") printf a ;;
		"${sockets#* }") printf b ;;
		*) printf '?' ;;
		esac
	done)
}

messages() {
	start_program messages
	# shellcheck disable=SC2086 # to be split
	record_child $MESSAGES
	let_run
	# shellcheck disable=SC2086 # to be split
	expect_told $MESSAGES
	# Who sent first, and who received first.
	text_of net_socket_sendmsg
	value=${value#sock }
	sockets=${value%% *}
	text_of net_socket_recvmsg
	value=${value#sock }
	sockets="$sockets ${value%% *}"
	letters net_socket_sendmsg
	expect "senders of $sockets" "$value" abaaaa
	letters net_socket_recvmsg
	expect "receivers of $sockets" "$value" bbabbb
}

# The skb of each record of $1.
skbs() {
	value=$(sed -n "s/^[^#].*[0-9]: $1: skb \([0-9a-f]*\) .*/\1/p" "$TRACE/trace")
}

# A packet over the loopback interface is the same skb all the way.
udp() {
	start_program udp
	for name in net_dev_xmit net_dev_receive; do
		event "$name" filter 'dev == "lo"'
	done
	switch_on net_dev_xmit net_dev_receive net_udpv4_rcv
	let_run
	expect_told net_dev_xmit net_dev_receive net_udpv4_rcv
	skbs net_dev_xmit
	sent=$value
	case $sent in
	'' | *0000000000000000*) fail "skbs '$sent'" ;;
	esac
	skbs net_dev_receive
	expect "skbs that were received" "$value" "$sent"
	skbs net_udpv4_rcv
	expect "skbs for UDP" "$value" "$sent"
}

# The counter $2 of protocol $1.
snmp() {
	value=$(awk -v name="$2" -v line="$1:" '
		$1 != line { next }
		column { print $column }
		{ for (i = 2; i <= NF; i++) if ($i == name) column = i }
	' /proc/net/snmp)
}

tcp() {
	start_program tcp
	snmp Tcp InSegs
	segments=$value
	switch_on net_tcpv4_rcv
	let_run
	switch_off net_tcpv4_rcv
	snmp Tcp InSegs
	expect_records net_tcpv4_rcv $((value - segments))
	told client
	client=${value% server *}
	server=${value#* server }
	addresses='saddr 2130706433 daddr 2130706433'
	text_of net_tcpv4_rcv
	to="$addresses sport $client dport $server"
	back="$addresses sport $server dport $client"
	got=$(printf '%s\n' "$value" | sed 's/^skb [0-9a-f]\{16\} //')
	expect "the handshake" "$(echo "$got" | sed -n 1,3p)" "$to$NL$back$NL$to"
	expect "the reset" "$(echo "$got" | sed -n '$p')" "$to"
	others=$(echo "$got" | grep -vFx -e "$to" -e "$back")
	expect "other segments" "$others" ""
	expect_least "segments to the client" "$(echo "$got" | grep -cFx "$back")" 2
}

# Ports and addresses are filtered as they are in the packet.
filtered() {
	start_program udp
	event net_udpv4_rcv filter 'daddr != 0x0100007f'
	event net_dev_receive filter 'protocol == 8'
	switch_on net_udpv4_rcv net_dev_receive
	let_run
	expect_records net_udpv4_rcv 0
	expect_told net_dev_receive
}

# As many of $1 as of $2, that is, what is going on has ended.
as_many() {
	[ "$(grep -c ": $1: " "$TRACE/trace")" = \
		"$(grep -c ": $2: " "$TRACE/trace")" ]
}

# The instances of the CPUs' backlogs, one after the other: each is scheduled,
# and completes within its last poll. All packets pass there.
backlog() {
	start_program udp
	event net_dev_receive filter 'dev == "lo"'
	for name in net_napi_schedule net_napi_poll net_napi_complete; do
		event "$name" filter 'dev == "(no_device)"'
		switch_on "$name"
	done
	switch_on net_dev_receive
	let_run
	wait_until as_many net_napi_schedule net_napi_complete
	wait_until as_many net_napi_poll net_napi_complete
	echo 0 >"$TRACE/tracing_on"
	out=$(sed -n 's/^[^#].*[0-9]: net_\(napi_[a-z]*\): napi /\1 /p' \
		"$TRACE/trace" | awk '
		$2 == "0000000000000000" || $4 != "(no_device)" { bad = $0 }
		$1 == "napi_schedule" { if (state[$2] != "") bad = $0; state[$2] = 1 }
		$1 == "napi_complete" { if (state[$2] != 1) bad = $0; state[$2] = 2 }
		$1 == "napi_poll" {
			if (state[$2] != 2 || $8 != 64) bad = $0
			state[$2] = ""
			work += $6
		}
		END { print bad ? bad : work + 0 }')
	n=$(grep -c ': net_dev_receive: ' "$TRACE/trace")
	expect "the packets that were polled for" "$out" "$n"
	expect_least "packets" "$n" 3
}

# A module polls by itself: with all of its budget used, scheduled again while
# it polls, and with nothing to do.
napi() {
	insert rows_irq || return
	for name in net_napi_schedule net_napi_poll net_napi_complete; do
		event "$name" filter 'dev == "test_rows"'
		switch_on "$name"
	done
	put rows_irq call napi || fail "the module cannot poll"
	get rows_irq log
	wanted=$value
	value=$(sed -n 's/^[^#].*[0-9]: \(net_napi_[a-z]*\): /\1 /p' "$TRACE/trace")
	expect "what was recorded" "$value" "$wanted"
	[ -n "$wanted" ] || fail "the module told nothing"
	unload rows_irq
}

# The records of addresses that were added and deleted should be $1.
expect_addresses() {
	value=$(sed -n 's/^[^#].*[0-9]: net_ipv4_addr_\([a-z]*\): /\1 /p' "$TRACE/trace")
	expect addresses "$value" "$1"
}

# 10.77.1.2 and 10.77.1.3, which has a label, and goes with the first one.
addresses() {
	first='dev lo label lo address 172818690 prefix_len 24'
	second='dev lo label lo:rows address 172818691 prefix_len 24'
	promote=$(cat /proc/sys/net/ipv4/conf/lo/promote_secondaries)
	switch_on net_ipv4_addr_add net_ipv4_addr_del
	echo 0 >/proc/sys/net/ipv4/conf/lo/promote_secondaries
	ip addr add 10.77.1.2/24 dev lo
	ip addr add 10.77.1.3/24 dev lo label lo:rows
	! ip addr add 10.77.1.2/24 dev lo 2>/dev/null || fail "could add it again"
	ip addr del 10.77.1.2/24 dev lo
	! ip addr del 10.77.1.3/24 dev lo 2>/dev/null || fail "it is still there"
	expect_addresses "add $first${NL}add $second${NL}del $second${NL}del $first"

	echo >"$TRACE/trace"
	echo 1 >/proc/sys/net/ipv4/conf/lo/promote_secondaries
	ip addr add 10.77.1.2/24 dev lo
	ip addr add 10.77.1.3/24 dev lo label lo:rows
	ip addr del 10.77.1.2/24 dev lo
	ip addr del 10.77.1.3/24 dev lo
	expect_addresses "add $first${NL}add $second${NL}del $first${NL}del $second"
	echo "$promote" >/proc/sys/net/ipv4/conf/lo/promote_secondaries
}

plan_rows 10
ip link set lo up || skip_all "no loopback interface"
run "the formats" listed
run "calls on sockets" calls
run "more calls on sockets" more_calls
run "messages" messages
run "UDP over the loopback interface" udp
run "TCP over the loopback interface" tcp
run "filters in network order" filtered
run "the backlog is polled" backlog
run "a module polls" napi
run "IPv4 addresses" addresses
finish
