#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The emulator names each selection once that a counter counts and no event models, and no other."""

import os
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

INTEL = "max,vendor=GenuineIntel,pmu=on"
AMD = "max,vendor=AuthenticAMD,pmu=on"
# The machine, and the selections that its guest counts and the emulator does not model.
MACHINES = (
    ("x86_64", "unmodelled", ["-M", "pc", "-cpu", INTEL, "-smp", "1", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
     " version=5 counters=4 width=48 cpus=1", ["event 0x2e, umask 0x41 (r412e)", "event 0xc5, umask 0x00 (r00c5)"]),
    ("x86_64", "unmodelled", ["-M", "pc", "-cpu", INTEL, "-smp", "4", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
     " version=5 counters=4 width=48 cpus=4", ["event 0x2e, umask 0x41 (r412e)", "event 0xc5, umask 0x00 (r00c5)"]),
    ("x86_64", "unmodelled", ["-M", "pc", "-cpu", AMD, "-smp", "2", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
     " amd=3 counters=6 width=48 cpus=2", ["event 0x1cf, umask 0x02 (r1000002cf)", "event 0x2e, umask 0x41 (r412e)",
                                           "event 0xc5, umask 0x00 (r00c5)"]),
    ("alpha", "counters", ["-M", "clipper", "-cpu", "ev67,pmu=on", "-vga", "none"], "",
     ["the event that SL1=1 selects for counter 1"]),
    ("alpha", "profile", ["-M", "clipper", "-cpu", "ev67,pmu=on", "-vga", "none"], "", []),
)
LINE = "warning: the PMU does not model {}, which is counted: it never happens"


def built(script, *words):
    return subprocess.run([os.path.join(ROOT, script), *words], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def emulator(arch):
    variable = "TALLY_QEMU" if arch == "x86_64" else "TALLY_QEMU_ALPHA"
    return os.environ.get(variable) or built("qemu/build", "--arch", arch)


def main():
    report = tap.Report()
    for arch, suite, machine, words, named in MACHINES:
        guest = built("tests/qemu/build-guest" + ("" if arch == "x86_64" else "-alpha"))
        qemu = emulator(arch)
        _, output, error = tap.command([qemu, *machine, "-m", "128", "-nodefaults", "-no-user-config", "-nic", "none",
                                        "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", guest, "-append",
                                        f"suite={suite}{words}"])
        name = f"{arch}, {suite}{words}"
        report.equal(tap.complaints(output.decode().replace("\r", "")), [], f"{name}: the guest's own points are good")
        expected = [f"{os.path.basename(qemu)}: {LINE.format(selection)}" for selection in named]
        report.equal(sorted(error.splitlines()), expected,
                     f"{name}: the emulator names the selections that count and are not modelled")
    return report.done()


sys.exit(main())
