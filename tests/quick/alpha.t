#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One boot for each of a few in-image tests, on an emulated Alpha.
exec "$(dirname "$0")/../boot/matrix" --arch alpha 2 counts "selfmon --tap" processes
