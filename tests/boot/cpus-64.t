#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program on every CPU of the largest machine, which has 64.
exec "$(dirname "$0")/matrix" --one-shape 64 processors
