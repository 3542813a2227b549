#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The things that the counts of `tally count` depend on: each rule of docs/counting.md, by counts that are equal to the last one.

A program of known instructions has the counts that one derives by hand. A program of threads and one in Python count the
same in other surroundings on the host.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tallytest import inside, tap

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
LIBPERF = os.path.join(PROGRAMS, "..", "..", "..", "userland", "libperf")
PAGE = os.path.join(PROGRAMS, "..", "..", "..", "docs", "counting.md")
PYTHON = "/usr/bin/python3"
SCRIPT = "print(sum(hash(word) % 7 for word in 'a b c d e f'.split()), len({object() for _ in range(99)}))\n"
# By hand, see known.S and region.S. On a CPU without a model of caches a cycle is an instruction or a branch.
KNOWN = {"instructions": 2006, "branches": 1002, "cycles": 3008}
REGION = {"instructions": 2011, "branches": 1002, "cycles": 3013}
# Names that the table of a CPU with a model has beside the others. A Zen 3 has six counters, and none for the references.
MODELLED = {"skylake": {"branch-misses", "cache-misses", "cache-references"},
            "zen3": {"branch-misses", "cache-misses"}}


def count(*words, cwd=None, stdin=None, **variables):
    """Runs `tally count`: (status, standard output, the record or None, standard error)."""
    with tempfile.NamedTemporaryFile() as file:
        command = [inside.TALLY, "count", "--timeout", "300", "--format", "json", "--output", file.name, *words]
        environment = {**os.environ, **variables}
        if stdin is None:
            status, output, error = tap.command(command, cwd=cwd, env=environment)
        else:
            done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False, stdin=stdin)
            status, output, error = done.returncode, done.stdout, done.stderr.decode()
        text = file.read().decode()
    return status, output.decode(), json.loads(text) if text else None, error


def build(folder, name, *options):
    program = os.path.join(folder, os.path.splitext(name)[0])
    return program, tap.command(["gcc", "-O1", *options, "-o", program, os.path.join(PROGRAMS, name)])[0]


def whole(run):
    return run[:2], run[2]["counts"] if run[2] else run[3]


def check_known(report, known):
    first = count(known)
    status, _, found, error = first
    report.equal(({name: found["counts"][name]["user"] for name in KNOWN} if found else error, status), (KNOWN, 0),
                 "a program of known instructions has their counts", error)
    status, _, found, error = count(known, "x")
    report.equal((found["counts"]["instructions"]["user"] if found else error, status), (KNOWN["instructions"] + 2, 3),
                 "an instruction more is counted, and the status is the program's", error)
    status, _, found, error = count("--pmu-version", "1", known)
    report.equal(({name: found["counts"][name]["user"] for name in KNOWN} if found else error, status), (KNOWN, 0),
                 "a PMU without fixed counters counts as many events as it has counters", error)
    report.equal(whole(count("--free", "time", known))[1]["instructions"]["user"], whole(first)[1]["instructions"]["user"],
                 "in real time the instructions of user mode are the same")


def check_surroundings(report, folder, threads):
    """Each is another place, environment or machine load for the same program. Returns the run without any of these."""
    first = count(threads)
    report.equal(first[0], 0, "a program with threads is counted", first[3])
    report.equal(whole(count(threads)), whole(first), "a second run has the same counts")
    elsewhere = os.path.join(folder, "another", "and longer", "path")
    os.makedirs(elsewhere)
    shutil.copy(threads, elsewhere)
    os.utime(os.path.join(elsewhere, "threads"), (1, 1))
    report.equal(whole(count("./threads", cwd=elsewhere)), whole(first), "another path, folder and time of the file change no count")
    report.equal(whole(count(threads, LANG="xx", LONG="x" * 5000, PYTHONHASHSEED="5")), whole(first),
                 "the host's environment changes no count")
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as load:
        try:
            busy = count(threads)
        finally:
            load.kill()
    report.equal(whole(busy), whole(first), "load on the host changes no count")
    return first


def check_unrelated(report, folder, known, threads, names):
    """Unrelated files of several sizes and at several places, beside several kinds of work: each beside the program that depends
    on files most, all together beside the others."""
    place = os.path.join(folder, "unrelated")
    os.makedirs(os.path.join(place, "many"))
    for name, size in (("tiny", 1), ("some", 5000), ("large", 3 << 20), *((f"many/{number}", number * 100) for number in range(50))):
        with open(os.path.join(place, name), "wb") as file:
            file.truncate(size)
    added = {"a tiny file": ("tiny",), "a file of 5000 bytes": ("some",), "a file of 3 MiB": ("large",), "50 files": ("many",),
             "a file in the folder of the program": ("/bin/true",), "a file at another path": (PAGE,),
             "all of these": (".", "/bin/true", PAGE)}
    together = ("all of these",)
    for program, words, beside in (("a small program", (known,), together), ("a program with threads", ("--cpus", "2", threads), together),
                                   ("a program that makes and finds files", (names,), tuple(added)),
                                   ("Python", (PYTHON, "-c", "print(1)"), together)):
        alone = count(*words, cwd=place)
        report.equal((alone[0], bool(alone[2])), (0, True), f"{program} is counted", alone[3])
        for name in beside:
            paths = added[name]
            more = count(*(word for path in paths for word in ("--add", path)), *words, cwd=place)
            report.equal(whole(more), whole(alone), f"{program}: no other count with {name} in the machine", more[3])


def check_input(report, threads, first):
    counts = []
    for command in ("printf 'a line\\nanother\\n'", "printf 'a line\\n'; sleep 1; printf 'another\\n'"):
        with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE) as source:
            counts.append(whole(count(threads, stdin=source.stdout)))
    report.equal(counts[1], counts[0], "the speed of standard input changes no count")
    report.ok(counts[0][0][1].split()[-1] != first[1].split()[-1], "and the program has read it", counts)


def check_output(report, folder):
    """More than a pipe holds goes to a reader at once, and to one that reads when QEMU has long written."""
    counts = []
    for wait in ("", "sleep 2; "):
        out = os.path.join(folder, "counts")
        line = f"{inside.TALLY} count --timeout 300 --format json --output {out} /usr/bin/seq 20000 | ({wait}tail -n 1)"
        status, output, error = tap.command(["sh", "-c", line])
        report.equal((status, output), (0, b"20000\n"), "a program's long output arrives", error)
        with open(out, encoding="utf-8") as file:
            counts.append(json.load(file)["counts"])
    report.equal(counts[1], counts[0], "the speed of the reader of standard output changes no count")


def check_let_go(report, threads, first):
    """Each condition, let go, shows in what the program prints: path, folder, random number, address, sum, bytes."""
    fixed = first[1].split()
    report.equal(fixed[:2], ["/bin/threads", "/here"], "the program has a path and a folder of its own")
    shown = count("--free", "place", threads, cwd="/var")[1].split()
    report.equal(shown[1], "/var", "--free place: the host's folder")
    shown = count("--free", "environment", threads, SOME="x" * 100)[1].split()
    report.ok(int(shown[5]) > int(fixed[5]) + 100, "--free environment: the host's variables", shown, fixed)
    shown = count("--free", "random", threads)[1].split()
    report.ok(shown[2] != fixed[2], "--free random: other random numbers", shown, fixed)
    shown = count("--free", "addresses", threads)[1].split()
    report.ok(shown[3] != fixed[3], "--free addresses: other addresses", shown, fixed)


def check_python(report, folder):
    counts = []
    for name in ("first", "a folder with a longer name"):
        place = os.path.join(folder, name)
        os.mkdir(place)
        with open(os.path.join(place, "script.py"), "w", encoding="ascii") as file:
            file.write(SCRIPT)
        with open(os.path.join(place, "unrelated.py"), "w", encoding="ascii") as file:
            file.write("x = 1\n" * len(counts))
        counts.append(count("--add", "script.py", PYTHON, "script.py", cwd=place, PYTHONHASHSEED=str(len(counts)), NAME=name))
    report.equal((counts[0][0], counts[0][1].split()[1:]), (0, ["99"]), "a program in Python is counted", counts[0][3])
    report.equal(whole(counts[1]), whole(counts[0]), "Python: another folder and environment, an unrelated file: no other count")


def check_model(report, threads):
    for processor, kinds in MODELLED.items():
        runs = [count("--processor", processor, threads) for _ in range(2)]
        report.equal(whole(runs[1]), whole(runs[0]), f"{processor}: a second run has the same counts")
        names = set(runs[0][2]["counts"]) if runs[0][2] else set()
        report.equal({name for name in names if name.startswith(("branch-", "cache-"))}, kinds, f"{processor}: misses are counted")
    runs = [count("--cpus", "2", threads) for _ in range(2)]
    report.equal(whole(runs[1]), whole(runs[0]), "two CPUs: a second run has the same counts")


def check_region(report, region, part):
    status, _, found, error = count("--control", "/tmp/control,/tmp/answers", region)
    report.equal(({name: found["counts"][name]["user"] for name in REGION} if found else error, status), (REGION, 0),
                 "a part that the program enables by perf's protocol has the counts of its instructions", error)
    parts = [count("--region", part, *times) for times in (("1000", "1000"), ("2000", "1000"), ("1000", "9000"))]
    report.equal([run[0] for run in parts], [0, 0, 0], "a program counts a part of itself by libperf", parts[0][3])
    if all(run[2] for run in parts):
        first, longer, more_outside = (run[2]["counts"]["instructions"]["user"] for run in parts)
        report.equal(longer - first, 2000, "a thousand passes more of two instructions are 2000 instructions")
        report.equal(more_outside, first, "passes outside of the part are not counted")
    report.equal(count(part, "1", "1")[0], 2, "without --region the calls fail")
    status, _, found, error = count("--control", "/tmp/control", "/bin/true")
    report.equal((found["counts"]["instructions"] if found else error, status), ({"user": 0, "kernel": 0}, 0),
                 "a program that enables nothing has no counts", error)


def check_page(report, folder):
    """docs/counting.md's samples run as they stand, and print what is shown; the numbers of echo are those of Debian 12."""
    with open(PAGE, encoding="utf-8") as file:
        echo, comparison, _, functions, inlined, part = re.findall(r"```text\n(.*?)```", file.read(), re.S)
    for name in ("tools", "userland"):
        os.symlink(os.path.join(os.path.dirname(PAGE), "..", name), os.path.join(folder, name))

    def run(sample, number=0):
        command = re.findall(r"^\$ (.*)$", sample, re.M)[number]
        return tap.command(["/bin/bash", "-c", command], cwd=folder)

    def user(table):
        return {row[0]: row[1] for row in map(str.split, table.splitlines()) if len(row) == 4 and row[0] != "page-faults"}
    status, output, error = run(echo)
    report.equal((status, output, user(error).keys()), (0, b"hello\n", user(echo).keys()), "the page's first sample has its rows", error)
    with open("/etc/debian_version", encoding="ascii") as file:
        if file.read().startswith("12."):
            report.equal(user(error), user(echo), "and its numbers of user mode", error)
    for number, passes in enumerate((1000, 1020)):
        with open(os.path.join(folder, "prog.S"), "w", encoding="ascii") as file:
            file.write(f".globl _start\n_start: mov ${passes}, %ecx\n1: dec %ecx\njnz 1b\nxor %edi, %edi\nmov $60, %eax\nsyscall\n")
        tap.command(["gcc", "-nostdlib", "-static", "-no-pie", "-o", "prog", "prog.S"], cwd=folder)
        status, _, error = run(comparison, number)
    report.equal((status, error.splitlines()[-4:]), (1, comparison.splitlines()[2:]), "so has that of --compare", error)
    tap.command(["gcc", "-nostdlib", "-static", "-no-pie", "-o", "calls", os.path.join(PROGRAMS, "calls.S")], cwd=folder)
    status, _, error = run(functions)
    shown = [line for line in functions.splitlines()[1:] if line != "…"]
    report.equal((status, [line for line in error.splitlines() if line in shown]), (0, shown), "and that of --functions", error)
    for name in ("inlined.c", "inlined.h"):
        shutil.copy(os.path.join(PROGRAMS, name), folder)
    built = run(inlined)[0]
    status, _, error = run(inlined, 1)
    shown = [line for line in inlined.splitlines()[2:] if line != "…"]
    report.equal((built, status, [line for line in error.splitlines() if line in shown]), (0, 0, shown), "and that of inlined functions", error)
    source = re.search(r"^\$ cat part\.c\n(.*?)^\$ ", part, re.S | re.M)[1]
    counts = []
    for passes in (1000, 2000, 3000):
        with open(os.path.join(folder, "part.c"), "w", encoding="ascii") as file:
            file.write(source.replace("1000", str(passes)))
        status, _, error = run(part, 1)
        report.equal(status, 0, f"the program of the sample about a part is built with {passes} passes", error)
        counts.append(int(user(run(part, 2)[2]).get("instructions", "0").replace(",", "")))
    each = counts[1] - counts[0]
    report.ok(each > 0 and each % 1000 == 0, "its part has the same instructions in each pass", counts)
    report.equal(counts[2] - counts[1], each, "and the same ones around them")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        known, known_built = build(folder, "known.S", "-nostdlib", "-static", "-no-pie")
        region, region_built = build(folder, "region.S", "-nostdlib", "-static", "-no-pie")
        part, part_built = build(folder, "part.c", "-static", "-I" + LIBPERF, os.path.join(LIBPERF, "perf_region.c"))
        threads, threads_built = build(folder, "threads.c", "-pthread")
        names, names_built = build(folder, "names.c")
        report.equal((known_built, region_built, part_built, threads_built, names_built), (0, 0, 0, 0, 0), "the programs are built")
        check_known(report, known)
        check_region(report, region, part)
        first = check_surroundings(report, folder, threads)
        check_unrelated(report, folder, known, threads, names)
        check_input(report, threads, first)
        check_output(report, folder)
        check_let_go(report, threads, first)
        check_python(report, folder)
        check_model(report, threads)
        check_page(report, folder)
    return report.done()


sys.exit(main())
