#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A shell works in a storm of interrupts: an event with a period of 1 on every CPU (storm.c)."""

import os
import shutil
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(BUILD, "user", "bin", "storm")
LOG = os.path.join(BUILD, "tests", "storm.log")
BUSYBOX = shutil.which("busybox")
WORDS = "for i in 1 2 3; do echo shell says $i | tr a-z A-Z; ls / > /tmp/$i; done; wc -l < /tmp/3 > /dev/null"
SAID = [f"SHELL SAYS {i}" for i in (1, 2, 3)]


def main():
    report = tap.Report()
    for cpus in ("1", "4"):
        status, output, error = tap.command(
            [TALLY, "run", "--pmu", "emulated", "--cpus", cpus, "--timeout", "400", "--log", LOG,
             "--add", BUSYBOX, "--", PROGRAM, BUSYBOX, "sh", "-c", WORDS])
        text = output.decode(errors="replace")
        wrong = tap.complaints(text)
        report.ok(status == 0 and not wrong, f"the storm is throttled around a shell on {cpus} CPUs",
                  *wrong, text, error)
        report.equal([line for line in text.splitlines() if "SAYS" in line], SAID,
                     f"the shell did its work on {cpus} CPUs")
    return report.done()


sys.exit(main())
