#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on the debug kernel, which poisons freed memory and catches undefined
# behaviour, on machines of 4 CPUs (DEBUG_CPUS in tallytest/boot_programs.py).
if [ "$TALLY_DEBUG_KERNEL" = "$TALLY_BUILD/tally.elf" ]; then
	echo "1..0 # SKIP cpus-4.t runs them there when every kernel is the debug kernel"
	exit
fi
exec "$(dirname "$0")/matrix" --debug 4
