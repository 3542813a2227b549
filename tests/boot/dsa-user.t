#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# dsa-user.t: programs with a queue of the emulated DSA, on 1, 2 and 4 CPUs: what tests/qemu/idxd/user.c tries on Linux, too.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/qemu/relay.sh
. "$root/tests/qemu/relay.sh"

${CC:-gcc} -static -O2 -Wall -Wextra -Werror -o "$work/user" "$root/tests/qemu/idxd/user.c"
for cpus in 1 2 4; do
	machine="$cpus CPUs"
	relay < <("$root/tools/tally" run --cpus $cpus --device dsa,queue=user --timeout 400 "$work/user" 2>"$work/complaints")
	sed 's/^/# /' "$work/complaints"
done
relay_done
