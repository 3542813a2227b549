#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""migration.t: the counters of Intel's and AMD's PMUs stay exact when the machine moves, again and again (moving.py)."""

import os
import sys

import moving
from tallytest import tap

INTEL = "max,vendor=GenuineIntel,pmu=on"
AMD = "max,vendor=AuthenticAMD,pmu=on,x-pmu-amd="
# The CPU, and the suites that the guest runs on it, with the words for the guest.
MACHINES = (
    (INTEL, "version=5 amd=0 counters=4", ("pmi", "counts", "sse")),
    (INTEL + ",x-lbr=on", "version=5 amd=0 counters=4 lbr=1", ("lbr",)),
    (INTEL + ",x-pebs=on", "version=5 amd=0 counters=4 pebs=1", ("pebs",)),
    (AMD + "v2,x-ibs=on", "version=0 amd=3 counters=6 ibs=1", ("ibs",)),
    (AMD + "k8", "version=0 amd=1 counters=4", ("kinds", "counts")),
    (AMD + "core", "version=0 amd=2 counters=6", ("svm",)),
    (AMD + "v2", "version=0 amd=3 counters=6", ("kinds", "pmi", "svm")),
)


def main():
    report = tap.Report()
    guest = moving.built(os.path.join(moving.HERE, "build-guest"))
    for cpu, words, suites in MACHINES:
        for suite in suites:
            command = [moving.emulator("x86_64"), "-M", "pc", "-cpu", cpu, "-m", "32", "-nodefaults",
                       "-no-user-config", "-nic", "none", "-display", "none", "-no-reboot", "-accel", "tcg",
                       "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", guest, "-append",
                       f"suite={suite} {words} width=48 skid=0 cpus=1"]
            moving.judge(report, f"{suite}, {cpu}", *moving.run(command))
    return report.done()


sys.exit(main())
