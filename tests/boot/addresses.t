#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A program's addresses are random at every start; with norandom they are those of Linux without randomisation."""

import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
# Linux/x86-64 without randomisation: an executable that may lie anywhere; the end of the stack.
EXECUTABLE, STACK_END = "555555554000", "7ffffffff000"


def places(report, *options):
    """{what: (where it begins, where it ends)} of one run of cat; the first mapping is the program's own."""
    status, output, error = tap.command([TALLY, "run", "--timeout", "300", *options, "/bin/cat", "/proc/self/maps"])
    report.equal(status, 0, f"cat shows its mappings {' '.join(options)}".strip(), error)
    rows = re.findall(r"^(\w+)-(\w+) .{4} \S+ \S+ \d+ *(.*)$", output.decode(errors="replace"), re.MULTILINE)
    found = {name: (begin, end) for begin, end, name in rows if name in ("[heap]", "[stack]", "[vdso]")}
    return {"executable": rows[0][:2], "libraries": next(row[0] for row in rows if row[2].startswith("/lib")
                                                         or "/lib/" in row[2]), **found}


def main():
    report = tap.Report()
    fixed = [places(report, "--append", "norandom") for _ in range(2)]
    report.equal(fixed[1], fixed[0], "with norandom every address is the same again")
    report.equal(fixed[0]["executable"][0], EXECUTABLE, "with norandom the program is where Linux puts it")
    report.equal(fixed[0]["[stack]"][1], STACK_END, "with norandom the stack is where Linux puts it")
    drawn = [places(report) for _ in range(2)]
    for what, place in drawn[0].items():
        report.ok(drawn[1][what] != place, f"without norandom it moves: {what}", f"twice: {place}")
    return report.done()


sys.exit(main())
