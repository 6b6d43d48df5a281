# SPDX-License-Identifier: GPL-2.0-only
# Reads patches, prints what they do together as git diff --stat --summary does.
# A file that a patch creates and later ones change counts by its final length.

/^diff --git / {
	file = $0
	sub(/.* b\//, "", file)
	if (!(file in add))
		name[n++] = file
	add[file] += 0
	del[file] += 0
	left = 0
}
/^new file mode / && !left { mode[file] = $4 }
/^@@ / {
	split($2, old, ",")
	split($3, new, ",")
	left = (old[2] == "" ? 1 : old[2]) + (new[2] == "" ? 1 : new[2])
	next
}
left > 0 && /^\+/ { add[file]++; left--; next }
left > 0 && /^-/ { del[file]++; left--; next }
left > 0 && /^[ \t]?/ && !/^\\/ { left -= 2 }

function bar(c, count,   s) {
	if (count && most > WIDTH)
		count = int((count * WIDTH + most - 1) / most)
	while (count-- > 0)
		s = s c
	return s
}

function s(count) { return count == 1 ? "" : "s" }

END {
	WIDTH = 24
	for (i = 0; i < n; i++) {
		file = name[i]
		if (file in mode) {
			add[file] -= del[file]
			del[file] = 0
		}
		for (j = i; j > 0 && name[j - 1] > file; j--)
			name[j] = name[j - 1]
		name[j] = file
		if (length(file) > long)
			long = length(file)
		if (add[file] + del[file] > most)
			most = add[file] + del[file]
		added += add[file]
		deleted += del[file]
	}
	for (i = 0; i < n; i++) {
		file = name[i]
		printf " %-" long "s | %" length(most) "d %s%s\n", file,
			add[file] + del[file], bar("+", add[file]), bar("-", del[file])
	}
	printf " %d file%s changed, %d insertion%s(+)", n, s(n), added, s(added)
	if (deleted)
		printf ", %d deletion%s(-)", deleted, s(deleted)
	print ""
	for (i = 0; i < n; i++)
		if (name[i] in mode)
			print " create mode", mode[name[i]], name[i]
}
