# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # for those who source this, after functions.sh
#
# How a hit of each marker of test_markers_record should read, for all clients:
# text_NAME leaves it in $value.

text_int() {
	value='c -128 uc 255 s -32768 us 65535 i -2147483648 u 4294967295'
	value="$value l -9223372036854775808 ul 18446744073709551615"
	value="$value q -9223372036854775808 uq 18446744073709551615"
	value="$value pos 1234567890123456789"
}

text_spec() {
	value='x 0xbeef X BEEF o 755 alt 0xc0ffee z 4096 t -16 wide [    42]'
	value="$value [-42   ] [000042] [0042] long [          -1] 100%"
	value="$value \"done\""
}

text_char() {
	value='first a second ~ third z plus [+42] blank [ 42] behind 43'
}

text_convert() {
	value='wide 4294967295 narrow -1 half 65535 four 23456789 upper'
	value="$value FFFFFFFFFFFFFFFF lower 4294967294 octal 377"
	value="$value string by address"
}

text_network() {
	value='port 8080 address 7f000001 id 1234567890123456789 sign -2 byte 200'
}

text_hidden() {
	value='first 1 second 3 third 5'
}

text_names() {
	value='x 1 x 2 x_2 3 4 common_pid 5 0x6 arg4 7'
}

text_words() {
	value='asm 1 typeof 2 inline 3 linux 4 bool 5 _Bool 6 __linux__ 7 _ 8'
}

text_noargs() {
	value=
}

text_many() {
	value='a -1 b 2 c 3 d four e -5 f 6 g -7 h 8 i -9 j 10 l twelve m 13'
	value="$value n 14 o -15 p 16 q 11 r -18 s 19 t -20"
}

# 300 characters are cut to 255.
text_string() {
	big=
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
		big=${big}0123456789
	done
	value='plain two words empty [] null (null) error (fault) unmapped'
	value="$value (fault) big ${big}01234 last end cut abcd"
}

# What the kernel sees of our memory is what we know: the name we go by.
text_user() {
	get record user
	value="valid $value unmapped (fault) null (null) fresh (fault) kernel (fault)"
}
