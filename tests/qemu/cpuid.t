#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# cpuid.t: the emulated PMU announces itself as configured, and not at all without pmu=on.

for version in 1 2 3 4 5; do
	for counters in 1 4 8; do
		for width in 32 40 48; do
			echo "cpuid $version $counters $width 0 1 mttcg"
		done
	done
done | cat - <(
	echo "cpuid 5 4 48 0 1 q35"
	echo "absent 5 4 48 0 1 off"
	echo "cpuid k8 4 48 0 1 mttcg"
	echo "cpuid core 6 48 0 1 q35"
	for counters in 4 6 15; do
		echo "cpuid v2 $counters 48 0 1 mttcg"
	done
	echo "absent v2 6 48 0 1 off"
) |
	"$(dirname "$0")/run-guest"
