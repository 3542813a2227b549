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
	said=$(timeout -k 10 400 "$qemu" -M "$machine" -accel tcg -nodefaults -display none -S -cpu "$1" 2>&1) ||
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
refused $intel,x-pmu-version=0 "x-pmu-version must be 1 to 5, not 0"
refused $intel,x-pmu-version=6 "x-pmu-version must be 1 to 5, not 6"
refused $intel,x-pmu-counters=0 "x-pmu-counters must be 1 to 8, not 0"
refused $intel,x-pmu-counters=9 "x-pmu-counters must be 1 to 8, not 9"
refused $intel,x-pmu-width=31 "x-pmu-width must be 32 to 48, not 31"
refused $intel,x-pmu-width=49 "x-pmu-width must be 32 to 48, not 49"
refused $intel,x-pmu-amd=v2 "x-pmu-amd chooses one of AMD's PMUs, but the CPU model is Intel's"

amd=max,vendor=AuthenticAMD,pmu=on
refused $amd,x-pmu-amd=k7 "x-pmu-amd must be k8, core or v2, not k7"
refused $amd,x-pmu-amd= "x-pmu-amd must be k8, core or v2, not "
refused $amd,x-pmu-amd=k8,x-pmu-counters=6 "x-pmu-counters must be 4, not 6"
refused $amd,x-pmu-amd=core,x-pmu-counters=4 "x-pmu-counters must be 6, not 4"
refused $amd,x-pmu-amd=v2,x-pmu-counters=3 "x-pmu-counters must be 4 to 15, not 3"
refused $amd,x-pmu-amd=v2,x-pmu-counters=16 "x-pmu-counters must be 4 to 15, not 16"
refused $amd,x-pmu-version=2 "x-pmu-version is a property of Intel's PMU, but the CPU model is AMD's"
refused $amd,x-pmu-width=48 "x-pmu-width is a property of Intel's PMU, but the CPU model is AMD's"

refused $intel,x-pmu-model=i486 "x-pmu-model=i486 is not one of skylake, zen3, zen4, cachegrind, ev67"
refused $intel,x-pmu-model=zen3 \
	"x-pmu-model=zen3 is a processor of AuthenticAMD, but the CPU model's vendor is GenuineIntel"
refused $amd,x-pmu-model=skylake \
	"x-pmu-model=skylake is a processor of GenuineIntel, but the CPU model's vendor is AuthenticAMD"
refused $intel,x-pmu-caches=X1=1 "x-pmu-caches=X1=1: 'X1=1' begins with none of I1=, D1=, L2=, LL="

refused $intel,x-pmu-fault=pmi-nowhere \
	"x-pmu-fault knows no fault 'pmi-nowhere'; -cpu max,x-pmu-fault=help lists them"
refused $intel,x-pmu-fault=pmi-never+ "x-pmu-fault knows no fault ''; -cpu max,x-pmu-fault=help lists them"
refused $intel,x-pmu-fault= "x-pmu-fault knows no fault ''; -cpu max,x-pmu-fault=help lists them"
refused $intel,x-pmu-fault=pmi-never+lvt-masked \
	"x-pmu-fault=lvt-masked is a fault of AMD's PMU, but the CPU model is Intel's"
refused $amd,x-pmu-fault=pmi-not-fixed \
	"x-pmu-fault=pmi-not-fixed is a fault of Intel's PMU, but the CPU model is AMD's"
refused $intel,x-pmu-version=3,x-pmu-fault=status-set-ignored \
	"x-pmu-fault=status-set-ignored needs a PMU of Intel from version 4 on"
refused $intel,x-pmu-version=1,x-pmu-fault=status-not-set \
	"x-pmu-fault=status-not-set needs a PMU of Intel from version 2 on"
refused $amd,x-pmu-amd=core,x-pmu-fault=freeze-always "x-pmu-fault=freeze-always needs a PMU of AMD v2"
refused $intel,x-pmu-counters=1,x-pmu-fault=cpuid-counters-low \
	"x-pmu-fault=cpuid-counters-low needs 2 or more general counters"
refused $intel,x-pmu-fault=cpuid-width-low+cpuid-width-high \
	"x-pmu-fault=cpuid-width-high and cpuid-width-low contradict each other; leave one out"
refused $amd,x-pmu-fault=rings-ignored+pmi-late+os-ignored \
	"x-pmu-fault=os-ignored and rings-ignored contradict each other; leave one out"
refused $intel,x-pmu-fault=pmi-never+pmi-twice \
	"x-pmu-fault=pmi-never and pmi-twice contradict each other; leave one out"
refused $amd,x-pmu-fault=freeze-ignored+freeze-always \
	"x-pmu-fault=freeze-ignored and freeze-always contradict each other; leave one out"
refused max,x-pmu-fault=pmi-never "x-pmu-fault needs pmu=on"

refused max,x-lbr=on "x-lbr needs pmu=on"
refused $intel,x-pmu-version=1,x-lbr=on "x-lbr needs x-pmu-version=2 or a later one"
refused $amd,x-lbr=on "x-lbr is a property of Intel's PMU, but the CPU model is AMD's"
refused max,x-pebs=on "x-pebs needs pmu=on"
refused $intel,x-pmu-version=1,x-pebs=on "x-pebs needs x-pmu-version=2 or a later one"
refused $amd,x-pebs=on "x-pebs is a property of Intel's PMU, but the CPU model is AMD's"
refused $amd,pmu=off,x-ibs=on "x-ibs needs pmu=on"
refused $intel,x-ibs=on "x-ibs is a property of AMD's PMU, but the CPU model is Intel's"
refused $amd,x-pmu-fault=ibs-absent "x-pmu-fault=ibs-absent needs x-ibs=on"
refused $intel,x-pmu-fault=pebs-absent "x-pmu-fault=pebs-absent needs x-pebs=on"
refused $intel,x-pebs=on,x-pmu-fault=pebs-pmi-never+pebs-threshold-ignored \
	"x-pmu-fault=pebs-threshold-ignored and pebs-pmi-never contradict each other; leave one out"
refused $intel,x-pmu-fault=lbr-swapped "x-pmu-fault=lbr-swapped needs x-lbr=on"
refused $amd,x-pmu-fault=lbr-swapped \
	"x-pmu-fault=lbr-swapped is a fault of Intel's PMU, but the CPU model is AMD's"
refused $intel,x-lbr=on,x-pmu-fault=lbr-always+lbr-debugctl-lost \
	"x-pmu-fault=lbr-always and lbr-debugctl-lost contradict each other; leave one out"

refused max,vendor=HygonGenuine,pmu=on "pmu=on emulates the PMUs of Intel and AMD under TCG: choose a \
CPU model of theirs, or add vendor=GenuineIntel or vendor=AuthenticAMD"

qemu=$alpha machine=clipper
for model in ev4 ev5 ev56 pca56 ev6; do
	refused $model,pmu=on "pmu=on emulates the counters of the EV67: choose the CPU model ev67 or \
ev68"
done

echo "1..$points"
[ "$failed" = 0 ]
