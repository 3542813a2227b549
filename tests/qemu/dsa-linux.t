#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# dsa-linux.t: Debian's Linux on the emulated DSA and IAX: its driver, a queue of the kernel, and perf's counts
# of 19 moves.

set -euo pipefail

TIMEOUT_S=300

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/*/*}

qemu=${TALLY_QEMU:-$("$root/qemu/build")} || { echo "Bail out! the emulator cannot be built"; exit 1; }
linux=$("$here/idxd/linux") || { echo "Bail out! there is no Linux with the DSA's driver"; exit 1; }

# shellcheck source=tests/qemu/relay.sh
. "$here/relay.sh"

machine=linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
${CC:-gcc} -static -O2 -Wall -Wextra -Werror -o "$work/files/init" "$here/idxd/init.c"
cp "$linux"/*.ko "$work/files/"
(cd "$work/files" && find . | cpio -o -H newc --quiet) >"$work/initrd"
relay < <(timeout "$TIMEOUT_S" "$qemu" -M q35 -accel tcg -cpu max,vendor=GenuineIntel,movdir64b=on -smp 2 -m 512 \
	-nodefaults -no-user-config -nic none -display none -no-reboot -serial stdio -device tally-dsa -device tally-iax \
	-kernel "$linux/vmlinuz" -initrd "$work/initrd" \
	-append "console=tty0 rdinit=/init panic=-1 nmi_watchdog=0 mitigations=off random.trust_cpu=on" \
	</dev/null 2>"$work/complaints")
sed 's/^/# /' "$work/complaints"
relay_done
