#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's SSE is the host's: each result and each flag of the instructions that the host computes.

Rounding to nearest is the host's (qemu/files/target/i386/tcg/host-sse.h). An instruction on 256 bits is two on 128.
"""

import os
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
WIDE = ("vaddpd", "vmulps", "vdivpd")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "sse")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", program, os.path.join(HERE, "sse.c")], check=True)
        host = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
        status, output, error = tap.command([TALLY, "run", "--pmu", "emulated", "--timeout", "400", program, "wide"])
    report.equal(status, 0, "the program ends", error)
    ours = dict(line.split(": ") for line in output.decode().splitlines())
    for name in WIDE:
        report.equal(ours.get(name), "0", f"{name} differs from two {name[1:]} for no operands")
    for name, expected in (line.split(": ") for line in host.splitlines()):
        report.equal(ours.get(name), expected, f"{name}: results and flags are the host's")
    return report.done()


sys.exit(main())
