#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# counts.t: exact counts in the kernel: sequences counted by hand, faults, timers, halts, steps.
exec "$(dirname "$0")/run-guest" <<END
counts 5 4 48 0 1 mttcg
counts 5 4 48 0 1 icount
counts 4 8 40 0 1 single
counts 2 1 32 0 1 mttcg
counts 2 1 32 0 1 icount
counts 3 2 36 0 1 q35
counts k8 4 48 0 1 mttcg
counts core 6 48 0 1 single
counts v2 6 48 0 1 icount
END
