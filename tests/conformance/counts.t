#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The numbers that tests/boot/counts.c derives by hand hold on Linux 6.12 too: the same binary, the same
emulated PMU, another kernel. So it is the ABI that they are derived from, and not Tally.

Linux leaves a PMU with fewer than two general counters alone, so no machine here has only one.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

import linux_answers  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
PROGRAM = os.path.join(BUILD, "user", "bin", "counts")
LOG = os.path.join(BUILD, "tests", "counts-on-linux.log")

# CPUs, general counters, bits of each.
MACHINES = ((1, 4, 48), (2, 2, 32), (4, 8, 40))


def main():
    report = tap.Report()
    for cpus, counters, width in MACHINES:
        answer = linux_answers.Answer(PROGRAM, ("--pmu", "emulated", "--cpus", str(cpus), "--pmu-counters", str(counters),
                                                "--pmu-width", str(width), "--timeout", "400"), LOG)
        text = answer.output.decode(errors="replace")
        wrong = tap.complaints(text)
        if answer.status:
            wrong.append(f"its status is {answer.status}")
        if report.ok(not wrong, f"on Linux with {cpus} CPUs, {counters} counters of {width} bits",
                     *wrong, answer.error, *([text] if wrong else [])):
            answer.remember()
    return report.done()


sys.exit(main())
