#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A context switch costs the same on 64 CPUs as on one, although both tasks have fifteen events open on each other CPU."""

import os
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
BENCH = os.path.join(BUILD, "user", "bin", "bench")
PATH = "switch_elsewhere"
CPUS = (1, 4, 64)


def main():
    kernels.skip_on_debug("the debug kernel checks more with more CPUs")
    report = tap.Report()
    found = []
    for cpus in CPUS:
        status, output, error = tap.command(
            [TALLY, "run", "--kernel", kernels.KERNEL, "--pmu", "emulated", "--pmu-counters", "8", "--icount", "--cpus", str(cpus),
             "--timeout", "300", BENCH, "--only", PATH])
        figures = dict(line.split() for line in output.decode(errors="replace").splitlines() if not line.startswith("#"))
        report.equal(list(figures), [f"{PATH}:{what}" for what in ("u", "k", "all")],
                     f"{cpus} CPUs: the switch was measured (status {status})", error)
        found.append(figures)
    for cpus, figures in zip(CPUS[1:], found[1:]):
        report.equal(figures, found[0], f"{cpus} CPUs: the switch costs the same as on one")
    return report.done()


sys.exit(main())
