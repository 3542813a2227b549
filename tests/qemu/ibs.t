#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# ibs.t: instruction-based sampling: the sample is the very instruction at which the counter ends; its addresses, its interrupt.
exec "$(dirname "$0")/run-guest" <<END
ibs v2 6 48 0 1 mttcg ibs
ibs v2 6 48 0 1 icount ibs
ibs core 6 48 0 1 single ibs
ibs k8 4 48 0 1 icount ibs
pmi v2 6 48 0 1 mttcg ibs
kinds core 6 48 0 1 icount ibs
END
