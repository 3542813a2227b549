#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same sources, linked with newlib, the GNU C library and musl, pass on Tally and on Linux.

What a program may expect of its kernel does not depend on who wrote its C library, nor, where Linux
is the oracle, on which of the two kernels it runs. Each program prints TAP; here it is one point.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))

import tap  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
TIMEOUT_S = 400
LIBRARIES = {"newlib": "bin", "the GNU C library": "glibc", "musl": "musl"}
KERNELS = {"Tally": [os.path.join(ROOT, "tools", "tally"), "run"],
           "Linux 6.12": [os.path.join(ROOT, "tests", "conformance", "linux-run")]}
PROGRAMS = ["libc", "paths", "self", "selfmon --tap", "profile --tap"]


def main():
    report = tap.Report()
    for program in PROGRAMS:
        executable, *words = program.split()
        for library, folder in LIBRARIES.items():
            for kernel, command in KERNELS.items():
                status, output, error = tap.command(
                    [*command, "--pmu", "emulated", "--cpus", "2", "--timeout", str(TIMEOUT_S),
                     os.path.join(BUILD, "user", folder, executable), *words],
                    timeout_s=TIMEOUT_S + 30)
                text = output.decode(errors="replace")
                wrong = tap.complaints(text)
                if status:
                    wrong.append(f"its status is {status}")
                report.ok(not wrong, f"{program} with {library} on {kernel}", *wrong, error)
    return report.done()


sys.exit(main())
