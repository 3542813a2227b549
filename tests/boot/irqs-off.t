#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Interrupts are never off for a millisecond of virtual time, whatever programs ask for.

The debug kernel looks (kernel/debug/irqs_off.c) and panics; tests/boot/panic.t shows that it does.
"""

import os
import sys

from tallytest import boot_programs, kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")


def main():
    report = tap.Report()
    for program in boot_programs.BY_IRQS_OFF:
        log = os.path.join(BUILD, "tests", f"irqs-off-{program}.log")
        status, output, error = tap.command(
            [TALLY, "run", "--icount", "--pmu", "emulated", "--cpus", "1", "--kernel", kernels.DEBUG_KERNEL,
             "--append", "irqs-off-watchdog", "--timeout", "400", "--log", log,
             os.path.join(BUILD, "user", "bin", program)])
        text = output.decode(errors="replace")
        with open(log, encoding="utf-8", errors="replace") as file:
            panics = [line.rstrip() for line in file if "panic" in line]
        report.equal((status, panics, tap.complaints(text)), (0, [], []), f"{program} keeps interrupts off for a moment only",
                     error, f"log: {log}", *text.splitlines()[-20:])
    return report.done()


sys.exit(main())
