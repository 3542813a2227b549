#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Without a fault all rules hold: on each kind of PMU, of several shapes, on 1, 2 and 4 CPUs, with -icount and without.

A machine without a PMU is an answer, and no failure. With a device for registers alone, as Linux has it, fewer rules are judged:
on Linux 6.12 the same ones, whose answer is committed (`make linux-answers PROGRAMS=report`).
"""

import os
import sys

from tallylib import report as reports
from tallytest import linux_answers, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(os.environ["TALLY_BUILD"], "user", "bin", "report")
# Options of a machine, and the least number of rules that are judged there.
MACHINES = (
    ("--cpus 1", 145),
    ("--cpus 4 --icount", 150),
    ("--cpus 2 --pmu-version 2", 145),
    ("--cpus 2 --pmu-version 3 --pmu-counters 8", 145),
    ("--cpus 2 --pmu-version 4 --pmu-width 32", 145),
    ("--cpus 1 --pmu-counters 1 --icount", 130),
    ("--cpus 1 --pmu-counters 2 --pmu-width 40", 140),
    ("--cpus 4 --pmu-version 2 --pmu-counters 1 --pmu-width 32 --icount", 120),
    ("--cpus 1 --pmu-version 3 --pmu-width 40", 140),
    ("--cpus 4 --pmu-version 4 --pmu-counters 8 --pmu-width 40", 145),
    ("--cpus 1 --pmu-version 4 --pmu-counters 8", 140),
    ("--cpus 1 --pmu-counters 8 --pmu-width 33 --icount", 140),
    ("--cpus 2 --cpu max,vendor=GenuineIntel,x-lbr=on", 165),
    ("--cpus 1 --icount --cpu max,vendor=GenuineIntel,x-pmu-version=4,x-lbr=on", 160),
    ("--cpus 2 --cpu max,vendor=GenuineIntel,x-pebs=on", 160),
    ("--cpus 1 --icount --cpu max,vendor=GenuineIntel,x-pmu-version=2,x-pmu-width=40,x-pebs=on,x-lbr=on", 160),
    ("--cpus 2 --cpu max,vendor=AuthenticAMD,stepping=1,family=25,model=17,x-pmu-amd=v2,x-ibs=on", 140),
    ("--cpus 1 --icount --cpu max,vendor=AuthenticAMD,stepping=1,family=16,model=2,x-pmu-amd=k8,x-ibs=on", 100),
    ("--cpus 1 --cpu max,vendor=GenuineIntel,x-pmu-version=2,x-lbr=on", 155),
    ("--pmu-version 1 --cpus 1 --pmu-counters 2 --pmu-width 40", 85),
    ("--pmu-version 1 --cpus 2 --icount", 90),
    ("--pmu-version 1 --cpus 4 --pmu-counters 1 --pmu-width 32", 80),
    ("--pmu-version 1 --cpus 4 --pmu-counters 8 --pmu-width 33 --icount", 90),
    ("--processor k8 --cpus 2", 85),
    ("--processor zen3 --cpus 4", 95),
    ("--processor zen4 --cpus 4", 120),
    ("--processor zen4 --cpus 4 --pmu-counters 15 --icount", 120),
    ("--processor zen4 --cpus 1 --pmu-counters 4", 110),
)
# A skid is a property of a real CPU, and no fault: the interrupt is late, and the report tells by how much.
SKID = "--pmu-skid 7"


# Why a rule about the registers at the start is skipped on Linux.
DRIVER = "the kernel's driver may have used the counters before"


def judge(report, options):
    status, output, error = tap.command([TALLY, "report", "--format", "tap", "--timeout", "400", *options.split()])
    try:
        return status, reports.parse(output.decode(errors="replace"), options)
    except reports.Failure as problem:
        report.ok(False, f"{options}: a whole report", problem.message, output.decode(errors="replace")[-2000:], error)
        return status, None


def check_machine(report, options, least):
    status, found = judge(report, options)
    if not found:
        return
    bad = [f"{rule.name}: {rule.detail}" for rule in found.of("not ok") + found.of("inexact")]
    report.equal((status, bad), (0, []), f"{options}: every rule holds")
    report.ok(len(found.of("ok")) >= least, f"{options}: {least} rules or more are judged", f"got: {found.summary()}",
              *(f"{rule.name}: {rule.detail}" for rule in found.of("skip")))
    blocked = [rule.name for rule in found.of("skip") if "not ok" in rule.detail or "not judged" in rule.detail]
    report.equal(blocked, [], f"{options}: no rule waits for another")
    report.equal([line for line in found.verdict[1:] if not line.endswith(": yes")], [], f"{options}: usable for everything")


def check_skid(report):
    status, found = judge(report, SKID)
    if found:
        report.equal((status, [rule.name for rule in found.of("inexact")]), (0, ["precision.interrupt_comes_at_once"]),
                     "a skid is inexact, not broken")
        detail = "".join(rule.detail for rule in found.of("inexact"))
        report.equal(detail, "the interrupt comes 7 instructions after the overflow", "the report says how late the interrupt is")


def check_registers_only(report):
    """As on Linux, whose module msr gives registers and no more."""
    for options, least in (("--cpus 2", 100), ("--cpus 2 --pmu-version 1", 50), ("--processor zen4 --cpus 1", 70), ("--processor k8 --cpus 1", 45)):
        status, output, error = tap.command([TALLY, "run", "--timeout", "400", "--append", "pmu=off", *options.split(), PROGRAM, "--msr"])
        found = reports.parse(output.decode(errors="replace"), options)
        bad = [f"{rule.name}: {rule.detail}" for rule in found.of("not ok") + found.of("inexact")]
        report.equal((status, bad), (0, []), f"{options}: every rule holds by registers alone", error)
        report.ok(len(found.of("ok")) >= least, f"{options}: {least} rules or more are judged by registers alone", found.summary())


def check_beside_linux(report):
    """The report by Linux's module msr, and by Tally's: they differ in the rules about the registers at the start only."""
    for name, options in linux_answers.REPORT_MACHINES.items():
        answer = linux_answers.Answer(name)
        report.equal((answer.problem, answer.status), ("", 0), f"{name}: Linux's answer is as new as the program")
        status, output, error = tap.command([TALLY, "run", "--timeout", "400", "--append", "pmu=off", *options, PROGRAM, "--msr"])
        linux, here = (reports.parse(text.decode(errors="replace"), name) for text in (answer.output, output))
        used = {rule.name for rule in linux.of("skip") if DRIVER in rule.detail}
        report.equal((status, sorted(used - {rule.name for rule in here.of("ok")})), (0, []),
                     f"{name}: what Linux's driver has used is judged here", error)
        found = [[(rule.name, rule.outcome, rule.detail) for rule in whole.rules if rule.name not in used] for whole in (here, linux)]
        report.equal(*found, f"{name}: all other rules are as by Linux's module msr")
        report.equal([line for line in linux.verdict[1:] + here.verdict[1:] if ": not judged: " not in line], [],
                     f"{name}: no use is judged by registers alone")


def check_none(report):
    status, found = judge(report, "--pmu none")
    if found:
        report.equal((status, found.of("not ok")), (0, []), "no PMU is an answer, and no failure")
        report.ok(found.verdict[1].endswith("no: this machine announces no PMU"), "the verdict gives that reason", *found.verdict)


def main():
    report = tap.Report()
    for options, least in MACHINES:
        check_machine(report, options, least)
    check_skid(report)
    check_none(report)
    check_registers_only(report)
    check_beside_linux(report)
    return report.done()


sys.exit(main())
