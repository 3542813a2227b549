#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A count of an event that the emulated PMU does not model is not a silent 0: one line for each selection reports it."""

import os
import sys

from tallylib import emulator
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
COUNT_RAW = os.path.join(os.environ["TALLY_BUILD"], "tests", "count_raw")
LINE = "tally: the PMU does not model event 0x{}, umask 0x{} (r{}{}), which is counted: it never happens\n"
R412E, R00C5 = (LINE.format(event, umask, umask, event) for umask, event in (("41", "2e"), ("00", "c5")))

# The counted selections, and the expected standard error.
COUNTED = (
    ("modelled events", ["00c0", "00c4", "003c", "013c"], ""),
    ("an event that is not modelled", ["412e"], R412E),
    ("the same selection again and again", ["412e", "00c0", "412e", "412e"], R412E),
    ("two selections", ["412e", "00c5"], R412E + R00C5),
    ("a selection that is opened and never enabled", ["-412e", "00c5"], R00C5),
)


def main():
    report = tap.Report()
    for name, words, said in COUNTED:
        for cpus in ("1", "4"):
            got = tap.command([TALLY, "run", "--pmu", "emulated", "--timeout", "400", "--cpus", cpus, COUNT_RAW, *words])
            report.equal(got, (0, b"", said), f"{name}, {cpus} CPU{'s' * (cpus != '1')}")
    status, _, error = tap.command([TALLY, "report", "--pmu", "emulated"])
    report.equal((status, error), (0, ""), "the report counts modelled events only")
    others = "qemu: warning: the disk is full\nqemu: fatal\n"
    report.equal(emulator.divide_complaints("qemu: warning: the PMU does not model x\n" + others),
                 (["tally: the PMU does not model x"], others.splitlines()), "what else the emulator says is not passed on")
    return report.done()


sys.exit(main())
