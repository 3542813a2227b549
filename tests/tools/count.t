#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""`tally count`: its table, its statuses, what --save writes and --compare finds, and what it says about bad input.

tests/perf/count.t has the counts.
"""

import json
import os
import re
import shutil
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
COMPLETION = os.path.join(HERE, "..", "..", "tools", "debian", "completion")
BUILD = os.environ["TALLY_BUILD"]
WORDS = os.path.join(BUILD, "tests", "words")
NOTHING = os.path.join(BUILD, "tests", "nothing")
FOLDER = os.path.join(BUILD, "tests", "count")
SAVED = os.path.join(FOLDER, "saved")

# Words, the status, and the text of the one line on standard error.
MISTAKES = (
    ([], 120, "count needs a PROGRAM"),
    (["--arch", "alpha", NOTHING], 120, "--arch alpha: count is for the emulated PMU"),
    (["--under", "kvm", NOTHING], 120, "--under: count is for the emulated PMU"),
    (["--pmu", "none", NOTHING], 120, "--pmu none: count is for the emulated PMU"),
    (["--cpu", "EPYC", NOTHING], 120, "--cpu: count is for the emulated PMU"),
    (["--gdb", NOTHING], 120, "--gdb: count is for the emulated PMU"),
    (["--functions", "--arch", "alpha", NOTHING], 120, "--arch alpha: count is for the emulated PMU"),
    (["--region-requests", "--region", NOTHING], 120, "--region-requests: the program's requests say what is counted"),
    (["--limit", "2", NOTHING], 120, "--limit is for --compare"),
    (["--limit", "-1", NOTHING], 120, "'-1' is no percentage: give [WHAT=]PERCENT"),
    (["--limit", "1/2", NOTHING], 120, "'1/2' is no percentage: give [WHAT=]PERCENT"),
    (["--limit", "much", NOTHING], 120, "'much' is no percentage: give [WHAT=]PERCENT"),
    (["--limit", "user=", NOTHING], 120, "'' is no percentage: give [WHAT=]PERCENT"),
    (["--limit", "=1", NOTHING], 120, "'' is no row, column or ROW/COLUMN of the table"),
    (["--limit", "cycles/guest=1", NOTHING], 120, "'cycles/guest' is no row, column or ROW/COLUMN of the table"),
    (["--limit", "/user=1", NOTHING], 120, "'/user' is no row, column or ROW/COLUMN of the table"),
    (["--limit", "user=1", NOTHING], 120, "--limit is for --compare"),
    (["--limit", "user=1", "--compare", "/no/such/file", NOTHING], 127, "--compare /no/such/file: No such file"),
    (["--free", "speed", NOTHING], 120, "invalid choice: 'speed'"),
    (["--format", "xml", NOTHING], 120, "invalid choice: 'xml'"),
    (["--control", "fifo", NOTHING], 120, "'fifo' is not of the form /PATH or /PATH,/PATH"),
    (["--control", "/a,/a", NOTHING], 120, "'/a,/a' is not of the form"),
    (["--control", "/bin", NOTHING], 120, "--control: a FIFO cannot be made in the machine: File exists; name a file"),
    (["--compare", "/no/such/file", NOTHING], 127, "--compare /no/such/file: No such file"),
    (["--compare", NOTHING, NOTHING], 2, "is not what --save writes"),
    (["--compare", "/dev/null", NOTHING], 2, "is not what --save writes"),
    (["--save", "/no/such/folder/x", NOTHING], 127, "/no/such/folder/x: No such file"),
    (["--output", "/no/such/folder/x", NOTHING], 127, "/no/such/folder/x: No such file"),
    (["/no/such/program"], 127, "/no/such/program: No such file"),
)
# Words after the saved program's, which make it another measurement, and the thing that is another.
OTHERS = (
    (["--processor", "zen3", WORDS, "7"], "processor"),
    (["--caches", "cachegrind", WORDS, "7"], "caches"),
    (["--pmu-counters", "8", WORDS, "7"], "counters"),
    (["--cpus", "2", WORDS, "7"], "cpus"),
    (["--env", "A=b", WORDS, "7"], "environment"),
    (["--free", "random", WORDS, "7"], "free"),
    (["--kernel", os.path.join(BUILD, "tests", "guest.elf"), WORDS, "7"], "kernel"),
    (["--functions", WORDS, "7"], "functions"),
    (["--region-requests", WORDS, "7"], "client requests"),
    ([WORDS, "8"], "arguments"),
    ([NOTHING, "7"], "program"),
)


def count(*words, stdin=b""):
    return tap.command([TALLY, "count", "--timeout", "400", *words], stdin=stdin)


def saved():
    with open(SAVED, encoding="utf-8") as file:
        return json.load(file)


def change(function):
    """Lets FUNCTION change what is saved."""
    found = saved()
    function(found)
    with open(SAVED, "w", encoding="utf-8") as file:
        json.dump(found, file)


def check_forms(report):
    status, output, error = count(NOTHING)
    rows = [line.split() for line in error.splitlines()]
    report.equal((status, output, [row[0] for row in rows]),
                 (0, b"", ["user", "instructions", "cycles", "branches", "page-faults", "context-switches"]), "the table's rows", error)
    report.ok(len(rows) > 1 and all(len(row) == 4 for row in rows[1:]), "each has a cell of each column", error)
    out = os.path.join(FOLDER, "out")
    status, output, error = count("--format", "json", "--output", out, WORDS, "a")
    with open(out, encoding="utf-8") as file:
        found = json.load(file)
    report.equal((status, error, found["program"], found["arguments"], found["status"]), (0, "", "words", ["a"], 0), "JSON has the same")
    report.equal(output.splitlines()[:2], [b"[/bin/words]", b"[a]"], "standard output is the program's")
    status, _, error = count("--compare", out, WORDS, "a")
    report.ok(status == 2 and "is not what --save writes" in error, "JSON without --save is no baseline: it has no conditions", error)
    status, output, error = count("--output", out, WORDS, "copy", stdin=b"\0\xff\x10input\r\n")
    report.equal((status, output), (0, b"\0\xff\x10input\r\n"), "and standard input", error)
    status, output, error = count("--output", out, WORDS, "77")
    report.equal(status, 77, "a status passes through", error)
    status, output, error = count("--output", out, WORDS, "crash")
    report.equal((status, error), (139, "tally: the program was killed by signal 11 (Segmentation fault)\n"),
                 "a signal passes through")


def check_comparison(report):
    status, _, error = count("--save", SAVED, WORDS, "0")
    report.equal(status, 0, "counts are saved", error)
    status, _, error = count("--compare", SAVED, WORDS, "0")
    report.ok((status, error.splitlines()[-1]) == (0, "every count is the baseline's"), "the same program has the same counts", error)
    now = saved()["counts"]["instructions"]["user"]
    # A count that is 1/100 above the baseline's is within 1 %, and not within less.
    change(lambda found: found["counts"]["instructions"].update(user=now * 100))
    status, _, error = count("--compare", SAVED, WORDS, "0")
    report.ok(status == 0 and f"instructions user: {now * 100:,} -> {now:,} (-99.00 %)" in error.splitlines(),
              "less than before is a change, and within any limit", error)
    change(lambda found: found["counts"]["instructions"].update(user=now - 1))
    status, _, error = count("--compare", SAVED, WORDS, "0")
    report.ok(status == 1 and "tally: 1 count has grown by more than 0 %: instructions user" in error,
              "one instruction more: status 1 without a --limit", error)
    percent = 100 / (now - 1)
    status, _, error = count("--compare", SAVED, "--limit", f"{percent * 1.001:.9f}", WORDS, "0")
    report.equal(status, 0, "a limit just above: status 0", error)
    status, _, error = count("--compare", SAVED, "--limit", f"{percent * 0.999:.9f}", WORDS, "0")
    report.equal(status, 1, "a limit just below: status 1", error)
    status, _, error = count("--compare", SAVED, "--format", "json", WORDS, "0")
    report.ok(f'"before": {now - 1}' in error and f'"now": {now}' in error, "JSON has the change", error)


# Words; the rows of which the baseline has an instruction less, by column; the status, and the end of the one line.
LIMITS = (
    ((), "user kernel", 1, "2 counts have grown by more than 0 %: instructions user: "),
    (("user=0",), "kernel", 0, None),
    (("user=0",), "user kernel", 1, "1 count has grown by more than 0 %: instructions user: "),
    (("kernel=0",), "user", 0, None),
    (("cycles=0",), "user kernel", 0, None),
    (("instructions/kernel=0",), "user kernel", 1, "1 count has grown by more than 0 %: instructions kernel: "),
    # The more exact one decides, in any order; of two alike the lesser.
    (("0", "kernel=50"), "kernel", 0, None),
    (("kernel=50", "0"), "user kernel", 1, "1 count has grown by more than 0 %: instructions user: "),
    (("user=0", "instructions/user=50"), "user", 0, None),
    (("user=50", "instructions=0"), "user", 1, "1 count has grown by more than 0 %: instructions user: "),
    (("user=0", "kernel=0.0001"), "user kernel", 1, "2 counts have grown by more than their limits: instructions user: "),
)


def check_limits(report):
    count("--save", SAVED, "--output", os.path.join(FOLDER, "out"), WORDS, "0")
    original = saved()
    for limits, smaller, status, says in LIMITS:
        rows = {column: original["counts"]["instructions"][column] - 1 for column in smaller.split()}
        if "kernel=0.0001" in limits:
            # 1 % less is beyond it, whatever the kernel counts.
            rows["kernel"] = rows["kernel"] * 99 // 100
        change(lambda found: found["counts"]["instructions"].update(original["counts"]["instructions"]))
        change(lambda found, rows=rows: found["counts"]["instructions"].update(rows))
        got, _, error = count("--compare", SAVED, *(word for limit in limits for word in ("--limit", limit)), WORDS, "0")
        line = [line for line in error.splitlines() if line.startswith("tally: ")]
        report.ok(got == status and (says in line[0] if says else not line),
                  f"limits {' '.join(limits) or '(none)'}, {smaller} less before: status {status}", got, error)
    got, _, error = count("--compare", SAVED, "--limit", "cache-misses=1", WORDS, "0")
    report.ok(got == 120 and error.startswith("tally: --limit cache-misses: there is no such count here; there are: instructions/user, "),
              "a limit of what is not counted is refused", got, error)


# Options of commands for other machines; each has a sentence (MISTAKES), or is always so.
NOT_LISTED = ("--arch", "--pmu", "--under", "--under-cpus", "--under-memory", "--cpu", "--gdb", "--icount")


def check_help(report):
    status, output, error = tap.command([TALLY, "count", "--help"])
    listed = set(re.findall(r"(?<![\w-])--[a-z-]+", re.split(r"\noptions:\n", output.decode())[0]))
    report.equal((status, listed & set(NOT_LISTED)), (0, set()), "--help lists no option that count refuses", error)
    report.ok({"--cpus", "--processor", "--pmu-counters", "--limit", "--free"} <= listed, "and its own", listed)
    completion = tap.command([COMPLETION, "bash"])[1].decode()
    offered = next(line for line in completion.splitlines() if line.startswith("\tcount) options=")).split('"')[1].split()
    report.equal((set(offered) & set(NOT_LISTED), "--limit" in offered), (set(), True),
                 "a shell's completion offers none of them either")
    others = tap.command([TALLY, "run", "--help"])[1].decode()
    report.equal([option for option in NOT_LISTED if f"{option} " not in others and f"{option}]" not in others], [], "run's lists all of those")


def check_other_baselines(report):
    count("--save", SAVED, "--output", os.path.join(FOLDER, "out"), WORDS, "7")
    status, _, error = count("--compare", SAVED, WORDS, "7")
    report.equal(status, 7, "the program's status comes before the comparison's", error)
    for words, thing in OTHERS:
        status, output, error = count("--compare", SAVED, *words)
        report.ok((status, output) == (2, b"") and f"is of another run: {thing}: " in error and error.count("\n") == 1,
                  f"a baseline of another {thing}: status 2 and one line, before a machine starts", status, error)
    status, _, error = count("--compare", SAVED, WORDS, "7", stdin=b"x")
    report.ok(status == 2 and "is of another run: input: " in error, "a baseline of another input: status 2", error)
    change(lambda found: found["conditions"].update(emulator="x"))
    status, _, error = count("--compare", SAVED, WORDS, "7")
    report.ok(status == 2 and "is of another run: emulator: " in error, "a baseline of another emulator: status 2", error)
    change(lambda found: found.update(format=0))
    status, _, error = count("--compare", SAVED, WORDS, "7")
    report.ok(status == 2 and "has format 0, and this version of tally has 1" in error, "a baseline of another format: status 2", error)
    change(lambda found: found.update(format=1, counts={"instructions": 5}))
    status, _, error = count("--compare", SAVED, WORDS, "7")
    report.ok(status == 2 and "is not what --save writes" in error, "a damaged baseline: status 2", error)


def main():
    report = tap.Report()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    check_forms(report)
    check_comparison(report)
    check_limits(report)
    check_help(report)
    check_other_baselines(report)
    for words, status, says in MISTAKES:
        got, _, error = count(*words)
        lines = [line for line in error.splitlines() if line.startswith("tally: ")]
        report.ok((got, len(lines)) == (status, 1) and says in lines[0],
                  f"count {' '.join(map(os.path.basename, words))}: status {status}, one line", got, error)
    return report.done()


sys.exit(main())
