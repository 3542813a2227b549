#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Each folder of the kernel calls and includes only the layers that the map lets it use.

The map is the table "Layers" of docs/design.md (tools/tallylib/layers.py). The references are those of the last build's
objects: the symbols that one defines and another uses. The includes are those of the sources and headers. An upward
reference fails, unless EXCEPTIONS has it, and an upward include, unless INCLUDES has it; an exception that nothing needs
any more fails too. A call of a hook is no reference: its listeners define it (include/kernel/base/hooks.h).
"""

import os
import re
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
    ("arch/x86_64/entry.S", "steps_work_entry"): "a vector whose handler is a part of known work",
    ("arch/x86_64/space.c", "perf_user_reads"): "CR4.PCE goes with the space",
    ("arch/alpha/user_mode.c", "ev67_user_disabled"): MODES,
    ("arch/alpha/user_mode.c", "ev67_user_overflows"): MODES,
    ("arch/alpha/user_mode.c", "ev67_user_start"): MODES,
    ("kernel/perf/init.c", "arch_pmu_init"): "the machine's side of perf's start: <arch/pmu.h>",
}
# (file or folder that includes, header): why.
INCLUDES = {
    ("kernel/sched/sched.c", "include/kernel/mm/vm.h"): "the CPUs where a space is active change with the run queue locked",
    ("kernel/mm/", "include/kernel/fs/file.h"): FILE,
    ("arch/x86_64/ptrace_debug.c", "include/kernel/perf/breakpoint.h"): BREAKPOINT,
    ("arch/x86_64/ptrace_debug.c", "include/kernel/perf/event.h"): BREAKPOINT,
    ("arch/x86_64/space.c", "include/kernel/perf/settings.h"): "CR4.PCE goes with the space",
    ("arch/alpha/user_mode.c", "arch/alpha/pmu/ev67.h"): MODES,
    ("arch/x86_64/vdso/vdso.c", "include/kernel/task/vdso.h"): "a program's code: it shares only the layout of its page",
    ("kernel/fs/proc/status.c", "include/kernel/tty/tty.h"): "stat shows the number and the foreground group of the terminal",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


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
        if symbol.startswith("hook_"):
            continue
        source = os.path.relpath(name, folder)[:-2]
        if kind in "Uw":
            uses.add((source, symbol))
        elif kind.isupper():
            definitions[symbol] = source
    return {(source, symbol, definitions[symbol]) for source, symbol in uses if symbol in definitions}


def included(path):
    """The headers of the kernel that the file PATH includes."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = INCLUDE.findall(file.read())
    for mark, name in found:
        # <machine/…> is an ISA's: those headers are the machine's, for everyone.
        for folder in (os.path.dirname(path), "include") if mark == '"' else ("include",):
            header = os.path.normpath(os.path.join(folder, name))
            if os.path.exists(os.path.join(ROOT, header)) and not header.startswith("include/uapi/"):
                yield header
                break


def check_includes(report, table):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *SOURCES, "include/kernel", "include/arch"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    sources = [path for path in listed if path.endswith((".c", ".h", ".S")) and os.path.exists(os.path.join(ROOT, path))]
    pairs = [(path, header) for path in sources for header in included(path)]
    report.ok(len(pairs) > 2000, "there are includes", len(pairs))
    homeless = {path for pair in pairs for path in pair if not layers.layer_of(table, path)}
    report.equal(homeless, set(), "the map has a layer for each header")
    upward = {(path, header) for path, header in pairs if path not in homeless and header not in homeless
              and layers.layer_of(table, header).rank > layers.layer_of(table, path).top}
    needed = {pair: next((key for key in INCLUDES if pair[0].startswith(key[0]) and pair[1].startswith(key[1])), None) for pair in upward}
    wrong = [f"{path} includes {header}" for (path, header), key in sorted(needed.items()) if not key]
    report.ok(not wrong, "no file includes a header of a layer above its own", *wrong)
    report.equal(sorted(set(INCLUDES) - set(needed.values())), [], "each exception for an include is needed")


def main():
    report = tap.Report()
    table = layers.table()
    used = set()
    check_includes(report, table)

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
