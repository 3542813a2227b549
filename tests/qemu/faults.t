#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# faults.t: the PMU with each fault of x-pmu-fault is wrong as the fault says, and the PMU without one is not.
#
# The list is the emulator's own: a fault that the guest has no observation of fails. Every fault runs on the
# newest PMU of each vendor that can have it.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=${here%/*/*}
TALLY_QEMU=${TALLY_QEMU:-$("$root/qemu/build")} || { echo "Bail out! the emulator cannot be built"; exit 1; }
export TALLY_QEMU

# Those that take a second CPU to be seen.
two_cpus=" cpuid-cpus-differ init-clears other-cpus-dead pmi-next-cpu "

# Prints a machine for each fault and vendor, from lines like "lvt-masked (Intel: -; AMD: all)".
machines() {
	local name intel amd cpus
	"$TALLY_QEMU" -cpu max,x-pmu-fault=help | sed -n 's/^\([a-z0-9-]*\) (Intel: \(.*\); AMD: \(.*\))$/\1|\2|\3/p' |
		while IFS='|' read -r name intel amd; do
			cpus=1
			[[ $two_cpus != *" $name "* ]] || cpus=2
			[ "$intel" = - ] || echo "faults 5 4 48 0 $cpus mttcg $name"
			[ "$amd" = - ] || echo "faults v2 6 48 0 $cpus mttcg $name"
		done
}

{
	cat <<-END
		faults 5 4 48 0 2 mttcg
		faults 2 4 48 0 2 icount
		faults 1 4 48 0 2 mttcg
		faults 5 4 48 0 1 icount lbr
		faults 4 4 48 0 1 mttcg lbr
		faults 5 4 48 0 1 icount pebs
		faults 2 4 48 0 1 mttcg pebs
		faults v2 6 48 0 2 mttcg
		faults core 6 48 0 2 icount
		faults k8 4 48 0 2 mttcg
		faults v2 6 48 0 1 icount ibs
		faults k8 4 48 0 1 mttcg ibs
	END
	machines
} | "$here/run-guest"
