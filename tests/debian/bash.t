#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's bash and dash: the calls of a shell; bash.sh on both."""

import os
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = ("awk bash basename cat chmod cksum cmp cut dash date dirname echo env false find grep gzip head id ls mkdir mkfifo mv "
            "od perl ps rm sed printf seq setsid sleep sort stat stty tail tar tee touch tr true uniq wc xargs").split()


def main():
    report = tap.Report()
    cases = both.cases_of(os.path.join(HERE, "bash.sh"))
    both.compare(report, cases, PROGRAMS, ("/bin/sh",))
    return report.done()


sys.exit(main())
