#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Code that a program changes runs as it is now, however the emulator translates: blocks that know their address, for a model
of caches or for counts by function, and blocks that do not."""

import os
import sys

from tallytest import inside, tap

CHANGED = os.path.join(os.environ["TALLY_BUILD"], "tests", "changed")
WAYS = (("run",), ("run", "--icount"), ("run", "--cpus", "2"), ("run", "--processor", "skylake"), ("run", "--processor", "zen3"),
        ("count", "--output", "/dev/null"), ("count", "--output", "/dev/null", "--caches", "cachegrind"),
        ("count", "--output", "/dev/null", "--functions"))


def main():
    report = tap.Report()
    for words in WAYS:
        status, output, error = tap.command([inside.TALLY, *words, CHANGED])
        report.equal((status, output), (0, b"0\n"), f"{' '.join(words)}: no call runs code that is no longer there", error)
    return report.done()


sys.exit(main())
