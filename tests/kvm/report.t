#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The report as a guest of KVM: the judge names what KVM lacks, and no more; counts are exact but for cycles, in guests with 1 and 2
CPUs on Linux with 2 and 1; under -icount a run repeats.

Time is virtual, so that a judge of interrupts judges the same each time. docs/kvm.md lists the findings of the judge and the
counts that are not exact. The probe of tools/tallylib/kvm.py, in the same Linux, finds that a guest counts.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
BUILD = os.environ["TALLY_BUILD"]
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")
PROBE = os.path.join(HERE, "inside-probe")
MODULES = ("irqbypass", "kvm", "kvm-amd")
# The CPU, its name in the report, CPUs of the guest and of Linux, and the report's sentence: PerfMonV2 has ref-cycles, too.
MACHINES = (("zen3", "AMD's core performance counters", "1", "2", "24 of 36 counts are exact, 12 cannot be derived"),
            ("zen4", "AMD's performance monitoring, version 2", "2", "1", "24 of 48 counts are exact, 24 cannot be derived"))
PAGE = os.path.join(ROOT, "docs", "kvm.md")
_FINDING = re.compile(r"^\| `(\w+\.\w+)` \| ([\w, ]+) \| (not ok|inexact) \| \d", re.MULTILINE)


def findings_of_page(processor):
    """[(outcome, rule)] of the table of docs/kvm.md."""
    with open(PAGE, encoding="utf-8") as file:
        rows = _FINDING.findall(file.read())
    return sorted((outcome, rule) for rule, processors, outcome in rows if processor in processors.split(", "))


def check_report(report, processor, pmu, cpus, under_cpus, exact):
    status, output, error = tap.command([TALLY, "report", "--under", "kvm", "--icount", "--processor", processor, "--cpus", cpus,
                                         "--under-cpus", under_cpus, "--timeout", "900"], timeout_s=1900)
    text = output.decode(errors="replace")
    name = f"{processor}, {cpus} CPUs in a Linux with {under_cpus}"
    report.equal(status, 0, f"{name}: the report's status: no rule is broken", text, error)
    findings = re.findall(r"^  (not ok|inexact) +(\S+)$", text, re.MULTILINE)
    report.equal(sorted(findings), findings_of_page(processor), f"{name}: the judge's findings are those of docs/kvm.md", text)
    report.ok("virtual, by KVMKVMKVM" in text, f"{name}: the machine is KVM's", text)
    report.ok(pmu in text, f"{name}: the guest has the PMU", text)
    report.ok(exact in text, f"{name}: instructions and branches are exact", text)
    report.ok("Every sample is at the very instruction" in text, f"{name}: so are samples", text)


def check_repetition(report):
    folder = tempfile.mkdtemp(prefix="tally-kvm-")
    try:
        runs = []
        for number in range(2):
            log = os.path.join(folder, f"{number}.log")
            status, output, error = tap.command([TALLY, "run", "--under", "kvm", "--icount", "--cpus", "2", "--timeout", "300",
                                                 "--log", log, SELFMON])
            report.equal(status, 0, f"-icount: run {number}", output.decode(errors="replace"), error)
            texts = []
            for path in (log, os.path.join(folder, f"{number}.host.log")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
            runs.append((output, *texts))
        for i, what in enumerate(("output", "guest's log, with its times", "Linux's log, with its times")):
            report.ok(runs[0][i] == runs[1][i] and runs[0][i], f"-icount: the {what} repeats")
    finally:
        shutil.rmtree(folder)


def check_probe(report):
    kernel = subprocess.run([os.path.join(ROOT, "tests", "conformance", "linux-kernel")], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.strip()
    modules = [os.path.join(os.path.dirname(kernel), "modules", f"{name}.ko") for name in MODULES]
    added = [word for path in [PROBE, os.path.join(ROOT, "tools", "tallylib"), *modules] for word in ("--add", path)]
    for pmu, expected in (("emulated", "counts\ncounts\n"),
                          ("none", "the host's Linux has no PMU to count its guests by\n"
                                   "KVM's guests have a PMU here that does not count (0 for 1000 loops)\n")):
        status, output, error = tap.command(
            [os.path.join(ROOT, "tests", "conformance", "linux-run"), "--processor", "zen3", "--caches", "none", "--pmu", pmu,
             "--memory", "1024", "--timeout", "300", *added, "/usr/bin/python3", PROBE, os.path.join(ROOT, "tools"), *modules])
        report.equal((status, output.decode(errors="replace")), (0, expected), f"the probe under Linux, --pmu {pmu}", error)


def main():
    report = tap.Report()
    for machine in MACHINES:
        check_report(report, *machine)
    check_repetition(report)
    check_probe(report)
    return report.done()


sys.exit(main())
