#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The report as a guest of KVM: the judge names what KVM lacks, and no more; counts are exact but for cycles, in a guest with 1
CPU on Linux with 1, and one with 2 on Linux with 2; under -icount a run repeats. tests/kvm/rules.t has 2 CPUs on 1, and 1 on 2.

Time is virtual, so that a judge of interrupts judges the same each time. docs/kvm.md lists the findings of the judge and the
counts that are not exact. The probe of tools/tallylib/kvm.py, in the same Linux, finds that a guest counts.
"""

import os
import re
import subprocess
import sys
import tempfile

from tallylib import report_command, under
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
BUILD = os.environ["TALLY_BUILD"]
BIN = os.path.join(BUILD, "user", "bin")
PROBE = os.path.join(HERE, "inside-probe")
MODULES = ("irqbypass", "kvm", "kvm-amd")
# The CPU, its name in the report, CPUs of the guest and of Linux, and the report's sentence: PerfMonV2 has ref-cycles, too.
MACHINES = (("zen3", "AMD's core performance counters", "1", "1", "24 of 36 counts are exact, 12 cannot be derived"),
            ("zen4", "AMD's performance monitoring, version 2", "2", "2", "24 of 48 counts are exact, 24 cannot be derived"))
PAGE = os.path.join(ROOT, "docs", "kvm.md")
_FINDING = re.compile(r"^\| `(\w+\.\w+)` \| ([\w, ]+) \| (not ok|inexact) \| \d", re.MULTILINE)


def findings_of_page(processor):
    """[(outcome, rule)] of the table of docs/kvm.md."""
    with open(PAGE, encoding="utf-8") as file:
        rows = _FINDING.findall(file.read())
    return sorted((outcome, rule) for rule, processors, outcome in rows if processor in processors.split(", "))


def machine_words(processor, cpus, under_cpus, log):
    return ["--under", "kvm", "--icount", "--processor", processor, "--cpus", cpus, "--under-cpus", under_cpus, "--memory", "128",
            "--timeout", "900", "--log", log]


def log_of(folder, name):
    return os.path.join(folder, f"{name}.log")


def check_report(report, folder, processor, pmu, cpus, under_cpus, exact):
    """Returns the report."""
    status, output, error = tap.command([TALLY, "report", *machine_words(processor, cpus, under_cpus, log_of(folder, processor))],
                                        timeout_s=1900)
    text = output.decode(errors="replace")
    name = f"{processor}, {cpus} CPUs in a Linux with {under_cpus}"
    report.equal(status, 0, f"{name}: the report's status: no rule is broken", text, error)
    findings = re.findall(r"^  (not ok|inexact) +(\S+)$", text, re.MULTILINE)
    report.equal(sorted(findings), findings_of_page(processor), f"{name}: the judge's findings are those of docs/kvm.md", text)
    report.ok("virtual, by KVMKVMKVM" in text, f"{name}: the machine is KVM's", text)
    report.ok(pmu in text, f"{name}: the guest has the PMU", text)
    report.ok(exact in text, f"{name}: instructions and branches are exact", text)
    report.ok("Every sample is at the very instruction" in text, f"{name}: samples are exact", text)
    return text


def check_repetition(report, folder, machine, text):
    """A run of the programs of the report's second machine, in TEXT: its log is the second machine's."""
    processor, _, cpus, under_cpus, _ = machine
    first, *words = report_command.ONE_AFTER_THE_OTHER
    status, output, error = tap.command([TALLY, "run", *machine_words(processor, cpus, under_cpus, log_of(folder, "again")),
                                         os.path.join(BIN, first), *words,
                                         *(os.path.join(BIN, name) for name in report_command.PROGRAMS)],
                                        timeout_s=930)
    again = output.decode(errors="replace")
    report.equal(status, 0, "-icount: a second run ends well", again, error)
    report.ok(len(again) > 1000 and text.endswith(again), "-icount: the output repeats", again, text)
    for log, what in ((".log", "guest's log, with its times"), (".host.log", "Linux's log, with its times")):
        texts = []
        for name in (processor, "again"):
            with open(os.path.join(folder, name + log), encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        report.ok(texts[0] == texts[1] and texts[0], f"-icount: the {what} repeats")


def check_probe(report):
    kernel = subprocess.run([os.path.join(ROOT, "tests", "conformance", "linux-kernel")], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.strip()
    kernel, folder = under.quick_linux(kernel)
    modules = [os.path.join(folder, f"{name}.ko") for name in MODULES]
    added = [word for path in [PROBE, os.path.join(ROOT, "tools", "tallylib"), *modules] for word in ("--add", path)]
    for pmu, expected in (("emulated", "counts\ncounts\n"),
                          ("none", "the host's Linux has no PMU to count its guests by\n"
                                   "KVM's guests have a PMU here that does not count (0 for 1000 loops)\n")):
        status, output, error = tap.command(
            [os.path.join(ROOT, "tests", "conformance", "linux-run"), "--processor", "zen3", "--caches", "none", "--pmu", pmu,
             "--kernel", kernel, "--append", under.QUICK_WORDS, "--memory", "256", "--timeout", "300", *added,
             "/usr/bin/python3", "-S", PROBE, os.path.join(ROOT, "tools"), *modules])
        report.equal((status, output.decode(errors="replace")), (0, expected), f"the probe under Linux, --pmu {pmu}", error)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-kvm-") as folder:
        texts = [check_report(report, folder, *machine) for machine in MACHINES]
        check_repetition(report, folder, MACHINES[-1], texts[-1])
    check_probe(report)
    return report.done()


sys.exit(main())
