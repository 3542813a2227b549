#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# model.t: the model of caches, TLBs and branch prediction sees what retires, exactly.
exec "$(dirname "$0")/run-guest" <<END
model 4 4 48 0 1 single model=skylake
model 4 4 48 0 2 mttcg model=skylake
model 4 4 48 0 1 icount model=skylake
END
