#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""`tally count --functions` with debugging information: the cost of each line, and of functions inside of others.

inlined.c has the counts by hand. For every program the parts of a function add up to what it has cost.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from tallytest import inside, tap

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
SOURCE, HEADER = os.path.join(PROGRAMS, "inlined.c"), os.path.join(PROGRAMS, "inlined.h")
# By hand, see inlined.c: the exclusive cost, and that of what is inlined.
BY_HAND = {"_start": (28, {}), "work": (35, {"inner (inlined)": 15, "outer (inlined)": 10}), "fill": (7, {"clear (inlined)": 6})}
CALLS = {"work": 5, "fill": 1}
ROWS = """\
             35  50.00              35  50.00             5  work (/bin/inlined)
             15  21.43                                       inner (inlined)
             10  14.29                                       outer (inlined)
             28  40.00              70 100.00             0  _start (/bin/inlined)
              7  10.00               7  10.00             1  fill (/bin/inlined)
              6   8.57                                       clear (inlined)
             70 100.00  instructions
"""


def count(*words, path=None):
    """Runs `tally count`, with this PATH if there is one: (status, what --output has, standard error)."""
    tally = [sys.executable, "-S", inside.TALLY]
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run([*tally, "count", "--timeout", "300", "--output", file.name, *words], capture_output=True,
                              check=False, stdin=subprocess.DEVNULL, env={**os.environ, **({"PATH": path} if path else {})})
        return done.returncode, file.read().decode(), done.stderr.decode()


def counted(*words, path=None):
    """(status, {name: (exclusive, {name of an inlined function: exclusive})} of /bin/inlined, standard error)."""
    status, text, error = count("--functions", "--format", "json", *words, path=path)
    return status, {one["name"]: (one["exclusive"], {part["name"]: part["exclusive"] for part in one.get("inlined", ())})
                    for one in (json.loads(text)["functions"] if text else ()) if one["file"] == "/bin/inlined"}, error


def commented(path, calls):
    """{line: instructions} of the lines of a source whose comment has those of one call of a function with these CALLS by line."""
    with open(path, encoding="ascii") as file:
        found = [(number, re.search(r"/\* (\d+) \*/$", line)) for number, line in enumerate(file, 1)]
    return {number: int(match[1]) * calls(number) for number, match in found if match}


def by_line(text, function):
    """{source: {line: instructions of user mode}} of a function in Callgrind's format."""
    names, costs, source, mine, call = {}, {}, None, False, False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fi", "fe", "fn", "cfi", "cfn"):
            number, _, name = value.partition(" ")
            kind = "function" if key.endswith("n") else "source"
            name = names.setdefault((kind, number), name)
            if key == "fn":
                mine = name == function
            elif key in ("fl", "fi", "fe"):
                source = name
        elif key == "calls":
            call = True
        elif re.match(r"\d+ \d+", line):
            if mine and not call:
                number, instructions = map(int, line.split()[:2])
                costs.setdefault(source, {})[number] = costs.get(source, {}).get(number, 0) + instructions
            call = False
    return costs


def check_by_hand(report, program):
    status, text, error = count("--functions", program)
    report.ok(status == 0 and ROWS in text, "the table names inlined functions as perf does, below that which contains them", text, error)
    for words, what in (((), "virtual time"), (("--free", "time", "--cpus", "2"), "two CPUs in real time"),
                        (("--processor", "zen3"), "a CPU with a model of caches")):
        status, found, error = counted(*words, program)
        report.equal((found, status), (BY_HAND, 0), f"{what}: functions and what is inlined have their counts, page faults or not", error)
    status, found, error = counted(program, "x")
    report.equal((found, status), ({"_start": (2, {}), "dies": (1, {})}, 139), "an instruction that kills the program is not counted", error)


def check_callgrind(report, folder, program):
    status, text, error = count("--format", "callgrind", program)
    with open(SOURCE, encoding="ascii") as file:
        lines = file.read().splitlines()
    begins = {name: next(number for number, line in enumerate(lines, 1) if re.search(rf"\b{name}\((char \*byte|void)\)$", line))
              for name in ("outer", "work", "clear", "fill", "dies")}

    def times(number):
        inside_of = max((name for name in begins if begins[name] <= number), key=begins.get)
        return {"outer": 5, "work": 5, "clear": 2, "fill": 1, "dies": 0}[inside_of]
    all_lines = {number: cost for number, cost in commented(SOURCE, times).items() if cost}
    work = {number: cost for number, cost in all_lines.items() if number < begins["clear"]}
    fill = {number: cost for number, cost in all_lines.items() if number > begins["clear"]}
    report.equal((by_line(text, "work"), by_line(text, "fill"), status),
                 ({SOURCE: work, HEADER: commented(HEADER, lambda _: 5)}, {SOURCE: fill}, 0),
                 "Callgrind's format has each line's cost, in the source that it is in", error)
    report.ok(re.search(r"^fi=\(\d+\)", text, re.M) and re.search(r"^fe=\(\d+\)", text, re.M), "another source begins by fi= and ends by fe=", text)
    path = os.path.join(folder, "counts")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, output, complaint = tap.command(["callgrind_annotate", "--auto=no", "--threshold=100", path, SOURCE], cwd=folder)
    source = output.decode().partition("-- User-annotated source: ")[2]
    shown = [int(cost) for cost in re.findall(r"^ *(\d+) \([ \d.]+%\)\s+\S+\s+\S.*/\* \d+ \*/$", source, re.M)]
    report.equal((status, complaint), (0, ""), "callgrind_annotate reads it with the source without a complaint")
    report.equal(shown, [all_lines[number] for number in sorted(all_lines)], "and shows the cost of each line beside it", output.decode())


def check_sums(report, flows):
    """The lines of a program with threads, signals and page faults are all that its functions have cost."""
    for way in ("threads", "signals", "fork"):
        _, text, error = count("--format", "callgrind", flows, way)
        _, functions, _ = count("--functions", "--format", "json", flows, way)
        cost = {one["name"]: one["exclusive"] for one in json.loads(functions)["functions"] if one["file"] == "/bin/flows"}
        for name in ("main", "work"):
            lines = {number: cost for costs in by_line(text, name).values() for number, cost in costs.items()}
            report.equal((sum(lines.values()), lines.get(0)), (cost[name], None), f"{way}: the lines of {name} are all of its cost", error)


def build(program, source, *options):
    return tap.command(["gcc", "-O2", "-g", *options, *(() if "flows" in source else ("-nostdlib", "-static", "-no-pie")), "-o", program, source])[0]


def check_changes(report, folder, program):
    """A function that is inlined has grown: the comparison names it."""
    saved, other = os.path.join(folder, "saved"), os.path.join(folder, "other")
    count("--functions", "--save", saved, program)
    status, text, error = count("--functions", "--compare", saved, program)
    report.equal((status, text.splitlines()[-1]), (0, "every function's counts are the baseline's"), "a second run has the same parts", error)
    os.mkdir(other)
    for path in (SOURCE, HEADER):
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(os.path.join(other, os.path.basename(path)), "w", encoding="ascii") as file:
            file.write(text.replace("incb (%0)\\n\\tnop", "incb (%0)\\n\\tnop\\n\\tnop"))
    built = build(os.path.join(other, "inlined"), os.path.join(other, "inlined.c"))
    _, text, error = count("--functions", "--compare", saved, os.path.join(other, "inlined"))
    report.ok(built == 0 and "inner (inlined) (/bin/inlined): exclusive 15 -> 20 (+5, +33.33 %)" in text.splitlines(),
              "--compare names the inlined function that has grown", text, error)


def check_without(report, folder, program):
    """Without debugging information, and where no addr2line is, functions are counted as a whole."""
    plain = {name: (cost, {}) for name, (cost, _) in BY_HAND.items()}
    stripped = os.path.join(folder, "stripped", "inlined")
    os.mkdir(os.path.dirname(stripped))
    subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
    report.equal(counted(stripped)[1], plain, "without debugging information the functions have the same counts, and no parts")
    report.equal(counted(program, path=folder)[1], plain, "so they have where no addr2line is")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        program, flows = os.path.join(folder, "inlined"), os.path.join(folder, "flows")
        built = build(program, SOURCE), build(flows, os.path.join(PROGRAMS, "flows.c"), "-pthread")
        report.equal(built, (0, 0), "the programs are built")
        check_by_hand(report, program)
        check_callgrind(report, folder, program)
        check_sums(report, flows)
        check_changes(report, folder, program)
        check_without(report, folder, program)
    return report.done()


sys.exit(main())
