#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""alpha-migration.t: the Alpha's counters stay exact when the machine moves, again and again (moving.py)."""

import os
import sys

import moving
from tallytest import tap

# The guest's first line.
STOPPED = "# the clock has been stopped"


def main():
    report = tap.Report()
    words = [moving.emulator("alpha"), "-M", "clipper", "-cpu", "ev67,pmu=on", "-m", "128", "-nodefaults",
             "-no-user-config", "-nic", "none", "-vga", "none", "-display", "none", "-no-reboot",
             "-accel", "tcg", "-kernel", moving.built(os.path.join(moving.HERE, "build-guest-alpha")),
             "-append"]
    for name, more in (("icount", ["suite=moved", "-icount", "shift=0"]),
                       ("no icount", ["suite=moved"]),
                       ("ProfileMe", ["suite=moved-profile", "-icount", "shift=0"])):
        moving.judge(report, name, *moving.run(words + more), allowed=(STOPPED,))
    return report.done()


sys.exit(main())
