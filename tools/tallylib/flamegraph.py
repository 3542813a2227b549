# SPDX-License-Identifier: BSD-2-Clause
"""A flame graph of what perf has recorded: one SVG that needs nothing else.

Each box is a function; it stands on the one that called it, and is as wide as its share of what was counted. Functions
of the kernel have another colour. The host's `perf script` reads the file and names the addresses.
"""

import html
import re
import subprocess
import zlib

from . import paths
from .failure import MISSING, NOT_FOUND, Failure

_WIDTH, _ROW, _MARGIN, _LETTER = 1200, 17, 10, 7
# Narrower boxes are left out: they could not be seen.
_LEAST = 0.3
_KERNEL_FROM = 1 << 63
# Characters that XML 1.0 has not, escaped or not; what stands for them.
_NO_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACEMENT = "\ufffd"
# perf's name of a place that no file explains.
_NAMELESS = "[unknown]"

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>
text {{ font: 12px monospace; pointer-events: none; }}
rect {{ stroke: white; stroke-width: 0.5; }}
g:hover rect {{ stroke: black; stroke-width: 1.5; }}
</style>
<rect width="100%" height="100%" fill="white"/>
<text x="{middle}" y="20" text-anchor="middle">{title}</text>
"""
_BOX = """\
<g><title>{name}: {weight} ({share:.2f} %)</title>\
<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{height}" fill="{colour}"/>\
<text x="{text_x:.2f}" y="{text_y}">{text}</text></g>
"""


class Frame:
    """A function as called by the one below it; `weight` is its share and that of all that it called."""

    def __init__(self, kernel=False):
        self.kernel = kernel
        self.weight = 0
        self.callees = {}

    def add(self, places, weight):
        """One sample: (name, whether it is the kernel's) from the outermost function inwards."""
        frame = self
        frame.weight += weight
        for name, kernel in places:
            frame = frame.callees.setdefault(name, Frame(kernel))
            frame.weight += weight

    def depth(self):
        return 1 + max((frame.depth() for frame in self.callees.values()), default=0)


def _with_whole_names(lines):
    """The lines of a block; those over which perf has written the name of a command, as it is, in one."""
    frames = next((number for number, line in enumerate(lines) if line.startswith("\t")), 0)
    return [_REPLACEMENT.join(lines[:frames]), *lines[frames:]] if frames else lines


def _place(address, name):
    return name.strip(), int(address, 16) >= _KERNEL_FROM


def samples(text):
    """(command, weight, [(name, whether it is the kernel's), innermost first]) of what perf script printed."""
    for block in re.split(r"\n\s*\n", text):
        lines = _with_whole_names(block.strip("\n").split("\n"))
        # With a chain, its frames are in the lines that follow; without, in the same.
        head = lines and re.match(r"^ *(.+?) +(\d+):? *(?:([0-9a-f]+) (.+))?$", lines[0])
        if not head:
            continue
        chain = re.findall(r"^\s+([0-9a-f]+) (.+)$", "\n".join(lines[1:]), re.M)
        if head[3]:
            # Samples without chains are not set apart by empty lines.
            for line in lines:
                one = re.match(r"^ *(.+?) +(\d+):? *([0-9a-f]+) (.+)$", line)
                if one:
                    yield one[1], int(one[2]), [_place(one[3], one[4])]
            continue
        yield head[1], int(head[2]), [_place(*part) for part in chain]


def _without_repeats(places):
    """One box for several functions in a row that have no name."""
    return [place for place, before in zip(places, [None, *places]) if place != before or place[0] != _NAMELESS]


def read(path, kernel):
    """All samples of the file at `path`, below one root; the kernel's functions by the ELF file `kernel`."""
    try:
        done = subprocess.run(["perf", "script", "-i", path, "--vmlinux", kernel, "-F", "comm,period,ip,sym"],
                              capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        raise Failure(MISSING, "there is no perf, which reads the file; " +
                      paths.remedy("tools/deps tests/packages", "linux-perf")) from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        raise Failure(NOT_FOUND, f"{path}: perf cannot read it: {reason}")
    root = Frame()
    for command, weight, chain in samples(done.stdout):
        root.add(_without_repeats([(command, False), *reversed(chain)]), weight)
    if not root.weight:
        raise Failure(NOT_FOUND, f"{path}: there is no sample in it")
    return root


def _colour(name, kernel):
    """One for each name, always the same."""
    shade = zlib.crc32(name.encode()) % 60
    return f"rgb({150 + shade // 2},{170 + shade},230)" if kernel else f"rgb({200 + shade // 2},{90 + 2 * shade},60)"


def _escape(text):
    return html.escape(_NO_CHARACTERS.sub(_REPLACEMENT, text))


def draw(root, title):
    """The SVG's text."""
    height = root.depth() * _ROW + 40 + _MARGIN
    scale = (_WIDTH - 2 * _MARGIN) / root.weight
    parts = [_HEAD.format(width=_WIDTH, height=height, middle=_WIDTH // 2, title=_escape(title))]

    def box(name, frame, x, level):
        width = frame.weight * scale
        if width < _LEAST:
            return
        y = height - _MARGIN - (level + 1) * _ROW
        room = int((width - 4) / _LETTER)
        text = name if len(name) <= room else name[:room - 2] + ".." if room > 3 else ""
        parts.append(_BOX.format(
            name=_escape(name), weight=frame.weight, share=100 * frame.weight / root.weight, x=x, y=y, width=width,
            height=_ROW - 1, colour=_colour(name, frame.kernel), text_x=x + 3, text_y=y + 12, text=_escape(text)))
        for callee in sorted(frame.callees):
            box(callee, frame.callees[callee], x, level + 1)
            x += frame.callees[callee].weight * scale

    box("all", root, _MARGIN, 0)
    return "".join(parts) + "</svg>\n"


def make(path, output, kernel=None):
    """Writes the flame graph of the file at `path` to `output`."""
    root = read(path, kernel or paths.build("tally.elf"))
    try:
        with open(output, "w", encoding="utf-8") as file:
            file.write(draw(root, path))
    except OSError as error:
        raise Failure(NOT_FOUND, f"{output}: {error.strerror}") from None
