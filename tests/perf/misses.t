#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The counts of userland/programs/misses are those derived by hand, on each CPU that has caches, on 1, 2 and 4 CPUs. Only a simulation
can derive mispredictions: a slow predictor in Python has the same (tests/tallytest/model_reference.py). Every run of a machine has the
same counts, and docs/model.md shows them.
"""

import itertools
import os
import re
import sys

from tallytest import inside, tap
from tallytest.model_reference import Predictor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
PROGRAM = os.path.join(os.environ["TALLY_BUILD"], "user", "bin", "misses")
SHOWN = "tools/tally run --processor skylake --icount --cpus 2 build/user/bin/misses "
PROCESSORS, CPUS = ("skylake", "zen3", "zen4"), (1, 2, 4)
RUNS = 3
# docs/model.md: bits of tables and history, entries of the return stack, of the BTB, and its ways.
PREDICTORS = {"skylake": (12, 63, 16, 4096, 4), "zen3": (13, 63, 32, 8192, 8), "zen4": (13, 63, 32, 8192, 8)}
MISPREDICTED = {"skylake": "br_misp_retired.conditional", "zen3": "ex_ret_brn_misp", "zen4": "ex_ret_brn_misp"}
# As in the program's main.c.
CHOICES, BOUNDARY, SIDE = 4096, 128, 512
CHASES = (256, 2048, 65536, 32, 256, 4096)
# A row: the event, and for each pass the count and the number by hand, or "-".
ROW = re.compile(r"^  (?P<event>[a-z]\S+) +(?P<numbers>(?:\d+ +(?:\d+|-) +)+)(?P<verdict>exact|DIFFERS|-)")


def run(processor, cpus, *words):
    """Status and what it printed."""
    status, output, error = tap.command([inside.TALLY, "run", "--processor", processor, "--icount", "--cpus", str(cpus), "--timeout",
                                         "300", PROGRAM, *words])
    return status, output.decode() + error


def tables(text):
    """[(title, {event: [(count, by hand) of each pass]}, verdicts)] of what the program printed."""
    found = []
    for line in text.splitlines():
        match = ROW.match(line)
        if match and found:
            numbers = match["numbers"].split()
            found[-1][1][match["event"]] = list(zip(numbers[0::2], numbers[1::2]))
            found[-1][2].append(match["verdict"])
        elif line and not line.startswith(" "):
            found.append((line, {}, []))
    return found


def symbols():
    """The identities of the branches: {label: address}."""
    _, output, _ = tap.command(["nm", PROGRAM])
    return {words[2]: int(words[0], 16) for words in map(str.split, output.decode().splitlines()) if words[2].endswith("_end")}


def choices():
    """The bytes of the work `branches`, unsorted."""
    state, found = 1, []
    for _ in range(CHOICES):
        state = (state * 1664525 + 1013904223) & 0xffffffff
        found.append(state >> 24)
    return found


class Simulation:
    """The branches of all works, in the program's order: only those are the model's to see. A work is simulated when it is asked
    for: the matrix, which is most of the branches, only for CPUs that count them there."""

    def __init__(self, predictor):
        self.predictor, self.labels = Predictor(*predictor), symbols()
        self.wrong = 0
        self._found, self._works = [], self._simulate()

    def branch(self, label, taken):
        self.wrong += not self.predictor.direction(self.labels[label], taken)

    def loop(self, label, passes):
        """The branches of a loop, one at a time: its body's come between."""
        for left in reversed(range(passes)):
            yield
            self.branch(label, left > 0)

    def choose(self, values):
        for _, value in zip(self.loop("choose_loop_end", len(values)), values):
            self.branch("choose_end", value < BOUNDARY)

    def chase(self, length):
        for _ in self.loop("chase_end", length):
            pass

    def matrix(self):
        for _ in self.loop("matrix_outer_end", SIDE):
            for _ in self.loop("matrix_inner_end", SIDE):
                pass

    def works(self, count):
        """[(mispredicted in the first pass, in the second)], a pair for each of the first COUNT works."""
        self._found += itertools.islice(self._works, max(0, count - len(self._found)))
        return self._found[:count]

    def _simulate(self):
        values = choices()
        works = [(self.choose, sorted(values)), (self.choose, values), *((self.chase, length) for length in CHASES),
                 (self.matrix,), (self.matrix,)]
        for work, *arguments in works:
            passes = []
            for _ in range(2):
                before = self.wrong
                work(*arguments)
                passes.append(self.wrong - before)
            yield tuple(passes)


def check_by_hand(report, processor, cpus, simulation):
    status, text = run(processor, cpus)
    found = tables(text)
    verdicts = [verdict for _, _, each in found for verdict in each]
    report.ok(status == 0 and len(found) == 16 and verdicts.count("exact") >= 80 and "DIFFERS" not in verdicts,
              f"{processor}, {cpus} CPUs: {verdicts.count('exact')} rows of {len(found)} works have the counts by hand", text)
    event = MISPREDICTED[processor]
    counted = [tuple(int(count) for count, _ in rows[event]) for _, rows, _ in found if event in rows]
    # A Zen has no counter left for it in the matrix.
    report.equal(counted, simulation.works(len(counted)), f"{processor}, {cpus} CPUs: the mispredictions of {len(counted)} works are the slow predictor's")
    return text


def check_repetition(report, what, *arguments):
    first = run(*arguments)
    others = {run(*arguments) for _ in range(RUNS - 1)}
    report.ok(first[0] == 0 and tables(first[1]), f"{what}: the counts that can be derived are exact", first)
    report.equal(others, {first}, f"{what}: {RUNS} runs have the same counts")


def check_contention(report, text):
    """The threads do contend: the line moves more often than each thread begins, and less often than in turns."""
    (_, rows, _), = tables(text)
    moved = int(rows["mem_load_l3_hit_retired.xsnp_hitm"][0][0])
    report.ok(4 < moved < int(rows["mem_inst_retired.all_loads"][0][0]), "skylake, 4 CPUs, contended: the line moves to and fro", moved)


def check_document(report):
    """The text below a command in docs/model.md is what the command prints, but for what stands as a line of "…"."""
    with open(os.path.join(ROOT, "docs", "model.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^    \$ (.*)\n((?:    .*\n)+)", file.read(), re.MULTILINE)
    shown = [(command, block) for command, block in blocks if command.startswith(SHOWN)]
    report.equal({command[len(SHOWN):] for command, _ in shown}, {"branches", "chase", "pages", "matrix", "sharing", "contended"},
                 "docs/model.md shows each work")
    for command, block in shown:
        work = command[len(SHOWN):]
        _, text = run("skylake", 2, work)
        shown_text = "\n".join(line[4:].rstrip() for line in block.splitlines())
        parts = [re.escape(part) for part in re.split(r"(?:^|\n)…", shown_text)]
        text = "\n".join(line.rstrip() for line in text.splitlines())
        report.ok(re.fullmatch(".*".join(parts), text, re.DOTALL), f"docs/model.md: misses {work} prints what is shown", text)


def main():
    report = tap.Report()
    simulations = {predictor: Simulation(predictor) for predictor in PREDICTORS.values()}
    for processor in PROCESSORS:
        for cpus in CPUS:
            check_by_hand(report, processor, cpus, simulations[PREDICTORS[processor]])
    check_repetition(report, "skylake, 1 CPU", "skylake", 1, "branches", "chase", "pages")
    check_repetition(report, "zen4, 4 CPUs, threads in turns", "zen4", 4, "sharing")
    check_repetition(report, "skylake, 4 CPUs, contended", "skylake", 4, "contended")
    check_contention(report, run("skylake", 4, "contended")[1])
    check_document(report)
    status, text = run("k8", 1)
    report.ok(status == 3 and "none of skylake" in text, "a CPU without caches: it says so", status, text)
    status, text = run("skylake", 1, "rows")
    report.ok(status == 2 and "'rows'" in text, "an unknown work is refused", status, text)
    return report.done()


sys.exit(main())
