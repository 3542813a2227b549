#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's Linux on the emulated DSA and IAX: its driver, accel-config, dmatest, and perf's counts of 19 moves.

Linux's answers are in tests/conformance/linux-6.12/ (linux_answers.py), of the emulator as it is: nothing is booted.
"""

import re
import sys

from tallytest import linux_answers, tap

# The two tables of the announcement of the driver's counters, which the generator of moves.c gives.
ANNOUNCED = {"dsa0/event=0x1,event_category=0x1/": 5332, "dsa0/event=0x2,event_category=0x1/": 5327,
             "dsa0/event=0x4,event_category=0x1/": 19, "dsa0/event=0x8,event_category=0x1/": 19,
             "dsa0/event=0x10,event_category=0x1/": 0, "dsa0/event=0x20,event_category=0x1/": 19}
FILTERED = {"dsa0/filter_wq=0x1,filter_tc=0x1,filter_sz=0x7,filter_eng=0x1,event=0x8,event_category=0x3/": 19}
OTHER_QUEUE = {"dsa0/filter_wq=0x2,event=0x8,event_category=0x3/": 0}
# dmatest moves whole buffers: 19 of 16 KiB are so many units of 32 bytes.
UNITS = 19 * 16384 // 32
WHOLE = {**ANNOUNCED, "dsa0/event=0x1,event_category=0x1/": UNITS, "dsa0/event=0x2,event_category=0x1/": UNITS}
OTHER_DEVICE = {"dsa0/event=0x20,event_category=0x1/": 0, "dsa1/event=0x20,event_category=0x1/": 7}


def sections(name):
    """The parts of a script's answer, by their headings."""
    parts = re.split(r"^### (.*)\n", linux_answers.Answer(name).output.decode(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def counts(text):
    """{event: count} of perf stat's table."""
    return {event: int(count.replace(",", "")) for count, event in re.findall(r"^ +([\d,]+) +(\S+/) *$", text, re.MULTILINE)}


def main():
    report = tap.Report()
    for name in linux_answers.SCRIPTS:
        problem = linux_answers.Answer(name).problem
        report.ok(not problem, f"{name}: Linux's answer is as new as the script and the emulator", problem)
    moves = sections("dsa-moves")
    report.equal(counts(moves["all sizes"]), ANNOUNCED, "19 moves: the table of the driver's announcement")
    report.equal(counts(moves["filtered"]), FILTERED, "19 moves of up to 4 KiB, by queue, class, size and engine")
    report.equal(moves["complaints"], "", "Linux has no complaint about the devices")
    tools = sections("accel-config")
    report.equal(counts(tools["19 moves of 16 KiB: units of 32 bytes, and descriptors"]), WHOLE, "dmatest's 19 moves of 16 KiB")
    report.equal(counts(tools["19 moves of up to 4 KiB, by queue, class, size and engine; none by another queue"]),
                 {**FILTERED, **OTHER_QUEUE}, "dmatest's 19 moves of up to 4 KiB, filtered")
    report.equal(counts(tools["7 moves by the other device"]), OTHER_DEVICE, "each device counts its own moves")
    return report.done()


sys.exit(main())
