# SPDX-License-Identifier: BSD-2-Clause
"""`tally count --functions`: what each function has cost, and who called it.

The emulator counts (qemu/files/functions/). It is given a table of the functions of the machine's files, and writes numbers of
functions; here they get their names. inlined.py has their parts. docs/counting.md says what the counts mean.
"""

import functools
import os

from dataclasses import dataclass

from . import inlined, paths, symbols
from .failure import BOOT, NOT_FOUND, Failure

_UNKNOWN = 1
_KERNEL, _VDSO = "[kernel]", "[vdso]"
_NAMELESS = {"//anon": "[anonymous]", "//toolong": "[unknown]"}
# Rows of the text with less than this share of the instructions are summed up.
_LEAST_SHARE = 0.001


@dataclass
class Cost:
    """One function: its instructions of user mode (of the kernel's functions: of the kernel), and its calls."""

    name: str
    file: str
    exclusive: int = 0
    inclusive: int = 0
    calls: int = 0
    line: int = 0
    source: str = None
    parts: inlined.Parts = None

    @property
    def is_kernel(self):
        return self.file == _KERNEL

    @property
    def key(self):
        return self.file, self.name

    @functools.cached_property
    def inlined(self):
        """(name, instructions) of the functions that are inlined into this one."""
        return self.parts.rows() if self.parts else []

    def json(self):
        found = {"name": self.name, "file": self.file, "exclusive": self.exclusive, "inclusive": self.inclusive, "calls": self.calls}
        if self.inlined:
            found["inlined"] = [{"name": name, "exclusive": count} for name, count in self.inlined]
        return found

    def lines(self):
        """[(source or None, [(line, instructions), ...])] of all exclusive instructions, those of the function's own source first.
        An instruction without a line counts at the line where the function begins."""
        parts = {place: count for place, count in self.parts.lines.items() if place != inlined.NO_PLACE} if self.parts else {}
        own = self.source, self.line
        parts[own] = parts.get(own, 0) + self.exclusive - sum(parts.values())
        found = {self.source: []}
        for (source, line), count in sorted(parts.items(), key=lambda part: (part[0][0] or "", part[0][1])):
            found.setdefault(source, []).append((line, count))
        return list(found.items())


class _Names:
    """Callgrind's compressed names: "(NUMBER) NAME" the first time, then "(NUMBER)"."""

    def __init__(self):
        self._numbers = {"object": {}, "file": {}, "function": {}}

    def _name(self, kind, key, text):
        numbers = self._numbers[kind]
        if key in numbers:
            return f"({numbers[key]})"
        numbers[key] = len(numbers) + 1
        return f"({numbers[key]}) {text}"

    def object(self, cost):
        return self._name("object", cost.file, cost.file)

    def source(self, path):
        return self._name("file", path or "???", path or "???")

    def function(self, cost, number):
        return self._name("function", number, cost.name)


def _share(part, whole):
    return f"{part * 100 / whole:7.2f}" if whole else f"{'-':>7}"


class Counts:
    """The Costs by number, and the calls: {(caller, callee): (times, inclusive instructions)}."""

    def __init__(self, costs, calls, places):
        self._costs, self._calls, self._places = costs, calls, places

    def total(self, kernel=False):
        """The instructions of all functions of user mode, or of the kernel."""
        return sum(cost.exclusive for cost in self._costs.values() if cost.is_kernel == kernel)

    def sorted(self):
        """The numbers, the most costly function first."""
        return sorted(self._costs, key=lambda number: (-self._costs[number].exclusive, -self._costs[number].inclusive,
                                                       self._costs[number].key))

    def json(self):
        """The record's "functions" and "calls"; these have places of functions in the list."""
        order = self.sorted()
        place = {number: index for index, number in enumerate(order)}
        calls = [{"caller": place[caller], "callee": place[callee], "calls": times, "inclusive": inclusive}
                 for (caller, callee), (times, inclusive) in sorted(self._calls.items(), key=lambda call: (place[call[0][0]],
                                                                                                           place[call[0][1]]))]
        return {"functions": [self._costs[number].json() for number in order], "calls": calls}

    def _text(self, kernel):
        total = self.total(kernel)
        numbers = [number for number in self.sorted() if self._costs[number].is_kernel == kernel]
        if not numbers:
            return ""
        if kernel:
            lines = [f"\n{'exclusive':>15}{'%':>7}  function of the kernel"]
        else:
            lines = [f"\n{'exclusive':>15}{'%':>7}{'inclusive':>16}{'%':>7}{'calls':>14}  function"]
        rest, rest_cost = 0, 0
        for number in numbers:
            cost = self._costs[number]
            if max(cost.exclusive, cost.inclusive) < _LEAST_SHARE * total:
                rest, rest_cost = rest + 1, rest_cost + cost.exclusive
            elif kernel:
                lines.append(f"{cost.exclusive:15,}{_share(cost.exclusive, total)}  {cost.name}")
            else:
                lines.append(f"{cost.exclusive:15,}{_share(cost.exclusive, total)}{cost.inclusive:16,}"
                             f"{_share(cost.inclusive, total)}{cost.calls:14,}  {cost.name} ({cost.file})")
                lines += [f"{count:15,}{_share(count, total)}{'':39}{name}" for name, count in cost.inlined
                          if count >= _LEAST_SHARE * total]
        if rest:
            lines.append(f"{rest_cost:15,}{_share(rest_cost, total)}  {rest} more functions, each below {_LEAST_SHARE:.1%}")
        lines.append(f"{total:15,}{_share(total, total)}  instructions")
        return "\n".join(lines) + "\n"

    def text(self):
        """A table of the functions of user mode, and one of the kernel's."""
        return self._text(False) + self._text(True)

    def _find_lines(self):
        """Asks for the source lines of all functions: one call of addr2line for each file."""
        by_file = {}
        for number in self._costs:
            path, address = self._places.get(number, (None, 0))
            if path:
                by_file.setdefault(path, []).append((number, address))
        for path, places in by_file.items():
            found = symbols.lines(path, [address for _, address in places])
            for (number, _), (source, line) in zip(places, found):
                self._costs[number].source, self._costs[number].line = source, line

    def callgrind(self, program, arguments):
        """The counts in Callgrind's profile format, version 1 (Valgrind's manual, chapter 16): instructions of user mode as
        Ir, those of the kernel as Kr."""
        self._find_lines()
        names = _Names()
        lines = ["# callgrind format", "version: 1", "creator: tally count", f"cmd: {' '.join([program, *arguments])}", "part: 1", "",
                 "positions: line", "event: Ir : Instructions in user mode", "event: Kr : Instructions in the kernel",
                 "events: Ir Kr", f"summary: {self.total()} {self.total(True)}", ""]
        callees = {}
        for (caller, callee), counts in sorted(self._calls.items()):
            callees.setdefault(caller, []).append((callee, counts))
        for number in self.sorted():
            cost = self._costs[number]
            lines += [f"ob={names.object(cost)}", f"fl={names.source(cost.source)}", f"fn={names.function(cost, number)}"]
            for source, counts in cost.lines():
                if source != cost.source:
                    lines.append(f"fi={names.source(source)}")
                lines += [f"{line} 0 {count}" if cost.is_kernel else f"{line} {count} 0" for line, count in counts]
            if source != cost.source:
                lines.append(f"fe={names.source(cost.source)}")
            for callee, (times, inclusive) in callees.get(number, ()):
                other = self._costs[callee]
                lines += [f"cob={names.object(other)}", f"cfi={names.source(other.source)}", f"cfn={names.function(other, callee)}",
                          f"calls={times} {other.line}", f"{cost.line} {inclusive}"]
            lines.append("")
        lines.append(f"totals: {self.total()} {self.total(True)}")
        return "\n".join(lines) + "\n"


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None


class Table:
    """The functions of the machine's files, by number, as the emulator numbers them (qemu/files/functions/functions.h)."""

    def __init__(self, kernel):
        """KERNEL: the host's path of its ELF file."""
        self._known = {_UNKNOWN: ("[unknown]", "[unknown]")}
        self._places = {}  # number: (the host's file with lines, address)
        self._number = _UNKNOWN + 1
        self._text = []
        self._files = inlined.Files()
        self._add(_KERNEL, _read(kernel), kernel, absolute=True)
        vdso = paths.build("arch/x86_64/vdso/vdso.so")
        if os.path.exists(vdso):
            self._add(_VDSO, _read(vdso), vdso)

    def _add(self, path, data, host, absolute=False):
        try:
            found = symbols.Functions(data, host, absolute)
        except ValueError:
            return
        self._text.append(f"file {path}\n")
        if not absolute and self._files.wants(self._number, found):
            self._text.append("instructions\n")
        self._text += [f"{start:x}\n" for start in found.starts]
        self._known[self._number] = (f"[{os.path.basename(path).strip('[]')}]", path)
        for index, name in enumerate(found.names, self._number + 1):
            self._known[index] = (name, path)
            self._places[index] = (found.lines_from, found.addresses[index - self._number - 1])
        self._number += 1 + len(found.names)

    def add_files(self, files):
        """FILES: {path in the machine: contents, or path on the host}."""
        for path, contents in sorted(files.items()):
            host = contents if isinstance(contents, str) else None
            data = _read(contents) if host else contents
            if data[:4] == b"\x7fELF" and "\n" not in path:
                self._add(path, data, host)

    def save(self, path):
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(self._text)

    @staticmethod
    def _demangle(costs):
        for cost, name in zip(costs.values(), symbols.demangle([cost.name for cost in costs.values()])):
            cost.name = name

    def read(self, path):
        """The Counts that the emulator wrote to PATH."""
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = [line.rstrip("\n").split(" ") for line in file]
        except OSError as error:
            raise Failure(BOOT, f"the emulator wrote no counts by function: {path}: {error.strerror}") from None
        if not lines or lines[-1] != ["end"]:
            raise Failure(BOOT, f"the emulator's counts by function are cut off: {path}")
        costs, calls = {}, {}
        for kind, *words in lines[:-1]:
            if kind == "name":
                name = " ".join(words[1:])
                self._known[int(words[0])] = (_NAMELESS.get(name, f"[{os.path.basename(name)}]"), _NAMELESS.get(name, name))
            elif kind == "function":
                number, exclusive, inclusive, times = map(int, words)
                costs[number] = Cost(*self._known[number], exclusive, inclusive, times)
            elif kind == "instruction":
                self._files.count(int(words[0]), int(words[1], 16), int(words[2]))
            else:
                caller, callee, times, inclusive = map(int, words)
                calls[caller, callee] = (times, inclusive)
        for number in {number for pair in calls for number in pair} - costs.keys():
            costs[number] = Cost(*self._known[number])
        for number, parts in self._files.parts().items():
            costs[number].parts = parts
        self._demangle(costs)
        return Counts(costs, calls, self._places)


def by_name(functions):
    """{(file, name): (exclusive, inclusive, calls)} of the "functions" of a record, the inlined ones among them; those of one name
    are summed up."""
    found = {}
    for one in functions:
        for part in [one, *one.get("inlined", ())]:
            key = one["file"], part["name"]
            counts = part["exclusive"], part.get("inclusive", 0), part.get("calls", 0)
            found[key] = tuple(map(sum, zip(found.get(key, (0, 0, 0)), counts)))
    return found


def changes(before, now):
    """[(file, name, counts before, counts now)] of the functions that are not the same in two records, the greatest change of
    exclusive instructions first."""
    then, now = by_name(before), by_name(now)
    nothing = (0, 0, 0)
    found = [(*key, then.get(key, nothing), now.get(key, nothing)) for key in {**then, **now}
             if then.get(key, nothing) != now.get(key, nothing)]
    return sorted(found, key=lambda change: (-abs(change[3][0] - change[2][0]), -abs(change[3][1] - change[2][1]), change[:2]))


def change_line(change):
    """One of changes(), as text."""
    file, name, before, now = change
    parts = [f"{what} {old:,} -> {new:,} ({new - old:+,}{f', {(new - old) * 100 / old:+.2f} %' if old else ''})"
             for what, old, new in zip(("exclusive", "inclusive", "calls"), before, now) if old != new]
    return f"{name} ({file}): {'; '.join(parts)}"


def change_json(change):
    file, name, before, now = change
    keys = ("exclusive", "inclusive", "calls")
    return {"name": name, "file": file, "before": dict(zip(keys, before)), "now": dict(zip(keys, now))}
