#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The EV67's counters in the image: exact counts, pairs, rotation, samples, ProfileMe; on 1 and 4 CPUs.

The rules are in programs/pmu_*.c. A program that prints "# type" has the serial line's interrupts until it goes on.
"""

import os
import subprocess
import sys
import threading

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
PROGRAMS = os.path.join(BUILD, "alpha", "tests")
TALLY = os.path.join(ROOT, "tools", "tally")
TIMEOUT_S = 400
TYPE_EVERY_S = 0.01


class Typist(threading.Thread):
    """Types into `run` until the event stops it, or the reader is gone."""

    def __init__(self, run):
        super().__init__(daemon=True)
        self._run = run
        self._enough = threading.Event()

    def run(self):
        while not self._enough.wait(TYPE_EVERY_S):
            try:
                self._run.stdin.write("x\n")
                self._run.stdin.flush()
            except OSError:
                return

    def stop(self):
        self._enough.set()
        self.join()


def run(cpus, name, log):
    """The program's output, and its status."""
    command = [TALLY, "run", "--arch", "alpha", "--cpus", str(cpus), "--timeout", str(TIMEOUT_S), "--log", log,
               os.path.join(PROGRAMS, name)]
    lines, typist = [], None
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            lines.append(line)
            if line.startswith("# type"):
                typist = Typist(process)
                typist.start()
            elif typist:
                typist.stop()
                typist = None
        if typist:
            typist.stop()
    return "".join(lines), process.returncode


def main():
    report = tap.Report()
    for cpus in (1, 4):
        for name in ("pmu_counts", "pmu_samples", "pmu_profileme"):
            log = os.path.join(BUILD, "alpha", f"{name}-{cpus}.log")
            output, status = run(cpus, name, log)
            wrong = tap.complaints(output)
            if status:
                wrong.append(f"its status is {status}")
            report.ok(not wrong, f"{name}: {cpus} CPUs", *wrong[:20], f"log: {log}", output[-4000:])
    return report.done()


sys.exit(main())
