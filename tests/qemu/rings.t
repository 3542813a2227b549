#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# rings.t: the emulated PMU counts user mode and the kernel apart.
exec "$(dirname "$0")/run-guest" <<END
rings 5 4 48 0 1 mttcg
rings 5 4 48 0 1 icount
rings 2 1 32 0 1 mttcg
rings 4 8 40 0 1 single
rings k8 4 48 0 1 mttcg
rings core 6 48 0 1 icount
rings v2 6 48 0 1 single
END
