#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Machines without a serial line show everything on the screen: what a disk image starts, by BIOS and by UEFI, and why
a machine cannot start. A screenshot is compared, glyph by glyph.
"""

import os
import sys

from tallytest import screenshot, stock, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
DISK = os.path.join(BUILD, "tests", "screens.disk")
REPORT = os.path.join(BUILD, "tests", "screens.report")
SHOT = os.path.join(BUILD, "tests", "screens.ppm")
OUTPUT = ["[/bin/words]", "[9]", "[PATH=/bin:/usr/bin]", "[HOME=/]", "tally: exit status 9"]
NO_NX = "tally: boot: this CPU has no NX (no-execute) bit, or the firmware hides it; choose a model that has it"
NO_LONG_MODE = "tally: boot: this CPU has no 64-bit mode; choose an x86-64 model"
# The special property; the medium; QEMU's words; the lines that are on the screen, the last of them last.
SCREENS = (
    ("by BIOS", DISK, (), ["tally: screen: framebuffer, 160 by 50", *OUTPUT]),
    ("by UEFI", DISK, stock.UEFI, ["tally: screen: framebuffer, 160 by 50", *OUTPUT]),
    ("a CPU without NX", DISK, ("-cpu", "max,nx=off"), ["tally: screen: framebuffer, 160 by 50", NO_NX]),
    # Debian's QEMU has no PMU.
    ("the report", REPORT, (), ["# Counts are usable for", "#   perf stat (counting): no: this machine announces no PMU",
                                "tally: exit status 0"]),
)


def medium(path):
    return "-drive", f"file={path},format=raw,if=ide,snapshot=on"


def monitor_rows(machine):
    """The rows of a VGA in text mode."""
    columns, lines = 80, 25
    path = SHOT + ".text"
    machine.ask(f'pmemsave 0xb8000 {columns * lines * 2} "{path}"')
    with open(path, "rb") as file:
        text = file.read()[::2].decode("latin-1")
    os.unlink(path)
    return [text[i:i + columns].rstrip(" \0") for i in range(0, len(text), columns)]


def check_text(report):
    """GRUB speaks in the VGA's own text mode: its memory is read, for its glyphs are the VGA's."""
    machine = screenshot.Machine(stock.QEMU, SHOT, *medium(DISK), "-cpu", "qemu32")
    rows = []

    def read():
        rows[:] = monitor_rows(machine)
        return rows
    machine.rows = read
    machine.wait_for(NO_LONG_MODE)
    report.ok(NO_LONG_MODE in rows, "a CPU of 32 bits: GRUB says it", *rows)
    machine.ask("quit")
    machine.end()


def main():
    report = tap.Report()
    report.equal(tap.command([TALLY, "image", "--disk", "--append", "console=cooked", "-o", DISK, WORDS, "9"]),
                 (0, b"", ""), "a disk image is made")
    report.equal(tap.command([TALLY, "image", "--report", "-o", REPORT]), (0, b"", ""), "an image of the report is made")
    for name, path, words, expected in SCREENS:
        machine = screenshot.Machine(stock.QEMU, SHOT, *medium(path), *words)
        rows = machine.wait_for(expected[-1].replace("(", r"\(").replace(")", r"\)"))
        shown = [row for row in rows if row in expected]
        report.equal(shown, expected, f"{name}: the screen shows it", *rows)
        machine.ask("quit")
        machine.end()
    check_text(report)
    for path in DISK, REPORT, SHOT:
        os.unlink(path)
    return report.done()


sys.exit(main())
