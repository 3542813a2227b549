# SPDX-License-Identifier: BSD-2-Clause
"""The interfaces that Tally offers, by stability: the entries of docs/ABI, in the form of Linux's Documentation/ABI.

An entry is a run of fields, `Name:` at the start of a line and a value, which lines that begin with a blank continue. Its
first fields are What, one for each interface; an entry ends where What comes after another field.
"""

import os
import re

from dataclasses import dataclass, field

LEVELS = ("stable", "testing", "obsolete", "removed")
# In this order. "What" may come more than once.
FIELDS = ("What", "Date", "KernelVersion", "Contact", "Description", "Users")
_FIELD = re.compile(r"(\w+):[ \t]*(.*)$")
_PLACE = re.compile(r"<[^<>/]*>")


@dataclass
class Entry:
    """`file`: its path below docs/ABI; `line`: of its first What."""

    file: str
    line: int
    what: list = field(default_factory=list)
    fields: dict = field(default_factory=dict)
    order: list = field(default_factory=list)


def parse(text, file=""):
    """The entries of TEXT, and the faults of its form as sentences."""
    entries, faults, last = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = _FIELD.match(line)
        if not match:
            if not line.strip():
                continue
            if not line[0].isspace() or last in (None, "What"):
                faults.append(f"{file}:{number}: text outside of a field")
            else:
                entries[-1].fields[last] += "\n" + line.strip()
            continue
        name, value = match.groups()
        if name == "What" and last != "What":
            entries.append(Entry(file, number))
        if not entries or name not in FIELDS:
            faults.append(f"{file}:{number}: {name}: no such field here")
            continue
        last = name
        if name == "What":
            entries[-1].what.append(value)
        elif name in entries[-1].fields:
            faults.append(f"{file}:{number}: {name} comes twice")
        else:
            entries[-1].fields[name] = value
            entries[-1].order.append(name)
    return entries, faults


def read(folder):
    """The entries of all files of FOLDER, docs/ABI, and the faults of their form."""
    entries, faults = [], []
    for level in LEVELS:
        for name in sorted(set(os.listdir(os.path.join(folder, level))) - {"README"}):
            with open(os.path.join(folder, level, name), encoding="utf-8") as file:
                more, wrong = parse(file.read(), f"{level}/{name}")
            entries += more
            faults += wrong
            if not more:
                faults.append(f"{level}/{name}: no entry")
    return entries, faults


def check(entries):
    """Faults of the entries: fields that lack or have no value, an interface with two entries."""
    faults, seen = [], {}
    for entry in entries:
        place = f"{entry.file}:{entry.line}"
        for name in FIELDS[1:]:
            if not entry.fields.get(name, "").strip():
                faults.append(f"{place}: no {name}")
        if [name for name in FIELDS if name in entry.order] != entry.order:
            faults.append(f"{place}: the fields are not in their order")
        for what in entry.what:
            if not what:
                faults.append(f"{place}: no What")
            elif what in seen:
                faults.append(f"{place}: {what} is in {seen[what]} too")
            seen.setdefault(what, place)
    return faults


def pattern(what):
    """The regular expression of a path with <places>, each a part of one name; "/..." at the end: all below."""
    below = what.endswith("/...")
    parts = _PLACE.split(what[:-len("/...")] if below else what)
    return re.compile("[^/]+".join(map(re.escape, parts)) + ("/.*" if below else ""))


def search(entries, expression):
    """The entries with a What that matches EXPRESSION, compiled, or that stands for it, a path."""
    return [entry for entry in entries
            if any(expression.search(what) or (what.startswith("/") and pattern(what).fullmatch(expression.pattern))
                   for what in entry.what)]


def describe(entry):
    """The text that `tally abi` prints."""
    lines = entry.what + ["-" * max(map(len, entry.what)), ""]
    lines += [f"{name}:\t{entry.fields.get(name, '')}" for name in ("KernelVersion", "Date", "Contact", "Users")]
    lines += [f"Defined in:\tdocs/ABI/{entry.file}:{entry.line}", "", "Description:"]
    lines += ["\t" + line for line in entry.fields.get("Description", "").strip().splitlines()]
    return "\n".join(lines) + "\n"
