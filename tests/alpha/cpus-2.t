#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on Alphas of 2 CPUs: those that count, and some of the others, of which there are more on 1 and on 4.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 2 "selfmon --tap" "profile --tap" attach clones counts cpuwide first_abi hammer leak mappings \
	proc processors readformats rotation scheduling sockets software splice storm tasks tracepoints
