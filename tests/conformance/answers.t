#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Each program that Linux is asked about has its answer in linux-6.12/, as new as the program; each answer there has its
program. Boots nothing.
"""

import os
import sys

from tallytest import linux_answers, tap


def main():
    report = tap.Report()
    names = linux_answers.questions().keys()
    files = {file.removesuffix(".txt") for file in os.listdir(linux_answers.FOLDER)}
    report.equal(sorted(files - names), [], "each answer of Linux has its program", "run: make linux-answers")
    for name in names:
        answer = linux_answers.Answer(name)
        report.ok(not answer.problem and answer.status == 0, f"{name}: Linux's answer is as new as the program",
                  answer.problem, f"status {answer.status}")
    return report.done()


sys.exit(main())
