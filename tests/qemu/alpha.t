#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# alpha.t: the EV67's counters: PALcalls, counts by hand, overflows at the very instruction, SMP,
# ProfileMe.
exec "$(dirname "$0")/run-guest-alpha" <<END
counters 1 mttcg
counters 1 icount
counters 2 mttcg
counters 2 icount
counters 4 mttcg
counters 4 single
profile 1 mttcg
profile 1 icount
absent 1 off
END
