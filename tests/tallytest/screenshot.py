# SPDX-License-Identifier: BSD-2-Clause
"""Screenshots as text: the glyphs of the kernel's font, found pixel by pixel."""

import contextlib
import gzip
import os
import time

from . import monitor

FONT = "/usr/share/consolefonts/Lat15-Fixed16.psf.gz"
WIDTH, HEIGHT = 8, 16
# A VGA's colour 7, light grey.
GREY, BLACK = b"\xaa\xaa\xaa", bytes(3)
CURSOR_ROWS = 13, 14
CURSOR = "_"
_PIXEL = 3
_PAUSE_S = 0.5


def read_font():
    """Rows of bits by character. In this font, ASCII's characters are in ASCII's places."""
    with gzip.open(FONT) as file:
        data = file.read()
    return {chr(code): data[4 + code * HEIGHT:4 + (code + 1) * HEIGHT]
            for code in range(ord(" "), ord("~") + 1)}


def render(bits, front, back):
    """The pixels of a glyph, one row after the other."""
    return b"".join(front if row >> 7 - x & 1 else back for row in bits for x in range(WIDTH))


def cursor_bits():
    return bytes(0xff if row in CURSOR_ROWS else 0 for row in range(HEIGHT))


def rows_of(ppm):
    """The rows of a screenshot in PPM's form whose size is in whole cells, without the spaces at their ends. A cell that
    is no glyph in grey on black is a zero byte. No rows if the screenshot is not whole."""
    parts = ppm.split(b"\n", 3)
    if len(parts) < 4 or parts[0] != b"P6":
        return []
    (width, height), pixels = map(int, parts[1].split()), parts[3]
    if len(pixels) < width * height * _PIXEL:
        return []
    glyphs = {render(bits, GREY, BLACK): character for character, bits in read_font().items()}
    glyphs[render(cursor_bits(), GREY, BLACK)] = CURSOR
    lines = [pixels[y * width * _PIXEL:(y + 1) * width * _PIXEL] for y in range(height)]
    cell = WIDTH * _PIXEL
    return ["".join(glyphs.get(b"".join(line[x:x + cell] for line in lines[y:y + HEIGHT]), "\0")
                    for x in range(0, width * _PIXEL, cell)).rstrip() for y in range(0, height, HEIGHT)]


class Machine(monitor.Machine):
    """A machine of which a screenshot is taken, into the file PATH. It stands still where it would be switched off."""

    def __init__(self, emulator, path, *words):
        self.path = path
        super().__init__("-no-shutdown", *words, emulator=emulator)

    def rows(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.ask(f'screendump "{self.path}"')
        time.sleep(_PAUSE_S)
        with contextlib.suppress(OSError), open(self.path, "rb") as file:
            return rows_of(file.read())
        return []
