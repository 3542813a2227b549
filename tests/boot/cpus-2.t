#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on machines of 2 CPUs.
exec "$(dirname "$0")/matrix" 2
