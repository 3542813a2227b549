#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The same sources, linked with newlib, the GNU C library and musl, pass on Tally and on Linux.

A program's rights towards its kernel do not depend on its C library, nor, where Linux
is the oracle, on which of the two kernels it runs. Each program prints TAP; here it is one point.
"""

import os
import sys

from tallytest import linux_answers, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
OPTIONS = linux_answers.C_LIBRARY_OPTIONS


def wrong_in(status, output):
    """The faults of a program's TAP, and of its status."""
    return tap.complaints(output.decode(errors="replace")) + ([f"its status is {status}"] if status else [])


def main():
    report = tap.Report()
    for program in linux_answers.C_LIBRARY_PROGRAMS:
        executable, *words = program.split()
        for folder, library in linux_answers.C_LIBRARIES.items():
            path = os.path.join(BUILD, "user", folder, executable)
            status, output, error = tap.command([TALLY, "run", *OPTIONS, path, *words], timeout_s=linux_answers.LIMIT_S)
            wrong = wrong_in(status, output)
            report.ok(not wrong, f"{program} with {library} on Tally", *wrong, error)
            answer = linux_answers.Answer(linux_answers.with_c_library(program, folder))
            wrong = wrong_in(answer.status, answer.output)
            report.ok(not wrong and not answer.problem, f"{program} with {library} on Linux 6.12", *wrong, answer.problem)
    return report.done()


sys.exit(main())
