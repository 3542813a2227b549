#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A screen of pixels: GRUB sets a mode and starts a shell from an ISO image.

The framebuffer's memory must be, pixel by pixel, the glyphs of the font that the kernel is built
with, read here from the same file; one mode of each size of pixel has its turn.
"""

import os
import re
import shutil
import sys
import time

from tallytest import monitor, screenshot, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
ISO = os.path.join(BUILD, "tests", "framebuffer.iso")
LOG = os.path.join(BUILD, "tests", "framebuffer.log")
PIXELS = os.path.join(BUILD, "tests", "framebuffer.pixels")
WIDTH, HEIGHT = screenshot.WIDTH, screenshot.HEIGHT
# A VGA's colour 7, light grey, by the bytes of a pixel: 0xaa in 8 bits, cut to 5 or 6.
GREY = {4: b"\xaa\xaa\xaa\x00", 3: b"\xaa\xaa\xaa", 2: (0x15 << 11 | 0x2a << 5 | 0x15).to_bytes(2, "little")}
CURSOR = screenshot.CURSOR
PROMPT = "/ # " + CURSOR
ENDED = 65
SERIAL = "-serial", f"file:{LOG}"
EXIT_DEVICE = "-device", "isa-debug-exit,iobase=0xf4,iosize=4"


class Screen(monitor.Machine):
    """A machine whose screen is a framebuffer: of PIXELS, width, height and depth, and CELLS, columns
    and rows of characters."""

    def __init__(self, pixels, cells, *devices):
        super().__init__("-cdrom", ISO, *devices)
        self.width, self.height, depth = pixels
        self.columns, self.lines = cells
        self.pixel_bytes = depth // 8
        self.address = self.pitch = None
        self.outside = b""
        grey, black = GREY[self.pixel_bytes], bytes(self.pixel_bytes)
        self.glyphs = {screenshot.render(bits, grey, black): character
                       for character, bits in screenshot.read_font().items()}
        self.glyphs[screenshot.render(screenshot.cursor_bits(), grey, black)] = CURSOR

    def find(self):
        """Where the pixels are, from the kernel's log."""
        said, deadline = None, time.monotonic() + monitor.LIMIT_S
        while time.monotonic() < deadline:
            with open(LOG, encoding="ascii", errors="replace") as file:
                said = re.search(r"tally: screen: (\d+) by (\d+) pixels of (\d+) bits at (0x[0-9a-f]+), "
                                 r"rows of (\d+) bytes\n", file.read().replace("\r", ""))
            if said or self.process.poll() is not None:
                break
            time.sleep(monitor.PAUSE_S)
        if not said:
            return None
        self.address, self.pitch = int(said[4], 16), int(said[5])
        return tuple(map(int, said.groups()[:3]))

    def rows(self):
        """The same. A cell that is no glyph in grey on black is a zero byte. Keeps what is outside of the
        cells."""
        if self.address is None:
            return []
        self.ask(f'pmemsave {self.address:#x} {self.pitch * self.height:#x} "{PIXELS}"')
        with open(PIXELS, "rb") as file:
            data = file.read()
        used = self.width * self.pixel_bytes
        lines = [data[y * self.pitch:y * self.pitch + used] for y in range(self.height)]
        cell = WIDTH * self.pixel_bytes
        top = (self.height - self.lines * HEIGHT) // 2
        left = (self.width - self.columns * WIDTH) // 2 * self.pixel_bytes
        inside = lines[top:top + self.lines * HEIGHT]
        self.outside = b"".join(lines[:top] + lines[top + len(inside):]
                                + [line[:left] + line[left + self.columns * cell:] for line in inside])
        return ["".join(self.glyphs.get(b"".join(line[x:x + cell] for line in inside[y:y + HEIGHT]), "\0")
                        for x in range(left, left + self.columns * cell, cell)).rstrip()
                for y in range(0, len(inside), HEIGHT)]


def start(report, video, words, pixels, cells, *devices):
    """A machine that starts a shell from the ISO in this mode."""
    status, _, error = tap.command([TALLY, "image", "--iso", "--video", video, "--append",
                                    "console=cooked log=com1 " + words, "-o", ISO,
                                    shutil.which("busybox") or "/bin/busybox", "sh"], cwd="/")
    if status:
        report.ok(False, f"an image with the mode {video}", status, error)
    for path in LOG, PIXELS:
        with open(path, "wb"):
            pass
    return Screen(pixels, cells, *devices)


def check_dialogue(report):
    pixels, cells = (1280, 800, 32), (160, 50)
    machine = start(report, "auto", "", pixels, cells, *SERIAL, *EXIT_DEVICE)
    report.equal(machine.find(), pixels, "32 bits: GRUB's mode is the kernel's")
    rows = machine.wait_for(PROMPT)
    report.ok("tally: screen: framebuffer, 160 by 50" in rows and PROMPT in rows,
              "32 bits: log, prompt and cursor are there in the font's glyphs", *rows)
    # Enough lines that the first ones scroll out.
    machine.type("seq 60\n")
    machine.wait_for("60")
    rows = machine.wait_for(PROMPT)
    report.equal(rows, [str(number) for number in range(12, 61)] + [PROMPT],
                 "32 bits: keys are read, and lines go up")
    machine.type("exit\n")
    report.equal(machine.end(), ENDED, "32 bits: leaving the shell ends the machine")
    return machine.address


def check_panic(report):
    """Nothing switches this machine off, so that the screen can be looked at."""
    pixels, cells = (800, 600, 24), (100, 37)
    machine = start(report, "800x600x24", "panic=here", pixels, cells, *SERIAL, "-no-shutdown")
    report.equal(machine.find(), pixels, "24 bits: GRUB's mode is the kernel's")
    line = "tally: panic: requested on CPU 0"
    rows = machine.wait_for(line)
    report.ok("tally: screen: framebuffer, 100 by 37" in rows and line in rows,
              "24 bits: log and panic are there in the font's glyphs", *rows)
    report.equal(machine.outside.strip(b"\0"), b"", "24 bits: the pixels outside of the cells are black")
    machine.ask("quit")
    machine.end()


def check_alone(report, address):
    """Without a serial line the terminal has the screen's size; the pixels are where they were."""
    machine = start(report, "1024x768x16", "", (1024, 768, 16), (128, 48), *EXIT_DEVICE)
    machine.address, machine.pitch = address, 1024 * 2
    rows = machine.wait_for(PROMPT)
    report.ok("tally: screen: framebuffer, 128 by 48" in rows and PROMPT in rows,
              "16 bits: log, prompt and cursor are there in the font's glyphs", *rows)
    machine.type("stty size\n")
    rows = machine.wait_for("48 128")
    report.ok("48 128" in rows, "16 bits: the window without a serial line is all of the screen", *rows)
    machine.type("exit\n")
    report.equal(machine.end(), ENDED, "16 bits: leaving the shell ends the machine")


def main():
    report = tap.Report()
    address = check_dialogue(report)
    check_panic(report)
    check_alone(report, address)
    return report.done()


sys.exit(main())
