#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""With virtual time the counts are exact, and every run of a machine is the same, log and all.

The older kind of local APIC has the programs that look at what its registers tell: those are in memory, x2APIC's are MSRs.
Programs about time run here only: the host decides no moment.
"""

import os
import sys
import tempfile

from tallytest import boot_programs, kernels, tap, together

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
CPUS = (1, 2, 4)
OF_APIC = ("selfmon --tap", "profile --tap", "rotation")
MACHINES = {"x2APIC": ("x86_64", ("--cpu", "max,vendor=GenuineIntel"),
                       (*OF_APIC, *boot_programs.BY_ICOUNT)),
            "memory-mapped APIC": ("x86_64", ("--cpu", "max,vendor=GenuineIntel,x2apic=off"), OF_APIC),
            "Alpha": ("alpha", (), ("fairness", "scheduling_times"))}
# The machine whose programs take the longest runs twice with the fewest CPUs and with the most; the others with each number.
ONCE = {("x2APIC", 2)}


def run(arch, options, cpus, programs):
    """Runs the programs one after the other on one machine. Returns {program: what it printed, its status}, and all that the
    machine printed and logged."""
    folder = os.path.join(kernels.folder(arch), "user", "bin")
    commands = {os.path.join(folder, program): program for program in programs}
    added = [word for command in commands for word in ("--add", command.split()[0])]
    with tempfile.NamedTemporaryFile() as log:
        status, output, error = tap.command(
            [TALLY, "run", "--arch", arch, "--icount", "--pmu", "emulated", *options, "--cpus", str(cpus), "--timeout", "1600",
             "--log", log.name, *added, os.path.join(folder, "each"), *commands], timeout_s=1630)
        text = output.decode(errors="replace")
        found = {commands[command]: (said, code) for command, said, code in together.parts(text)[0]}
        return found, f"{text}the machine's status is {status}\n{error}{log.read().decode(errors='replace')}"


def main():
    report = tap.Report()
    for machine, (arch, options, programs) in MACHINES.items():
        for cpus in CPUS:
            found, first = run(arch, options, cpus, programs)
            for program in programs:
                said, status = found.get(program, ("", None))
                wrong = tap.complaints(said)
                if status != 0:
                    wrong += [f"its status is {status}", first[-2000:]]
                report.ok(not wrong, f"{program} with virtual time: {machine}, {cpus} CPUs", *wrong)
            if (machine, cpus) in ONCE:
                continue
            _, second = run(arch, options, cpus, programs)
            report.equal(second.splitlines(), first.splitlines(),
                         f"the machine with these programs again prints and logs the same: {machine}, {cpus} CPUs")
    return report.done()


sys.exit(main())
