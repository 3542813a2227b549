#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's SSE is the host's: each result and each flag of the instructions that the host computes, in all modes.

The host computes them (qemu/files/target/i386/tcg/host-sse.h). An instruction on 256 bits is two on 128.
"""

import os
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
WIDE = ("vaddpd", "vmulps", "vdivpd")
# The machines on which a program's flags have to stay its own.
MACHINES = ((), ("--cpus", "2"), ("--cpus", "2", "--icount"))


def built(folder, name):
    program = os.path.join(folder, name)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", program,
                    os.path.join(HERE, name + ".c")], check=True)
    return program


def lines_of(text):
    return dict(line.split(": ") for line in text.splitlines())


def compare(report, program, rule, *words, machine=()):
    """Runs a program here and in the machine, there with `words`; returns the lines of the latter, by their names."""
    host = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    status, output, error = tap.command([TALLY, "run", "--pmu", "emulated", "--timeout", "400", *machine, program, *words])
    where = " ".join((os.path.basename(program), *machine))
    report.equal(status, 0, f"{where} ends", error)
    if not host:
        report.skip(f"{where}: {rule}", "the host has no FMA")
    ours = lines_of(output.decode())
    for name, expected in lines_of(host).items():
        report.equal(ours.get(name), expected, f"{where}: {name}: {rule}")
    return ours


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        ours = compare(report, built(folder, "sse"), "results and flags are the host's", "wide")
        for name in WIDE:
            report.equal(ours.get(name), "0", f"{name} differs from two {name[1:]} for no operands")
        compare(report, built(folder, "sse-avx"), "results and flags are the host's")
        program = built(folder, "sse-flags")
        for machine in MACHINES:
            compare(report, program, "as on the host", machine=machine)
    return report.done()


sys.exit(main())
