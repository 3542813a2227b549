#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Damaged executables: the tool refuses each in one line, and the kernel refuses it unaided.

Each row of DAMAGE is made from one good executable. The tool's answer is status 126. With --no-check
the kernel gets the file: it must end with a boot failure (status 122) that names the program, never
with a panic.
"""

import os
import struct
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
FOLDER = os.path.join(BUILD, "tests", "bad-programs")

# ELF-64: offsets of fields in the file header and in a program header.
E_CLASS, E_DATA, E_TYPE, E_MACHINE, E_PHOFF, E_PHENTSIZE, E_PHNUM = 4, 5, 16, 18, 32, 54, 56
P_TYPE, P_OFFSET, P_VADDR, P_FILESZ, P_MEMSZ = 0, 8, 16, 32, 40
PH_BYTES = 56
PT_LOAD, PT_INTERP, PT_NOTE = 1, 3, 4
KERNEL_SPACE = 0xffffffff80000000
USER_END = (1 << 47) - 4096


class Program:
    """A good executable's bytes, to be damaged; its loadable segments by number."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.phoff, = struct.unpack_from("<Q", data, E_PHOFF)
        count, = struct.unpack_from("<H", data, E_PHNUM)
        headers = [self.phoff + i * PH_BYTES for i in range(count)]
        self.loads = [at for at in headers if self.get(at + P_TYPE, "<I") == PT_LOAD]
        self.others = [at for at in headers if at not in self.loads]

    def get(self, at, form="<Q"):
        return struct.unpack_from(form, self.data, at)[0]

    def put(self, at, value, form="<Q"):
        struct.pack_into(form, self.data, at, value)
        return self

    def load(self, number, field, value):
        """Sets a field of a loadable segment."""
        return self.put(self.loads[number] + field, value)

    def cut(self, size):
        del self.data[size:]
        return self


def at_end_of_user_space(program):
    """Moves the last segment so that it ends just where user space does, plus one page."""
    vaddr = program.get(program.loads[-1] + P_VADDR)
    return program.load(-1, P_VADDR, USER_END + vaddr % 4096)


def overlap(program):
    """Moves the second segment a page into the first one, keeping its place within the page."""
    first = program.get(program.loads[0] + P_VADDR)
    program.load(0, P_MEMSZ, 0x3000)
    place = program.get(program.loads[1] + P_VADDR) % 4096
    return program.load(1, P_VADDR, first - first % 4096 + 0x1000 + place)


def without_segments(program):
    for at in program.loads:
        program.put(at + P_TYPE, PT_NOTE, "<I")
    return program


def replace(program, data):
    program.data[:] = data
    return program


# Name, the damage to a good program, the tool's expected message.
DAMAGE = (
    ("empty", lambda p: p.cut(0), "is empty"),
    ("one-byte", lambda p: p.cut(1), "is no ELF executable"),
    ("magic-only", lambda p: p.cut(4), "cut off inside its ELF header"),
    ("half-header", lambda p: p.cut(40), "cut off inside its ELF header"),
    ("header-only", lambda p: p.cut(64), "its program headers end at byte"),
    ("half-program-headers", lambda p: p.cut(p.phoff + PH_BYTES + 1), "its program headers end at"),
    ("cut-segment", lambda p: p.cut(p.get(p.loads[1] + P_OFFSET) + 1), "is cut off: the segment"),
    ("script", lambda p: replace(p, b"#! \necho no\n"), "names no interpreter"),
    ("garbage", lambda p: replace(p, bytes(range(256)) * 16), "is no ELF executable"),
    ("class-32", lambda p: p.put(E_CLASS, 1, "<B"), "is a 32-bit executable"),
    ("big-endian", lambda p: p.put(E_DATA, 2, "<B"), "is big-endian"),
    ("machine-alpha", lambda p: p.put(E_MACHINE, 0x9026, "<H"), "is for Alpha"),
    ("machine-arm", lambda p: p.put(E_MACHINE, 183, "<H"), "is for AArch64"),
    ("object-file", lambda p: p.put(E_TYPE, 1, "<H"), "is an object file"),
    ("core-dump", lambda p: p.put(E_TYPE, 4, "<H"), "is a core dump"),
    ("unknown-type", lambda p: p.put(E_TYPE, 0x1234, "<H"), "unknown ELF type"),
    ("phentsize", lambda p: p.put(E_PHENTSIZE, 55, "<H"), "program headers of 55 bytes"),
    ("phnum-none", lambda p: p.put(E_PHNUM, 0, "<H"), "no program headers"),
    ("phnum-many", lambda p: p.put(E_PHNUM, 0xffff, "<H"), "its program headers end at byte"),
    ("phoff-far", lambda p: p.put(E_PHOFF, 1 << 63), "its program headers end at byte"),
    ("phoff-wraps", lambda p: p.put(E_PHOFF, (1 << 64) - 56), "its program headers end at byte"),
    ("offset-wraps", lambda p: p.load(0, P_OFFSET, (1 << 64) - 4096), "is cut off: the segment"),
    ("filesz-huge", lambda p: p.load(0, P_FILESZ, (1 << 63)), "is cut off: the segment"),
    ("filesz-over-memsz", lambda p: p.load(0, P_MEMSZ, 1), "more bytes in the file"),
    ("memsz-huge", lambda p: p.load(0, P_MEMSZ, 1 << 62), "reaches into kernel space"),
    ("memsz-wraps", lambda p: p.load(0, P_MEMSZ, (1 << 64) - 1), "reaches into kernel space"),
    ("kernel-space", lambda p: p.load(0, P_VADDR, KERNEL_SPACE), "reaches into kernel space"),
    ("non-canonical", lambda p: p.load(0, P_VADDR, 1 << 50), "reaches into kernel space"),
    ("end-of-user-space", at_end_of_user_space, "reaches into kernel space"),
    ("page-zero", lambda p: p.load(0, P_VADDR, 0), "where nothing can be mapped"),
    ("misaligned", lambda p: p.load(0, P_VADDR, p.get(p.loads[0] + P_VADDR) + 8), "within a page"),
    ("overlap", overlap, "overlap"),
    ("no-segments", without_segments, "no segment to load"),
    ("dynamic", lambda p: p.put(p.others[0] + P_TYPE, PT_INTERP, "<I"), "dynamic loader is damaged"),
)


def run(path, *options):
    return tap.command([TALLY, "run", "--timeout", "400", "--log", path + ".log",
                        *options, path])


def main():
    report = tap.Report()
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(BUILD, "tests", "words"), "rb") as file:
        good = file.read()
    for name, damage, says in DAMAGE:
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(damage(Program(good)).data)
        status, _, error = run(path)
        report.equal(status, 126, f"{name}: the tool refuses it", error)
        report.ok(says in error and error.startswith(f"tally: {path}: ") and error.count("\n") == 1,
                  f"{name}: in one line that says: {says}", error)
        status, output, error = run(path, "--no-check")
        report.equal((status, output), (122, b""), f"{name}: the kernel refuses it, too", error)
        report.ok(f"/bin/{name}" in error, f"{name}: the kernel names it", error)
    return report.done()


sys.exit(main())
