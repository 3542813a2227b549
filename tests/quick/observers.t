#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A few observing programs: the same on Linux, on Tally and on Tally's debug kernel.
exec "$(dirname "$0")/../conformance/transcripts.t" observe_open observe_read observe_ioctl observe_mmap observe_software observe_exec_events observe_wait observe_pipes
