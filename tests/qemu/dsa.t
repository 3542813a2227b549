#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# dsa.t: the emulated DSA and IAX: registers, commands, descriptors, errors, portals, the performance monitor.
exec "$(dirname "$0")/run-guest" <<END
dsa dsa 8 32 0 1 mttcg
dsa dsa 4 48 0 1 q35
dsa dsa 32 64 1 1 icount
dsa iax 4 16 0 1 q35
END
