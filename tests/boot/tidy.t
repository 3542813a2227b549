#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Ten thousand rounds of what programs do leave nothing: tidy --all."""

import os
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(BUILD, "user", "bin", "tidy")


def main():
    report = tap.Report()
    status, output, error = tap.command(
        [TALLY, "run", "--cpus", "2", "--timeout", "400", PROGRAM, "--all"])
    report.equal(status, 0, "the program's status", error)
    wrong = tap.complaints(output.decode(errors="replace"))
    report.ok(not wrong, "the program's own points are good", *wrong)
    return report.done()


sys.exit(main())
