#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's Python 3 running scripts: each in the folder python/ is a case."""

import glob
import os
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = ("bash", "cat", "env", "false", "python3", "sleep", "tr", "true")


def main():
    report = tap.Report()
    cases = []
    for path in sorted(glob.glob(os.path.join(HERE, "python", "*.py"))):
        with open(path, encoding="utf-8") as file:
            # Written from here, since the script's own path is not in the image.
            cases.append((os.path.basename(path), f"cat >case.py <<'END OF SCRIPT'\n{file.read()}\nEND OF SCRIPT\n"
                                                  "python3 case.py\n"))
    both.compare(report, cases, PROGRAMS, ("/bin/sh", *both.compiled("", "asyncio", "json", "multiprocessing", "re")), ("--cpus", "2"))
    return report.done()


sys.exit(main())
