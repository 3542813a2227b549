#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With virtual time the counts are exact, and every run of a machine is the same, log and all.

The older kind of local APIC has the programs that look at what its registers tell: those are in memory, x2APIC's are MSRs.
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
OF_APIC = ("selfmon --tap", "profile --tap", "rotation")
MODELS = {"x2APIC": ("max,vendor=GenuineIntel", (*OF_APIC, "fairness", "spreading", "floods")),
          "memory-mapped APIC": ("max,vendor=GenuineIntel,x2apic=off", OF_APIC)}


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
    for apic, (model, programs) in MODELS.items():
        for cpus in CPUS:
            for program in programs:
                wrong, first = run(model, cpus, program)
                report.ok(not wrong, f"{program} with virtual time: {apic}, {cpus} CPUs", *wrong)
                _, second = run(model, cpus, program)
                report.equal(second.splitlines(), first.splitlines(),
                             f"{program} again prints and logs the same: {apic}, {cpus} CPUs")
    return report.done()


sys.exit(main())
