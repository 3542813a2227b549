#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kinds.t: AMD's events of kinds of branches, of interrupts and exceptions.
exec "$(dirname "$0")/run-guest" <<END
kinds k8 4 48 0 1 mttcg
kinds core 6 48 0 1 icount
kinds v2 6 48 0 1 single
END
