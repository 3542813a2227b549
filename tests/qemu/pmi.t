#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# pmi.t: the PMI comes on the very instruction, or as many later as the skid says.
exec "$(dirname "$0")/run-guest" <<END
pmi 5 4 48 0 1 mttcg
pmi 5 4 48 0 1 icount
pmi 4 8 40 0 1 single
pmi 3 4 40 0 1 mttcg
pmi 2 1 32 0 1 icount
pmi 1 2 40 0 1 mttcg
pmi 1 4 48 0 1 icount
pmi 1 2 32 3 1 mttcg
pmi 5 4 48 1 1 mttcg
pmi 5 4 48 3 1 icount
pmi 2 1 32 20 1 mttcg
pmi k8 4 48 0 1 mttcg
pmi core 6 48 0 1 icount
pmi v2 6 48 0 1 mttcg
pmi core 6 48 3 1 mttcg
pmi v2 15 48 1 1 icount
END
