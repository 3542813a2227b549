#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# sse-machine.t: each CPU's MXCSR has the flags of its own instructions, and nothing else raises them.
exec "$(dirname "$0")/run-guest" <<END
sse 5 4 48 0 1 mttcg
sse 5 4 48 0 2 mttcg
sse 5 4 48 0 2 single
sse 5 4 48 0 2 icount
sse 5 4 48 0 2 off
END
