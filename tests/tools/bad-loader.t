#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel checks a boot loader's description: a wrong description ends in a sentence, never in a panic.

loader.c starts the kernel with one wrong statement at a time. Where the log goes is one of the things a
loader tells, so what is found before that is read stands on COM1, the kernel's default.
"""

import os
import struct
import sys

from tallylib import initramfs
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
LOADER = os.path.join(BUILD, "tests", "loader.elf")
MODULE = os.path.join(BUILD, "tests", "loader-module")
LOG = os.path.join(BUILD, "tests", "loader.log")

# The lie, and the kernel's expected message.
LIES = (
    ("over-kernel", "lies over the kernel"),
    ("around-kernel", "lies over the kernel"),
    ("reversed", "ends before it begins"),
    ("beyond-memory", "does not fit into memory"),
    ("half-beyond-memory", "does not fit into memory"),
    ("in-a-device", "does not fit into memory"),
    ("top-of-space", "does not fit into memory"),
    ("empty-module", "initramfs"),
    ("no-module", "no initramfs"),
    ("no-modules", "no initramfs"),
    ("many-modules", "more than 8 modules"),
    ("no-map", "gave no memory map"),
    ("empty-map", "memory"),
    ("map-in-nothing", "memory"),
    ("no-magic", "no multiboot loader"),
    ("endless-line", "command line is longer"),
)


def run(lie):
    return tap.command([TALLY, "run", "--kernel", LOADER, "--no-check", "--initrd", MODULE,
                        "--append", f"lie={lie}", "--log", LOG, "--timeout", "400"])


def main():
    report = tap.Report()
    with open(os.path.join(BUILD, "tally.elf"), "rb") as file:
        kernel = file.read()
    archive = initramfs.pack_program(os.path.join(BUILD, "tests", "words"), ["7"], {})
    with open(MODULE, "wb") as file:
        file.write(struct.pack("<Q", len(kernel)) + kernel + archive)

    status, output, error = run("none")
    report.equal((status, output), (7, b"[/bin/words]\n[7]\n"), "an honest description boots", error)
    for lie, says in LIES:
        status, output, error = run(lie)
        with open(LOG, encoding="utf-8", errors="replace") as file:
            said = output.decode(errors="replace") + file.read()
        sentence = [line for line in said.splitlines() if "tally: boot: " in line]
        report.equal(status, 122, f"{lie}: cannot boot", error, said)
        report.ok(len(sentence) == 1 and says in sentence[0], f"{lie}: because: {says}", said)
    return report.done()


sys.exit(main())
