#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With virtual time the counts are exact, and every run of a machine is the same, log and all.

Both kinds of local APIC are tried: x2APIC's timer is read with RDMSR, the older one's in memory.
"""

import os
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
CPUS = (1, 2, 4)
MODELS = {"x2APIC": "max,vendor=GenuineIntel", "memory-mapped APIC": "max,vendor=GenuineIntel,x2apic=off"}
PROGRAMS = ("selfmon --tap", "profile --tap", "rotation", "fairness", "spreading", "floods")


def run(model, cpus, program):
    """Returns what is wrong with one run, and all that it printed."""
    executable, *words = program.split()
    with tempfile.NamedTemporaryFile() as log:
        status, output, error = tap.command(
            [TALLY, "run", "--icount", "--pmu", "emulated", "--cpu", model, "--cpus", str(cpus),
             "--timeout", "400", "--log", log.name,
             os.path.join(BUILD, "user", "bin", executable), *words])
        text = output.decode(errors="replace")
        wrong = tap.complaints(text)
        if status:
            wrong += [f"its status is {status}", error]
        return wrong, text + log.read().decode(errors="replace")


def main():
    report = tap.Report()
    for apic, model in MODELS.items():
        for cpus in CPUS:
            for program in PROGRAMS:
                wrong, first = run(model, cpus, program)
                report.ok(not wrong, f"{program} with virtual time: {apic}, {cpus} CPUs", *wrong)
                _, second = run(model, cpus, program)
                report.equal(second.splitlines(), first.splitlines(),
                             f"{program} again prints and logs the same: {apic}, {cpus} CPUs")
    return report.done()


sys.exit(main())
