#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program on every CPU of a machine whose sets of CPUs have more than one word.
exec "$(dirname "$0")/matrix" --one-shape 66 processors
