#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""`tally count --functions`: each rule of docs/counting.md about counts by function, by counts that are exact.

A program in assembly has the counts that one derives by hand, and Callgrind's. For all programs the sum over the functions is
the count of the PMU, to the last instruction.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from tallytest import inside, tap

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PYTHON = "/usr/bin/python3"
# By hand, see calls.S: exclusive, inclusive, calls.
CALLS = {"_start": (8, 65, 0), "jumps": (2, 4, 1), "landing": (2, 2, 1), "factorial": (36, 36, 5), "thrice": (11, 17, 1),
         "leaf": (6, 6, 3)}
EDGES = {("_start", "jumps"): (1, 4), ("_start", "factorial"): (1, 36), ("_start", "thrice"): (1, 17), ("jumps", "landing"): (1, 2),
         ("factorial", "factorial"): (4, 0), ("thrice", "leaf"): (3, 6)}
# Callgrind leaves out the block that ends the program: three instructions of _start.
LEFT_OUT = 3
# The ways of flows.c: calls of functions, and callers of some.
FLOWS = {
    "signals": ({"handler": 3, "other_handler": 2, "work": 5}, {("handler", "work"): 3, ("other_handler", "work"): 2}),
    "longjmp": ({"outer": 5, "inner": 5, "work": 5}, {("jumps", "outer"): 5, ("outer", "inner"): 5, ("inner", "work"): 5}),
    "threads": ({"thread": 4, "work": 40}, {("thread", "work"): 40}),
    "fork": ({"seven": 3, "work": 21}, {("forks", "seven"): 3, ("seven", "work"): 21}),
    "exec": ({"main": 2, "outer": 5, "inner": 5, "work": 6}, {("main", "work"): 1, ("inner", "work"): 5}),
    # Eight calls of twice() by the pointer, and four of tail(), which jumps to it.
    "pointers": ({"twice": 12, "tail": 4, "work": 12}, {("pointers", "twice"): 8, ("pointers", "tail"): 4, ("tail", "twice"): 4}),
}
ONE_STACK = ("signals", "longjmp", "exec", "pointers")


def count(*words):
    """Runs `tally count`: (status, standard output, what --output has, standard error)."""
    with tempfile.NamedTemporaryFile() as file:
        status, output, error = tap.command([inside.TALLY, "count", "--timeout", "300", "--output", file.name, *words])
        text = file.read().decode()
    return status, output.decode(), text, error


def counted(*words):
    """(status, the record or None, standard error) with counts by function."""
    status, _, text, error = count("--functions", "--format", "json", *words)
    return status, json.loads(text) if text else None, error


def build(folder, source, *options, name=None):
    program = os.path.join(folder, name or os.path.splitext(source)[0])
    compiler = "g++" if source.endswith(".cc") else "gcc"
    return program, tap.command([compiler, *options, "-o", program, os.path.join(PROGRAMS, source)])


def by_name(found, file=None):
    """{name: (exclusive, inclusive, calls)} of the functions of user mode, or of FILE."""
    return {one["name"]: (one["exclusive"], one["inclusive"], one["calls"]) for one in found["functions"]
            if (one["file"] == file if file else one["file"] != "[kernel]")}


def edges(found):
    names = [one["name"] for one in found["functions"]]
    return {(names[call["caller"]], names[call["callee"]]): (call["calls"], call["inclusive"]) for call in found["calls"]}


def sums(found):
    """The sums of exclusive counts of user mode and of the kernel, and the PMU's counts."""
    kernel = sum(one["exclusive"] for one in found["functions"] if one["file"] == "[kernel]")
    return ((sum(one["exclusive"] for one in found["functions"]) - kernel, kernel),
            tuple(found["counts"]["instructions"][mode] for mode in ("user", "kernel")))


def check_sums(report, run, what):
    status, found, error = run
    functions, pmu = sums(found) if found else (error, None)
    report.equal((functions, status), (pmu, 0), f"{what}: the functions' sum is the PMU's count", error)
    return found


def check_by_hand(report, calls):
    found = check_sums(report, counted(calls), "calls.S")
    report.equal((by_name(found), edges(found)), (CALLS, EDGES), "a program of known calls has their counts")
    again = counted(calls)[1]
    report.equal(again, found, "a second run has the same counts, the kernel's too")
    report.equal(count(calls)[2].splitlines()[1].split()[1], "65", "without --functions user mode counts the same")
    report.equal(by_name(counted("--free", "time", calls)[1]), CALLS, "in real time user mode counts the same")
    report.equal(by_name(counted("--cpus", "2", calls)[1]), CALLS, "two CPUs: the same")
    report.equal(by_name(counted("--processor", "zen3", calls)[1]), CALLS, "a CPU with a model of caches: the same")


def parse_callgrind(text):
    """Callgrind's format: ({function: instructions}, {(caller, callee): calls}); what is a call of main's caller is _start's."""
    names, costs, calls = {}, {}, {}

    def name_of(word):
        number, _, name = word.partition(" ")
        if name:
            names[number] = re.sub(r"'\d+$", "", name).replace("(below main)", "_start")
        return names[number]

    function = callee = times = None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = name_of(value)
        elif key == "cfn":
            callee = name_of(value)
        elif key == "calls":
            times = int(value.split()[0])
        elif re.match(r"[+*-]?\d+ ", line):
            if times is None:
                costs[function] = costs.get(function, 0) + int(line.split()[1])
            else:
                calls[function, callee] = calls.get((function, callee), 0) + times
                times = None
    return {name: cost for name, cost in costs.items() if cost}, calls


def check_callgrind(report, folder, calls, flows):
    status, _, text, error = count("--format", "callgrind", calls)
    costs, times = parse_callgrind(text)
    theirs = os.path.join(folder, "theirs")
    done = tap.command(["valgrind", "--tool=callgrind", f"--callgrind-out-file={theirs}", calls])
    with open(theirs, encoding="utf-8") as file:
        their_costs, their_times = parse_callgrind(file.read())
    their_costs["_start"] += LEFT_OUT
    report.equal((costs, times, status), (their_costs, their_times, done[0]), "Callgrind counts the same calls and instructions", error)
    for program, words in ((calls, ()), (flows, ("longjmp",))):
        path = os.path.join(folder, "ours")
        _, _, text, error = count("--format", "callgrind", program, *words)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for options in ((), ("--inclusive=yes", "--tree=both")):
            status, output, complaint = tap.command(["callgrind_annotate", "--threshold=100", *options, path])
            report.equal((status, complaint), (0, ""), f"callgrind_annotate {' '.join(options)} reads it without a complaint")
            summary = next(line for line in text.splitlines() if line.startswith("summary:")).split()[1]
            report.ok(f"{int(summary):,} (100.0%)" in output.decode(), "and finds all instructions", output)
    report.ok(re.search(r"^fl=\(\d+\) \S+/flows\.c$", text, re.MULTILINE), "functions with line numbers have their source", text)


def check_flows(report, flows):
    for way, (calls, pairs) in FLOWS.items():
        found = check_sums(report, counted(flows, way), way)
        functions, called = by_name(found), edges(found)
        report.equal({name: functions.get(name, (0, 0, 0))[2] for name in calls}, calls, f"{way}: each function has its calls")
        report.equal({pair: called.get(pair, (0, 0))[0] for pair in pairs}, pairs, f"{way}: by the functions that call it")
        if way in ONE_STACK:
            user = found["counts"]["instructions"]["user"]
            first = by_name(found, "/lib64/ld-linux-x86-64.so.2")["_start"]
            report.equal(first[1], user, f"{way}: the inclusive count of the program's first function is all")
    report.ok(any(name.endswith("@plt") for name in by_name(found)), "entries of the linkage table have names", by_name(found))
    report.ok("_dl_relocate_object" in by_name(found, "/lib64/ld-linux-x86-64.so.2"), "the dynamic loader's functions have names")


def check_languages(report, throws):
    found = check_sums(report, counted(throws), "C++")
    functions, called = by_name(found), edges(found)
    names = ("flows::thrower(int)", "int flows::between<int>(int)", "flows::catcher(int)")
    report.equal([functions.get(name, (0, 0, 0))[2] for name in names], [6, 6, 6], "an exception ends the calls that it leaves")
    report.equal(called.get(("main", names[2]), (0, 0))[0], 6, "and the catcher returns to its caller")
    check_sums(report, counted(PYTHON, "-c", "print(sum(i * i for i in range(1000)))"), "Python")
    check_sums(report, counted("--add", "/bin/echo", "--add", "/bin/cat", "/bin/sh", "-c",
                               "for i in 1 2 3; do /bin/echo $i | /bin/cat; done"), "a shell with children")


def check_stripped(report, folder, flows):
    stripped = os.path.join(folder, "stripped")
    subprocess.run(["strip", "-o", stripped, flows], check=True)
    found = check_sums(report, counted(stripped, "longjmp"), "a stripped program")
    with_names = counted(flows, "longjmp")[1]
    report.equal(sorted(counts for counts in by_name(found, "/bin/stripped").values() if counts[2] == 5),
                 sorted(counts for counts in by_name(with_names, "/bin/flows").values() if counts[2] == 5),
                 "its functions are those of the table for unwinding")


def check_comparison(report, folder, calls):
    saved = os.path.join(folder, "saved")
    with open(os.path.join(PROGRAMS, "calls.S"), encoding="utf-8") as file:
        source = file.read()
    with open(os.path.join(folder, "calls.S"), "w", encoding="utf-8") as file:
        file.write(source.replace("leaf:\n\tnop\n", "leaf:\n\tnop\n\tnop\n"))
    status, _, _, error = count("--functions", "--save", saved, calls)
    report.equal(status, 0, "counts by function are saved", error)
    status, _, text, error = count("--functions", "--compare", saved, calls)
    report.equal((status, text.splitlines()[-1]), (0, "every function's counts are the baseline's"), "and are the same again", error)
    other = os.path.join(folder, "other")
    os.mkdir(other)
    tap.command(["gcc", "-nostdlib", "-static", "-no-pie", "-o", os.path.join(other, "calls"), os.path.join(folder, "calls.S")])
    status, _, text, error = count("--functions", "--compare", saved, "--limit", "1", os.path.join(other, "calls"))
    report.equal(([line for line in text.splitlines() if "(/bin/calls):" in line], status),
                 (["leaf (/bin/calls): exclusive 6 -> 9 (+3, +50.00 %); inclusive 6 -> 9 (+3, +50.00 %)",
                   "_start (/bin/calls): inclusive 65 -> 68 (+3, +4.62 %)",
                   "thrice (/bin/calls): inclusive 17 -> 20 (+3, +17.65 %)"], 1), "--compare says which functions have changed, and by how much",
                 error)
    report.ok("instructions user: 65 -> 68" in error, "and the limit is one of the whole program's counts", error)
    status, _, _, error = count("--compare", saved, calls)
    report.ok(status == 2 and "is of another run: functions: " in error, "a baseline with counts by function is for such counts", error)


def check_requests(report, requests):
    user = {}
    for way in ("instrumentation", "collection", "both"):
        for times in ("1000", "3000"):
            status, found, error = counted("--region-requests", requests, way, times)
            report.equal(status, 0, f"{way} {times}: an annotated program is counted", error)
            user[way, times] = found["counts"]["instructions"]["user"]
            functions, pmu = sums(found)
            report.equal(functions, pmu, f"{way} {times}: the functions' sum is the PMU's count")
        report.equal(user[way, "3000"] - user[way, "1000"], 4000, f"{way}: the part that the requests select is counted, and no other")
        report.ok(user[way, "1000"] < 2000 + 200 or way == "both" and user[way, "1000"] < 2002000 + 400, f"{way}: and little else", user)
    status, found, error = counted("--region-requests", requests, "zero", "5")
    report.equal((found["counts"]["instructions"], status), ({"user": 0, "kernel": 0}, 0), "a program that selects nothing has no counts")
    report.ok(error.count("tally: the program asks Callgrind to write or to clear its counts") == 1, "what only Callgrind has is said once", error)
    report.equal([count(*option, requests, "asks")[0] for option in ((), ("--region-requests",))], [0, 1],
                 "RUNNING_ON_VALGRIND is 1 where the requests are obeyed, and 0 elsewhere")
    whole = counted(requests, "instrumentation", "1000")[1]
    report.ok(whole["counts"]["instructions"]["user"] > 4000000, "without --region-requests the program counts as a whole", whole["counts"])


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        calls, calls_built = build(folder, "calls.S", "-nostdlib", "-static", "-no-pie")
        flows, flows_built = build(folder, "flows.c", "-O2", "-g", "-pthread")
        throws, throws_built = build(folder, "throws.cc", "-O1")
        requests, requests_built = build(folder, "requests.c", "-O1")
        report.equal([done[0] for done in (calls_built, flows_built, throws_built, requests_built)], [0] * 4, "the programs are built",
                     calls_built, flows_built, throws_built, requests_built)
        check_by_hand(report, calls)
        check_callgrind(report, folder, calls, flows)
        check_flows(report, flows)
        check_languages(report, throws)
        check_stripped(report, folder, flows)
        check_comparison(report, folder, calls)
        check_requests(report, requests)
    return report.done()


sys.exit(main())
