#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""perf's tests of itself, on Tally: `perf test`, whose cases are listed here with their expected answers.

"Ok" says that the kernel does what perf counts on. Every other answer has its reason, which none of them is the
kernel's: so each would be the same on Linux in the same machine with the same programs. The lists are those of Debian 12's
perf 6.1 and Debian 13's perf 6.12: another version's names differ, and then this test says so.
"""

import re
import sys

from tallytest import inside, tap

OK, SKIP, FAILED = "Ok", "Skip", "FAILED!"
BPF, CLANG, BUILT = "needs BPF", "needs a compiler", "Debian's perf is built without it"
# Not run: cases that take minutes, or that need a program that is not there.
LONG = "minutes of arithmetic on perf's own tables; no kernel is asked"

# Number and name of each case, what it answers, and why if that is not Ok; None: it is not run. Debian 12's.
_6_1 = (
    ("1", "vmlinux symtab matches kallsyms", SKIP, "needs a vmlinux of the kernel that runs"),
    ("2", "Detect openat syscall event", OK, ""),
    ("3", "Detect openat syscall event on all cpus", OK, ""),
    ("4.1", "Read samples using the mmap interface", OK, ""),
    ("4.2", "User space counter reading of instructions", OK, ""),
    ("4.3", "User space counter reading of cycles", OK, ""),
    ("5", "Test data source output", OK, ""),
    ("6.1", "Test event parsing", OK, ""),
    ("6.2", 'Test parsing of "hybrid" CPU events', SKIP, "no processor with two kinds of cores"),
    ("6.3", "Parsing of all PMU events from sysfs", OK, ""),
    ("6.4", "Parsing of given PMU events from sysfs", OK, ""),
    ("6.5", "Parsing of aliased events from sysfs", SKIP, "no PMU with two names"),
    ("6.6", "Parsing of aliased events", OK, ""),
    ("6.7", "Parsing of terms (event modifiers)", OK, ""),
    ("7", "Simple expression parser", FAILED, "the emulated processor does not say how fast its clock is"),
    ("8", "PERF_RECORD_* events & perf_sample fields", OK, ""),
    ("9", "Parse perf pmu format", OK, ""),
    ("10", "PMU events", None, LONG),
    ("11", "DSO data read", OK, ""),
    ("12", "DSO data cache", OK, ""),
    ("13", "DSO data reopen", OK, ""),
    ("14", "Roundtrip evsel->name", OK, ""),
    ("15", "Parse sched tracepoints fields", OK, ""),
    ("16", "syscalls:sys_enter_openat event fields", OK, ""),
    ("17", "Setup struct perf_event_attr", SKIP, "needs perf's sources"),
    ("18", "Match and link multiple hists", OK, ""),
    ("19", "'import perf' in python", FAILED, "needs Python, which is not packed"),
    ("20", "Breakpoint overflow signal handler", OK, ""),
    ("21", "Breakpoint overflow sampling", OK, ""),
    ("22", "Breakpoint accounting", OK, ""),
    ("23.1", "Read Only Watchpoint", SKIP, "x86 processors have none"),
    ("23.2", "Write Only Watchpoint", OK, ""),
    ("23.3", "Read / Write Watchpoint", OK, ""),
    ("23.4", "Modify Watchpoint", OK, ""),
    ("24", "Number of exit events of a simple workload", OK, ""),
    ("25", "Software clock events period values", OK, ""),
    ("26", "Object code reading", OK, ""),
    ("27", "Sample parsing", OK, ""),
    ("28", "Use a dummy software event to keep tracking", OK, ""),
    ("29", "Parse with no sample_id_all bit set", OK, ""),
    ("30", "Filter hist entries", OK, ""),
    ("31", "Lookup mmap thread", OK, ""),
    ("32", "Share thread maps", OK, ""),
    ("33", "Sort output of hist entries", OK, ""),
    ("34", "Cumulate child hist entries", OK, ""),
    ("35", "Track with sched_switch", OK, ""),
    ("36", "Filter fds with revents mask in a fdarray", OK, ""),
    ("37", "Add fd to a fdarray, making it autogrow", OK, ""),
    ("38", "kmod_path__parse", OK, ""),
    ("39", "Thread map", OK, ""),
    ("40.1", "Basic BPF llvm compile", SKIP, CLANG),
    ("40.2", "kbuild searching", SKIP, CLANG),
    ("40.3", "Compile source for BPF prologue generation", SKIP, CLANG),
    ("40.4", "Compile source for BPF relocation", SKIP, CLANG),
    ("41", "Session topology", OK, ""),
    ("42.1", "Basic BPF filtering", SKIP, BPF),
    ("42.2", "BPF pinning", SKIP, BPF),
    ("42.3", "BPF prologue generation", SKIP, BPF),
    ("43", "Synthesize thread map", OK, ""),
    ("44", "Remove thread map", OK, ""),
    ("45", "Synthesize cpu map", OK, ""),
    ("46", "Synthesize stat config", OK, ""),
    ("47", "Synthesize stat", OK, ""),
    ("48", "Synthesize stat round", OK, ""),
    ("49", "Synthesize attr update", OK, ""),
    ("50", "Event times", OK, ""),
    ("51", "Read backward ring buffer", OK, ""),
    ("52", "Print cpu map", OK, ""),
    ("53", "Merge cpu map", OK, ""),
    ("54", "Probe SDT events", SKIP, "needs probes"),
    ("55", "is_printable_array", OK, ""),
    ("56", "Print bitmap", OK, ""),
    ("57", "perf hooks", OK, ""),
    ("58.1", "builtin clang compile C source to IR", SKIP, BUILT),
    ("58.2", "builtin clang compile C source to ELF object", SKIP, BUILT),
    ("59", "unit_number__scnprintf", OK, ""),
    ("60", "mem2node", OK, ""),
    ("61", "time utils", OK, ""),
    ("62", "Test jit_write_elf", OK, ""),
    ("63.1", "test of individual --pfm-events", SKIP, BUILT),
    ("63.2", "test groups of --pfm-events", SKIP, BUILT),
    ("64", "Test api io", OK, ""),
    ("65", "maps__merge_in", OK, ""),
    ("66", "Demangle Java", OK, ""),
    ("67", "Demangle OCaml", OK, ""),
    ("68", "Parse and process metrics", OK, ""),
    ("69", "PE file support", SKIP, BUILT),
    ("70", "Event expansion for cgroups", OK, ""),
    ("71.1", "TSC support", OK, ""),
    ("71.2", "Perf time to TSC", OK, ""),
    ("72", "dlfilter C API", SKIP, CLANG),
    ("73", "Sigtrap", OK, ""),
    ("74", "Test dwarf unwind", FAILED, "Debian's perf has no symbols of its own functions"),
    ("75", "x86 instruction decoder - new instructions", OK, ""),
    ("76", "Intel PT packet decoder", OK, ""),
    ("77", "x86 bp modify", OK, ""),
    ("78", "x86 Sample parsing", OK, ""),
)

# Debian 13's.
_6_12 = (
    ("1", "vmlinux symtab matches kallsyms", SKIP, "needs a vmlinux of the kernel that runs"),
    ("2", "Detect openat syscall event", OK, ""),
    ("3", "Detect openat syscall event on all cpus", OK, ""),
    ("4.1", "Read samples using the mmap interface", OK, ""),
    ("4.2", "User space counter reading of instructions", OK, ""),
    ("4.3", "User space counter reading of cycles", OK, ""),
    ("5", "Test data source output", OK, ""),
    ("6.1", "Test event parsing", OK, ""),
    ("6.2", "Parsing of all PMU events from sysfs", OK, ""),
    ("6.3", "Parsing of given PMU events from sysfs", OK, ""),
    ("6.4", "Parsing of aliased events from sysfs", SKIP, "no PMU with two names"),
    ("6.5", "Parsing of aliased events", OK, ""),
    ("6.6", "Parsing of terms (event modifiers)", OK, ""),
    ("7", "Simple expression parser", FAILED, "the emulated processor does not say how fast its clock is"),
    ("8", "PERF_RECORD_* events & perf_sample fields", OK, ""),
    ("9.1", "Parsing with PMU format directory", OK, ""),
    ("9.2", "Parsing with PMU event", OK, ""),
    ("9.3", "PMU event names", OK, ""),
    ("9.4", "PMU name combining", OK, ""),
    ("9.5", "PMU name comparison", OK, ""),
    ("9.6", "PMU cmdline match", OK, ""),
    ("10", "PMU JSON event tests", None, LONG),
    ("11.1", "read", OK, ""),
    ("11.2", "cache", OK, ""),
    ("11.3", "reopen", OK, ""),
    ("12", "Roundtrip evsel->name", OK, ""),
    ("13", "Parse sched tracepoints fields", OK, ""),
    ("14", "syscalls:sys_enter_openat event fields", OK, ""),
    ("15", "Setup struct perf_event_attr", SKIP, "needs perf's sources"),
    ("16", "Match and link multiple hists", OK, ""),
    ("17", "'import perf' in python", FAILED, "needs Python, which is not packed"),
    ("18", "Breakpoint overflow signal handler", OK, ""),
    ("19", "Breakpoint overflow sampling", OK, ""),
    ("20", "Breakpoint accounting", OK, ""),
    ("21.1", "Read Only Watchpoint", SKIP, "x86 processors have none"),
    ("21.2", "Write Only Watchpoint", OK, ""),
    ("21.3", "Read / Write Watchpoint", OK, ""),
    ("21.4", "Modify Watchpoint", OK, ""),
    ("22", "Software clock events period values", OK, ""),
    ("23", "Object code reading", OK, ""),
    ("24", "Sample parsing", OK, ""),
    ("25", "Use a dummy software event to keep tracking", OK, ""),
    ("26", "Parse with no sample_id_all bit set", OK, ""),
    ("27", "Filter hist entries", OK, ""),
    ("28", "Lookup mmap thread", OK, ""),
    ("29", "Share thread maps", OK, ""),
    ("30", "Sort output of hist entries", OK, ""),
    ("31", "Cumulate child hist entries", OK, ""),
    ("32", "Track with sched_switch", OK, ""),
    ("33", "Filter fds with revents mask in a fdarray", OK, ""),
    ("34", "Add fd to a fdarray, making it autogrow", OK, ""),
    ("35", "kmod_path__parse", OK, ""),
    ("36", "Thread map", OK, ""),
    ("37", "Session topology", OK, ""),
    ("38", "Synthesize thread map", OK, ""),
    ("39", "Remove thread map", OK, ""),
    ("40.1", "Synthesize cpu map", OK, ""),
    ("40.2", "Print cpu map", OK, ""),
    ("40.3", "Merge cpu map", OK, ""),
    ("40.4", "Intersect cpu map", OK, ""),
    ("40.5", "Equal cpu map", OK, ""),
    ("41", "Synthesize stat config", OK, ""),
    ("42", "Synthesize stat", OK, ""),
    ("43", "Synthesize stat round", OK, ""),
    ("44", "Synthesize attr update", OK, ""),
    ("45", "Event times", OK, ""),
    ("46", "Read backward ring buffer", OK, ""),
    ("47", "Probe SDT events", SKIP, "needs probes"),
    ("48", "is_printable_array", OK, ""),
    ("49", "Print bitmap", OK, ""),
    ("50", "perf hooks", OK, ""),
    ("51", "unit_number__scnprintf", OK, ""),
    ("52", "mem2node", OK, ""),
    ("53", "time utils", OK, ""),
    ("54", "Test jit_write_elf", OK, ""),
    ("55.1", "test of individual --pfm-events", SKIP, BUILT),
    ("55.2", "test groups of --pfm-events", SKIP, BUILT),
    ("56", "Test api io", OK, ""),
    ("57", "maps__merge_in", OK, ""),
    ("58", "Demangle Java", OK, ""),
    ("59", "Demangle OCaml", OK, ""),
    ("60", "Parse and process metrics", OK, ""),
    ("61", "PE file support", SKIP, BUILT),
    ("62", "Event expansion for cgroups", OK, ""),
    ("63.1", "TSC support", OK, ""),
    ("63.2", "Perf time to TSC", OK, ""),
    ("64", "dlfilter C API", SKIP, CLANG),
    ("65", "Sigtrap", OK, ""),
    ("66", "Event groups", SKIP, "needs a PMU outside of the CPUs"),
    ("67", "Symbols", OK, ""),
    ("68", "util", OK, ""),
    ("69", "Test dwarf unwind", FAILED, "Debian's perf has no symbols of its own functions"),
    ("70.1", "Intel PT packet decoder", OK, ""),
    ("70.2", "Intel PT hybrid CPU compatibility", SKIP, "no processor with two kinds of cores"),
    ("71", "x86 bp modify", OK, ""),
    ("72", "x86 Sample parsing", OK, ""),
    ("73", "AMD IBS via core pmu", SKIP, "no AMD processor"),
    ("74", "x86 hybrid event parsing", SKIP, "no processor with two kinds of cores"),
    ("75", "Number of exit events of a simple workload", OK, ""),
)

# It samples its workload and gives up when it has asked a thousand times without hearing that the workload has
# ended; and from the end of a task's events to its SIGCHLD the answer comes at once, on Linux as well, where in this
# emulator it gives up more often. On one CPU, in turns that nothing interrupts, it cannot ask in between.
_PATIENT = "Number of exit events of a simple workload"
VERSIONS = {"6.1": _6_1, "6.12": _6_12}


def answers(text):
    """{number: (name, answer without its remark)} of what `perf test` printed."""
    found = re.findall(r"^ *(\d+(?:\.\d+)?)[:.] (.*?) *: (Ok|Skip|FAILED!)", text, re.M)
    return {number: (name, answer) for number, name, answer in found}


def main():
    report = tap.Report()
    cases = inside.Cases()
    version = inside.perf_version()
    expectations = VERSIONS.get(version)
    if not report.ok(expectations, f"perf is one of those that are known: {', '.join(VERSIONS)}", version):
        return report.done()
    left_out = [number for number, _, expected, _ in expectations if expected is None]
    patient = next(number for number, name, _, _ in expectations if name == _PATIENT)
    cases.add("list", "perf test list 2>&1")
    cases.add("all", f"perf test -s {','.join([*left_out, patient])} 2>&1")
    cases.add("patient", f"taskset 1 chrt --fifo 1 perf test {patient} 2>&1")
    cases.run(report)
    listed = {int(number) for number in re.findall(r"^ *(\d+): ", cases.text("list"), re.M)}
    report.equal(listed, {int(number.partition(".")[0]) for number, _, _, _ in expectations},
                 "every case that this perf has is in the list, and no other")
    got = {**answers(cases.text("all")), **answers(cases.text("patient"))}
    for number, name, expected, reason in expectations:
        title = f"{number} {name}"
        if expected is None:
            report.skip(title, reason)
        else:
            report.equal(got.pop(number, None), (name, expected), f"{title}: {expected}{reason and ': ' + reason}")
    report.equal(set(got) - set(left_out), set(), "there are no other answers")
    return report.done()


sys.exit(main())
