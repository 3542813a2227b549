#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's perf counts on the emulated DSA what dmatest moves: the tables of Linux's announcement of the PMU, and more.

The sizes and places of dmatest's moves come from a generator, which is here, too, so every count is known.
"""

import re
import sys

from tallytest import inside, tap

UNIT = 32
MOVES = 19
SEED, BUFFER = 174515, 16384
ANNOUNCED = {"0x1": 5332, "0x2": 5327, "0x4": MOVES, "0x8": MOVES, "0x10": 0, "0x20": MOVES}
FILTERED = "dsa0/filter_wq=0x1,filter_tc=0x1,filter_sz=0x7,filter_eng=0x1,event=0x8,event_category=0x3/"
# The queue, the class, the size and the engine of no move.
ELSEWHERE = ("filter_wq=0x2", "filter_tc=0x2", "filter_sz=0x80", "filter_eng=0x2")
PARAMETERS = "/sys/module/dmatest/parameters"
PMU = "/sys/bus/event_source/devices/dsa0"
FORMATS = {"event": "config:4-31", "event_category": "config:0-3", "filter_eng": "config1:52-59", "filter_pgsz": "config1:40-43",
           "filter_sz": "config1:44-51", "filter_tc": "config1:32-39", "filter_wq": "config1:0-31"}
# Moves of few units, so that a counter of 8 bits goes round once for many of them.
NARROW_MOVES, NARROW_BUFFER = 1000, 64


def generator(state):
    while True:
        state = (state * 1664525 + 1013904223) & 0xffffffff
        yield state >> 8


def units(moves, buffer):
    """The units of 32 bytes that the moves read, and write."""
    numbers = generator(SEED)
    read = written = 0
    for _ in range(moves):
        size, source, target = (next(numbers) % buffer for _ in range(3))
        size += 1
        read += (source % UNIT + size + UNIT - 1) // UNIT
        written += (target % UNIT + size + UNIT - 1) // UNIT
    return read, written


def dmatest(moves=MOVES, buffer=BUFFER, channel=""):
    """bash that runs a test."""
    return (f"echo {moves} >{PARAMETERS}/iterations; echo {buffer} >{PARAMETERS}/test_buf_size; "
            f"echo {channel} >{PARAMETERS}/channel; echo 1 >{PARAMETERS}/run")


def engine(event, name="dsa0"):
    return f"{name}/event={event},event_category=0x1/"


def stat(events, command, options=""):
    return f"perf stat -x, {options} -e '{events}' bash -c '{command}'"


def commas(text):
    """The commas in an event's name would be taken for separators."""
    return re.sub(r"/[^/\n]*/", lambda match: match[0].replace(",", ";"), text)


def each(text):
    """The counts that `perf stat -x,` printed, {event: count}."""
    return {event: value for event, (value, _) in inside.counts(commas(text)).items()}


def expected(counts, name="dsa0"):
    return {commas(engine(event, name)): value for event, value in counts.items()}


def check_files(report, cases, cpus):
    report.equal(cases.text("files").split("\n")[:-1], [f"{name} {text}" for name, text in sorted(FORMATS.items())],
                 f"{cpus} CPUs: the files of format")
    report.equal(cases.text("cpumask"), "0\n", f"{cpus} CPUs: cpumask")


def check_counts(report, cpus):
    cases = inside.Cases()
    all_events = ",".join(engine(event) for event in ANNOUNCED)
    cases.add("files", f"cd {PMU}/format; for f in *; do echo $f $(cat $f); done")
    cases.add("cpumask", f"cat {PMU}/cpumask")
    cases.add("table", stat(all_events, dmatest()))
    cases.add("group", stat("{" + all_events + "}", dmatest()))
    cases.add("filtered", stat(FILTERED, dmatest(buffer=4096)))
    for word in ELSEWHERE:
        cases.add(word, stat(f"dsa0/{word},event=0x8,event_category=0x3/", dmatest()))
    cases.add("last CPU", stat(engine("0x20"), dmatest(), f"-C {cpus - 1}"))
    cases.add("both", f"perf stat -x, -o outer -e {engine('0x20')} perf stat -x, -o inner -e {engine('0x1')} "
              f"bash -c '{dmatest()}'; cat outer inner")
    cases.add("too many", stat(",".join([engine("0x20")] * 12), "sleep 0.3"))
    cases.add("large group", stat("{" + ",".join([engine("0x20")] * 9) + "}", "true"))
    cases.add("task", f"perf stat -x, -e {engine('0x20')} -p $$ true")
    cases.add("sampling", f"perf record -o /dev/null -e {engine('0x20')} true")
    cases.add("user", stat(engine("0x20")[:-1] + "/u", "true"))
    cases.run(report, ("--device", "dsa", "--cpus", str(cpus)))
    check_files(report, cases, cpus)
    for name in ("table", "group"):
        report.equal(each(cases.text(name)), expected(ANNOUNCED), f"{cpus} CPUs, {name}: the numbers of the announcement",
                     cases.text(name))
    report.equal(list(each(cases.text("filtered")).values()), [MOVES], f"{cpus} CPUs: the filtered count", cases.text("filtered"))
    for word in ELSEWHERE:
        report.equal(list(each(cases.text(word)).values()), [0], f"{cpus} CPUs, {word}: no move passes", cases.text(word))
    report.equal(list(each(cases.text("last CPU")).values()), [MOVES], f"{cpus} CPUs: an event may be on any of them", cases.text("last CPU"))
    report.equal(each(cases.text("both")), expected({"0x20": MOVES, "0x1": ANNOUNCED["0x1"]}), f"{cpus} CPUs: two perfs at once",
                 cases.text("both"))
    rows = [line.split(",") for line in commas(cases.text("too many")).splitlines()]
    report.ok(len(rows) == 12 and all(0 < float(row[4]) < 100 for row in rows), f"{cpus} CPUs: 12 events share 8 counters", *rows)
    for name in ("large group", "task", "user"):
        report.ok("<not supported>" in cases.text(name) or cases.status(name) != 0, f"{cpus} CPUs, {name}: refused", cases.text(name))
    report.ok(cases.status("sampling") != 0, f"{cpus} CPUs, sampling: refused", cases.text("sampling"))


def check_devices(report):
    cases = inside.Cases()
    names = ("dsa0", "dsa1", "iax2")
    events = ",".join(engine("0x20", name) for name in names)
    for number, name in enumerate(names):
        cases.add(name, stat(events, dmatest(number + 1, channel=f"dma{number}chan0")))
    cases.run(report, [word for kind in ("dsa", "dsa", "iax") for word in ("--device", kind)])
    for number, name in enumerate(names):
        report.equal(list(each(cases.text(name)).values()), [number + 1 if other == name else 0 for other in names],
                     f"the moves of {name} are its own", cases.text(name))


def check_narrow(report):
    cases = inside.Cases()
    counts = dict(zip(("0x1", "0x2", "0x20"), (*units(NARROW_MOVES, NARROW_BUFFER), NARROW_MOVES)))
    events = ",".join(engine(event) for event in counts)
    cases.add("narrow", stat(events, dmatest(NARROW_MOVES, NARROW_BUFFER)))
    cases.add("one counter", stat(engine("0x1"), dmatest(NARROW_MOVES, NARROW_BUFFER)))
    cases.run(report, ("--device", "dsa,counter-width=8,counters=3"))
    report.equal(each(cases.text("narrow")), expected(counts), "counters of 8 bits go round, and the sums are exact",
                 cases.text("narrow"))
    report.equal(list(each(cases.text("one counter")).values()), [counts["0x1"]], "and alone", cases.text("one counter"))


def check_dmatest(report):
    """Refusals by the files of dmatest."""
    cases = inside.Cases()
    bad = {"channel": "dma7chan0", "test_buf_size": "0", "iterations": "x", "seed": "4294967296", "timeout": "", "run": "maybe"}
    for name, value in bad.items():
        cases.add(name, f"echo {value} >{PARAMETERS}/{name}")
    cases.add("large", f"echo 4194304 >{PARAMETERS}/test_buf_size")
    cases.add("wait", f"cat {PARAMETERS}/wait {PARAMETERS}/run")
    cases.add("twice", f"echo 0 >{PARAMETERS}/iterations; bash -c 'echo 1 >{PARAMETERS}/run' & "
              f"until grep Y {PARAMETERS}/run; do :; done; echo 1 >{PARAMETERS}/run; kill -9 $!; wait; cat {PARAMETERS}/run")
    # So large that the kernel waits before a move is done, also the kernel of DEBUG=1.
    cases.add("late", f"echo 1048576 >{PARAMETERS}/test_buf_size; echo 3 >{PARAMETERS}/iterations; "
              f"echo 0 >{PARAMETERS}/timeout; echo 1 >{PARAMETERS}/run; "
              f"echo 3000 >{PARAMETERS}/timeout")
    cases.add("after", stat(engine("0x20"), dmatest()))
    cases.run(report, ("--device", "dsa"))
    for name in (*bad, "large"):
        report.ok(re.search("Invalid argument|out of range", cases.text(name)), f"dmatest: a bad {name} is refused",
                  cases.text(name))
    report.equal(cases.text("wait"), "Y\nN\n", "dmatest: wait and run")
    # The shell says "Killed" before or after N.
    report.ok(re.search(r"^Y\n.*resource busy\n(.*\n)?N\n", cases.text("twice")), "dmatest: one test at a time, and it can be "
              "killed", cases.text("twice"))
    report.ok("timed out" in cases.text("late"), "dmatest: moves that take too long are aborted", cases.text("late"))
    report.equal(list(each(cases.text("after")).values()), [MOVES], "dmatest: after all of these", cases.text("after"))


def main():
    report = tap.Report()
    report.equal(units(MOVES, BUFFER), (ANNOUNCED["0x1"], ANNOUNCED["0x2"]), "the generator's moves have the announced units")
    for cpus in (1, 2, 4):
        check_counts(report, cpus)
    check_devices(report)
    check_narrow(report)
    check_dmatest(report)
    return report.done()


sys.exit(main())
