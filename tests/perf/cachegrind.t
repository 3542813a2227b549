#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Cachegrind and Tally with Cachegrind's caches count the same in one static program, to the last miss.

The events are Skylake's. Without an L2, requests to the LLC are the misses of the L1s.
"""

import os
import shutil
import sys
import tempfile

from tallytest import inside, tap

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "counted.S")
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]
# Loads and stores of instructions; offcore_requests of fetches, loads and stores; the LLC's misses: of loads, of all.
EVENTS = {"Ir": "instructions:u", "Dr": "r81d0:u", "stores": "r82d0:u", "I1mr": "r02b0:u", "D1mr": "r01b0:u",
          "D1mw": "r04b0:u", "DLmr": "r10b0:u", "LL": "r412e:u"}
# The program's ADD to memory: a store that Cachegrind does not count as a write.
MODIFIES = 1000


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        program, out = os.path.join(folder, "counted"), os.path.join(folder, "out")
        report.equal(tap.command(["gcc", "-nostdlib", "-static", "-no-pie", "-o", program, SOURCE])[0], 0, "the program is built")
        status, _, error = tap.command([shutil.which("valgrind") or "valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES,
                                        f"--cachegrind-out-file={out}", program])
        report.equal(status, 0, "Cachegrind runs it", error)
        with open(out, encoding="utf-8") as file:
            lines = dict(line.split(": ", 1) for line in file.read().splitlines() if line.startswith(("events: ", "summary: ")))
        theirs = dict(zip(lines["events"].split(), map(int, lines["summary"].split())))
        status, output, error = tap.command(
            [inside.TALLY, "run", "--processor", "skylake", "--caches", "cachegrind", "--icount", "--timeout", "100", "--add",
             program, "/usr/bin/perf", "stat", "-x,", "-e", "{" + ",".join(EVENTS.values()) + "}", program])
        report.equal(status, 0, "perf stat runs it on Tally", error)
    found = inside.counts(error + output.decode())
    ours = {name: found.get(event, (None,))[0] for name, event in EVENTS.items()}
    for name in ("Ir", "Dr", "I1mr", "D1mr", "D1mw", "DLmr"):
        report.equal(ours[name], theirs[name], f"{name} is equal")
    report.equal(ours["stores"], theirs["Dw"] + MODIFIES, "Dw is equal, but for the stores of read-modify-writes")
    report.equal(ours["LL"], theirs["ILmr"] + theirs["DLmr"] + theirs["DLmw"], "all misses of the last level are equal")
    return report.done()


sys.exit(main())
