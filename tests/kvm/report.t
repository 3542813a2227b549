#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The report as a guest of KVM: exact but for cycles, in guests with 1 and 2 CPUs on Linux with 2 and 1; under -icount it repeats.

What is not exact is in docs/kvm.md. The probe of tools/tallylib/kvm.py, in the same Linux, finds that a guest counts.
"""

import os
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
# CPUs of the guest and of Linux.
MACHINES = (("1", "2"), ("2", "1"))


def check_report(report, cpus, under_cpus):
    status, output, error = tap.command([TALLY, "report", "--under", "kvm", "--cpus", cpus, "--under-cpus", under_cpus,
                                         "--timeout", "300"])
    text = output.decode(errors="replace")
    name = f"{cpus} CPUs in a Linux with {under_cpus}"
    report.equal(status, 0, f"{name}: the report's status", text, error)
    report.ok("virtual, by KVMKVMKVM" in text, f"{name}: the machine is KVM's", text)
    report.ok("24 of 36 counts are exact, 12 cannot be derived" in text, f"{name}: instructions and branches are exact", text)
    report.ok("Every sample is at the very instruction" in text, f"{name}: so are samples", text)


def check_repetition(report):
    folder = tempfile.mkdtemp(prefix="tally-kvm-")
    try:
        runs = []
        for number in range(2):
            log = os.path.join(folder, f"{number}.log")
            status, output, error = tap.command([TALLY, "run", "--under", "kvm", "--icount", "--timeout", "300", "--log", log,
                                                 SELFMON])
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
    for pmu, expected in (("emulated", "counts\n"),
                          ("none", "KVM's guests have a PMU here that does not count (0 for 1000 loops)\n")):
        status, output, error = tap.command(
            [os.path.join(ROOT, "tests", "conformance", "linux-run"), "--processor", "zen3", "--pmu", pmu, "--memory", "1024",
             "--timeout", "300", *added, "/usr/bin/python3", PROBE, os.path.join(ROOT, "tools"), *modules])
        report.equal((status, output.decode(errors="replace")), (0, expected), f"the probe under Linux, --pmu {pmu}", error)


def main():
    report = tap.Report()
    for cpus, under_cpus in MACHINES:
        check_report(report, cpus, under_cpus)
    check_repetition(report)
    check_probe(report)
    return report.done()


sys.exit(main())
