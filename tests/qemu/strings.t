#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# strings.t: REP MOVS and REP STOS leave memory, registers and time as single passes do.
exec "$(dirname "$0")/run-guest" <<END
strings 5 4 48 0 1 mttcg
strings 5 4 48 0 1 single
strings 5 4 48 0 1 icount
strings 5 4 48 0 1 off
END
