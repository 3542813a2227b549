#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One boot for each of a few in-image tests, with four CPUs.
exec "$(dirname "$0")/../boot/matrix" --one-shape 4 counts cpuwide inheritance processes
