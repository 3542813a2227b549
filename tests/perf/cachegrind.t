#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Cachegrind and Tally count the same in static programs, with four geometries of caches: instructions, reads, writes, and
misses of I1, D1 and LL, to the last one.

tools/beside-cachegrind runs both. A program has fixed addresses and a stack of its own, so that nothing remains to be derived. Its
compiler decides what the numbers are; those of counted.S, and some of others, are derived here by hand.
"""

import os
import re
import sys
import tempfile

from tallytest import inside, tap

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.join(HERE, "..", "..", "tools", "beside-cachegrind")
PROGRAMS = os.path.join(HERE, "programs")
NAMES = ("Ir", "I1mr", "ILmr", "Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw")
FLAGS = ["-O1", "-nostdlib", "-static", "-no-pie", "-ffreestanding", "-fno-stack-protector", "-fcf-protection=none",
         "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns"]
# Cachegrind's usual caches; tiny ones; lines of 32 bytes, an I1 of one way; lines of 128 bytes, three ways.
USUAL = "I1=32768,8,64,D1=32768,8,64,LL=8388608,16,64"
TINY = "I1=1024,2,64,D1=2048,2,64,LL=16384,4,64"
NARROW = "I1=512,1,32,D1=4096,4,32,LL=32768,8,32"
WIDE = "I1=4096,4,128,D1=3072,3,128,LL=131072,8,128"
RUNS = {"counted.S": (USUAL, TINY, NARROW, WIDE), "code.c": (USUAL, NARROW), "matrix.c": (USUAL, TINY), "sorted.c": (TINY,),
        "strings.c": (NARROW,), "floats.c": (WIDE,)}
# By hand: counted.S reads 512 words, each in a line of its own, 1000 unaligned ones and 1000 that it modifies, and 200 of its
# stack; it writes 1000 and 200. An instruction of code.c is missed in each pass, because an LRU cache has lost a line that
# comes round after more lines than it holds: 40 KiB are 640 lines of 64 bytes, 1280 of 32.
LEAST = {("code.c", USUAL): {"I1mr": 4 * 640}, ("code.c", NARROW): {"I1mr": 4 * 1280},
         # A column is a line in each of 128 rows, which TINY's 32 lines do not hold.
         ("matrix.c", TINY): {"D1mr": 128 * 128 + 128 * 128 // 8}}
EXACT = {"counted.S": {"Dr": 512 + 1000 + 1000 + 200, "Dw": 1000 + 200}}


def numbers_of(text):
    """{name: (Cachegrind's, Tally's)} of the tool's table."""
    return {name: (int(theirs), int(ours)) for name, theirs, ours in re.findall(r"^(\w+) +(\d+) +(\d+) ", text, re.M)}


def check_program(report, name, program):
    for geometry in RUNS[name]:
        status, output, error = tap.command([BESIDE, "--caches", geometry, program])
        found = numbers_of(output.decode())
        report.equal(tuple(found), NAMES, f"{name}, {geometry}: both count all nine", error)
        for number in NAMES:
            theirs, ours = found.get(number, (None, -1))
            report.equal(ours, theirs, f"{name}, {geometry}: {number} is equal")
        report.equal(status, 0, f"{name}, {geometry}: the tool says so")
        for number, expected in EXACT.get(name, {}).items():
            report.equal(found.get(number), (expected, expected), f"{name}, {geometry}: {number} is the one derived by hand")
        for number, least in LEAST.get((name, geometry), {}).items():
            report.ok(found.get(number, (0, 0))[1] >= least, f"{name}, {geometry}: {number} is at least {least}, derived by hand",
                      found.get(number))


def check_elsewhere(report, program):
    """Without Cachegrind's caches there are no such events; with a geometry of another CPU's there are its caches."""
    for caches, has in ((USUAL, True), ("skylake," + USUAL, False), ("skylake", False)):
        status, output, error = tap.command(
            [inside.TALLY, "run", "--processor", "skylake", "--caches", caches, "--icount", "--add", program, "/usr/bin/perf", "stat",
             "-x,", "-e", "{Ir,Dr,D1mr}:u", program])
        text = error + output.decode()
        report.equal((status == 0, bool(re.search(r"^\d+,,Ir", text, re.M))), (has, has),
                     f"--caches {caches}: perf {'knows' if has else 'does not know'} Cachegrind's numbers by their names", text)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            program = os.path.join(folder, os.path.splitext(name)[0])
            report.equal(tap.command(["gcc", *FLAGS, "-o", program, os.path.join(PROGRAMS, name)])[0], 0, f"{name} is built")
            check_program(report, name, program)
        check_elsewhere(report, os.path.join(folder, "counted"))
    return report.done()


sys.exit(main())
