#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests that several CPUs make harder, on machines of 8 CPUs.
exec "$(dirname "$0")/matrix" --one-shape 8 cpuwide hammer mappings processes processors races tasks waiting
