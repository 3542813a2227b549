#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on machines of 4 CPUs, but for those of one shape, which debug.t runs.
exec "$(dirname "$0")/matrix" 4
