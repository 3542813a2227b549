#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The faults of the emulated PMUs are modelled on occurrences that a reader can look up: at least 60 of them.

A source has one of the forms below, or several joined by "; ". "rule:" stands alone: it says that no occurrence is known. The
rest of the table is for tests/qemu/faults.t, which runs each fault.
"""

import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TABLE = os.path.join(ROOT, "qemu/files/target/i386/tcg/system/pmu-fault-table.c")
LEAST_OCCURRENCES = 60
ROW = re.compile(r"\[PMU_FAULT_(\w+)\] = \{(.*?)\n    \},\n", re.DOTALL)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')

# A commit has twelve digits and its subject, an erratum its document.
OCCURRENCES = (
    re.compile(r'(KVM|Linux|QEMU|kvm-unit-tests) [0-9a-f]{12} "\S.{10,}"'),
    re.compile(r"erratum [A-Z]{1,3}[0-9]{1,3}, \S.* specification update( \S+)?( \(.+\))?"),
    re.compile(r"erratum [0-9]{2,4}, AMD Family [0-9a-f]{2}h \S.* revision guide"),
    re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+#[1-9][0-9]*"),
    re.compile(r"mail [^\s@]+@[^\s@]+"),
)
RULE = re.compile(r"rule: (SDM|APM) vol\. [23], \S.*|rule: (SDM|APM) vol\. [23](, APM vol\. 2)?: \S.*")

# The forms, judged by hand: sources that are none of an occurrence.
NO_OCCURRENCES = (
    'KVM 98defd2e178 "KVM: x86/pmu: a hash of eleven digits"',
    "KVM 98defd2e1780",
    'KVM 98DEFD2E1780 "KVM: x86/pmu: capitals"',
    'Windows 98defd2e1780 "no project with public commits"',
    "erratum BDM55",
    "erratum 717",
    "BDM55, 5th generation Core specification update",
    "rr issue 1952",
    "rr-debugger/rr#0",
    "mail of Like Xu",
    "",
)


def rows():
    """[(name, source)], in the table's order."""
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    for _, body in ROW.findall(text):
        # Each of the three strings ends with a comma.
        fields = ["".join(STRING.findall(part)).replace('\\"', '"') for part in re.split(r'(?<="),\s', body + "\n")]
        name, effect, source = [field for field in fields if field]
        yield name, effect, source


def is_occurrence(part):
    return any(form.fullmatch(part) for form in OCCURRENCES)


def main():
    report = tap.Report()
    table = list(rows())
    with open(TABLE, encoding="utf-8") as file:
        report.equal(len(table), file.read().count("[PMU_FAULT_"), "every row is read")
    occurred = []
    for name, _, source in table:
        parts = source.split("; ")
        if all(is_occurrence(part) for part in parts):
            occurred.append(name)
            continue
        report.ok(RULE.fullmatch(source), f"{name}: its source is an occurrence or a manual's rule", f"source: {source}")
    report.ok(len(occurred) >= LEAST_OCCURRENCES, f"at least {LEAST_OCCURRENCES} faults are modelled on occurrences",
              f"expected: >= {LEAST_OCCURRENCES}", f"got: {len(occurred)} of {len(table)}")
    for source in NO_OCCURRENCES:
        report.ok(not is_occurrence(source), f"{source or 'nothing'}: is no occurrence")
    return report.done()


sys.exit(main())
