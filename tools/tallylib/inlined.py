# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a function's cost: its source lines, and the functions that are inlined into it.

The emulator counts the instructions of files with DWARF one by one (qemu/files/functions/instructions.c), and binutils' addr2line
reads it for those that have run. An inlined function has perf's form of name, "NAME (inlined)". Its cost is a part of the
containing function's exclusive cost. If an inlined function contains another one, an instruction counts for the innermost only.
"""

import bisect

from dataclasses import dataclass, field

from . import symbols

_INLINED = " (inlined)"
# The place of an instruction for which the debugging information has none (symbols.frames).
NO_PLACE = (None, 0)


@dataclass
class Parts:
    """The parts of one function's exclusive cost. `lines` has each counted instruction; `inlined` only those of inlined functions."""

    lines: dict = field(default_factory=dict)   # {(source or None, line): instructions}
    inlined: dict = field(default_factory=dict) # {name: instructions}

    def add(self, frames, count):
        """FRAMES: (name, source, line) of the innermost function and of those that contain it."""
        name, source, line = frames[0]
        self.lines[source, line] = self.lines.get((source, line), 0) + count
        if len(frames) > 1:
            self.inlined[name] = self.inlined.get(name, 0) + count

    def rows(self):
        """(name, instructions) of the functions inside, the most costly first."""
        names = symbols.demangle(list(self.inlined))
        rows = [(name + _INLINED, count) for name, count in zip(names, self.inlined.values())]
        return sorted(rows, key=lambda row: (-row[1], row[0]))


class Files:
    """The files whose instructions are counted one by one, by the number of each."""

    def __init__(self):
        self._known, self._counts = {}, {}

    def wants(self, number, functions):
        """Whether the file NUMBER with these symbols.Functions has lines that can be read; it is one of these then."""
        if not functions.lines_from or not symbols.reads_lines():
            return False
        self._known[number] = functions
        return True

    def count(self, number, offset, count):
        """The instruction at OFFSET of file NUMBER has retired COUNT times."""
        self._counts.setdefault(number, []).append((offset, count))

    def parts(self):
        """{number of a function: Parts}, of all that have counts."""
        found = {}
        for number, counts in self._counts.items():
            functions = self._known[number]
            frames = symbols.frames(functions.lines_from, [functions.address_of(offset) for offset, _ in counts])
            for (offset, count), places in zip(counts, frames):
                function = number + bisect.bisect_right(functions.starts, offset)
                found.setdefault(function, Parts()).add(places, count)
        return found
