#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Module.markers, and the check of marker formats, in builds of the kernel and
# of modules outside of its tree.
#
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/off.sh"
export LC_ALL=C

# Writes module $2.c into directory $1: with the statements $3 and, outside of
# them, with $4.
module() {
	mkdir -p "$1"
	echo "obj-m += $2.o" >>"$1/Makefile"
	cat >"$1/$2.c" <<-EOT
		#include <linux/marker.h>
		#include <linux/module.h>

		void statements_$(echo "$2" | tr - _)(int i, size_t z, char *s);
		void statements_$(echo "$2" | tr - _)(int i, size_t z, char *s)
		{
			$3
		}
		$4
		MODULE_DESCRIPTION("some markers");
		MODULE_LICENSE("GPL");
	EOT
}

# Builds the modules in directory $1 for the plain kernel.
build() {
	code=0
	on_make M="$1" >"$TMP/build.log" 2>&1 || code=$?
	cat "$TMP/build.log"
	return "$code"
}

# Such a build fails.
build_fails() {
	! build "$1"
}

# What modpost said of markers in the last build are the lines of standard input.
says_exactly() {
	sed "s,$TMP/,,g" "$TMP/build.log" | grep 'modpost: .*marker' | sort >"$TMP/got"
	sort | diff - "$TMP/got"
}

# File $1 has exactly the lines of standard input.
file_is() {
	diff - "$1"
}

has_line() {
	grep -Fx -- "$2" "$1" || { echo "no line: $2"; return 1; }
}

# The file of the kernel: what is expected to be in it, whatever else is.
kernel_lines() {
	has_line "$file" "kernel_sched_schedule${tab}vmlinux${tab}prev_pid %d next_pid %d prev_state #4u%ld ## rq %p prev %p next %p" &&
	has_line "$file" "kernel_timer_set${tab}vmlinux${tab}timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p" &&
	has_line "$file" "kernel_arch_syscall_exit${tab}vmlinux${tab}syscall_id #4d%ld success #1u%u ret %ld"
}

kernel_module_lines() {
	grep "${tab}marker_site$tab" "$file" >"$TMP/sample"
	file_is "$TMP/sample" <<-EOT
		sample_site_init${tab}marker_site${tab}module %s
		sample_site_read${tab}marker_site${tab}count %lu
		sample_subsystem_event${tab}marker_site${tab}integer %d string %s
		sample_subsystem_eventb${tab}marker_site$tab 
	EOT
}

sorted() {
	sort -c -u "$1" && awk -F '\t' 'NF != 3 { print; bad = 1 } END { exit bad }' "$1"
}


# The sites that the running kernel has are in the file, and no others.
as_running() {
	cat >"$TMP/script" <<-'EOT'
		#!/bin/sh
		awk -F '\t' '
			/^[^\t#]/ { name = $1 }
			$2 == "site" && $3 == "vmlinux" { print name "\t" $3 "\t" $6 }
		' /sys/kernel/tracing/markers
	EOT
	chmod +x "$TMP/script"
	TIMEOUT=120 "$KM_SCRIPTS/qemu.sh" -o "$TMP/results" \
		"$on/arch/x86/boot/bzImage" "$TMP/script" >"$TMP/running" || return
	sort -u "$TMP/running" >"$TMP/sites"
	grep "${tab}vmlinux$tab" "$file" | file_is "$TMP/sites"
}

# Runs modpost on what is in $TMP/run, with options $@, as the build does.
modpost() {
	code=0
	(cd "$TMP/run" && "$on/scripts/mod/modpost" -M -w -k Module.markers "$@") \
		>"$TMP/build.log" 2>&1 || code=$?
	cat "$TMP/build.log"
	return "$code"
}

# A directory with vmlinux.o and one of its modules.
run_dir() {
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	ln -s "$on/vmlinux.o" "$TMP/run"
	ln -s "$on/samples/markers/marker-site.o" "$TMP/run"
	echo marker-site.o >"$TMP/run/list"
	grep "${tab}vmlinux$tab\|${tab}marker_site$tab" "$file" >"$TMP/whole"
	grep "${tab}vmlinux$tab" "$file" >"$TMP/vmlinux"
	grep "${tab}marker_site$tab" "$file" >"$TMP/module"
}

vmlinux_and_modules() {
	run_dir
	printf 'old\tvmlinux\t%%d\nold\tmodule\t%%d\n' >"$TMP/run/Module.markers"
	modpost -T list vmlinux.o && file_is "$TMP/run/Module.markers" <"$TMP/whole"
}

# As "make bzImage" does, first in a new tree, then in one where "make" was.
vmlinux_only() {
	run_dir
	modpost vmlinux.o && file_is "$TMP/run/Module.markers" <"$TMP/vmlinux" || return
	{ printf 'old\tvmlinux\t%%d\n' && cat "$TMP/module"; } >"$TMP/run/Module.markers"
	modpost vmlinux.o && file_is "$TMP/run/Module.markers" <"$TMP/whole"
}

# As "make modules" does where no vmlinux.o is.
modules_only() {
	run_dir
	modpost -T list && file_is "$TMP/run/Module.markers" <"$TMP/module" || return
	{ printf 'old\tmodule\t%%d\n' && cat "$TMP/vmlinux"; } >"$TMP/run/Module.markers"
	modpost -T list && file_is "$TMP/run/Module.markers" <"$TMP/whole"
}

# An object with a bad format as vmlinux.o.
bad_vmlinux() {
	run_dir
	ln -sf "$TMP/bad/bad-mod.o" "$TMP/run/vmlinux.o"
	! modpost vmlinux.o || return
	[ ! -e "$TMP/run/Module.markers" ] || { echo "file was written"; return 1; }
	grep -Fx 'ERROR: modpost: vmlinux.o (bad-mod.c): marker "test_bad": format "x %q": offset 2: unknown conversion' "$TMP/build.log"
}

good_modules() {
	rm -rf "$TMP/good"
	module "$TMP/good" good-one "
		trace_mark(test_two, \"i %d s %s\", i, s);
		trace_mark(test_two, \"i %d s %s\", i, s);
		_trace_mark(test_none, MARK_NOARGS);
		trace_mark(test_long, \"x %llu ##  %p\", (u64)i, s);" ''
	module "$TMP/good" good_two 'trace_mark(test_two, "i %d s %s", i, s);' ''
	build "$TMP/good" || return
	! grep 'modpost: .*marker' "$TMP/build.log" || return
	file_is "$TMP/good/Module.markers" <<-EOT
		test_long${tab}good_one${tab}x %llu ##  %p
		test_none${tab}good_one$tab 
		test_two${tab}good_one${tab}i %d s %s
		test_two${tab}good_two${tab}i %d s %s
	EOT
}

comes_back() {
	cp "$TMP/good/Module.markers" "$TMP/was"
	rm "$TMP/good/Module.markers"
	build "$TMP/good" && file_is "$TMP/good/Module.markers" <"$TMP/was" || return
	build "$TMP/good" && ! grep MODPOST "$TMP/build.log"
}

clean() {
	on_make M="$TMP/good" clean &&
	[ ! -e "$TMP/good/Module.markers" ]
}

kernel_clean() {
	mkdir -p "$TMP/obj"
	: >"$TMP/obj/Module.markers"
	tree_make "$TMP/obj" clean && [ -e "$TMP/obj/Module.markers" ] &&
	tree_make "$TMP/obj" mrproper && [ ! -e "$TMP/obj/Module.markers" ]
}

long_name() {
	printf "%${1}s" '' | tr ' ' n
}

# Writes a module into directory $1 that may have bad formats.
opted_out() {
	module "$1" may 'trace_mark(test_bad, "i #1%d", i); trace_mark(test_good, "i %d", i);' \
		'MODULE_INFO(markers_check, "warn");'
}

bad_modules() {
	rm -rf "$TMP/bad"
	module "$TMP/bad" bad-mod 'trace_mark(test_good, "i %d", i);
		__trace_mark(i, "test_bad", "x %q", marker_hit);' ''
	module "$TMP/bad" bad_line 'trace_mark(test_line, "i\t%d", i);
		trace_mark(test_trace_type, "i #1%d", i);
		__trace_mark(i, "test_j", "%jd", marker_hit);' ''
	module "$TMP/bad" bad_name "
		trace_mark($(long_name 255), MARK_NOARGS);
		trace_mark($(long_name 256), MARK_NOARGS);" ''
	module "$TMP/bad" none 'trace_mark(test_good, "i %d", i);' ''
	opted_out "$TMP/bad"
	build_fails "$TMP/bad" || return
	says_exactly <<-EOT
		ERROR: modpost: bad/bad-mod.o (bad-mod.c): marker "test_bad": format "x %q": offset 2: unknown conversion
		ERROR: modpost: bad/bad_line.o (bad_line.c): marker "test_line": format "i\\x09%d": offset 1: not printable ASCII
		ERROR: modpost: bad/bad_line.o (bad_line.c): marker "test_trace_type": format "i #1%d": offset 2: trace type without one of d i u x X o
		ERROR: modpost: bad/bad_line.o (bad_line.c): marker "test_j": format "%jd": offset 0: unknown conversion
		ERROR: modpost: bad/bad_name.o (bad_name.c): marker "$(long_name 256)": name longer than 255 characters
		WARNING: modpost: bad/may.o (may.c): marker "test_bad": format "i #1%d": offset 2: trace type without one of d i u x X o
	EOT
}

leaves_nothing() {
	left=$(find "$TMP/bad" -name '*.ko' -o -name Module.markers)
	echo "$left"
	[ -z "$left" ]
}

opt_out() {
	rm -rf "$TMP/out"
	opted_out "$TMP/out"
	build "$TMP/out" || return
	says_exactly <<-EOT || return
		WARNING: modpost: out/may.o (may.c): marker "test_bad": format "i #1%d": offset 2: trace type without one of d i u x X o
	EOT
	file_is "$TMP/out/Module.markers" <<-EOT || return
		test_good${tab}may${tab}i %d
	EOT
	[ -e "$TMP/out/may.ko" ]
}

warnings() {
	rm -rf "$TMP/warn"
	module "$TMP/warn" warn 'trace_mark(test_z, "i %d z %5zu", i, z);
		trace_mark(test_h, "s %s h %hd hh #0%hhx", s, (short)i, (char)i);
		trace_mark(test_t, "t %td", (ptrdiff_t)z);
		trace_mark(test_ht, "ht %d tz %s", i, s);
		trace_mark(test_differs, "a %d", i);
		trace_mark(test_differs, "b %d", i);
		trace_mark(kernel_timer_set, "timer %s", s);' ''
	build "$TMP/warn" || return
	says_exactly <<-EOT
		WARNING: modpost: warn/warn.o (warn.c): marker "test_z": format "i %d z %5zu": offset 7: SystemTap cannot read %z
		WARNING: modpost: warn/warn.o (warn.c): marker "test_h": format "s %s h %hd hh #0%hhx": offset 7: SystemTap cannot read %h
		WARNING: modpost: warn/warn.o (warn.c): marker "test_h": format "s %s h %hd hh #0%hhx": offset 16: SystemTap cannot read %h
		WARNING: modpost: warn/warn.o (warn.c): marker "test_t": format "t %td": offset 2: SystemTap cannot read %t
		WARNING: modpost: marker "test_differs": format "b %d" in warn differs from "a %d" in warn; later sites stay off
		WARNING: modpost: marker "kernel_timer_set": format "timer %s" in warn differs from "timer %p expires %lu function %pS cpu #4u%u flags %x ## base_lock %p" in vmlinux; later sites stay off
	EOT
}

own_only() {
	[ "$(cut -f 2 "$TMP/warn/Module.markers" | sort -u)" = warn ]
}

# Without CONFIG_MARKERS nothing is written, nor left behind, nor checked.
without_markers() {
	: >"$TMP/good/Module.markers"
	module "$TMP/good" bad 'trace_mark(test_bad, "i #1%d", i);' ''
	tree_make "$off" M="$TMP/good" KBUILD_MODPOST_WARN=1 KBUILD_MODPOST_NOFINAL=1 || return
	[ -e "$TMP/good/bad.mod.c" ] && [ ! -e "$TMP/good/Module.markers" ]
}

# What packages install to build modules with; another CC than HOSTCC has
# modpost built anew from what was installed.
installed() {
	(
		cd "$on"
		CC="$(command -v gcc)" HOSTCC=gcc MAKE=make SRCARCH=x86 srctree=$(tree_dir)
		export CC HOSTCC MAKE SRCARCH srctree
		env -u MAKEFLAGS -u MAKELEVEL sh "$srctree/scripts/package/install-extmod-build" "$TMP/headers"
	) || return
	cmp "$on/Module.markers" "$TMP/headers/Module.markers" || return
	rm -rf "$TMP/good"
	module "$TMP/good" packaged 'trace_mark(test_packaged, "i %d", i);' ''
	env -u MAKEFLAGS -u MAKELEVEL make -C "$TMP/headers" M="$TMP/good" || return
	file_is "$TMP/good/Module.markers" <<-EOT
		test_packaged${tab}packaged${tab}i %d
	EOT
}

make_tmp
tab=$(printf '\t')
file=$on/Module.markers
echo "KTAP version 1"
test_that "the kernel's build leaves its markers at the top of the build tree" kernel_lines
test_that "those of its modules, one without arguments among them" kernel_module_lines
test_that "they are those that the kernel has when it runs" as_running
test_that "three columns, sorted, no line twice" sorted "$file"
test_that "nothing is written to the source tree" test ! -e "$(tree_dir)/Module.markers"
test_that "a run on vmlinux and modules forgets what was" vmlinux_and_modules
test_that "a run on vmlinux only keeps what the file has of modules" vmlinux_only
test_that "a run on modules only keeps what the file has of vmlinux" modules_only
test_that "modules outside of the tree have a file of their own" good_modules
test_that "a file that was removed comes back, and only then" comes_back
test_that "clean removes it" clean
test_that "in the build tree, clean leaves it and mrproper removes it" kernel_clean
test_that "bad formats and names fail the build, with file, name and reason" bad_modules
test_that "and leave neither modules nor a file behind" leaves_nothing
test_that "a bad format in vmlinux.o is an error too" bad_vmlinux
test_that "a module may ask for warnings only, for itself" opt_out
test_that "a warning for what SystemTap cannot read and for two formats" warnings
test_that "the kernel's markers are not in the module's file" own_only
configure_off
test_that "without CONFIG_MARKERS there is neither file nor check" without_markers
test_that "what is installed to build modules with has the file and makes one" installed
finish
