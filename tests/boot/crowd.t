#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The cost of a context switch among ten thousand runnable tasks grows with the height of a tree, not with their number.

A walk over all of them would cost ten times as much for ten times as many; a descent of a tree costs the same
again each time, a little more than three levels.
"""

import os
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(BUILD, "user", "bin", "crowd")
LOG = os.path.join(BUILD, "tests", "crowd.log")
SIZES = (10, 100, 1000, 10000)
# Instructions that ten times as many tasks may add: log2(10) levels, down and up twice, of some 20 each.
DECADE_MOST = 200


def main():
    kernels.skip_on_debug("the limit is the ordinary kernel's: checks of locks take instructions")
    report = tap.Report()
    status, output, error = tap.command(
        [TALLY, "run", "--pmu", "emulated", "--icount", "--timeout", "400", "--log", LOG, PROGRAM])
    report.equal(status, 0, "the program's status", error)
    costs = {name: int(value) for name, value in
             (line.split() for line in output.decode(errors="replace").splitlines())}
    report.equal(list(costs), [f"turn_among_{size}:k" for size in SIZES], "every size was measured")
    values = list(costs.values())
    report.note(f"instructions of a context switch: {costs}")
    for size, before, after in zip(SIZES[1:], values, values[1:]):
        report.ok(after - before <= DECADE_MOST, f"{size} tasks: a context switch costs at most {DECADE_MOST} more",
                  f"{before} before, {after} now")
    return report.done()


sys.exit(main())
