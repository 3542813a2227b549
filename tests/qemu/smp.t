#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# smp.t: each CPU has its own emulated PMU; all count at the same time.
exec "$(dirname "$0")/run-guest" <<END
smp 5 4 48 0 2 mttcg
smp 5 4 48 0 4 mttcg
smp 4 8 40 0 4 single
smp 2 1 32 0 4 icount
smp k8 4 48 0 2 mttcg
smp core 6 48 0 4 icount
smp v2 15 48 0 4 mttcg
END
