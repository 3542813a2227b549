#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The report's table by perfctr is exact, on each vendor's CPUs."""

import os
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
BIN = os.path.join(kernels.BUILD, "user", "bin")
MACHINES = (("--pmu", "emulated"), ("--pmu", "emulated", "--pmu-counters", "1", "--cpus", "2"), ("--processor", "k8"),
            ("--processor", "zen4", "--caches", "none", "--cpus", "4"))


def main():
    report = tap.Report()
    for machine in MACHINES:
        status, output, error = tap.command([TALLY, "run", *machine, os.path.join(BIN, "selfmon"), "--perfctr"])
        report.equal(status, 0, f"selfmon --perfctr with {' '.join(machine)}", output.decode(errors="replace"), error)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
