# SPDX-License-Identifier: GPL-2.0-only
# Counts the results of KTAP files: awk -v base=DIR/ -f ktap.awk FILE...
#
# Only leaves count: a result with results nested before it sums those up and
# is counted only when it fails although none of them did. A file without a
# plan, a plan with fewer results than it says, and "Bail out!" are failures of
# their own. Prints the failures, then "N passed, N failed[, N skipped]"; ends
# non-zero when something failed or nothing ran.

function fail(what) {
	failed++
	print "FAILED " label ": " what
}

# Closes the blocks of results that are deeper than level; the number of
# results they had is left in inner, that of their failures in inner_failed.
function close_deeper(level,	l) {
	inner = inner_failed = 0
	for (l = deepest; l > level; l--) {
		if (!(l in open))
			continue
		if ((l in plan) && got[l] != plan[l])
			fail("planned " plan[l] " results, has " got[l] + 0 \
			     (name[l] == "" ? "" : " (" name[l] ")"))
		inner += got[l]
		inner_failed += bad[l]
		delete open[l]; delete plan[l]; delete got[l]
		delete bad[l]; delete name[l]
	}
	deepest = level
}

function enter(level) {
	if (level > deepest)
		deepest = level
	open[level] = 1
}

function result(level, ok, text,	summed) {
	close_deeper(level)
	summed = inner > 0
	enter(level)
	got[level]++
	if (!ok)
		bad[level]++
	else if (inner_failed)
		bad[level]++
	if (summed) {
		if (!ok && !inner_failed)
			fail(text)
		return
	}
	if (text ~ /# *([Ss][Kk][Ii][Pp]|[Tt][Oo][Dd][Oo])/)
		skipped++
	else if (ok)
		passed++
	else
		fail(text)
}

# DIR/plain/ktap/test-core.ktap is plain/test-core to who reads it.
function shorten(file) {
	if (substr(file, 1, length(base)) == base)
		file = substr(file, length(base) + 1)
	sub(/\.ktap$/, "", file)
	sub(/\/ktap\//, "/", file)
	return file
}

function finish() {
	if (label == "")
		return
	if (!planned)
		fail("no plan, so nothing tells whether it is whole")
	close_deeper(-1)
}

function start(file) {
	finish()
	label = shorten(file)
	seen[file]
	planned = 0
	deepest = -1
}

FNR == 1 { start(FILENAME) }

{
	sub(/\r$/, "")
	sub(/^\[ *[0-9]+\.[0-9]+\](\[[^]]*\])? /, "")
	match($0, /^ */)
	level = RLENGTH
	line = substr($0, level + 1)
}

line ~ /^KTAP version/ || line ~ /^TAP version/ {
	enter(level)
	next
}

line ~ /^# Subtest: / {
	name[level] = substr(line, 12)
	next
}

line ~ /^1\.\.[0-9]+/ {
	enter(level)
	planned = 1
	match(line, /^1\.\.[0-9]+/)
	plan[level] = substr(line, 4, RLENGTH - 3) + 0
	if (plan[level] == 0 && level == 0)
		skipped++
	next
}

line ~ /^ok [0-9]+/ { result(level, 1, substr(line, 4)); next }
line ~ /^not ok [0-9]+/ { result(level, 0, substr(line, 8)); next }
line ~ /^Bail out!/ { fail(line); next }

END {
	finish()
	for (i = 1; i < ARGC; i++) {
		if (ARGV[i] ~ /^[a-z]+=/ || ARGV[i] in seen)
			continue
		label = shorten(ARGV[i])
		fail("gave no results")
	}
	printf "%d passed, %d failed", passed, failed
	if (skipped)
		printf ", %d skipped", skipped
	printf "\n"
	exit failed || passed + failed == 0
}
