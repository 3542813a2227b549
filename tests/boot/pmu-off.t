#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""pmu=off: no PMU of the machine is registered, no register of one is written, and lists of steps still run.

Firmware leaves the registers as a reset does: on the emulated PMU, IA32_PERF_GLOBAL_CTRL with a bit for each general
counter (SDM vol. 3A, table 10-1), which the kernel's driver would clear.
"""

import os
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
STEPS = os.path.join(BUILD, "user", "bin", "pmu_steps")
LOG = os.path.join(BUILD, "tests", "pmu-off.log")
MACHINE = ("--pmu", "emulated", "--cpus", "2", "--timeout", "400")
# The low byte of IA32_PERF_GLOBAL_CTRL of both CPUs, as text; then the PMUs.
LOOK = ("/bin/busybox", "sh", "-c", "for cpu in 0 1; do dd if=/dev/cpu/$cpu/msr bs=8 count=1 skip=911 iflag=skip_bytes 2>/dev/null "
        "| od -An -tx1; done; ls /sys/bus/event_source/devices")


def run(*words):
    return tap.command([TALLY, "run", *MACHINE, "--log", LOG, *words])


def main():
    report = tap.Report()
    for words, value, name in (((), "00", "without the word the driver clears the register, and there is a PMU"),
                               (("--append", "pmu=off"), "0f", "pmu=off leaves the register as the reset did, and there is none")):
        status, output, error = run(*words, *LOOK)
        lines = output.decode().split()
        report.equal((status, lines[:1], lines[8:9], "cpu" in lines[16:]), (0, [value], [value], not words), name, output, error)
    with open(LOG, encoding="utf-8", errors="replace") as file:
        log = file.read()
    report.ok("PMU: not used: the command line has pmu=off" in log, "the log says so", log)
    status, output, error = run("--append", "pmu=off", STEPS)
    report.equal((status, tap.complaints(output.decode())), (0, []), "lists of steps run without a driver", error)
    status, _, error = run("--append", "pmu=on", "/bin/busybox", "true")
    report.ok(status == 122 and "pmu=on: the only value is off" in error, "another value is a boot failure", status, error)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
