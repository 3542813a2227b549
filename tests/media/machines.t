#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Machines without firmware, or without what a PC has, start the ELF: by PVH, and by multiboot.

QEMU takes multiboot where it finds it. A copy without that header shows that PVH suffices, as it has to for
Cloud Hypervisor and Firecracker.
"""

import os
import sys

from tallylib import initramfs, paths
from tallytest import first_program, stock, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
ELF = os.path.join(BUILD, "tests", "media-machines.elf")
PVH = os.path.join(BUILD, "tests", "media-pvh.elf")
KERNEL = os.path.join(BUILD, "tests", "media-kernel.elf")
INITRAMFS = os.path.join(BUILD, "tests", "media-machines.cpio")
STREAM = os.path.join(BUILD, "tests", "media-machines.stream")
LOG = os.path.join(BUILD, "tests", "media-machines.log")
OUTPUT = ["[/bin/words]", "[here]", "[PATH=/bin:/usr/bin]", "[HOME=/]"]
BARE = "microvm,acpi=off,pit=off,pic=off,rtc=off,isa-serial=on"
OURS = "ours"
# The host need not switch between 255 threads. Our emulator starts so many CPUs in half of the time.
ONE_THREAD = ("-accel", "tcg,thread=single")

# The special property; CPUs that must run; the ELF; QEMU's machine; its other words.
STARTS = (
    ("PVH on a PC", 2, PVH, "pc", ("-smp", "2")),
    ("PVH on q35", 2, PVH, "q35", ("-smp", "2")),
    ("PVH on a microVM", 2, PVH, "microvm", ("-smp", "2")),
    ("PVH on a microVM without ACPI, timers, interrupt controllers and clock", 2, PVH, BARE, ("-smp", "2")),
    ("multiboot on such a microVM", 1, ELF, BARE, ()),
    ("CPUs by the tables of the MultiProcessor Specification", 3, ELF, "pc,acpi=off", ("-smp", "3,sockets=3")),
    ("sparse numbers of APICs", 6, ELF, "q35", ("-smp", "6,sockets=2,cores=3,threads=1")),
    ("memory from 1 TiB on", 1, ELF, "q35,memory-backend=m",
     ("-cpu", "max,phys-bits=46", "-m", "1100G", "-object", "memory-backend-ram,id=m,size=1100G,reserve=off")),
    ("255 CPUs", 255, ELF, "q35", ("-smp", "255", "-cpu", "max,x2apic=off", *ONE_THREAD, OURS)),
    ("255 CPUs, with x2APIC", 255, ELF, "q35", ("-smp", "255", *ONE_THREAD, OURS)),
)


def check_starts(report):
    for name, cpus, elf, machine, options in STARTS:
        emulator = paths.emulator(True) if OURS in options else stock.QEMU
        options = [word for word in options if word != OURS]
        if emulator != stock.QEMU:
            options += ["-L", "/usr/share/seabios", "-L", "/usr/share/qemu"]
        status, lines = stock.run("-machine", machine, *options, "-kernel", elf, emulator=emulator)
        report.equal((status, [line for line in lines if line.startswith("[")],
                      [line.split()[1] for line in lines if " since entry" in line]),
                     (stock.ENDED, OUTPUT, [str(cpus)]), name, *lines)


def check_modules(report):
    """Words and an initramfs by PVH."""
    stock.without_multiboot(os.path.join(BUILD, "tally.elf"), KERNEL)
    for name, words, expected in (
            ("words of the command line", "loglevel=0 -- here", (stock.ENDED, 0, ["[/init]", "[here]"])),
            ("a module that is no initramfs", "", None)):
        status, lines = stock.run("-machine", "microvm", "-kernel", KERNEL, "-append", words, "-initrd",
                                  INITRAMFS if expected else WORDS)
        if expected:
            report.equal((status, len([line for line in lines if line.startswith("tally: ")]) - 1,
                          [line for line in lines if line.startswith("[")][:2]), expected, f"PVH: {name}", *lines)
        else:
            report.equal((status, lines[-1:][0].startswith("tally: boot: ") if lines else None),
                         (stock.BOOT_FAILURE, True), f"PVH: {name} is refused", *lines)


def check_virtio(report):
    """A virtio console without PCI: its words are QEMU's, or the test's."""
    stock.without_multiboot(os.path.join(BUILD, "tally.elf"), KERNEL)
    data = os.urandom(300000)
    # QEMU's words come at the end, so the program's cannot come after "--".
    with open(INITRAMFS, "wb") as file:
        file.write(initramfs.pack_program(WORDS, ["copy"], {}))
    device = ["-global", "virtio-mmio.force-legacy=false", "-device", "virtio-serial-device,id=s,max_ports=3",
              "-chardev", "stdio,id=io,signal=off", "-device", "virtserialport,bus=s.0,nr=1,chardev=io,name=tally.input",
              "-chardev", "file,id=o,path=" + STREAM, "-device", "virtserialport,bus=s.0,nr=2,chardev=o,name=tally.output"]
    status, _, error = tap.command(stock.words("-machine", "microvm,acpi=off", *device, "-kernel", KERNEL, "-initrd", INITRAMFS,
                                               "-append", "console=virtio log=com1", "-serial", "file:" + LOG), stdin=data)
    with open(STREAM, "rb") as file:
        got = file.read()
    with open(LOG, encoding="utf-8", errors="replace") as file:
        log = file.read()
    report.ok((status, got) == (stock.ENDED, data), "a virtio console on MMIO copies 300000 bytes", status, len(got), error, log)
    report.ok("means nothing" not in log, "a virtio console on MMIO: the kernel understands its words", log)
    words = ("0x200@0xfeb00e00:16", "0x200@0xfeb00e00", "256@0xfeb00e00:5", "0x200@0x1000:5", "99999999999999999999@0x1:5",
             "0x200@0xfeb80000:5", "4G@:")
    _, lines = stock.run("-machine", "microvm,acpi=off", "-kernel", KERNEL, "-initrd", INITRAMFS, "-append",
                         " ".join("virtio_mmio.device=" + word for word in words) + " console=virtio")
    told = [line.split(": ")[2] for line in lines if ": left alone: " in line]
    report.equal(told, ["virtio_mmio.device=" + word for word in words], "words that name no device are left alone", *lines)
    for path in STREAM, LOG:
        os.unlink(path)


def check_refusals(report):
    for name, model, line in (
            ("32 bits", "qemu32", "this CPU has no 64-bit mode; choose an x86-64 model"),
            ("no CPUID to speak of", "486", "this CPU has no 64-bit mode; choose an x86-64 model"),
            ("no NX", "max,nx=off", "this CPU has no NX (no-execute) bit, or the firmware hides it; choose a model "
             "that has it"),
            ("x87 only", "max,sse=off,sse2=off,fxsr=off", "this CPU has no SSE2, or the firmware hides it; choose a model that has it")):
        status, lines = stock.run("-cpu", model, "-kernel", ELF)
        report.equal((status, lines[-1:]), (stock.BOOT_FAILURE, ["tally: boot: " + line]), f"{name}: one clear line",
                     *lines)


def main():
    report = tap.Report()
    report.equal(tap.command([TALLY, "image", "-o", ELF, WORDS, "here"]), (0, b"", ""), "an ELF is made")
    stock.without_multiboot(ELF, PVH)
    first_program.pack(WORDS, INITRAMFS)
    check_starts(report)
    check_modules(report)
    check_virtio(report)
    check_refusals(report)
    for path in ELF, PVH, KERNEL:
        os.unlink(path)
    return report.done()


sys.exit(main())
