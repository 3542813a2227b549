#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's model of caches, TLBs and prediction counts on random traces as a slow reference does, which is written
differently (tests/tallytest/model_reference.py), to the last one of every item: from records, from stretches, and after a filter.

    tests/qemu/model.t [--short]    --short: a fifth of the first trace, for tests/mutants/mutants
"""

import os
import subprocess
import sys

from tallytest import tap
from tallytest.model_reference import Machine, Shape
from tallytest.model_trace import Trace, replay

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
REPLAY = os.path.join(os.environ.get("TALLY_BUILD", os.path.join(ROOT, "build")), "unit", "model_replay")

TINY = {"l1i": (512, 2, 64), "l1d": (1024, 4, 64), "l2": (4096, 4, 64), "llc": (16384, 8, 64)}
TLBS = {"itlb": (4, 2), "dtlb": (8, 4), "stlb": (24, 3), "istlb": (0, 0)}
COSTS = (12, 42, 70, 250, 9, 4, 16, 8)
SMALL = Shape(TINY, 0, 0, 1, TLBS, (6, 63, 4, 32, 2), COSTS)


def shape(caches=None, tlbs=None, **fields):
    """SMALL with other fields."""
    found = Shape(**vars(SMALL))
    found.caches, found.tlbs = {**SMALL.caches, **(caches or {})}, {**SMALL.tlbs, **(tlbs or {})}
    for name, value in fields.items():
        setattr(found, name, value)
    return found


def preset(name):
    return Shape.of_words([int(word) for word in subprocess.check_output([REPLAY, "--preset", name]).split()])


def cases():
    """(name, shape, CPUs, records, pages of data); the items that a case must reach are in REACHED."""
    yield "small caches, one CPU", SMALL, 1, 250000, 60
    yield "small caches, four CPUs, an inclusive LLC", SMALL, 4, 60000, 60
    yield ("three CPUs, an LLC for victims, an inclusive L2", shape(l2_inclusive=1, llc_inclusive=0, tlbs={"istlb": (6, 3)}),
           3, 60000, 60)
    yield ("direct-mapped L1s, lines of 16 bytes, no LLC", shape({"l1i": (256, 1, 16), "l1d": (256, 1, 16), "l2": (1024, 2, 16),
                                                                   "llc": (0, 0, 0)}), 2, 15000, 20)
    yield ("no L2 and no second TLB", shape({"l2": (0, 0, 0)}, {"stlb": (0, 0)}), 2, 15000, 20)
    yield ("no TLBs, 3 ways", shape({"l1d": (768, 3, 64)}, {"itlb": (0, 0), "dtlb": (0, 0)}, llc_inclusive=0), 2, 15000, 20)
    for name in ("skylake", "zen3", "zen4", "ev67"):
        yield f"the preset {name}, two CPUs", preset(name), 2, 15000, 300
    yield "the preset cachegrind", preset("cachegrind"), 2, 15000, 300
    yield "tables of prediction that all branches share", shape(predictor=(4, 63, 4, 32, 2)), 1, 30000, 60
    yield ("virtually addressed, with an L2", shape({"l1d": (256, 2, 16), "l1i": (256, 2, 16), "l2": (1024, 2, 16), "llc":
                                                     (4096, 4, 16)}, {name: (0, 0) for name in TLBS}, virtual=1), 1, 15000, 20)
    yield ("virtually addressed, two sets in each L1", shape({"l1d": (256, 2, 64), "l1i": (256, 2, 64), "l2": (0, 0, 0)},
                                                             {name: (0, 0) for name in TLBS}, virtual=1), 2, 15000, 20)


# Need what the filter leaves out: those of branches and of fetches, and a store to two lines that its instruction has loaded.
UNFILTERED = {"FETCHES", "SPLIT_STORES", "CYCLES_STALLED", "STALL_BRANCH", "BTB_MISS", "BRANCH_CONDITIONAL_TAKEN",
              "BRANCH_CONDITIONAL_NOT_TAKEN", "BRANCH_NEAR_TAKEN", "BRANCH_NEAR_CALL", "BRANCH_NEAR_RETURN", "BRANCH_INDIRECT",
              "MISPREDICT", "MISPREDICT_CONDITIONAL", "MISPREDICT_INDIRECT", "MISPREDICT_RETURN", "MISPREDICT_NEAR_TAKEN"}

# Every page is mapped.
NEVER = {"UNMAPPED"}


def counts_of_model(trace, *form):
    done = subprocess.run([REPLAY, *form], input=trace.words.tobytes(), stdout=subprocess.PIPE, check=True)
    found = {}
    for line in done.stdout.decode().splitlines():
        cpu, item, count = line.split()
        found[int(cpu), item] = int(count)
    return found


def main():
    report = tap.Report()
    for seed, (name, of_shape, cpus, records, pages) in enumerate(cases()):
        if sys.argv[1:] == ["--short"]:
            records = min(records, 50000)
        trace = Trace(of_shape, cpus, records, seed, pages)
        got = counts_of_model(trace)
        machine = Machine(of_shape, cpus)
        replay(machine, trace.words[1 + len(of_shape.words()):])
        wrong = [f"CPU {cpu}, {item}: expected {machine.counts(cpu)[item]}, got {count}"
                 for (cpu, item), count in got.items() if machine.counts(cpu)[item] != count]
        report.ok(not wrong, f"{name}: every item of {records} records", *wrong[:20])
        stretches = counts_of_model(trace, "--stretches")
        wrong = [f"CPU {cpu}, {item}: {got[cpu, item]} by records, {count} by stretches"
                 for (cpu, item), count in stretches.items() if got[cpu, item] != count]
        report.ok(len(stretches) == len(got) and not wrong, f"{name}: every item is the same by stretches", *wrong[:20])
        if of_shape.virtual:
            filtered = counts_of_model(trace, "--filtered")
            wrong = [f"CPU {cpu}, {item}: {got[cpu, item]} by records, {count} after a filter"
                     for (cpu, item), count in filtered.items() if got[cpu, item] != count]
            report.ok(not wrong, f"{name}: a filter leaves out only what changes no item", *wrong[:20])
            told = {item for _, item in filtered}
            report.equal({item for _, item in got} - told, UNFILTERED, f"{name}: the filter suits all items but these")
        unknown = {item for cpu in range(cpus) for item in machine.counts(cpu)} - {item for _, item in got}
        report.equal(unknown, set(), f"{name}: the model has all items of the reference")
        if of_shape.caches == TINY and all(of_shape.tlbs[tlb] == TLBS[tlb] for tlb in ("dtlb", "stlb")):
            silent = {item for _, item in got if not sum(got[cpu, item] for cpu in range(cpus))}
            report.equal(silent, NEVER | ({"LOAD_HITM"} if cpus == 1 else set()), f"{name}: every other item happens")
    return report.done()


sys.exit(main())
