#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each row of docs/kvm.md holds: the number by hand on the emulated processor, the number under KVM in its guest.

The guest (tests/kvm/guest) measures every rule; a rule without a row fails too.
"""

import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
PAGE = os.path.join(ROOT, "docs", "kvm.md")
NOTHING = os.path.join(os.environ["TALLY_BUILD"], "tests", "nothing")
_ROW = re.compile(r"^\| ([^|]+) \| (\d+) \| (\d+) \|", re.MULTILINE)


def measured(report, guest, *options):
    """{rule: number} of a run of the guest; a point for its end."""
    status, output, error = tap.command([TALLY, "run", *options, "--kernel", guest, "--timeout", "300", NOTHING])
    report.equal(status, 0, f"the guest ends: {' '.join(options)}", error, output.decode(errors="replace")[-400:])
    lines = (line.rpartition(": ") for line in output.decode(errors="replace").splitlines())
    return {rule: number for rule, _, number in lines}


def main():
    report = tap.Report()
    guest = subprocess.run([os.path.join(HERE, "build-guest")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with open(PAGE, encoding="utf-8") as file:
        rows = {rule.strip(): (by_hand, under) for rule, by_hand, under in _ROW.findall(file.read())}
    alone = measured(report, guest, "--processor", "zen3")
    nested = {cpus: measured(report, guest, "--under", "kvm", "--under-cpus", cpus) for cpus in ("1", "2")}
    for rule, (by_hand, under) in rows.items():
        report.equal(alone.get(rule), by_hand, f"{rule}: by hand")
        for cpus, numbers in nested.items():
            report.equal(numbers.get(rule), under, f"{rule}: under KVM, {cpus} CPUs")
    report.equal(sorted(set(alone) - set(rows)), [], "every measured rule has its row")
    return report.done()


sys.exit(main())
