#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on Alphas of 4 CPUs, the most there are.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 4
