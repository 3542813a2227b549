#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel starts on every kind of machine that QEMU can be, and says why where it cannot.

Unlike the other tests here this one starts the emulator itself: tools/tally has no options for
chipsets and firmware. COM1 carries both the program's output and the log.
"""

import functools
import os
import subprocess
import sys

from tallytest import first_program, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
KERNEL = os.path.join(BUILD, "tally.elf")
WORDS = os.path.join(BUILD, "tests", "words")
INITRAMFS = os.path.join(BUILD, "tests", "machines.cpio")
OUTPUT = ["[/init]", "[here]"]
EXIT_DEVICE = ("-device", "isa-debug-exit,iobase=0xf4,iosize=4")
ENDED, BOOT_FAILURE = 2 * 0x20 + 1, 2 * 0x22 + 1

# The special property; CPUs that must run; QEMU's machine, CPU model, number of CPUs, memory.
STARTS = (
    ("PC of 1996's chipset", 2, "pc", "max", 2, "512M"),
    ("PC of 2007's chipset", 2, "q35", "max", 2, "512M"),
    ("no ACPI tables, so one processor", 1, "pc,acpi=off", "max", 2, "512M"),
    ("memory-mapped APIC", 4, "q35", "max,x2apic=off", 4, "512M"),
    ("first x86-64 processors: no SMAP, no XSAVE", 2, "pc", "qemu64", 2, "512M"),
    ("Skylake", 2, "q35", "Skylake-Client-v4", 2, "512M"),
    ("AMD", 2, "q35", "EPYC", 2, "512M"),
    ("no interval timer", 2, "q35,pit=off", "max", 2, "512M"),
    ("no HPET", 2, "q35,hpet=off", "max", 2, "512M"),
    ("16 MiB of memory", 1, "pc", "max", 1, "16M"),
    ("memory above 4 GiB", 2, "q35", "max", 2, "5G"),
    ("64 processors", 64, "q35", "max", 64, "512M"),
    # tests/media/machines.t has 255.
    ("more processors than the kernel can use", 256, "q35", "max", 258, "512M"),
)

# The fault; machine, CPU model, memory; the last line of the log.
REFUSALS = (
    ("no 64-bit mode", "pc", "max,lm=off", "512M",
     "this CPU has no 64-bit mode; choose an x86-64 model"),
    ("no NX", "pc", "max,nx=off", "512M", "this CPU has no NX (no-execute) bit, or the "
     "firmware hides it; choose a model that has it"),
)

# Above so many CPUs the host need not switch between their threads.
THREADS_MOST = 64


@functools.cache
def emulator():
    return subprocess.run([os.path.join(ROOT, "qemu", "build")], check=True,
                          capture_output=True, text=True).stdout.strip()


def run(machine, model, cpus, memory, end=EXIT_DEVICE):
    words = [emulator(), "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", "-nodefaults",
             "-no-user-config", "-display", "none", "-vga", "none", "-no-reboot",
             "-machine", machine, "-cpu", model, "-smp", str(cpus), "-m", memory,
             "-serial", "stdio", "-kernel", KERNEL, "-initrd", INITRAMFS,
             "-append", "-- here", *end]
    if cpus > THREADS_MOST:
        words += ["-accel", "tcg,thread=single"]
    status, output, error = tap.command(words)
    return status, output.decode(errors="replace").replace("\r", "").splitlines(), error


def main():
    report = tap.Report()
    first_program.pack(WORDS, INITRAMFS)

    for name, processors, *machine in STARTS:
        status, lines, error = run(*machine)
        program = [line for line in lines if not line.startswith("tally: ")][:2]
        found = [line.split()[1] for line in lines if " since entry" in line]
        report.equal((status, found, program, lines[-1:]),
                     (ENDED, [str(processors)], OUTPUT, ["tally: exit status 0"]), name,
                     *lines, error)
    for name, machine, model, memory, line in REFUSALS:
        status, lines, error = run(machine, model, 1, memory)
        report.equal((status, lines[-1:]), (BOOT_FAILURE, ["tally: boot: " + line]), name,
                     *lines, error)

    # Without the exit device the machine switches itself off, which is QEMU's status 0.
    for machine in "pc", "q35":
        status, lines, error = run(machine, "max", 1, "512M", ())
        report.equal((status, lines[-1:]), (0, ["tally: exit status 0"]),
                     f"{machine} switches itself off", *lines, error)
    return report.done()


sys.exit(main())
