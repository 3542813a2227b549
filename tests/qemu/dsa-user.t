#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# dsa-user.t: a program of Linux with a queue of the emulated DSA, whose addresses the emulated IOMMU translates: the answers that
# tests/boot/dsa-user.t expects of Tally.

set -euo pipefail

TIMEOUT_S=300

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/*/*}

qemu=${TALLY_QEMU:-$("$root/qemu/build")} || { echo "Bail out! the emulator cannot be built"; exit 1; }
linux=$("$here/idxd/linux-shared") || { echo "Bail out! there is no Linux with shared address spaces"; exit 1; }

# shellcheck source=tests/qemu/relay.sh
. "$here/relay.sh"

machine=linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
${CC:-gcc} -static -O2 -Wall -Wextra -Werror -o "$work/files/init" "$here/idxd/start.c"
${CC:-gcc} -static -O2 -Wall -Wextra -Werror -o "$work/files/user" "$here/idxd/user.c"
cp "$linux"/*.ko "$work/files/"
(cd "$work/files" && find . | cpio -o -H newc --quiet) >"$work/initrd"
relay < <(timeout -k 10 "$TIMEOUT_S" "$qemu" -M q35 -accel tcg -cpu max,vendor=GenuineIntel,movdir64b=on,la57=off -smp 2 -m 512 \
	-nodefaults -no-user-config -nic none -display none -no-reboot -serial stdio \
	-device intel-iommu,intremap=off,device-iotlb=on,x-scalable-mode=on,x-flts=on,x-pasid-mode=on,aw-bits=48 \
	-device tally-dsa -kernel "$linux/vmlinuz" -initrd "$work/initrd" \
	-append "console=tty0 rdinit=/init panic=-1 nmi_watchdog=0 mitigations=off random.trust_cpu=on" \
	</dev/null 2>"$work/complaints")
sed 's/^/# /' "$work/complaints"
relay_done
