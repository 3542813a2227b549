#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""perf stat, in each of its forms: its counts of a known program are exact."""

import json
import re
import sys

from tallytest import inside, tap

EVENTS = "instructions:u,branches:u,cycles:u"
EACH = {"instructions:u": inside.INSTRUCTIONS_EACH, "branches:u": inside.BRANCHES_EACH,
        "cycles:u": inside.CYCLES_EACH}
FEW, MORE = 100000, 300000
# The rest is the same in every run: the C library's start and end.
LONG = 60000000
# perf 6.12 opens this event, and on machines with several CPUs does not read it; nor the others of its list.
OUTPUT_OF_BPF = {"6.1": 0}


def script(report_of):
    """The cases; report_of(name, text) adds one."""
    for number in (FEW, MORE):
        report_of(f"alone {number}", f"perf stat -x, -e {EVENTS} $SPIN {number}")
        report_of(f"group {number}", f"perf stat -x, -e '{{{EVENTS}}}' $SPIN {number}")
    # Strings of each length below eight, so that those of the environment begin at all kinds of addresses.
    report_of("environments", "for more in '' x xx xxx xxxx xxxxx xxxxxx xxxxxxx; do "
              f"OLDPWD=/$more perf stat -x, -e {EVENTS} $SPIN {FEW}; done")
    report_of("for a reader", f"perf stat -e {EVENTS} $SPIN {FEW}")
    report_of("without events", f"perf stat $SPIN {FEW}")
    report_of("five times", f"perf stat -x, -r 5 -e instructions:u $SPIN {FEW}")
    report_of("as JSON", f"perf stat -j -e instructions:u $SPIN {FEW}")
    report_of("raw and by name", f"perf stat -x, -e r0c0:u,cpu/instructions/u,cpu/event=0xc0/u $SPIN {FEW}")
    report_of("long", f"perf stat -x, -e instructions:u $SPIN {LONG}")
    report_of("intervals", f"perf stat -x, -I 20 --summary -e instructions:u $SPIN {LONG}")
    report_of("on one CPU", f"taskset -c 1 perf stat -x, -e instructions:u,task-clock,duration_time $SPIN {FEW}")
    report_of("all CPUs", f"perf stat -x, -a -e instructions:u $SPIN {FEW}")
    report_of("each CPU", f"perf stat -x, -a -A -e instructions:u $SPIN {FEW}")
    report_of("its CPU", f"perf stat -x, -C 1 -e instructions:u taskset -c 1 $SPIN {LONG}")
    report_of("the other CPU", f"perf stat -x, -C 0 -e instructions:u taskset -c 1 $SPIN {LONG}")
    report_of("a process", "$SPIN 1000000000000 & perf stat -x, -e instructions:u,context-switches -p $! sleep 0.2;"
              "status=$?; kill $!; exit $status")
    report_of("each thread", "$SPIN 1000000000000 & perf stat -x, --per-thread -e instructions:u -p $! sleep 0.2;"
              "status=$?; kill $!; exit $status")
    report_of("too many", f"perf stat -x, -e {','.join(['r0c4:u'] * 8)} $SPIN {LONG}")
    report_of("too many, for a reader", f"perf stat -e {','.join(['r0c4:u'] * 8)} $SPIN {LONG}")
    report_of("what it cannot count", "perf stat -x, -e cache-misses:u,LLC-loads:u true")
    report_of("software events", "perf stat -x, -e page-faults,minor-faults,major-faults,cpu-migrations,dummy,"
              "alignment-faults,emulation-faults,cgroup-switches true")
    report_of("output of BPF", "perf stat -x, -e bpf-output true")
    report_of("clocks", "perf stat -x, -e task-clock,cpu-clock $SPIN 60000000")
    report_of("a status", "perf stat -e instructions:u false")
    report_of("no such program", "perf stat -e instructions:u nosuch")
    report_of("to a file", f"perf stat -o out -x, -e instructions:u $SPIN {FEW}; grep -c ^# out; grep ins out")
    report_of("recorded", f"perf stat record -o recorded -e instructions:u $SPIN {FEW} >/dev/null 2>&1;"
              "perf stat report -i recorded 2>&1 | grep ins")


def main():
    report = tap.Report()
    cases = inside.Cases()
    script(cases.add)
    cases.run(report)
    few, more = (inside.counts(cases.text(f"alone {number}")) for number in (FEW, MORE))
    total = few.get("instructions:u", (None,))[0]

    for event, each in EACH.items():
        got = [run.get(event, (0, 0))[0] for run in (few, more)]
        report.equal(got[1] - got[0], (MORE - FEW) * each, f"{event}: {each} for each pass", few, more)
        for number, run in ((FEW, few), (MORE, more)):
            report.equal(inside.counts(cases.text(f"group {number}")).get(event), run.get(event),
                         f"{event}: the same in a group, {number} passes")
    report.equal([line.split(",")[0] for line in cases.text("environments").splitlines()],
                 [str(few[event][0]) for event in EACH if event in few] * 8, "the same wherever the environment is")
    reader = cases.text("for a reader")
    report.equal([int(number) for number in re.findall(r"^ +([\d,]+) +\w+:u", reader, re.M)],
                 [few[event][0] for event in EACH], "the table for a reader has the same numbers", reader)
    report.ok("insn per cycle" in reader and "seconds time elapsed" in reader, "and its remarks", reader)
    text = cases.text("without events")
    names = ("task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles", "instructions", "branches")
    report.ok(all(f" {name} " in text for name in names), "without -e: the usual events", text)
    report.ok(re.search(r"<not supported> +branch-misses", text), "and the events that this PMU lacks are named", text)
    report.equal(cases.text("five times").split(",")[:4], [str(total), "", "instructions:u", "0.00%"],
                 "-r 5: five times the same")
    try:
        found = json.loads(cases.text("as JSON"))
    except ValueError:
        found = {}
    report.equal((found.get("event"), float(found.get("counter-value", 0))), ("instructions:u", float(total)), "-j",
                 cases.text("as JSON"))
    report.equal([value for value, _ in inside.counts(cases.text("raw and by name")).values()], [total] * 3,
                 "raw, by sysfs' name, by sysfs' format: the same number", cases.text("raw and by name"))
    lines = cases.text("intervals").splitlines()
    whole = inside.counts(cases.text("long")).get("instructions:u", (0,))[0]
    parts = [int(line.split(",")[1]) for line in lines if re.match(r" *\d+\.\d+,\d+,", line)]
    report.equal([int(line.split(",")[1]) for line in lines if line.strip().startswith("summary")], [sum(parts)],
                 "-I --summary: it is the sum of the intervals", *lines)
    # perf prints no last interval when the program ends while it prints the one before.
    report.ok(len(parts) > 1 and 0 < sum(parts) <= whole, "-I: there are several", *lines)
    # perf says by a byte in a pipe that the program may begin, and looks at the clock before that has ended.
    rows = {row[2]: float(row[0]) for row in (line.split(",") for line in cases.text("on one CPU").splitlines())}
    report.equal(rows.get("instructions:u"), float(total), "on one CPU: the same number", rows)
    report.ok(rows["duration_time"] > rows["task-clock"] * 1e6,
              "on one CPU: the time that passed is that of the program, and more", rows)
    text = cases.text("all CPUs")
    report.ok((inside.counts(text).get("instructions:u", (0,))[0] or 0) >= total, "-a: at least the program", text)
    text = cases.text("each CPU")
    report.equal([line.split(",")[0] for line in text.splitlines()], ["CPU0", "CPU1"], "-a -A: a line for each", text)
    mine, other = (inside.counts(cases.text(name)).get("instructions:u", (0,))[0] or 0
                   for name in ("its CPU", "the other CPU"))
    report.ok(mine >= LONG * inside.INSTRUCTIONS_EACH, "-C: the CPU where it runs", mine)
    report.ok(other < LONG, "-C: the CPU where it does not run", other)
    text = cases.text("a process")
    report.ok(cases.status("a process") == 0 and inside.counts(text)["instructions:u"][0], "-p", text)
    text = cases.text("each thread")
    report.ok(re.match(r"spin-\d+,\d+,,instructions:u,", text), "--per-thread: its name and number", text)
    rows = [line.split(",") for line in cases.text("too many").splitlines()]
    report.ok(len(rows) == 8 and all(0 < float(row[4]) < 100 for row in rows),
              "more events than counters: each has its part of the time", *rows)
    text = cases.text("too many, for a reader")
    report.equal(len(re.findall(r"r0c4:u +\(\d+\.\d\d%\)", text)), 8, "and the table says which", text)
    text = cases.text("what it cannot count")
    report.equal(re.findall(r"<not supported>,,(\S+?),", text), ["cache-misses:u", "LLC-loads"], "not supported", text)
    software = {**inside.counts(cases.text("software events")), **inside.counts(cases.text("output of BPF"))}
    report.equal({name: value for name, (value, _) in software.items() if name not in ("page-faults", "minor-faults")},
                 {name: 0 for name in ("major-faults", "cpu-migrations", "dummy", "alignment-faults", "emulation-faults",
                                       "cgroup-switches")} |
                 {"bpf-output": OUTPUT_OF_BPF.get(inside.perf_version())}, "software events: those that never happen")
    report.ok(software.get("page-faults", (0,))[0] and software["page-faults"] == software["minor-faults"],
              "software events: every page fault is minor", software)
    rows = [line.split(",") for line in cases.text("clocks").splitlines()]
    report.ok(len(rows) == 2 and all(float(row[0]) > 1 and row[1] == "msec" for row in rows), "clocks run", *rows)
    report.equal(cases.status("a status"), 1, "the program's status is perf's")
    report.equal((cases.status("no such program"), cases.text("no such program").strip()),
                 (255, "Workload failed: No such file or directory"), "a program that is not there")
    report.equal(cases.text("to a file").splitlines()[1:], [line for line in cases.text("to a file").splitlines()
                                                            if line.startswith(f"{total},,instructions:u,")],
                 "-o", cases.text("to a file"))
    report.ok(re.search(rf"^ +{total} +instructions:u", cases.text("recorded"), re.M), "stat record and stat report",
              cases.text("recorded"))
    return report.done()


sys.exit(main())
