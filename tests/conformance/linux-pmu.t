#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The independent proof that the emulated PMU is a PMU: Linux's own driver finds it and counts with it.

Linux announces the PMU, Intel's or AMD's, with the properties that were asked for; the self-monitoring program is
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


def intel_properties(machine):
    """The properties that Linux's log must report of the PMU of a machine of PMU_MACHINES."""
    version, counters, width, _ = machine
    return {"version": str(version), "bit width": str(width), "generic registers": str(counters), "fixed-purpose events": "3"}


def amd_properties(machine):
    """The same of a machine of AMD_MACHINES."""
    processor, counters, _ = machine
    return {"version": "2" if processor == "zen4" else "0", "bit width": "48", "generic registers": str(counters),
            "fixed-purpose events": "0"}


def machines():
    """(options, question, vendor, properties) of each."""
    for machine in linux_answers.PMU_MACHINES:
        yield linux_answers.pmu_options(machine), linux_answers.selfmon_on(machine), "Intel", intel_properties(machine)
    for machine in linux_answers.AMD_MACHINES:
        yield linux_answers.amd_options(machine), linux_answers.selfmon_on_amd(machine), "AMD", amd_properties(machine)


def on_tally(options, program):
    return tap.command([TALLY, "run", *options, "--timeout", "300", program])


def counts(output):
    """The lines of the report that are about counts: from the table's head on."""
    text = output.decode(errors="replace")
    return text[text.find("rdpmc"):] if "rdpmc" in text else ""


def main():
    report = tap.Report()
    for options, question, vendor, properties in machines():
        shown = " ".join(options[2:]).replace("--", "")
        there = linux_answers.Answer(question)
        report.ok(not there.problem and re.search(rf"Performance Events: .*{vendor} PMU driver", there.log_text),
                  f"{shown}: Linux announces {vendor}'s PMU", there.problem, there.log_text)
        for name, value in properties.items():
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
