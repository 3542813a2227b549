#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# properties.t: CPU properties of the emulated PMUs out of range: one clear line, and no machine.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
qemu=${TALLY_QEMU:-$("$root/qemu/build")} || { echo "Bail out! the emulator cannot be built"; exit 1; }
alpha=${TALLY_QEMU_ALPHA:-$("$root/qemu/build" --arch alpha)}

points=0 failed=0

# refused CPU MESSAGE: the emulator does not start with that CPU, and says so. MACHINE: which one.
machine=pc
refused() {
	local said status=0
	said=$(timeout 20 "$qemu" -M "$machine" -accel tcg -nodefaults -display none -S -cpu "$1" 2>&1) ||
		status=$?
	points=$((points + 1))
	if [ "$status" = 1 ] && [ "$said" = "${qemu##*/}: $2" ]; then
		echo "ok $points - -cpu $1 is refused"
	else
		failed=$((failed + 1))
		echo "not ok $points - -cpu $1 is refused"
		printf '# expected: status 1, %s\n# got:      status %s, %s\n' "$2" "$status" "$said"
	fi
}

intel=max,vendor=GenuineIntel,pmu=on
refused $intel,x-pmu-version=1 "x-pmu-version must be 2 to 5, not 1"
refused $intel,x-pmu-version=6 "x-pmu-version must be 2 to 5, not 6"
refused $intel,x-pmu-counters=0 "x-pmu-counters must be 1 to 8, not 0"
refused $intel,x-pmu-counters=9 "x-pmu-counters must be 1 to 8, not 9"
refused $intel,x-pmu-width=31 "x-pmu-width must be 32 to 48, not 31"
refused $intel,x-pmu-width=49 "x-pmu-width must be 32 to 48, not 49"
refused max,pmu=on "pmu=on emulates Intel's PMU under TCG: choose an Intel CPU model, or add \
vendor=GenuineIntel"

qemu=$alpha machine=clipper
for model in ev4 ev5 ev56 pca56 ev6; do
	refused $model,pmu=on "pmu=on emulates the counters of the EV67: choose the CPU model ev67 or \
ev68"
done

echo "1..$points"
[ "$failed" = 0 ]
