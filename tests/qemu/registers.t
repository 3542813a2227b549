#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# registers.t: registers of the emulated PMU: which exist, which bits can be written, RDPMC.
exec "$(dirname "$0")/run-guest" <<END
registers 1 2 40 0 1 mttcg
registers 1 8 48 0 1 icount
registers 2 1 32 0 1 mttcg
registers 3 4 40 0 1 mttcg
registers 4 8 48 0 1 mttcg
registers 5 4 48 0 1 mttcg
registers 5 8 33 0 1 icount
registers k8 4 48 0 1 mttcg
registers core 6 48 0 1 mttcg
registers v2 4 48 0 1 icount
registers v2 15 48 0 1 mttcg
END
