#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One boot for each of a few in-image tests, with one CPU.
exec "$(dirname "$0")/../boot/matrix" --one-shape 1 counts "selfmon --tap" readformats sampling
