#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# svm.t: AMD's counters tell a guest of SVM from its host, to the instruction.
exec "$(dirname "$0")/run-guest" <<END
svm k8 4 48 0 1 mttcg
svm core 6 48 0 1 icount
svm core 6 48 2 1 mttcg
svm v2 6 48 0 4 mttcg
svm v2 15 48 1 1 icount
END
