#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# model-events.t: the model of caches, TLBs and branch prediction sees what retires, exactly; so it does with a filter, which only
# virtual addresses have.
virtual=model=cachegrind,x-pmu-caches=L2=262144:8:64
exec "$(dirname "$0")/run-guest" <<END
model 4 4 48 0 1 single model=skylake
model 4 4 48 0 2 mttcg model=skylake
model 4 4 48 0 1 icount model=skylake
model 4 4 48 0 1 single $virtual
model 4 4 48 0 2 mttcg $virtual
model 4 4 48 0 1 icount $virtual
END
