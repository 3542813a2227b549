#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The chapters for readers stay true: functions are in the files that a document names with them, as in
`kernel/perf/open.c: perf_event_open()`; each drawing belongs to its source; `make help` has every target; no document says
the same twice within a few paragraphs, as after an edit that adds a new wording and keeps the old one.

The file of such a name is its path or the end of it. A file without a folder is first looked for in kernel/perf/ and
arch/x86_64/pmu/, the parts that the chapters are about, then in the whole tree, where it must be the only one of its name.
"""

import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

PLACE = re.compile(r"`([\w./]+\.[chS]|[\w./]+\.py): (\w+)\(\)`")
FIRST = ("kernel/perf/", "arch/x86_64/pmu/", "include/kernel/perf/")
# A definition: at the start of a line, and a body follows.
DEFINITION = r"(?m)^(?:[A-Za-z_][^\n;{}=]*?)?\b%s\([^;{}]*\)\s*\{"
DEFINITIONS = {".S": r"(?m)^%s:", ".py": r"(?m)^ *def %s\("}
# Targets that are only steps of others.
EXAMPLE = "file.c", "function"
STEPS = {"user-newlib", "check-programs", "check-deps", "coverage-programs", "unit-flags", "FORCE", "smallest-kernel"}

# A document repeats itself if RUN words stand twice in the same order, at most NEAR lines apart.
RUN = 12
NEAR = 40
# Lines that are no prose: tables, and blocks of code or commands, which are indented.
NO_PROSE = re.compile(r" {4}|\s*\|")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def tracked():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    return sorted(name for name in done.stdout.decode().splitlines() if os.path.isfile(os.path.join(ROOT, name)))


def file_of(name, files):
    """The path that a document means, or why there is none."""
    if "/" not in name:
        for folder in FIRST:
            if folder + name in files:
                return folder + name, None
    found = [path for path in files if ("/" + path).endswith("/" + name)]
    if len(found) == 1:
        return found[0], None
    return None, f"{name} may be any of {', '.join(found)}" if found else f"there is no {name}"


def defined_in(path, function):
    pattern = DEFINITIONS.get(os.path.splitext(path)[1], DEFINITION)
    return re.search(pattern % re.escape(function), read(path)) is not None


def check_places(report, document, files):
    wrong = []
    text = read(document)
    for match in PLACE.finditer(text):
        if match.groups() == EXAMPLE:
            continue
        path, fault = file_of(match[1], files)
        if not fault and not defined_in(path, match[2]):
            elsewhere = [name for name in files if name.endswith((".c", ".h", ".S")) and defined_in(name, match[2])]
            fault = f"{path} does not define {match[2]}; defined in: {', '.join(elsewhere) or 'no file'}"
        if fault:
            wrong.append(f"{document}:{text.count(chr(10), 0, match.start()) + 1}: {fault}")
    report.ok(not wrong, f"{document}: its functions are where it says", *wrong)
    return len(PLACE.findall(text))


def repetitions(text):
    """[(line, line of the first ones, words)] of words that the prose of a document has twice, near each other."""
    words = [(word, number) for number, line in enumerate(text.splitlines(), 1) if not NO_PROSE.match(line)
             for word in (part.strip(".,:;()[]") for part in line.split()) if word]
    found, seen, counted = [], {}, 0
    for i in range(len(words) - RUN + 1):
        run, line = tuple(word for word, _ in words[i:i + RUN]), words[i][1]
        first = seen.get(run)
        if first and line - first <= NEAR and i >= counted:
            found.append((line, first, " ".join(run)))
            counted = i + RUN
        seen[run] = line
    return found


def check_repetitions(report, documents):
    sentence = "The driver writes a number into the first counter, and takes the PMU only if the register returns it."
    report.equal(repetitions(sentence + "\n" + "\n" * 10 + sentence.replace(" counter, and", "\ncounter, and")),
                 [(12, 1, "The driver writes a number into the first counter and takes the")], "a repetition is found, and only once")
    report.equal(repetitions(f"| {sentence} |\n| {sentence} |\n\n    {sentence}\n    {sentence}\n{sentence}" + "\n" * 41 + sentence),
                 [], "not in tables, blocks and far parts")
    report.equal([f"{path}:{line}: as line {first}: {words}" for path in documents for line, first, words in repetitions(read(path))],
                 [], "no document says the same twice")


def targets(files):
    """The targets that the makefiles declare with .PHONY."""
    names = set()
    for path in files:
        if os.path.basename(path) == "Makefile" or path.endswith(".mk"):
            for line in re.findall(r"(?m)^\.PHONY:(.*)$", read(path)):
                names.update(word for word in line.split() if "$" not in word)
    return names


def check_help(report, files):
    status, output, error = tap.command(["make", "--no-print-directory", "-s", "help"], cwd=ROOT)
    report.equal((status, error), (0, ""), "make help works")
    helped = set(re.findall(r"(?m)^  (?:make )?([a-z][\w-]*)\b", output.decode()))
    report.equal(sorted(targets(files) - helped - STEPS), [], "make help has every target")
    report.equal(sorted(helped - targets(files)), [], "and no other one")
    too_long = [line for line in output.decode().splitlines() if len(line) > 110]
    report.equal(too_long, [], "in lines of 110 characters at most")


def main():
    report = tap.Report()
    files = tracked()
    places = sum(check_places(report, path, files) for path in files if path.endswith(".md") and PLACE.search(read(path)))
    report.ok(places > 80, "documents name functions", places)
    status, output, error = tap.command(["tools/drawings", "--check"], cwd=ROOT)
    report.equal((status, output, error), (0, b"", ""), "each drawing belongs to its source")
    shown = {name for path in files if path.endswith(".md") for name in re.findall(r"\]\(drawings/([\w-]+)\.svg\)", read(path))}
    report.equal(shown, {os.path.basename(path)[:-4] for path in files if path.endswith(".dot")}, "each drawing is shown")
    check_repetitions(report, [path for path in files if path.endswith(".md")])
    check_help(report, files)
    return report.done()


sys.exit(main())
