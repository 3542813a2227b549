#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The report's image on a QEMU that is not ours: CPU models of Intel and AMD without a PMU. "None" is the answer, and no rule fails.

Debian's QEMU has none of our patches. It drops what it is written to AMD's first counters, which CPUID cannot announce.
The report on KVM's vPMU is in tests/kvm/report.t.
"""

import os
import sys
import tempfile

from tallylib import report as reports
from tallytest import stock, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
# A model of Debian's QEMU, CPUs, and the vendor that it shows.
MACHINES = (("qemu64", 2, "AuthenticAMD"), ("EPYC-Milan", 1, "AuthenticAMD"), ("EPYC,-hypervisor", 1, "AuthenticAMD"),
            ("Skylake-Server", 2, "GenuineIntel"), ("core2duo", 1, "GenuineIntel"))
USES = 5


def check_machine(report, image, model, cpus, vendor):
    status, lines = stock.run("-cpu", model, "-smp", str(cpus), "-drive", f"file={image},format=raw,snapshot=on")
    text = "\n".join(lines)
    report.equal(status, stock.ENDED, f"{model}: the image's status is 0", text[-2000:])
    try:
        found = reports.parse(text, model)
    except reports.Failure as problem:
        report.ok(False, f"{model}: a whole report", problem.message, text[-2000:])
        return
    said = dict(line.split(None, 1) for line in found.machine)
    report.equal((said.get("Processor", "").split(",")[0], said.get("CPUs"), said.get("PMU")), (vendor, str(cpus), "none is announced"),
                 f"{model}: the machine, and that it has no PMU", text[-2000:])
    report.equal([rule.name for rule in found.of("not ok") + found.of("inexact")], [], f"{model}: no rule fails")
    # Only Intel's CPUID can hide a counter.
    hidden = ["identification.no_counter_counts_unannounced"] if vendor == "GenuineIntel" else []
    report.equal([rule.name for rule in found.of("ok")], hidden, f"{model}: nothing is judged that is not there")
    uses = [line for line in found.verdict[1:] if line.endswith(": no: this machine announces no PMU")]
    report.equal((len(uses), len(found.verdict) - 1), (USES, USES), f"{model}: counts are usable for nothing", *found.verdict)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-") as folder:
        image = os.path.join(folder, "tally-pmu.img")
        report.equal(tap.command([TALLY, "image", "--report", "-o", image]), (0, b"", ""), "the image is made")
        for machine in MACHINES:
            check_machine(report, image, *machine)
    return report.done()


sys.exit(main())
