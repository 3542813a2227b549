#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# build.t: how qemu/build refuses, and that it is quick when there is nothing to do.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

points=0 failed=0

point() {
	local good=$1 name=$2
	points=$((points + 1))
	if [ "$good" = 0 ]; then
		echo "ok $points - $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $points - $name"
	shift 2
	printf '# %s\n' "$@"
}

# refused STATUS WORDS SOURCE [OPTION]: with QEMU_SRC=SOURCE it ends with that status, prints nothing
# on standard output, and its last line on standard error has these words.
refused() {
	local status=0 said good=1
	QEMU_SRC=$3 TALLY_CACHE=$scratch/cache "$root/qemu/build" "${@:4}" \
		>"$scratch/out" 2>"$scratch/err" || status=$?
	said=$(tail -n 1 "$scratch/err")
	if [ "$status" = "$1" ] && [ ! -s "$scratch/out" ] && [[ $said == "qemu/build: "*"$2"* ]]; then
		good=0
	fi
	point $good "QEMU_SRC=${3##*/} ${*:4}: $2" "expected: status $1, got: $status, $said"
}

mkdir "$scratch/empty" "$scratch/old" "$scratch/other"
echo 9.2.0 >"$scratch/old/VERSION"
echo 10.0.2 >"$scratch/other/VERSION"
echo rubbish >"$scratch/tarball"

refused 2 "usage:" "" --fast
refused 2 "usage:" "" --arch
refused 2 "usage:" "" --arch vax
refused 4 "neither a directory nor a tarball" "$scratch/missing"
refused 4 "neither a directory nor a tarball" "$scratch/tarball"
refused 4 "the source is not QEMU 10.0" "$scratch/empty"
refused 4 "the source is not QEMU 10.0" "$scratch/old"
refused 5 "0001-tcg-tell-the-target-what-did-not-run.patch does not apply" "$scratch/other"
left=$(find "$scratch/cache" -mindepth 1 ! -name '*.log' ! -name '*.lock')
point "$([ -z "$left" ]; echo $?)" "nothing is left of a build that failed" "got: $left"

path=$("$root/qemu/build" --path)
again=$("$root/qemu/build" --path)
point "$([ "$path" = "$again" ]; echo $?)" "the path depends on the contents only" "$path" "$again"
alpha=$("$root/qemu/build" --path --arch alpha)
point "$([ "$alpha" = "${path%x86_64}alpha" ]; echo $?)" "both emulators are in one place" "$path" "$alpha"
other=$("$root/qemu/build" --path --unpatched)
point "$([ "$path" != "$other" ]; echo $?)" "another one without the series" "$path" "$other"

echo "1..$points"
[ "$failed" = 0 ]
