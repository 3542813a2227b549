#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Each row of docs/kvm.md holds: the number by hand on the emulated CPU, the number under KVM in its guest.

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
# The CPU whose rows are before "Other CPUs", then the others: the options that make each, and those of its run
# under KVM: CPUs of the guest, CPUs of Linux. In a guest with 2 CPUs the second one measures; k8 has each row of the first but three.
FIRST = "zen3"
PROCESSORS = {FIRST: ((), ("2", "1")), "k8": ((), ("1", "1")), "zen4": (("--pmu-counters", "8"), ("1", "2"))}
# By hand there are no caches to wait for; a guest of KVM has none.
BARE = ("--caches", "none")
# Linux clears the memory of its guest.
MEMORY_MIB = "64"


def rows_of(text):
    """{rule: (by hand, under KVM)} of the tables in `text`."""
    return {rule.strip(): (by_hand, under) for rule, by_hand, under in _ROW.findall(text)}


def rows_of_page():
    """{CPU: its rows}."""
    with open(PAGE, encoding="utf-8") as file:
        first, _, others = file.read().partition("\n## Other CPUs\n")
    rows = {FIRST: rows_of(first)}
    for section in others.split("\n### ")[1:]:
        name, _, text = section.partition("\n")
        rows[name] = {**rows[FIRST], **rows_of(text)}
    return rows


def measured(report, guest, *options):
    """{rule: number} of a run of the guest; a point for its end."""
    status, output, error = tap.command([TALLY, "run", *options, "--kernel", guest, "--memory", MEMORY_MIB, "--timeout", "300", NOTHING])
    report.equal(status, 0, f"the guest ends: {' '.join(options)}", error, output.decode(errors="replace")[-400:])
    lines = (line.rpartition(": ") for line in output.decode(errors="replace").splitlines())
    return {rule: number for rule, _, number in lines}


def main():
    report = tap.Report()
    guest = subprocess.run([os.path.join(HERE, "build-guest")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    page = rows_of_page()
    report.equal(sorted(page), sorted(PROCESSORS), "the page has the CPUs of this test")
    for processor, (more, (cpus, under_cpus)) in PROCESSORS.items():
        rows = page.get(processor, {})
        options = ("--processor", processor, *more)
        runs = {"by hand": (0, measured(report, guest, *options, *BARE)),
                f"under KVM, {cpus} CPUs in a Linux with {under_cpus}":
                    (1, measured(report, guest, *options, "--under", "kvm", "--cpus", cpus, "--under-cpus", under_cpus))}
        for name, (column, numbers) in runs.items():
            report.equal(sorted(numbers), sorted(rows), f"{processor} {name}: each measured rule has its row")
            for rule, expected in rows.items():
                report.equal(numbers.get(rule), expected[column], f"{processor} {name}: {rule}")
    return report.done()


sys.exit(main())
