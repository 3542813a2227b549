#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The independent proof that the emulated PMU is a PMU: Linux's own driver finds it and counts with it.

Linux announces the Intel PMU with the properties that were asked for; the self-monitoring program is
exact there; and what it prints of its counts is, digit for digit, what the same binary prints on Tally.
"""

import os
import re
import sys

from tallytest import linux_answers, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")
PROFILE = os.path.join(BUILD, "user", "bin", "profile")


def properties_of(machine):
    """The properties that Linux's log must report of the PMU of a machine."""
    version, counters, width, _ = machine
    return {"version": str(version), "bit width": str(width), "generic registers": str(counters), "fixed-purpose events": "3"}


def on_tally(options, program):
    return tap.command([TALLY, "run", *options, "--timeout", "300", program])


def counts(output):
    """The lines of the report that are about counts: from the table's head on."""
    text = output.decode(errors="replace")
    return text[text.find("rdpmc"):] if "rdpmc" in text else ""


def main():
    report = tap.Report()
    for machine in linux_answers.PMU_MACHINES:
        options = linux_answers.pmu_options(machine)
        shown = " ".join(options[2:]).replace("--", "")
        there = linux_answers.Answer(linux_answers.selfmon_on(machine))
        report.ok(not there.problem and re.search(r"Performance Events: .*Intel PMU driver", there.log_text),
                         f"{shown}: Linux announces the Intel PMU", there.problem, there.log_text)
        for name, value in properties_of(machine).items():
            found = re.search(rf"\.\.\. {name}: +(\S+)", there.log_text)
            report.equal(found and found[1], value, f"{shown}: with its {name}")
        report.equal(there.status, 0, f"{shown}: selfmon is exact on Linux", there.output.decode())
        report.ok("exact" in counts(there.output), f"{shown}: and has counted", there.output.decode())
        status, here, error = on_tally(options, SELFMON)
        report.equal(status, 0, f"{shown}: selfmon is exact on Tally", here.decode(), error)
        report.equal(counts(here), counts(there.output), f"{shown}: with the same counts as on Linux")

    there = linux_answers.Answer("profile")
    report.equal(there.status, 0, "profile is exact on Linux", there.problem, there.output.decode())
    status, here, error = on_tally(linux_answers.EMULATED, PROFILE)
    report.equal(status, 0, "profile is exact on Tally", here.decode(), error)
    report.equal(here, there.output, "with the same samples as on Linux", there.problem)
    return report.done()


sys.exit(main())
