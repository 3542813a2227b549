#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on the debug kernel, which poisons freed memory and catches undefined
# behaviour, on machines of 4 CPUs.
exec "$(dirname "$0")/matrix" --debug 4
