#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on machines of 4 CPUs.
exec "$(dirname "$0")/matrix" 4
