#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests that several CPUs make harder, on machines of 8 CPUs.
exec "$(dirname "$0")/matrix" --one-shape 8 cpuwide execution hammer hogs mappings processes processors races scheduling tasks waiting
