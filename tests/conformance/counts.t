#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The numbers that tests/boot/counts.c derives by hand hold on Linux 6.12 too, on the same emulated PMU. So the numbers
are derived from the ABI, and not from Tally.
"""

import sys

from tallytest import linux_answers, tap


def main():
    report = tap.Report()
    for machine in linux_answers.COUNTS_MACHINES:
        answer = linux_answers.Answer(linux_answers.counts_on(machine))
        text = answer.output.decode(errors="replace")
        wrong = tap.complaints(text)
        if answer.status:
            wrong.append(f"its status is {answer.status}")
        report.ok(not wrong and not answer.problem, "on Linux with {} CPUs, {} counters of {} bits".format(*machine),
                  answer.problem, *wrong, *([text] if wrong else []))
    return report.done()


sys.exit(main())
