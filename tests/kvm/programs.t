#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""In-image tests and Debian's perf as a guest of KVM, with 2 CPUs in a Linux with 2.

Time is virtual, so every run is the same. A point that KVM's vPMU cannot pass is listed with its cause in docs/kvm.md, and
has to fail: else the page is out of date.
"""

import os
import re
import sys

from tallytest import inside, tap

BIN = os.path.join(os.environ["TALLY_BUILD"], "user", "bin")
PROGRAMS = ("rotation", "cpuwide", "software", "readformats", "hammer",
            "counts", "sampling", "selfread", "self", "attach", "breakpoints", "clones", "close_while_waiting")
# The points that fail by the causes of docs/kvm.md.
CAUSE_1 = {"counts: rdpmc and read() agree to the instruction",
           "counts: rdpmc and read() agree while other tasks count on the same CPU",
           "selfread: they agree on every CPU that the task moves to"}
CAUSE_7 = {"sampling: a sample is at the instruction after the one that ends its period, for every period",
           "sampling: samples of cycles are exact, also in the second cycle of a branch",
           "sampling: a sample of branches is at the target of the branch that ends its period",
           "sampling: two events sample at once, and where they meet",
           "sampling: samples that find no room are counted, and reported with the next that does"}
# As many digits each: spin reads them with its own instructions.
FEW, MANY, PERIOD = 100000, 200000, 10007
_POINT = re.compile(r"^(not )?ok \d+ - ([^#\n]*?)\s*(?:#.*)?$", re.MULTILINE)


def check_programs(report, cases):
    for program in PROGRAMS:
        mine = cases.text(program)
        plan = re.search(r"^1\.\.(\d+)", mine, re.MULTILINE)
        points = _POINT.findall(mine)
        report.equal(plan and int(plan[1]), len(points), f"{program}: the plan is met", mine)
        for failed, name in points:
            point = f"{program}: {name}"
            expected = point in CAUSE_1 | CAUSE_7
            report.equal(bool(failed), expected, point + (" (fails, see docs/kvm.md)" if expected else ""), mine)


def check_perf(report, cases):
    few, many = (inside.counts(cases.text(f"stat {passes}")) for passes in (FEW, MANY))
    for event, each in (("instructions:u", inside.INSTRUCTIONS_EACH), ("branches:u", inside.BRANCHES_EACH)):
        numbers = [(counts.get(event) or (None,))[0] for counts in (few, many)]
        report.ok(None not in numbers and numbers[1] - numbers[0] == each * (MANY - FEW), f"perf stat: {event} is exact", numbers,
                  cases.text(f"stat {FEW}"))
    # Before the loop spin retires less than a period, and more than the loop's own count lacks of a multiple of it.
    report.equal(cases.text("record").strip(), str(inside.INSTRUCTIONS_EACH * MANY // PERIOD + 1),
                 "perf record: each sample of the loop is there")


def main():
    report = tap.Report()
    # They share a machine, whose start costs as much as most of them.
    cases = inside.Cases()
    paths = {program: os.path.join(BIN, program) for program in PROGRAMS}
    for program, path in paths.items():
        cases.add(program, f"{path}\n")
    for passes in (FEW, MANY):
        cases.add(f"stat {passes}", f"perf stat -x, -e instructions:u,branches:u $SPIN {passes}\n")
    cases.add("record", f"perf record -q -c {PERIOD} -e instructions:u -o /tmp/data $SPIN {MANY} 2>&1\n"
                        "perf script -F ip,sym -i /tmp/data | grep -c spin_loop\n")
    added = (word for path in paths.values() for word in ("--add", path))
    cases.run(report, ("--pmu", "auto", "--under", "kvm", "--memory", "128", *added), timeout_s=900)
    check_programs(report, cases)
    check_perf(report, cases)
    return report.done()


sys.exit(main())
