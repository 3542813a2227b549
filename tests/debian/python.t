#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's Python 3 running scripts: each in the folder python/ is a case."""

import glob
import os
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = ("bash", "cat", "env", "false", "python3", "sleep", "tr", "true")
# Debian has compiled its modules, and the host's Python reads what it has compiled; these are those that the scripts load most.
MODULES = os.path.join("/usr/lib", os.path.basename(os.path.realpath("/usr/bin/python3")))
COMPILED = [folder for folder in (os.path.join(MODULES, name, "__pycache__") for name in ("", "asyncio", "json", "multiprocessing", "re"))
            if os.path.isdir(folder)]


def main():
    report = tap.Report()
    cases = []
    for path in sorted(glob.glob(os.path.join(HERE, "python", "*.py"))):
        with open(path, encoding="utf-8") as file:
            # Written from here, since the script's own path is not in the image.
            cases.append((os.path.basename(path), f"cat >case.py <<'END OF SCRIPT'\n{file.read()}\nEND OF SCRIPT\n"
                                                  "python3 case.py\n"))
    both.compare(report, cases, PROGRAMS, ("/bin/sh", *COMPILED), ("--cpus", "2"))
    return report.done()


sys.exit(main())
