# SPDX-License-Identifier: BSD-2-Clause
"""`tally count`: the events of one program, from its exec to its end, under conditions that make them repeatable.

userland/programs/count is the machine's first process and starts the program; its result comes out as a file does (bring.py).
docs/counting.md has the conditions and what a count depends on. The names below are also those of the JSON record.
"""

import hashlib
import json
import os
import signal
import sys

from dataclasses import dataclass
from typing import Optional

from . import caches, paths, processor
from .failure import BAD_PROGRAM, BOOT, MISSING, NO_PMU, NOT_FOUND, USAGE, Failure

# Exit statuses of `tally count --compare`.
GREW, OTHER_BASELINE = 1, 2
# The guest's folder for the program, whatever the host's is, and our own files.
FOLDER = "/here"
COUNTER, RESULT, INPUT = "/.tally/count", "/.tally/counts", "/.tally/input"
RANDOM_WORD = "fixed-random"
ENVIRONMENT = {"PATH": "/bin:/usr/bin", "HOME": "/", "PYTHONHASHSEED": "0"}

_FORMAT = 1
_HARDWARE, _SOFTWARE = 0, 1
_USER, _KERNEL, _ALL = "user", "kernel", "all"
_MODES = {_USER: "u", _KERNEL: "k", _ALL: "uk"}
_NUMBERS = {"cycles": 0, "instructions": 1, "cache-references": 2, "cache-misses": 3, "branches": 4, "branch-misses": 5}
# The most important first: each takes a counter, and those that find none are left out.
_PLAIN = (("instructions", _USER), ("cycles", _USER), ("instructions", _KERNEL), ("branches", _USER),
          ("cycles", _KERNEL), ("branches", _KERNEL))
_MODELLED = (("instructions", _USER), ("cycles", _USER), ("instructions", _KERNEL), ("branches", _USER),
             ("branch-misses", _USER), ("cache-misses", _USER), ("cache-references", _USER), ("cycles", _KERNEL),
             ("branches", _KERNEL), ("branch-misses", _KERNEL))
_ALWAYS = (("page-faults", _SOFTWARE, 2), ("context-switches", _SOFTWARE, 3))
# Counters of each CPU: general ones unless --pmu-counters says otherwise, and those of instructions and cycles alone.
_COUNTERS = {"generic": (4, 2), "skylake": (8, 2), "k8": (4, 0), "zen3": (6, 0), "zen4": (6, 0)}


@dataclass(frozen=True)
class Event:
    """One count: the row and the column of the table, and its numbers for perf_event_open(2)."""

    name: str
    column: str
    kind: int
    config: int

    @property
    def label(self):
        return f"{self.name}/{self.column}"

    def word(self):
        """The word for userland/programs/count."""
        return f"{self.label}:{self.kind}:{self.config}:{_MODES[self.column]}"


def events_for(processor, counters, version, choice):
    """The Events that have a counter each. COUNTERS, VERSION: --pmu-counters and --pmu-version, or None; CHOICE: --caches, or
    None."""
    general, fixed = _COUNTERS[processor]
    if version == 1:
        fixed = 0
    has_model = choice.text != caches.NONE if choice else processor in ("skylake", "zen3", "zen4")
    room = (counters or general) + fixed
    wanted = (_MODELLED if has_model else _PLAIN)[:room]
    return [*(Event(name, column, _HARDWARE, _NUMBERS[name]) for name, column in wanted),
            *(Event(name, _ALL, kind, config) for name, kind, config in _ALWAYS)]


def words(events, free, has_input, control, by_requests):
    """The words of userland/programs/count up to the program's."""
    flags = [flag for flag, condition in (("-t", "time"), ("-r", "random"), ("-a", "addresses")) if condition not in free]
    return [COUNTER, *flags, *(["-v"] if by_requests else []), *(["-c", control] if control else []), *(["-i", INPUT] if has_input else []),
            "-o", RESULT, *(event.word() for event in events), "--"]


def read_input():
    """All of standard input; nothing at a terminal, whose keys no second run would have."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read()


def parse(text, events, program):
    """The guest's result: {name: {column: count}}, the exit status, and the number of the signal or None."""
    counts = {}
    for line in text.splitlines():
        kind, *rest = line.split()
        if kind == "open":
            name, error = rest
            raise Failure(NO_PMU, f"{name} cannot be counted on this CPU: {os.strerror(int(error))}")
        if kind == "exec":
            raise Failure(BAD_PROGRAM, f"{program}: {os.strerror(int(rest[0]))}")
        if kind == "failed" and rest[0] == "fifo":
            raise Failure(USAGE, f"--control: a FIFO cannot be made in the machine: {os.strerror(int(rest[1]))}; name a file of a "
                                 "folder that is there, such as /tmp/control")
        if kind == "failed":
            raise Failure(BOOT, f"the counting program failed ({rest[0]}): {os.strerror(int(rest[1]))}")
        if kind == "exit":
            return counts, int(rest[0]), None
        if kind == "signal":
            return counts, 128 + int(rest[0]), int(rest[0])
        value, enabled, running = map(int, rest)
        if enabled != running:
            raise Failure(NO_PMU, f"{kind} was without a counter for a part of the time; leave out --pmu-counters")
        event = next(event for event in events if event.label == kind)
        counts.setdefault(event.name, {})[event.column] = value
    raise Failure(BOOT, "the machine ended before the program did")


def killed(number):
    return f"tally: the program was killed by signal {number} ({signal.strsignal(number)})"


def record(program, arguments, conditions, counts, status):
    return {"format": _FORMAT, "program": program, "arguments": list(arguments), "conditions": conditions,
            "status": status, "counts": counts}


def digest(path):
    """Names the contents of a file."""
    if not os.path.isfile(path):
        raise Failure(MISSING, f"{path} is not there; {paths.remedy('make')}")
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def conditions(options, data, kernel):
    """The choices that a count depends on, beside the program and its words. DATA: the standard input."""
    properties = {name: getattr(options, f"pmu_{name}") for name in processor.PMU_PROPERTIES}
    return {"processor": options.processor or processor.DEFAULT, "caches": options.caches.text if options.caches else None,
            "counters": {name: value for name, value in properties.items() if value is not None},
            "cpus": options.cpus, "memory": options.memory, "words of the kernel": options.append,
            "environment": dict(options.env), "free": sorted(set(options.free)), "control": options.control,
            **({"client requests": True} if options.region_requests else {}),
            **({"functions": True} if options.functions or options.format == "callgrind" else {}),
            "input": hashlib.sha256(data).hexdigest()[:16], "kernel": digest(kernel), "emulator": digest(paths.emulator(True))}


def text_table(counts):
    """The table: a row for each name, a column for each part."""
    columns = (_USER, _KERNEL, _ALL)
    lines = [" " * 18 + "".join(f"{column:>18}" for column in columns)]
    for name, row in counts.items():
        cells = {_ALL: row[_USER] + row[_KERNEL] if _USER in row and _KERNEL in row else None, **row}
        lines.append(f"{name:18}" + "".join(f"{'-' if cells.get(column) is None else format(cells[column], ','):>18}"
                                            for column in columns))
    return "\n".join(lines) + "\n"


def write(found, before, changes, kind, by_function):
    """The record FOUND as text of this KIND. CHANGES: those from BEFORE, or None; BY_FUNCTION: functions.Counts, or None."""
    by_name = None
    if before is not None and by_function:
        from . import functions
        by_name = functions.changes(before["functions"], found["functions"])
    if kind == "json":
        shown = dict(found)
        if changes is not None:
            shown["changes"] = [change.json() for change in changes]
        if by_name is not None:
            shown["changes of functions"] = [functions.change_json(change) for change in by_name]
        return json.dumps(shown, indent=1) + "\n"
    if kind == "callgrind":
        return by_function.callgrind(found["program"], found["arguments"])
    text = text_table(found["counts"])
    if by_function:
        text += by_function.text()
    if changes is not None:
        text += "".join(f"{change.line()}\n" for change in changes) or "every count is the baseline's\n"
    if by_name is not None:
        text += "".join(f"{functions.change_line(change)}\n" for change in by_name) or "every function's counts are the baseline's\n"
    return text


def save(path, text):
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None


def _is_record(found):
    shape = {"format": int, "program": str, "arguments": list, "conditions": dict, "status": int, "counts": dict}
    # --format json alone writes no conditions.
    return (isinstance(found, dict) and all(isinstance(found.get(key), kind) for key, kind in shape.items()) and found["conditions"] and
            all(isinstance(row, dict) and all(isinstance(value, int) for value in row.values())
                for row in found["counts"].values()))


def load(path):
    """A record that --save wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise Failure(NOT_FOUND, f"--compare {path}: {error.strerror}") from None
    except ValueError:
        found = None
    if not _is_record(found):
        raise Failure(OTHER_BASELINE, f"--compare {path}: is not what --save writes")
    if found["format"] != _FORMAT:
        raise Failure(OTHER_BASELINE, f"--compare {path}: has format {found['format']}, and this version of tally has {_FORMAT}; "
                                      "--save it anew")
    return found


def _shown(value):
    return "none" if value is None else json.dumps(value)


def check_baseline(path, before, program, arguments, conditions):
    """Raises Failure(OTHER_BASELINE) unless the baseline is of this program under these conditions."""
    now = {"program": program, "arguments": list(arguments), **conditions}
    then = {"program": before["program"], "arguments": before["arguments"], **before["conditions"]}
    for key in [*now, *(key for key in then if key not in now)]:
        if now.get(key) != then.get(key):
            raise Failure(OTHER_BASELINE, f"--compare {path}: is of another run: {key}: {_shown(then.get(key))} there, "
                                          f"{_shown(now.get(key))} here; --save it anew")


@dataclass(frozen=True)
class Change:
    """A count that is another than the baseline's; None: it was not counted."""

    name: str
    column: str
    before: Optional[int]
    now: Optional[int]

    def grew_beyond(self, limit_percent):
        if self.before is None or self.now is None or limit_percent is None:
            return False
        return self.now > self.before and (self.now - self.before) * 100 > limit_percent * self.before

    def percent(self):
        if not self.before or self.now is None:
            return ""
        return f"{(self.now - self.before) * 100 / self.before:+.2f} %"

    def line(self):
        shown = ["-" if value is None else format(value, ",") for value in (self.before, self.now)]
        share = f" ({self.percent()})" if self.percent() else ""
        return f"{self.name} {self.column}: {shown[0]} -> {shown[1]}{share}"

    def json(self):
        return {"name": self.name, "column": self.column, "before": self.before, "now": self.now}


def compare(before, counts):
    """The Changes from a baseline's counts to COUNTS, in the table's order."""
    keys = [(name, column) for table in (counts, before) for name, row in table.items() for column in row]
    return [Change(name, column, before.get(name, {}).get(column), counts.get(name, {}).get(column))
            for name, column in dict.fromkeys(keys)
            if before.get(name, {}).get(column) != counts.get(name, {}).get(column)]


def environment(free, added):
    """The program's variables: the fixed ones, or the host's."""
    return {**(os.environ if "environment" in free else ENVIRONMENT), **dict(added)}


def counter():
    """The host's path of the guest's counting program."""
    return paths.built(os.path.join("user", "bin", "count"), "make user")


def refuse(options):
    """Raises Failure(USAGE) for options that have no meaning here."""
    if options.net:
        raise Failure(USAGE, "--net: what other machines send is not the same in each run, and so the counts would not be; leave it out, or "
                             "use perf stat in `tally run --net`")
    for given, name in ((options.arch != "x86_64", f"--arch {options.arch}"), (options.under, "--under"),
                        (options.pmu not in ("auto", "emulated"), f"--pmu {options.pmu}"), (options.cpu, "--cpu"),
                        (options.gdb, "--gdb")):
        if given:
            raise Failure(USAGE, f"{name}: count is for the emulated PMU of x86_64's CPUs; leave it out")
    if options.region_requests and options.control:
        raise Failure(USAGE, "--region-requests: the program's requests say what is counted; leave out --region and --control")
    if options.compare is None and options.limit:
        raise Failure(USAGE, "--limit is for --compare")
