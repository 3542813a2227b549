#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The process with most memory is killed when there is no more, and the others go on: leak --exhaust."""

import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(BUILD, "user", "bin", "leak")
LOG = os.path.join(BUILD, "tests", "exhaustion.log")
KILLED = "out of memory: killing"
# The kernel's reserve is a part of all memory, within limits in pages (kernel/mm/oom.c); its own paths may
# have taken of it.
FREE = re.compile(r"; (\d+) of (\d+) KiB are free")
RESERVE_PART, RESERVE_MIN_KIB, RESERVE_MAX_KIB = 64, 256, 4096


def main():
    report = tap.Report()
    status, output, error = tap.command(
        [TALLY, "run", "--cpus", "2", "--timeout", "400", "--log", LOG, PROGRAM, "--exhaust"])
    text = output.decode(errors="replace")
    wrong = tap.complaints(text)
    report.equal(status, 0, "the program's status", error)
    report.ok(not wrong, "the program's own points are good", *wrong)
    with open(LOG, encoding="utf-8", errors="replace") as log:
        lines = [line.rstrip("\r\n") for line in log if KILLED in line]
    report.ok(f"# memory was used up {len(lines)} times" in text,
              "one task was killed each time, and the log says so", text, *lines)
    for number, line in enumerate(lines, 1):
        free, total = (int(kib) for kib in FREE.search(line).groups())
        reserve = min(max(total // RESERVE_PART, RESERVE_MIN_KIB), RESERVE_MAX_KIB)
        report.ok(free >= reserve / 2, f"the kernel's reserve is there: time {number}",
                  f"expected: at least half of {reserve} KiB", f"got:      {free} KiB")
    return report.done()


sys.exit(main())
