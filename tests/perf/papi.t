#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's PAPI utilities, and a program linked with Debian's libpfm4: they list events, and count with them.

PAPI knows CPUs by their model and has no events for an unknown one; so here the machine says that it is
a Skylake.
"""

import os
import re
import sys

from tallytest import inside, tap

PFM_COUNT = os.path.join(os.environ["TALLY_BUILD"], "tests", "pfm_count")
UTILITIES = ("papi_avail", "papi_native_avail", "papi_command_line", "papi_cost", "papi_clockres")
PASSES = 1000000
EXACT = (("ix86arch::INSTRUCTION_RETIRED:u", inside.INSTRUCTIONS_EACH), ("BRANCH_INSTRUCTIONS_RETIRED:u", inside.BRANCHES_EACH),
         ("UNHALTED_CORE_CYCLES:u", inside.CYCLES_EACH), ("perf::PERF_COUNT_HW_INSTRUCTIONS:u", inside.INSTRUCTIONS_EACH))
USER = "INST_RETIRED:ANY_P:u=1 BR_INST_RETIRED:ALL_BRANCHES:u=1"


def check_pfm(report):
    status, output, error = tap.command([inside.TALLY, "run", "--pmu", "emulated", "--timeout", "300", PFM_COUNT,
                                         *(name for name, _ in EXACT), "nosuch:u"])
    lines = output.decode().splitlines()
    report.equal(status, 0, "libpfm4: the program exits with status 0", error, *lines)
    for name in ("UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED"):
        report.ok(f"event ix86arch::{name}" in lines, f"libpfm4 lists {name}", *lines)
    for name, each in EXACT:
        report.ok(f"{name}: {PASSES * each}" in lines, f"libpfm4 counts {name}: {each} for each pass", *lines)
    report.ok("nosuch:u: event not found" in lines, "libpfm4: an unknown event is an error", *lines)


def check_papi(report, cases):
    text = cases.text("available")
    for name in ("PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_INS", "PAPI_REF_CYC"):
        report.ok(re.search(rf"^{name} +0x\w+ +Yes +No ", text, re.M), f"papi_avail: {name}", text[:3000])
    report.ok("Fast counter read (rdpmc): yes" in text, "papi_avail: counters can be read by rdpmc", text[:2000])
    text = cases.text("native")
    for name in ("ix86arch::UNHALTED_CORE_CYCLES", "ix86arch::INSTRUCTION_RETIRED"):
        report.ok(f"| {name} " in text, f"papi_native_avail: {name}", text[:2000])
    report.ok("INST_RETIRED" in cases.text("one") and "ANY_P" in cases.text("one"), "papi_native_avail -e: one event",
              cases.text("one"))
    counts = [re.findall(r"^(\w+:\S+) :\s+(\d+)", cases.text(name), re.M) for name in ("counts", "counts again")]
    report.ok(len(counts[0]) == 2 and all(int(count) for _, count in counts[0]), "papi_command_line counts",
              cases.text("counts"))
    report.equal(counts[1], counts[0], "papi_command_line: the same again")
    text = cases.text("preset")
    report.ok(all(re.search(rf"^{name} :\s+[1-9]", text, re.M) for name in ("PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_TOT_CYC")),
              "papi_command_line: presets", text)
    text = cases.text("clocks")
    report.equal(cases.status("clocks"), 0, "papi_clockres ends well: the CPU's frequency is in /proc/cpuinfo", text)
    for name in ("real_cyc", "real_usec", "virt_cyc", "virt_usec"):
        report.ok(f"PAPI_get_{name} :" in text and "Negative" not in text, f"papi_clockres: {name} goes forward", text)
    text = cases.text("cost")
    for name in ("loop latency", "PAPI_start/stop", "PAPI_read ", "PAPI_accum", "PAPI_reset"):
        report.ok(re.search(rf"Total cost for {name}.*\nmin cycles +: [1-9]", text), f"papi_cost: {name.strip()}", text[:3000])


def main():
    report = tap.Report()
    check_pfm(report)
    cases = inside.Cases()
    cases.add("available", "papi_avail")
    # All of them would take minutes to describe.
    cases.add("native", "papi_native_avail | head -100")
    cases.add("one", "papi_native_avail -e skl::INST_RETIRED")
    cases.add("counts", f"papi_command_line {USER}")
    cases.add("counts again", f"papi_command_line {USER}")
    cases.add("preset", "papi_command_line PAPI_TOT_INS PAPI_BR_INS PAPI_TOT_CYC")
    cases.add("cost", "papi_cost -t 50")
    cases.add("clocks", "papi_clockres")
    cases.run(report, ("--cpu", "Skylake-Client",
                       *(word for name in UTILITIES for word in ("--add", os.path.join("/usr/bin", name)))))
    check_papi(report, cases)
    return report.done()


sys.exit(main())
