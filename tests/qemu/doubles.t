#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's doubles are the host's: each result and each flag of sums, differences, products and quotients.

The series lets the host compute exact results (qemu/patches/0018); QEMU does so for those after the first inexact one.
"""

import os
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "doubles")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", program, os.path.join(HERE, "doubles.c")], check=True)
        host = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
        status, output, error = tap.command([TALLY, "run", "--pmu", "emulated", "--timeout", "120", program])
    report.equal(status, 0, "the program ends", error)
    ours = dict(line.split(": ") for line in output.decode().splitlines())
    for name, expected in (line.split(": ") for line in host.splitlines()):
        report.equal(ours.get(name), expected, name)
    return report.done()


sys.exit(main())
