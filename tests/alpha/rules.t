#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The rules of the perf_event ABI (tests/conformance/rules) hold on Alpha, but for those that docs/abi-differences.md
lists with the reason: of these each must fail.
"""

import os
import sys

from tallytest import tap, transcripts
from tallytest.rules import verdicts

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

PROGRAM = os.path.join(os.environ["TALLY_BUILD"], "alpha", "tests", "rules")
TALLY = os.path.join(ROOT, "tools", "tally")
TIMEOUT_S = 400
HEADING = "Rules that do not hold on Alpha"


def main():
    report = tap.Report()
    run = tap.command([TALLY, "run", "--arch", "alpha", "--icount", "--pmu", "emulated", "--timeout", str(TIMEOUT_S),
                       "--log", PROGRAM + ".log", PROGRAM], timeout_s=TIMEOUT_S + 30, cwd="/")
    found, wrong = verdicts("Alpha", *run)
    listed = {row[0] for row in transcripts.rows(HEADING, 2) if row[0] != "rule"}
    report.ok(not wrong and found, "all rules come to an end", *wrong)
    report.equal(listed - found.keys(), set(), "the listed rules are there")
    for rule, complaints in found.items():
        if rule in listed:
            report.ok(complaints, f"does not hold: {rule}", "it does: take it out of docs/abi-differences.md")
        else:
            report.ok(not complaints, rule, *complaints)
    return report.done()


sys.exit(main())
