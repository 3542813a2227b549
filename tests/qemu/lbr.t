#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# lbr.t: the last branch records: each taken branch is one entry, with its cycles; filters, call stack, freeze.
exec "$(dirname "$0")/run-guest" <<END
lbr 5 4 48 0 1 mttcg lbr
lbr 4 4 48 0 1 icount lbr
lbr 3 4 40 0 1 single lbr
lbr 2 1 32 0 1 icount lbr
counts 5 4 48 0 1 mttcg lbr
END
