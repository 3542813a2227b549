#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests for which the PMU's vendor matters, on AMD's processors with 1 CPU.
exec "$(dirname "$0")/matrix" --amd 1
