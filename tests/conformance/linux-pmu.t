#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The independent proof that the emulated PMU is a PMU: Linux's own driver finds it and counts with it.

Linux announces the Intel PMU with the properties that were asked for; the self-monitoring program is
exact there; and what it prints of its counts is, digit for digit, what the same binary prints on Tally.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))

import linux_answers  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")
PROFILE = os.path.join(BUILD, "user", "bin", "profile")
LOG = os.path.join(BUILD, "tests", "linux-pmu.log")

# Options of a machine, and what Linux's log has to say of its PMU. Two general counters are the least:
# Linux leaves a PMU with one alone (init_intel in its arch/x86/kernel/cpu/intel.c).
MACHINES = (
    (("--pmu-version", "5", "--pmu-counters", "4", "--pmu-width", "48"),
     {"version": "5", "bit width": "48", "generic registers": "4", "fixed-purpose events": "3"}),
    (("--pmu-version", "2", "--pmu-counters", "2", "--pmu-width", "32", "--cpus", "2"),
     {"version": "2", "bit width": "32", "generic registers": "2", "fixed-purpose events": "3"}),
    (("--pmu-version", "4", "--pmu-counters", "8", "--pmu-width", "40", "--cpus", "4"),
     {"version": "4", "bit width": "40", "generic registers": "8", "fixed-purpose events": "3"}),
)


def on_linux(options, program):
    return linux_answers.Answer(program, ("--pmu", "emulated", *options, "--timeout", "300"), LOG, keeps_log=True)


def on_tally(options, program):
    return tap.command([TALLY, "run", "--pmu", "emulated", *options, "--timeout", "300", program])


def counts(output):
    """The lines of the report that are about counts: from the table's head on."""
    text = output.decode(errors="replace")
    return text[text.find("rdpmc"):] if "rdpmc" in text else ""


def main():
    report = tap.Report()
    for options, properties in MACHINES:
        shown = " ".join(options).replace("--", "")
        there = on_linux(options, SELFMON)
        good = report.ok(re.search(r"Performance Events: .*Intel PMU driver", there.log_text),
                         f"{shown}: Linux announces the Intel PMU", there.log_text[-2000:])
        for name, value in properties.items():
            found = re.search(rf"\.\.\. {name}: +(\S+)", there.log_text)
            good &= report.equal(found and found[1], value, f"{shown}: with its {name}")
        good &= report.equal(there.status, 0, f"{shown}: selfmon is exact on Linux", there.output.decode(), there.error)
        good &= report.ok("exact" in counts(there.output), f"{shown}: and has counted", there.output.decode())
        status, here, error = on_tally(options, SELFMON)
        report.equal(status, 0, f"{shown}: selfmon is exact on Tally", here.decode(), error)
        good &= report.equal(counts(here), counts(there.output), f"{shown}: with the same counts as on Linux")
        if good:
            there.remember()

    there = on_linux((), PROFILE)
    good = report.equal(there.status, 0, "profile is exact on Linux", there.output.decode(), there.error)
    status, here, error = on_tally((), PROFILE)
    report.equal(status, 0, "profile is exact on Tally", here.decode(), error)
    if report.equal(here, there.output, "with the same samples as on Linux") and good:
        there.remember()
    return report.done()


sys.exit(main())
