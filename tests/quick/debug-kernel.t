#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One boot for each of a few in-image tests, with the debug kernel.
exec "$(dirname "$0")/../boot/matrix" --debug 2 counts sampling processes libc
