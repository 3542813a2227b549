#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each folder of the kernel calls only the layers that the map lets it call.

The map is the table "Layers" of docs/design.md (tools/tallylib/layers.py). The references are those of the last build's
objects: the symbols that one defines and another uses. An upward reference fails, unless EXCEPTIONS has it; an exception
that no object needs any more fails too.
"""

import os
import subprocess
import sys

from tallylib import layers
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

BUILD = os.environ.get("TALLY_BUILD", os.path.join(ROOT, "build"))
ARCHITECTURES = {"x86_64": (BUILD, "gcc-nm"), "alpha": (os.path.join(BUILD, "alpha"), "alpha-linux-gnu-gcc-nm")}
SOURCES = ("boot", "arch", "kernel", "drivers")

ENTRY = "the machine starts the kernel and enters it: <kernel/base/entry.h>"
FILE = "an area shows a file, and the file lives as long as the area"
BREAKPOINT = "ptrace's debug registers are breakpoint events, as on Linux"
MODES = "the EV67's counters cannot tell modes apart: the entry path does it for them"
# (file or folder that refers, symbol): why.
EXCEPTIONS = {
    ("boot/", "kernel_main"): ENTRY,
    ("arch/", "cpu_start_secondary"): ENTRY,
    ("arch/", "syscall_dispatch"): ENTRY,
    ("arch/", "syscall_first_return"): ENTRY,
    ("arch/", "user_exception"): ENTRY,
    ("arch/", "user_return"): ENTRY,
    ("kernel/mm/fault.c", "user_exception"): "a fault that no area serves is the program's signal",
    ("kernel/mm/", "file_free"): FILE,
    ("kernel/mm/", "file_has_contents"): FILE,
    ("kernel/mm/", "file_inode"): FILE,
    ("arch/x86_64/ptrace_debug.c", "perf_breakpoint_close"): BREAKPOINT,
    ("arch/x86_64/ptrace_debug.c", "perf_breakpoint_modify"): BREAKPOINT,
    ("arch/x86_64/ptrace_debug.c", "perf_breakpoint_open"): BREAKPOINT,
    ("arch/x86_64/space.c", "perf_user_reads"): "CR4.PCE goes with the space",
    ("arch/alpha/user_mode.c", "ev67_user_halted"): MODES,
    ("arch/alpha/user_mode.c", "ev67_user_overflows"): MODES,
    ("arch/alpha/user_mode.c", "ev67_user_start"): MODES,
    ("kernel/perf/init.c", "arch_pmu_init"): "the machine's side of perf's start: <arch/pmu.h>",
}


def references(folder, nm):
    """The references between the objects below `folder`: (file that refers, symbol, file that defines)."""
    objects = [os.path.join(path, name) for source in SOURCES for path, _, names in os.walk(os.path.join(folder, source))
               for name in names if name.endswith((".c.o", ".S.o"))]
    objects = [name for name in objects if os.path.exists(os.path.join(ROOT, os.path.relpath(name, folder)[:-2]))]
    listing = subprocess.run([nm, "-A", *objects], capture_output=True, text=True, check=True).stdout
    uses, definitions = set(), {}
    for line in listing.splitlines():
        name, _, rest = line.partition(":")
        kind, symbol = rest.split()[-2:]
        source = os.path.relpath(name, folder)[:-2]
        if kind in "Uw":
            uses.add((source, symbol))
        elif kind.isupper():
            definitions[symbol] = source
    return {(source, symbol, definitions[symbol]) for source, symbol in uses if symbol in definitions}


def main():
    report = tap.Report()
    table = layers.table()
    used = set()

    def exception(source, symbol):
        return next((key for key in EXCEPTIONS if source.startswith(key[0]) and symbol == key[1]), None)

    def layer(source):
        return layers.layer_of(table, source)

    for architecture, (folder, nm) in ARCHITECTURES.items():
        found = sorted(references(folder, nm))
        report.ok(found, f"{architecture}: there are objects to ask")
        report.equal({name for source, _, target in found for name in (source, target) if not layer(name)},
                     set(), f"{architecture}: the map has a layer for each file")
        upward = [(source, symbol, target) for source, symbol, target in found
                  if layer(source) and layer(target) and layer(target).rank > layer(source).top]
        used |= {exception(source, symbol) for source, symbol, _ in upward}
        wrong = [f"{source} refers to {symbol}, which is {target}'s" for source, symbol, target in upward
                 if not exception(source, symbol)]
        report.ok(not wrong, f"{architecture}: no folder calls a layer above its own", *wrong)
    report.equal(sorted(set(EXCEPTIONS) - used), [], "each exception is needed")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
