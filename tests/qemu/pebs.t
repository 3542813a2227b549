#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# pebs.t: precise sampling: each record is of the instruction that overflowed; reset values, threshold, maximum, bad areas.
exec "$(dirname "$0")/run-guest" <<END
pebs 5 4 48 0 1 mttcg pebs
pebs 4 8 48 0 1 icount pebs
pebs 3 4 40 0 1 single pebs
pebs 2 1 32 0 1 icount pebs
pmi 5 4 48 0 1 mttcg pebs
counts 5 4 48 0 1 icount pebs
END
