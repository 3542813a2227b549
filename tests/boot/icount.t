#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""With virtual time the counts are exact, and every run of a machine is the same, log and all.

The older kind of local APIC has the programs that look at what its registers tell: those are in memory, x2APIC's are MSRs.
"""

import os
import sys
import tempfile

from tallytest import tap, together

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
BIN = os.path.join(BUILD, "user", "bin")
TALLY = os.path.join(ROOT, "tools", "tally")
CPUS = (1, 2, 4)
OF_APIC = ("selfmon --tap", "profile --tap", "rotation")
MODELS = {"x2APIC": ("max,vendor=GenuineIntel", (*OF_APIC, "fairness", "spreading", "floods")),
          "memory-mapped APIC": ("max,vendor=GenuineIntel,x2apic=off", OF_APIC)}


def run(model, cpus, programs):
    """Runs the programs one after the other on one machine. Returns {program: what it printed, its status}, and all that the
    machine printed and logged."""
    commands = {os.path.join(BIN, program): program for program in programs}
    added = [word for command in commands for word in ("--add", command.split()[0])]
    with tempfile.NamedTemporaryFile() as log:
        status, output, error = tap.command(
            [TALLY, "run", "--icount", "--pmu", "emulated", "--cpu", model, "--cpus", str(cpus), "--timeout", "1600",
             "--log", log.name, *added, os.path.join(BIN, "each"), *commands], timeout_s=1630)
        text = output.decode(errors="replace")
        found = {commands[command]: (said, code) for command, said, code in together.parts(text)[0]}
        return found, f"{text}the machine's status is {status}\n{error}{log.read().decode(errors='replace')}"


def main():
    report = tap.Report()
    for apic, (model, programs) in MODELS.items():
        for cpus in CPUS:
            found, first = run(model, cpus, programs)
            for program in programs:
                said, status = found.get(program, ("", None))
                wrong = tap.complaints(said)
                if status != 0:
                    wrong += [f"its status is {status}", first[-2000:]]
                report.ok(not wrong, f"{program} with virtual time: {apic}, {cpus} CPUs", *wrong)
            _, second = run(model, cpus, programs)
            report.equal(second.splitlines(), first.splitlines(),
                         f"the machine with these programs again prints and logs the same: {apic}, {cpus} CPUs")
    return report.done()


sys.exit(main())
