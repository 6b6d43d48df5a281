#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Modules with sites and modules with handlers come and go in any order.

# shellcheck source-path=SCRIPTDIR source=functions.sh
# shellcheck disable=SC1091,SC2153,SC2154,SC2317 # what functions.sh has and does
. "$(dirname "$0")/functions.sh"

# The probe module's handler was called $1 times, never with anything off.
expect_probe() {
	expect_param probe hits "$1"
	expect_param probe bad 0
}

site_first() {
	load site_blocks
	expect_column "$EVENT" state off
	expect_column "$EVENT" format "$BLOCKS"
	expect_sites "$EVENT" "test_markers_site_blocks|off|$BLOCKS"
	put site_blocks fire 3
	expect_column "$EVENT" hits 0

	load probe "format=\"$BLOCKS\""
	expect_column "$EVENT" state on
	expect_sites "$EVENT" "test_markers_site_blocks|on|$BLOCKS"
	expect_handlers "$EVENT" "on_hit [test_markers_probe]|active|$BLOCKS"
	put site_blocks fire 5
	expect_probe 5
	expect_column "$EVENT" hits 5
}

probe_first() {
	load probe "format=\"$BLOCKS\""
	expect_column "$EVENT" state off
	expect_column "$EVENT" sites 0
	expect_column "$EVENT" handlers 1
	expect_column "$EVENT" format -
	expect_handlers "$EVENT" "on_hit [test_markers_probe]|pending|$BLOCKS"

	load site_blocks
	expect_column "$EVENT" state on
	expect_column "$EVENT" sites 1
	expect_handlers "$EVENT" "on_hit [test_markers_probe]|active|$BLOCKS"
	put site_blocks fire 7
	expect_probe 7
	expect_column "$EVENT" hits 7
}

unload_site_first() {
	unload site_blocks
	expect_column "$EVENT" state off
	expect_column "$EVENT" format -
	expect_handlers "$EVENT" "on_hit [test_markers_probe]|pending|$BLOCKS"
	unload probe
	expect_gone "$EVENT"
}

unload_probe_first() {
	unload probe
	expect_column "$EVENT" state off
	expect_sites "$EVENT" "test_markers_site_blocks|off|$BLOCKS"
	put site_blocks fire 2
	unload site_blocks
	expect_gone "$EVENT"
}

site_site() { site_first; unload_site_first; }
site_probe() { site_first; unload_probe_first; }
probe_site() { probe_first; unload_site_first; }
probe_probe() { probe_first; unload_probe_first; }

# The registration outlives the site, and counting goes on.
site_comes_back() {
	load probe "format=\"$BLOCKS\""
	load site_blocks
	put site_blocks fire 2
	unload site_blocks
	load site_blocks
	expect_handlers "$EVENT" "on_hit [test_markers_probe]|active|$BLOCKS"
	put site_blocks fire 3
	expect_probe 5
	expect_column "$EVENT" hits 5
	unload site_blocks probe
}

# Two modules with one marker: both are switched, either may go.
two_site_modules() {
	load site_blocks
	load probe
	load site_again
	expect_column "$EVENT" sites 2
	expect_sites "$EVENT" "test_markers_site_blocks|on|$BLOCKS" \
		"test_markers_site_again|on|$BLOCKS"
	put site_blocks fire 2
	put site_again fire 3
	expect_probe 5
	unload site_blocks
	expect_sites "$EVENT" "test_markers_site_again|on|$BLOCKS"
	put site_again fire 4
	expect_probe 9
	expect_column "$EVENT" hits 9
	unload probe
	expect_sites "$EVENT" "test_markers_site_again|off|$BLOCKS"
	unload site_again
}

# Three registrations: each hit counts once for the marker.
several_handlers() {
	load site_blocks
	load probe privates=3
	expect_column "$EVENT" handlers 3
	put site_blocks fire 4
	expect_probe 12
	expect_column "$EVENT" hits 4
	unload probe site_blocks
}

# The list has a module's sites at once, with nothing armed.
listed_at_once() {
	load many
	expect_column test_markers_many sites 6
	expect_column test_markers_many state off
	expect_column test_markers_none format ' '
	unload many
	expect_gone test_markers_many
}

plan 8
run "site first, then probe; site goes first" site_site
run "site first, then probe; probe goes first" site_probe
run "probe first, then site; site goes first" probe_site
run "probe first, then site; probe goes first" probe_probe
run "a site comes back to a pending handler" site_comes_back
run "two modules with sites of one name" two_site_modules
run "several registrations get all hits" several_handlers
run "sites are listed while nothing is armed" listed_at_once
finish
