#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on Alphas of 4 CPUs, the most there are: those that count, and those that several CPUs make harder.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 4 "selfmon --tap" "profile --tap" attach clones counts cpuwide families first_abi hammer hostile \
	mappings processes processors ptrace races rotation scheduling software storm tasks timers tracepoints waiting
