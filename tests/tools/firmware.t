#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Which firmware starts a machine (tools/tallylib/emulator.py, firmware()), and that a program finds the same machine with both."""

import os
import shutil
import sys
import tempfile

from tallylib import device, emulator, paths
from tallylib.failure import BOOT
from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
KERNEL = os.path.join(kernels.BUILD, "tally.elf")
QEMU = "qemu-system-x86_64"

# A program's view of the machine, without the parts that differ: addresses of PCI's regions, lines of INTx, RAM that SeaBIOS keeps.
LOOK = """set -e; nproc; cat /sys/devices/system/cpu/online; grep -c . /proc/interrupts; cut -d : -f 1 /proc/net/dev || true
for i in /sys/bus/pci/devices/*; do cat $i/vendor $i/device; cut -d ' ' -f 3 $i/resource; readlink $i/driver || true; done
cat /mnt/file"""
# Each with another device or part of the start.
RUNS = (
    ("virtual time", ("--icount",), f"{LOOK}; date"),
    ("3 CPUs", ("--cpus", "3"), LOOK),
    ("little memory", ("--memory", "24"), LOOK),
    ("memory up to PCI's addresses", ("--memory", "3583"), LOOK),
    ("memory on both sides of PCI's addresses", ("--memory", "3584"), LOOK),
    ("a network device", ("--net",), LOOK),
    ("accelerators", ("--device", "dsa", "--device", "iax"), LOOK),
    ("the end by ACPI", ("--append", "end=poweroff", "--timeout", "120"), LOOK),
)
# Words of `tally count`, for an empty program.
COUNTS = (("a program", ()), ("a program on 2 CPUs", ("--cpus", "2")), ("functions", ("--functions",)),
          ("an AMD", ("--processor", "k8")))


def words(kernel=KERNEL, **more):
    """The name of the firmware that firmware() chooses; None: QEMU's own."""
    chosen = emulator.firmware(emulator.Options(**{"pmu": "emulated", **more}), kernel)
    return os.path.basename(chosen[1]) if chosen else None


def choose(emulator_path):
    """From now on the emulator of this process and its children is this one."""
    os.environ["TALLY_QEMU"] = emulator_path
    paths.emulator.cache_clear()


def emulator_in(folder, qboot):
    """The path of our emulator in a new tree, with `qboot`, a file, as its qboot.rom, or without."""
    real = paths.emulator(needs_model=True)
    data = os.path.join(folder, "share", "qemu")
    os.makedirs(data)
    os.mkdir(os.path.join(folder, "bin"))
    if qboot:
        os.symlink(qboot, os.path.join(data, "qboot.rom"))
    path = os.path.join(folder, "bin", QEMU)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$@" >>{path}.words\nexec {real} "$@"\n')
    os.chmod(path, 0o755)
    return path


def rule(report, folder, with_qboot, without):
    other = os.path.join(folder, "other.elf")
    with open(other, "wb") as file:
        file.write(b"\x7fELF, a kernel that gives no addresses")
    shared = device.parse("dsa,queue=user")
    choose(with_qboot)
    for name, chosen, expected in (
            ("a plain machine", words(), "qboot.rom"),
            ("a machine with CPUs, memory and virtual time", words(cpus=255, memory_mib=3000, icount=True), "qboot.rom"),
            ("a machine without a PMU", words(pmu="none"), "qboot.rom"),
            ("a machine with an accelerator", words(devices=[device.parse("dsa")]), "qboot.rom"),
            ("the machine with an IOMMU", words(devices=[shared]), None),
            ("a machine of KVM", words(pmu="kvm"), None),
            ("the Alpha", words(arch="alpha"), None),
            ("another medium", words(kernel=None), None),
            ("a kernel that gives no addresses", words(kernel=other), None),
            ("a kernel that is not there", words(kernel=other + "x"), None)):
        report.equal(chosen, expected, f"{'qboot' if expected else 'SeaBIOS'} starts {name}")
    choose(without)
    report.equal(words(), None, "SeaBIOS starts a plain machine of an emulator without qboot.rom")
    system = shutil.which(QEMU)
    if system:
        choose(system)
        report.equal(words(pmu="none"), None, "SeaBIOS starts a machine of the system's emulator")
    else:
        report.skip("SeaBIOS starts a machine of the system's emulator", "there is none")


def both(report, emulators, name, command):
    """COMMAND does the same with each emulator: its status, 0 or that of a machine that was switched off, and its output."""
    results = []
    for path in emulators:
        choose(path)
        status, output, error = tap.command([TALLY, *command])
        results.append((status, output.decode(errors="replace")))
        with open(path + ".words", encoding="utf-8") as file:
            report.equal("qboot.rom" in file.read(), path == emulators[1], f"{name}: qboot starts the second machine only")
        os.remove(path + ".words")
    report.equal(results[1], results[0], name, error)
    expected = BOOT if "end=poweroff" in command else 0
    report.equal(results[0][0], expected, f"{name}: it ends well", error)


def main():
    report = tap.Report()
    qboot = os.path.join(os.path.dirname(os.path.dirname(paths.emulator(needs_model=True))), "share", "qemu", "qboot.rom")
    with tempfile.TemporaryDirectory(prefix="firmware-", dir=kernels.BUILD) as folder:
        file = os.path.join(folder, "file")
        with open(file, "w", encoding="utf-8") as shared:
            shared.write("shared\n")
        with_qboot = emulator_in(os.path.join(folder, "with"), qboot if os.path.exists(qboot) else file)
        without = emulator_in(os.path.join(folder, "without"), None)
        rule(report, folder, with_qboot, without)
        if os.path.exists(qboot):
            for name, options, look in RUNS:
                both(report, (without, with_qboot), f"the same machine: {name}",
                     ["run", *options, "--no-share", "--share", f"{folder}:/mnt", "--", "/bin/busybox", "sh", "-c", look])
            for name, options in COUNTS:
                both(report, (without, with_qboot), f"the same counts: {name}",
                     ["count", *options, "--", os.path.join(kernels.BUILD, "tests", "nothing")])
        else:
            report.skip("the same machine and counts with both", "this emulator has no qboot.rom")
    return report.done()


sys.exit(main())
