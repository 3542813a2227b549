#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The rules that are about time, on a machine with virtual time. Linux takes a minute for them:

    tests/conformance/linux-run --icount build/tests/rules "with virtual time"
"""

import os
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(BUILD, "tests", "rules")


def main():
    report = tap.Report()
    status, output, error = tap.command(
        [TALLY, "run", "--icount", "--timeout", "400", PROGRAM, "with virtual time"], timeout_s=430)
    text = output.decode(errors="replace")
    wrong = tap.complaints(text)
    report.ok(status == 0 and not wrong, "the rules about time hold with virtual time", text, error)
    return report.done()


sys.exit(main())
