#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The fuzzer with fixed seeds, on 4 CPUs with accelerators. One seed runs twice in virtual time, without accelerators, with a
quarter of the operations: both runs say the same."""

import os
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))

RUN = os.path.join(HERE, "run")
SEEDS = [str(seed) for seed in range(100, 105)]
AGAIN = ("--icount", "--operations", "50", "0", SEEDS[0])
# Their queues are configured by the fuzzer.
ACCELERATORS = ["--device", "dsa,queue=none,iommu=on", "--device", "iax,queue=none,iommu=on"]


def fuzz(*words):
    done = subprocess.run([RUN, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    report = tap.Report()
    status, _, error = fuzz(*ACCELERATORS, "0", *SEEDS)
    report.equal(status, 0, f"{len(SEEDS)} seeds on 4 CPUs with a DSA and an IAX", error)
    first = fuzz(*AGAIN)
    report.equal(first[0], 0, "a seed with virtual time", first[2])
    report.equal(fuzz(*AGAIN)[1], first[1], "the seed again does the same")
    return report.done()


sys.exit(main())
