#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests for which the PMU's vendor matters, with AMD's PMUs and 2 CPUs.
exec "$(dirname "$0")/matrix" --amd 2
