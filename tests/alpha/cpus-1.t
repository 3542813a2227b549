#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The in-image tests on Alphas of 1 CPU.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 1
