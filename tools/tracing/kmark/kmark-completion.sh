# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What bash completes of the arguments of kmark.

_kmark_sets() {
	kmark mask list 2>/dev/null | cut -c 3- | cut -d ' ' -f 1
}

_kmark_markers() {
	kmark list 2>/dev/null | awk 'NR > 1 { print $1; if ($2 != "-") print $2 }'
}

_kmark_instances() {
	local dir

	for dir in /sys/kernel/tracing/instances/*/; do
		[ ! -d "$dir" ] || basename "$dir"
	done
}

_kmark() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words

	case $prev in
	-B | --instance) words=$(_kmark_instances) ;;
	show | edit | delete) words=$(_kmark_sets) ;;
	use) words="$(_kmark_sets) none -B" ;;
	mask) words='list show new edit delete use' ;;
	list)
		if [ "${COMP_WORDS[1]}" = mask ]; then
			words=-B
		else
			words="$(_kmark_markers) -v --json"
		fi
		;;
	status) words='-B --json' ;;
	dump) words=-B ;;
	*)
		if [ "$COMP_CWORD" -eq 1 ]; then
			words='list mask status dump -h'
		elif [ "${COMP_WORDS[1]} ${COMP_WORDS[2]}" = 'mask new' ]; then
			words=$(_kmark_markers)
		elif [ "${COMP_WORDS[1]} ${COMP_WORDS[2]}" = 'mask use' ]; then
			words="$(_kmark_sets) none"
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _kmark kmark
