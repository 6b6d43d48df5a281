#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# apply and unapply on git and plain trees: both ways leave no difference, and
# what does not fit is refused and left alone. The trees hold the few files of
# the pristine source that the series touches.
# shellcheck disable=SC2317 # test_that calls the functions
set -eu
. "$(dirname "$0")/../lib.sh"
. "$KM_SCRIPTS/stage.sh"
. "$KM_SCRIPTS/tests/ktap.sh"
. "$KM_SCRIPTS/tests/trees.sh"

# Everything of a tree that apply could change: names, modes, contents.
state() {
	(cd "$1" && find . -path ./.git -prune -o -printf '%p %y %m\n' | sort &&
		find . -path ./.git -prune -o -type f -print | sort | xargs sha256sum)
	[ ! -e "$1/.git" ] || {
		git -C "$1" rev-parse HEAD
		git -C "$1" status --porcelain
		ls "$1/.git/rebase-apply" 2>/dev/null || true
	}
}

# untouched TREE COMMAND...: it succeeds and TREE is as it was.
untouched() {
	tree=$1
	shift
	state "$tree" >"$TMP/state"
	"$@" || return
	state "$tree" | diff "$TMP/state" -
}

there_and_back() {
	apply "$1" && unapply "$1"
}

apply_only() {
	apply "$1" && is_applied "$1"
}

# Both kinds of tree end with the same files.
same_result() {
	diff -r -x .git "$1" "$2"
}

git_commits() {
	[ "$(git -C "$1" rev-list --count HEAD)" = "$(($(total) + 1))" ] &&
		[ -z "$(git -C "$1" status --porcelain)" ] &&
		git -C "$1" log -1 --format='%an <%ae>%n%b' |
		grep -q '^Signed-off-by: Tester Größe <tester@localhost>$'
}

make_tmp
make_series
plain=$TMP/plain git=$TMP/git
edited=$(while read -r file; do
	if [ -f "$(src_dir)/$file" ]; then echo "$file"; fi
done <"$TMP/files" | tail -n 1)
new=$(while read -r file; do
	if [ ! -f "$(src_dir)/$file" ]; then echo "$file"; fi
done <"$TMP/files" | head -n 1)

small_tree "$plain"
test_that "plain tree: apply then unapply leaves no difference" \
	untouched "$plain" there_and_back "$plain"
test_that "plain tree: unapply without the series is refused" \
	untouched "$plain" refuses "does not have the series" unapply "$plain"
test_that "plain tree: the whole series is there after apply" apply_only "$plain"
test_that "plain tree: a second apply is refused" \
	untouched "$plain" refuses "has the series already" apply "$plain"
echo "/* changed */" >>"$plain/$new"
test_that "plain tree: unapply over a changed new file is refused" \
	untouched "$plain" refuses "$new" unapply "$plain"

small_tree "$plain"
sed -i 's/e/E/g' "$plain/$edited"
test_that "plain tree: a file that does not fit is named" \
	untouched "$plain" refuses "\.patch does not fit $edited" apply "$plain"
rm "$plain/$edited"
test_that "plain tree: a missing file is named" \
	untouched "$plain" refuses "$edited" apply "$plain"
small_tree "$plain"
mkdir -p "$plain/$(dirname "$new")"
echo "mine" >"$plain/$new"
test_that "plain tree: a file in the way is named" \
	untouched "$plain" refuses "$new, which is already there" apply "$plain"
small_tree "$plain"
mv "$plain/$edited" "$plain/aside"
ln -s "$plain/aside" "$plain/$edited"
test_that "plain tree: a symbolic link is not written through" \
	untouched "$plain" refuses "symbolic link" apply "$plain"

git_tree "$git"
test_that "git tree: apply then unapply leaves no difference" \
	untouched "$git" there_and_back "$git"
test_that "git tree: unapply without the series is refused" \
	untouched "$git" refuses "is not on top" unapply "$git"
test_that "git tree: apply" apply "$git"
test_that "git tree: a signed commit for each patch, clean" git_commits "$git"
test_that "git tree: a second apply is refused" \
	untouched "$git" refuses "has the series already" apply "$git"
small_tree "$plain"
test_that "plain tree: apply again" apply "$plain"
test_that "git and plain trees end the same" same_result "$git" "$plain"
echo change >>"$git/README"
test_that "git tree: unapply of a dirty tree is refused" \
	untouched "$git" refuses "README" unapply "$git"
git -C "$git" commit -qam "one more"
test_that "git tree: unapply below another commit is refused" \
	untouched "$git" refuses "is not on top" unapply "$git"
git -C "$git" reset -q --hard HEAD~1
echo "/* changed */" >>"$git/$new"
git -C "$git" commit -qa --amend --no-edit
test_that "git tree: unapply of an amended series is refused" \
	untouched "$git" refuses "$new" unapply "$git"

git_tree "$git"
echo change >>"$git/README"
test_that "git tree: a dirty tree is refused" \
	untouched "$git" refuses "README" apply "$git"
git_tree "$git"
sed -i 's/e/E/g' "$git/$edited"
git -C "$git" commit -qam "another kernel"
test_that "git tree: what does not fit is named" \
	untouched "$git" refuses "\.patch does not fit $edited" apply "$git"
git_tree "$git"
git -C "$git" rm -q --cached "$edited"
git -C "$git" commit -qm "without a file that is ignored"
test_that "git tree: a file that git does not have is named" \
	untouched "$git" refuses "$edited is not in git" apply "$git"
git_tree "$git"
printf '#!/bin/sh\nexit 1\n' >"$git/.git/hooks/pre-applypatch"
chmod +x "$git/.git/hooks/pre-applypatch"
test_that "git tree: a failing git am leaves all as it was" \
	untouched "$git" refuses "git am failed" apply "$git"
git_tree "$git"
mkdir "$git/.git/rebase-apply"
test_that "git tree: in the middle of a git am is refused" \
	untouched "$git" refuses "rebase-apply" apply "$git"
git_tree "$git"
git -C "$git" config --unset user.email
test_that "git tree: without an identity is refused" \
	untouched "$git" refuses "user.email" apply "$git"
finish
