#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's perf on CPUs with caches, TLBs and branch prediction: perf stat -d has its numbers, the same each time, perf record
and annotate find the line that misses, perf's own events and metrics of the CPU count.

tests/conformance/models.t compares counts with Linux's (observe_model).
"""

import os
import re
import sys

from tallytest import inside, tap

SCATTERED = os.path.join(os.environ["TALLY_BUILD"], "tests", "scattered")
FEW, MORE = 20000, 40000
# Lines of perf stat -d -d -d without a number, because Linux's tables have no event for them.
NONE = {"skylake": {"L1-icache-loads", "L1-dcache-prefetches", "L1-dcache-prefetch-misses"},
        "zen3": {"LLC-loads", "LLC-load-misses", "L1-dcache-prefetch-misses"}}
# Events of perf's tables for the CPU, and the least and greatest of each in a pass of scatter and guess: a load, a
# branch of each loop and the one that nothing predicts, taken or not; of 262144 lines the later passes find those in the L3
# that an earlier pass brought, 30000 on average, a ninth.
NAMED = {"skylake": {"mem_inst_retired.all_loads:u": (1, 1), "br_inst_retired.conditional:u": (3, 3),
                     "br_inst_retired.near_call:u": (0, 0), "br_misp_retired.conditional:u": (0.4, 0.6),
                     "mem_load_retired.l1_miss:u": (0.9, 1), "mem_load_retired.l3_miss:u": (0.87, 0.91)},
         "zen3": {"ls_dc_accesses:u": (1, 1), "ex_ret_cond:u": (3, 3), "ex_ret_near_ret_mispred:u": (0, 0),
                  "ex_ret_msprd_brnch_instr_dir_msmtch:u": (0.4, 0.6), "l2_cache_misses_from_dc_misses:u": (0.5, 1.5)}}
# Slots of a cycle.
WIDTH = 4
# Passes of perf stat, long enough that all its events rotate, and the shortest interval of the rotation.
TURNS = 400000
TURN = "echo 1 >/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"
# Recorded by perf: the event, its period, the function, and the passes of scatter and of guess. The misses of scatter
# outweigh those of touching the array's pages.
RECORDED = (("branch-misses:u", 100, "guess", 1000, 40000), ("cache-misses:u", 500, "scatter", 200000, 1000))


def lines_of(text):
    """{event: what stands for its count} of perf stat's table."""
    return {name: count for count, name in re.findall(r"^ +([\d,.]+|<not \w+>) +(?:msec )?([\w-]+)", text, re.M)}


def check_stat(report, cases, processor):
    first = cases.text("stat")
    found = lines_of(first)
    report.equal({name for name, count in found.items() if count == "<not supported>"}, NONE[processor],
                 f"{processor}: perf stat -d -d -d: every line has a number that Linux's tables have an event for", first)
    report.ok(len(found) > 18 and "<not counted>" not in found.values(), f"{processor}: and none is without a count", first)


def run_named(processor, passes):
    return tap.command([inside.TALLY, "run", "--processor", processor, "--icount", "--timeout", "200", "--add", SCATTERED,
                        "/usr/bin/perf", "stat", "-x,", "-e", ",".join(NAMED[processor]), SCATTERED, str(passes)])


def check_named(report, processor):
    """Each run is a machine of its own, since a machine's caches remember the program before: MORE passes begin as FEW do, so
    that the difference of their counts is that of the later passes."""
    first, again, longer = (run_named(processor, passes) for passes in (FEW, FEW, MORE))
    report.equal(again, first, f"{processor}: perf stat prints the same again")
    few, more = (inside.counts(error + output.decode()) for _, output, error in (first, longer))
    report.equal((first[0], len(few), longer[0], len(more)), (0, len(NAMED[processor])) * 2,
                 f"{processor}: and each event has its count", first, longer)
    for name, (least, most) in NAMED[processor].items():
        each = ((more.get(name, (None, 0))[0] or 0) - (few.get(name, (None, 0))[0] or 0)) / (MORE - FEW)
        report.ok(name in more and least <= each <= most, f"{processor}: {name}: {least} to {most} in a pass", each)


def check_record(report, cases, processor, event, function):
    text = cases.text(f"report {event}")
    shares = re.findall(r"^ +([\d.]+)% .*\] (\w+)", text, re.M)
    report.ok(shares and shares[0][1] == function and float(shares[0][0]) > 70,
              f"{processor}: perf record -e {event}: most samples are in {function}", text)
    text = cases.text(f"annotate {event}")
    shares = sorted((float(share) for share in re.findall(r"^ +(\d+\.\d+) +: ", text, re.M)), reverse=True)
    # Samples are at the next instruction: that of a branch taken or not.
    report.ok(sum(shares[:2]) > 95, f"{processor}: perf annotate: one instruction has most of them", text)


def check_topdown(report, text):
    """The shares are those of the counts beside them. Two groups of events rotate, with two shares each."""
    shares = {name: float(share) for share, name in re.findall(r"# +(-?[\d.]+) +% +(tma_\w+)", text)}
    counts = {}
    for count, name in re.findall(r"^ +(\d+) +([A-Z_.]+) ", text, re.M):
        counts.setdefault(name, []).append(int(count))
    try:
        slots, other_slots = (WIDTH * cycles for cycles in counts["CPU_CLK_UNHALTED.THREAD"])
        issued, other_issued = counts["UOPS_ISSUED.ANY"]
        recovery, other_recovery = counts["INT_MISC.RECOVERY_CYCLES"]
        retired, = counts["UOPS_RETIRED.RETIRE_SLOTS"]
        bubbles, = counts["IDQ_UOPS_NOT_DELIVERED.CORE"]
    except (KeyError, ValueError):
        report.ok(False, "skylake: perf stat -M TopdownL1 counts its events", text)
        return
    expected = {"tma_retiring": retired / slots, "tma_bad_speculation": (issued - retired + WIDTH * recovery) / slots,
                "tma_frontend_bound": bubbles / other_slots,
                "tma_backend_bound": 1 - (bubbles + other_issued + WIDTH * other_recovery) / other_slots}
    report.equal(shares, {name: round(100 * share, 1) for name, share in expected.items()},
                 "skylake: perf stat -M TopdownL1 has four shares", text)


def check(report, processor):
    cases = inside.Cases()
    cases.add("stat", f"{TURN}; perf stat -d -d -d {SCATTERED} {TURNS}")
    for event, period, function, *passes in RECORDED:
        cases.add(f"report {event}", f"perf record -q -o misses -c {period} -e {event} {SCATTERED} {passes[0]} {passes[1]}; "
                                     "perf report -i misses --stdio")
        cases.add(f"annotate {event}", f"perf annotate -i misses --stdio -s {function}")
    if processor == "skylake":
        cases.add("topdown", f"perf stat -M TopdownL1 {SCATTERED} {MORE}")
        cases.add("list", "perf list")
    cases.run(report, ["--processor", processor, "--add", SCATTERED])
    check_stat(report, cases, processor)
    check_named(report, processor)
    for event, _, function, *_ in RECORDED:
        check_record(report, cases, processor, event, function)
    if processor != "skylake":
        return
    check_topdown(report, cases.text("topdown"))
    text = cases.text("list")
    for name in ("br_inst_retired.conditional", "longest_lat_cache.miss", "dtlb_load_misses.walk_completed", "topdown-total-slots"):
        report.ok(name in text, f"skylake: perf list has {name}", text[:500])


def main():
    report = tap.Report()
    for processor in NAMED:
        check(report, processor)
    return report.done()


sys.exit(main())
