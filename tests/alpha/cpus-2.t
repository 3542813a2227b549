#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on Alphas of 2 CPUs: those that count, and those whose rules are about processors. The others
# run on 1 and on 4.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 2 "selfmon --tap" "profile --tap" attach clones counts cpuwide hammer mappings \
	processors readformats rotation scheduling software storm tasks timers tracepoints waiting
