#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's Linux finds the emulated IBS, and its perf samples known work by it: at its instructions, with the data's address.

IBS counts in all rings, so that the kernel's instructions are among those of a period: of N instructions of the work with the
period P there are N / P samples or more.
"""

import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
LINUX_RUN = os.path.join(HERE, "..", "conformance", "linux-run")
SPIN = os.path.join(os.path.abspath(os.environ["TALLY_BUILD"]), "user", "bin", "spin")
CPU = "max,vendor=AuthenticAMD,stepping=1,family=25,model=17,x-pmu-amd=v2,x-ibs=on"
PROGRAMS = ("perf", "busybox", "grep")
PASSES = 100000
# Words against work at the start of Linux that nothing here needs: a clock's calibration, tests of ciphers, other addresses in
# each boot, pages cleared twice.
WORDS = "hpet=disable cryptomgr.notests nokaslr init_on_alloc=0"
# Offsets of the instructions of a pass: a store, a load, sub, jnz; and a branch not taken, one taken, a jump, sub, jnz.
STORES = {0x0: True, 0x3: True, 0x6: False, 0xa: False}
STORES_CYCLES, BRANCHES_CYCLES = 5, 10
SAMPLE = re.compile(r"^ *([0-9a-f]+) +([0-9a-f]+) ([\w.]+)\+0x([0-9a-f]+)", re.MULTILINE)


def work(text, name):
    """[(offset, address of the data)] of the samples of the function NAME."""
    return [(int(offset, 16), int(address, 16)) for address, _, function, offset in SAMPLE.findall(text) if function == name]


def main():
    report = tap.Report()
    added = [word for program in PROGRAMS for word in ("--add", os.path.join("/usr/bin", program))]
    status, output, error = tap.command([LINUX_RUN, "--pmu", "emulated", "--icount", "--timeout", "300", "--append", WORDS, "--cpu", CPU, *added, "--add", SPIN,
                                         os.path.join(HERE, "ibs-linux.sh"), SPIN], timeout_s=360)
    parts = re.split(r"^### (.*)\n", output.decode(errors="replace"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2]))
    if not report.ok(status == 0 and "complaints" in found, "Linux runs the script", f"status {status}\n{output.decode(errors='replace')}{error}"):
        return report.done()
    report.ok("AMD IBS detected (0x000000ff)" in found["found"], "Linux finds IBS, with all that it has", found["found"])
    report.ok("LVT offset 0 assigned for vector 0x400" in found["found"], "Linux takes the APIC's extended entry 0 for an NMI", found["found"])
    for name, least in (("ops", PASSES * len(STORES) // 10000), ("cycles", PASSES * STORES_CYCLES // 10000)):
        samples = work(found[name], "spin_stores")
        report.ok(len(samples) >= least, f"{name}: at least {least} samples of the work", f"got: {len(samples)}\n{found[name]}")
        report.equal({offset for offset, _ in samples} - STORES.keys(), set(), f"{name}: each sample is of an instruction of the work")
        report.equal([offset for offset, address in samples if (address != 0) != STORES.get(offset)], [],
                     f"{name}: a load and a store have the address of their data, and no other instruction has one")
        report.equal(len({address for _, address in samples if address}), 1, f"{name}: all these addresses are one")
    samples = work(found["precise cycles"], "spin_branches")
    report.ok(len(samples) >= PASSES * BRANCHES_CYCLES // 10000, "cycles:pp samples by IBS", f"got: {len(samples)}\n{found['precise cycles']}")
    samples = work(found["fetches"], "spin_stores")
    report.ok(len(samples) >= PASSES * len(STORES) // 16000, "fetches: as many samples of the work as it fetches", f"got: {len(samples)}\n{found['fetches']}")
    report.equal({offset for offset, _ in samples} - STORES.keys(), set(), "fetches: each sample is of an instruction's first byte")
    report.equal(found["complaints"], "", "Linux has no complaint")
    return report.done()


sys.exit(main())
