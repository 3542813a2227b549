#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Each fault of the emulated PMU is named by the report: exactly the rules of the table `faults`, and no other.

    tests/report/faults.t            all faults
    tests/report/faults.t NAME…      some, each on a machine of its own
    tests/report/faults.t --show [NAME…]  prints the table anew, from what the report says: to be read, line by line

A line of the table is the fault, the machine, and the rules that are not ok, or inexact ("~" before the name). A rule that only
follows from another is skipped by the report, and is not in the line. A fault without a rule gives the reason after "#".
Every fault that the emulator lists is in the table.

Faults share a machine where the table gives it a number ("k8.3"): one boot has all faults of "k8.3", each is named by its own rules,
and no rule is named that is of none of them. Their rules differ, and none rests on another's. Each fault has a machine of its own once,
so that it is seen to break nothing but its rules: intel where Intel's PMUs can have it, else v2, or lbr, pebs and ibs.
"""

import os
import re
import sys

from tallylib import report as reports
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
TABLE = os.path.join(HERE, "faults")
_AMD = "max,vendor=AuthenticAMD,stepping=1,family={},model={},x-pmu-amd={}"
MACHINES = {
    "intel": "max,vendor=GenuineIntel",
    "intel-1": "max,vendor=GenuineIntel,x-pmu-version=1,x-pmu-counters=2,x-pmu-width=40",
    "intel-2": "max,vendor=GenuineIntel,x-pmu-version=2",
    "lbr": "max,vendor=GenuineIntel,x-lbr=on",
    "pebs": "max,vendor=GenuineIntel,x-pebs=on",
    "pebs-2": "max,vendor=GenuineIntel,x-pmu-version=2,x-pebs=on",
    "lbr-2": "max,vendor=GenuineIntel,x-pmu-version=2,x-lbr=on",
    "k8": _AMD.format(15, 5, "k8"),
    "core": _AMD.format(25, 1, "core"),
    "v2": _AMD.format(25, 17, "v2"),
    "ibs": _AMD.format(25, 17, "v2") + ",x-ibs=on",
    "ibs-k8": _AMD.format(16, 2, "k8") + ",x-ibs=on",
}


def read_table():
    """[(fault, machine, the number of the machine that it shares or "", {rules}, reason)]"""
    with open(TABLE, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    for line in lines:
        words, _, reason = line.partition("#")
        fault, where, *rules = words.split()
        machine, _, shared = where.partition(".")
        yield fault, machine, shared, set(rules), reason.strip()


def judge(fault, machine):
    """The status and the Report of a machine with a fault, or several joined by "+", and what went wrong if there is none."""
    status, output, error = tap.command([TALLY, "report", "--format", "tap", "--icount", "--cpus", "2", "--timeout", "400", "--cpu",
                                         f"{MACHINES[machine]},x-pmu-fault={fault}"])
    text = output.decode(errors="replace")
    try:
        return status, reports.parse(text, fault), error
    except reports.Failure as problem:
        return status, None, f"{problem.message}\n{text[-2000:]}\n{error}"


def named(report):
    return {rule.name for rule in report.of("not ok")} | {"~" + rule.name for rule in report.of("inexact")}


def known_faults():
    """The names that the emulator lists."""
    _, output, error = tap.command([TALLY, "run", "--cpu", "max,vendor=GenuineIntel,x-pmu-fault=help", "/bin/true"])
    return set(re.findall(r"^(?:tally: )?([a-z0-9-]+) \(Intel: ", output.decode(errors="replace") + error, re.MULTILINE))


def show(faults):
    for fault, machine, shared, _, reason in read_table():
        if faults and fault not in faults:
            continue
        _, found, problem = judge(fault, machine)
        where = f"{machine}.{shared}" if shared else machine
        print(fault, where, *(sorted(named(found)) if found else [problem]), *(["#", reason] if reason else []), flush=True)


def point(fault, machine, rules):
    return f"{fault} on {machine}: " + (f"{len(rules)} rules name it" if rules else "no rule can name it")


def details(found):
    return [f"{rule.name}: {rule.detail}" for rule in found.of("not ok") + found.of("inexact")]


def check_status(report, status, rules, where):
    broken = any(not rule.startswith("~") for rule in rules)
    report.equal(status, reports.BROKEN if broken else 0, f"{where}: the exit status")


def check(report, fault, machine, rules):
    status, found, problem = judge(fault, machine)
    if not found:
        report.ok(False, point(fault, machine, rules), f"status {status}", problem)
        return
    report.equal(sorted(named(found)), sorted(rules), point(fault, machine, rules), *details(found))
    check_status(report, status, rules, f"{fault} on {machine}")


def check_shared(report, machine, faults):
    """FAULTS, {fault: {rules}}, on one machine."""
    status, found, problem = judge("+".join(faults), machine)
    where = f"{', '.join(faults)} on one {machine}"
    if not found:
        report.ok(False, where, f"status {status}", problem)
        return
    for fault, rules in faults.items():
        report.equal(sorted(named(found) & rules), sorted(rules), point(fault, machine, rules), *details(found))
    all_rules = set().union(*faults.values())
    report.equal(len(all_rules), sum(map(len, faults.values())), f"{where}: no rule is of two of them")
    report.equal(sorted(named(found) - all_rules), [], f"{where}: no other rule is named", *details(found))
    check_status(report, status, all_rules, where)


def main():
    report = tap.Report()
    words = sys.argv[1:]
    if words[:1] == ["--show"]:
        show(words[1:])
        return 0
    table = list(read_table())
    together = {}
    for fault, machine, shared, rules, reason in table:
        if words and fault not in words:
            continue
        report.ok(bool(rules) != bool(reason), f"{fault} on {machine}: rules, or a reason for none")
        if shared and not words:
            together.setdefault((machine, shared), {})[fault] = rules
        else:
            check(report, fault, machine, rules)
    for (machine, _), faults in together.items():
        check_shared(report, machine, faults)
    if not words:
        report.equal(sorted({row[0] for row in table} ^ known_faults()), [], "the table has every fault of the emulator")
        alone = {fault for fault, _, shared, _, _ in table if not shared}
        report.equal(sorted({row[0] for row in table} - alone), [], "each fault has a machine of its own once")
    return report.done()


sys.exit(main())
