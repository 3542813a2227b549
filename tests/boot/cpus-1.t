#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on machines of 1 CPU.
exec "$(dirname "$0")/matrix" 1
