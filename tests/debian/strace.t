#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's strace on programs, their children and threads; strace.sh on both."""

import os
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = ("bash busybox cat false grep head sed seq sh sleep sort strace tail uniq").split()


def main():
    report = tap.Report()
    cases = both.cases_of(os.path.join(HERE, "strace.sh"))
    both.compare(report, cases, PROGRAMS, ("/bin/sh",))
    return report.done()


sys.exit(main())
