#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's perf, PAPI and libpfm4 on AMD's CPUs: they have the names of AMD's events, and their counts are exact.

stat.t, record.t and papi.t look at the same commands, in each of their forms, on Intel's.
"""

import os
import re
import sys

from tallytest import inside, tap

PFM_COUNT = os.path.join(os.environ["TALLY_BUILD"], "tests", "pfm_count")
PASSES = 1000000
FEW, MORE, PERIOD = 100000, 300000, 10000
SAMPLES = PASSES * inside.INSTRUCTIONS_EACH // PERIOD
INSTRUCTIONS, BRANCHES, CYCLES = inside.INSTRUCTIONS_EACH, inside.BRANCHES_EACH, inside.CYCLES_EACH
NONE = "event not found"
# Cycles of stalls would depend on the caches' contents, which interrupts change.
BARE = ("--caches", "none")

# Names that perf has for every CPU; then those of perf's table for Zen 3.
GENERIC = {"cycles:u": CYCLES, "instructions:u": INSTRUCTIONS, "branches:u": BRANCHES, "branch-misses:u": 0}
ZEN3 = {"ls_not_halted_cyc:u": CYCLES, "ex_ret_instr:u": INSTRUCTIONS, "ex_ret_brn:u": BRANCHES, "ex_ret_cond:u": BRANCHES,
        "ex_ret_brn_tkn:u": BRANCHES, "ex_ret_near_ret:u": 0}
RAW = {"r0c0:u": INSTRUCTIONS, "cpu/event=0xc2/u": BRANCHES, "cpu/event=0x76/u": CYCLES}
# Zen 4 has reference cycles: event 0x120, unit mask 1.
ZEN4 = {"ref-cycles:u": CYCLES, "r100000120:u": CYCLES}
PERF = {"k8": (GENERIC, RAW), "zen3": (GENERIC, ZEN3, RAW), "zen4": (GENERIC, ZEN4, RAW)}

# Far transfers of user and of kernel mode, interrupts taken, taken branches and page faults, which differ in the works of
# spin. A system call and the return from it are far transfers. So are the delivery of an interrupt or exception and its
# IRET: these two are subtracted, because interrupts come at any time, and the number of page faults depends on where the
# stack is. A pass of `syscalls` takes its syscall and its loop's branch.
KINDS = {"k8": "r0c6:u,r0c6:k,r0cf:k,r0c4:u,page-faults", "zen3": "r0c6:u,r0c6:k,r02c:k,r0c4:u,page-faults"}
KINDS_EACH = {"loop": (0, 0, 1), "calls": (0, 0, 3), "branches": (0, 0, 3), "syscalls": (1, 1, 2), "touches": (0, 0, 1)}
FEW_KINDS, MORE_KINDS = 1000, 3000

# libpfm4's names of each CPU, and what the work has of each in a pass.
PFM = {
    "k8": {"CPU_CLK_UNHALTED": CYCLES, "RETIRED_INSTRUCTIONS": INSTRUCTIONS, "RETIRED_BRANCH_INSTRUCTIONS": BRANCHES,
           "RETIRED_TAKEN_BRANCH_INSTRUCTIONS": BRANCHES, "RETIRED_NEAR_RETURNS": 0, "RETIRED_FAR_CONTROL_TRANSFERS": 0,
           "CYCLES_NOT_IN_HALT": NONE},
    "zen3": {"CYCLES_NOT_IN_HALT": CYCLES, "RETIRED_INSTRUCTIONS": INSTRUCTIONS, "RETIRED_BRANCH_INSTRUCTIONS": BRANCHES,
             "RETIRED_TAKEN_BRANCH_INSTRUCTIONS": BRANCHES, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS": BRANCHES,
             "RETIRED_NEAR_RETURNS": 0, "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS": INSTRUCTIONS, "CPU_CLK_UNHALTED": NONE},
    "zen4": {"CYCLES_NOT_IN_HALT": CYCLES, "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS": INSTRUCTIONS,
             "RETIRED_BRANCH_INSTRUCTIONS": BRANCHES, "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS": NONE},
}


def check_pfm(report, processor):
    names = [f"{name}:u" for name in PFM[processor]]
    status, output, error = tap.command([inside.TALLY, "run", "--pmu", "emulated", "--processor", processor, *BARE, "--timeout",
                                         "300", PFM_COUNT, *names])
    expected = [f"{name}: {each if each == NONE else PASSES * each}"
                for name, each in zip(names, PFM[processor].values())]
    report.equal((status, output.decode().splitlines()[1:]), (0, expected), f"{processor}: libpfm4's names and counts", error)


def kinds(text):
    """The counts of KINDS without the far transfers of interrupts and page faults."""
    user, kernel, interrupts, taken, faults = (count for count, _ in inside.counts(text).values())
    return user, kernel - 2 * (interrupts + faults), taken


def check_papi(report, cases):
    text = cases.text("papi")
    for name in ("PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_INS", "PAPI_BR_TKN"):
        report.ok(re.search(rf"^{name} +0x\w+ +Yes +No ", text, re.M), f"papi_avail: {name}", text[:3000])
    report.ok("Fast counter read (rdpmc): yes" in text, "papi_avail: counters can be read by rdpmc", text[:2000])
    counts = [re.findall(r"^(\w+:\S+) :\s+(\d+)", cases.text(name), re.M) for name in ("counts", "counts again")]
    report.ok(len(counts[0]) == 2 and all(int(count) for _, count in counts[0]), "papi_command_line counts",
              cases.text("counts"))
    report.equal(counts[1], counts[0], "papi_command_line: the same again")
    text = cases.text("presets")
    report.ok(all(re.search(rf"^{name} :\s+[1-9]", text, re.M) for name in ("PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_INS",
                                                                         "PAPI_BR_TKN")), "papi_command_line: presets", text)


def check_perf(report, processor):
    cases = inside.Cases()
    for i, events in enumerate(PERF[processor]):
        for number in (FEW, MORE):
            cases.add(f"stat {i} {number}", f"perf stat -x, -e {','.join(events)} $SPIN {number}")
    for work in KINDS_EACH if processor in KINDS else ():
        for number in (FEW_KINDS, MORE_KINDS):
            cases.add(f"{work} {number}", f"perf stat -x, -e {KINDS[processor]} $SPIN -w {work} {number}")
    cases.add("record", f"perf record -q -o period -e instructions:u -c {PERIOD} $SPIN {PASSES}; perf report -i period --stdio")
    cases.add("script", "perf script -i period -F comm,period,event,ip,sym")
    added = ["--processor", processor, *BARE]
    if processor == "zen3":
        cases.add("papi", "papi_avail")
        for name in ("counts", "counts again"):
            cases.add(name, "papi_command_line RETIRED_INSTRUCTIONS:u RETIRED_BRANCH_INSTRUCTIONS:u")
        cases.add("presets", "papi_command_line PAPI_TOT_INS PAPI_TOT_CYC PAPI_BR_INS PAPI_BR_TKN")
        added += ["--add", "/usr/bin/papi_avail", "--add", "/usr/bin/papi_command_line"]
    cases.run(report, added)
    for i, events in enumerate(PERF[processor]):
        few, more = (inside.counts(cases.text(f"stat {i} {number}")) for number in (FEW, MORE))
        got = {name: (more.get(name, (0, 0))[0] or 0) - (few.get(name, (0, 0))[0] or 0) for name in events}
        report.equal(got, {name: each * (MORE - FEW) for name, each in events.items()},
                     f"{processor}: perf stat -e {','.join(events)}", cases.text(f"stat {i} {MORE}"))
    for work, each in KINDS_EACH.items() if processor in KINDS else ():
        few, more = (kinds(cases.text(f"{work} {number}")) for number in (FEW_KINDS, MORE_KINDS))
        report.equal([b - a for a, b in zip(few, more)], [(MORE_KINDS - FEW_KINDS) * count for count in each],
                     f"{processor}: {work}: {each} far transfers of user mode, others of the kernel, taken branches in a pass",
                     cases.text(f"{work} {MORE_KINDS}"))
    text = cases.text("record")
    report.ok(f"# Samples: {SAMPLES}  of event 'instructions:u'" in text and re.search(r"100\.00% .*spin_loop", text),
              f"{processor}: perf record -c has all samples, in the loop", text)
    lines = cases.text("script").splitlines()
    report.equal(len([line for line in lines if re.search(rf"spin +{PERIOD} instructions:u: +[0-9a-f]+ spin_loop", line)]), SAMPLES,
                 f"{processor}: perf script shows each of them", *lines[:5])
    if processor == "zen3":
        check_papi(report, cases)


def main():
    report = tap.Report()
    for processor in PFM:
        check_pfm(report, processor)
    for processor in PERF:
        check_perf(report, processor)
    return report.done()


sys.exit(main())
