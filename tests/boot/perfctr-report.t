#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The report's table by perfctr is exact, and a switch by perfctr costs less than one by perf_event."""

import os
import re
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
BIN = os.path.join(kernels.BUILD, "user", "bin")
MACHINES = (("--pmu", "emulated"), ("--pmu", "emulated", "--pmu-counters", "1", "--cpus", "2"), ("--processor", "k8"),
            ("--processor", "zen4", "--cpus", "4"))


def main():
    report = tap.Report()
    for machine in MACHINES:
        status, output, error = tap.command([TALLY, "run", *machine, os.path.join(BIN, "selfmon"), "--perfctr"])
        report.equal(status, 0, f"selfmon --perfctr with {' '.join(machine)}", output.decode(errors="replace"), error)
    status, output, error = tap.command([TALLY, "run", "--pmu", "emulated", "--icount", os.path.join(BIN, "bench"), "--perfctr"])
    report.equal(status, 0, "bench --perfctr", output.decode(errors="replace"), error)
    costs = {name: int(cost) for name, cost in re.findall(r"^(\w+):all (\d+)$", output.decode(), re.MULTILINE)}
    empty = costs["perf_event_switch_pair_0"]
    report.equal(costs["perfctr_switch_pair_0"], empty, "a switch without counters costs the same while perfctr is idle")
    for count in (1, 2, 4):
        events, counters = (costs[f"{way}_switch_pair_{count}"] - empty for way in ("perf_event", "perfctr"))
        report.ok(counters * 4 <= events, f"perfctr adds at most a quarter of perf_event's cost for {count} counters", counters, events)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
