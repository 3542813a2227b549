#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The entries of docs/ABI and the interfaces agree, in both directions.

An interface without an entry fails, and so does an entry without its interface: files of /sys and /proc/sys of booted
machines, one for each vendor's PMU, and devices of Tally's own; system calls of the kernel's tables; words of its command line; files below /.tally/;
commands, options and exit statuses of tools/tally.
"""

import argparse
import glob
import os
import re
import sys

from tallylib import abi, command_line, failure
from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
# The machines together: each of their files must have an entry, and each entry of files a file.
MACHINES = (("--cpus", "2", "--device", "dsa"), ("--device", "dsa,queue=user", "--device", "iax,queue=user"), ("--processor", "zen4"))
FIND = ("/bin/busybox", "sh", "-c", "find /sys /proc/sys /dev/perfctr /dev/cpu $(ls -d /dev/dsa /dev/iax 2>/dev/null) ! -type d")
GOOD = "What:\t\t/a\nWhat:\t\t/b\nDate:\t\t1\nKernelVersion:\t2\nContact:\t3\nDescription:\n\t\t4\n\t\t5\nUsers:\t\t6\n"
# A text, and what is wrong with it.
BAD = (
    ("x\n" + GOOD, "text outside of a field"),
    (GOOD + "\nDate:\t\t1\n", "Date comes twice"),
    (GOOD.replace("Contact", "Contacts"), "no such field"),
    (GOOD.replace("Users:\t\t6\n", ""), "no Users"),
    (GOOD.replace("\t\t4\n\t\t5\n", ""), "no Description"),
    (GOOD.replace("/b", "/a"), "/a is in"),
    (GOOD + "\n" + GOOD, "/a is in"),
    (GOOD.replace("/a", ""), "no What"),
    ("".join(sorted(GOOD.splitlines(True)[:2])) + "Users:\t1\n" + "".join(GOOD.splitlines(True)[2:-1]), "not in their order"),
)


def sources(*folders):
    for folder in folders:
        for path in glob.glob(os.path.join(ROOT, folder, "**", "*.c"), recursive=True):
            with open(path, encoding="utf-8") as file:
                yield file.read()


def kernel_words():
    """Each word of the command line that the kernel asks for."""
    for text in sources("kernel", "boot", "drivers", "arch"):
        for kind, name in re.findall(r'\bboot_(option|word)(?:_at)?\("([^"]+)"', text):
            yield f"kernel word {name}" + ("=" if kind == "option" else "")


def tally_files():
    for text in sources("kernel"):
        for name in re.findall(r'"/\.tally/(\w+)"', text):
            yield "console /.tally/" + name


def system_calls():
    """The names in the table of calls, and in those of the ISAs' own."""
    names = []
    paths = [os.path.join(ROOT, "kernel", "syscall", "table.c"), *glob.glob(os.path.join(ROOT, "arch", "*", "include", "machine", "calls.h"))]
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                # With a string it is a tracepoint's.
                names += re.findall(r"^\tCALL\w*\((\w+), [^\"]", line)
    for text in sources("arch"):
        names += re.findall(r"\bnumber != __NR_(\w+)", text)
    return {"system call " + name for name in names}


def device_commands():
    """The commands of Tally's own devices: a header of theirs gives each a number."""
    names = set()
    for header, command in (("linux/perfctr.h", r"^#define (V?PERFCTR_\w+)\s+0xd0"), ("tally/pmu_steps.h", r"^#define (PMU_IOC_\w+)\s")):
        with open(os.path.join(ROOT, "include", "uapi", header), encoding="utf-8") as file:
            names |= {"ioctl " + name for name in re.findall(command, file.read(), re.MULTILINE)}
    return names


def words_of_tally():
    """(commands, options), as their entries name them."""
    parser = command_line.parser()
    action = next(action for action in parser._actions  # pylint: disable=protected-access
                  if isinstance(action, argparse._SubParsersAction))  # pylint: disable=protected-access
    options = {f"tally {name} {option}" for name, command in action.choices.items()
               for option in command._option_string_actions if option not in ("-h", "--help")}  # pylint: disable=protected-access
    return {f"tally {name}" for name in action.choices}, options


def files_of(report, machine):
    """The files of a machine."""
    status, output, error = tap.command([TALLY, "run", *machine, "--timeout", "400", *FIND])
    report.equal(status, 0, f"a machine lists its files: {' '.join(machine)}", error)
    return set(output.decode().split())


def check_files(report, whats):
    files = set().union(*(files_of(report, machine) for machine in MACHINES))
    patterns = {what: abi.pattern(what) for what in whats}
    used = {}
    for path in sorted(files):
        found = [what for what, pattern in patterns.items() if pattern.fullmatch(path)]
        # The entry with the fewest places is the file's own.
        for what in sorted(found, key=lambda what: what.count("<"))[:1]:
            used[what] = path
        if not found:
            used.setdefault(None, []).append(path)
    report.ok(len(files) > 1000, "the machines have files", len(files))
    report.equal(used.pop(None, []), [], "each file of /sys and /proc/sys has an entry")
    report.equal(sorted(set(patterns) - set(used)), [], "each entry of files has a file")


def check_tool(report):
    for words, status, needle in ((["abi", "rdpmc"], 0, "/sys/devices/cpu/rdpmc\n"),
                                  (["abi", "PERF_EVENT_paranoid"], 0, "proc-sys-kernel-perf"),
                                  (["abi", "/sys/devices/msr/type"], 0, "/sys/devices/<pmu>/type"),
                                  (["abi", "epoll_wait$"], 0, "system call epoll_wait"),
                                  (["abi", "--validate"], 0, ""),
                                  (["abi", "no such interface"], 1, "no entry of docs/ABI matches"),
                                  (["abi", "("], failure.USAGE, "no regular expression"),
                                  (["abi"], failure.USAGE, "PATTERN or --validate"),
                                  (["abi", "--validate", "x"], failure.USAGE, "PATTERN or --validate")):
        got, output, error = tap.command([TALLY, *words])
        report.ok(got == status and needle in output.decode() + error, f"tally {' '.join(words)}", got, output, error)


def main():
    kernels.skip_on_debug("the files are the same")
    report = tap.Report()
    report.equal(abi.check(abi.parse(GOOD)[0]), [], "a good entry has no fault")
    for text, fault in BAD:
        entries, faults = abi.parse(text, "f")
        faults += abi.check(entries)
        report.ok(len(faults) >= 1 and any(fault in line for line in faults), f"a fault is found: {fault}", faults)
    entries, faults = abi.read(os.path.join(ROOT, "docs", "ABI"))
    report.equal(faults + abi.check(entries), [], "the entries have no fault")
    check_tool(report)

    whats = {what for entry in entries if not entry.file.startswith("removed/") for what in entry.what}
    commands, options = words_of_tally()
    statuses = {f"tally status {number}" for number, _ in failure.MEANING}
    for kind, there, entry in (
            ("system call", system_calls(), re.compile("system call ")),
            ("command of a device", device_commands(), re.compile("ioctl ")),
            ("word of the kernel's command line", set(kernel_words()), re.compile("kernel word ")),
            ("file below /.tally/", set(tally_files()), re.compile(r"console /\.tally/")),
            ("command of tally", commands, re.compile(r"tally \w+$")),
            ("option of tally", options, re.compile(r"tally \w+ -")),
            ("exit status of tally", statuses, re.compile(r"tally status \d+$"))):
        named = {what for what in whats if entry.match(what)}
        report.ok(there, f"there is a {kind}")
        report.equal(sorted(there - named), [], f"each {kind} has an entry")
        report.equal(sorted(named - there), [], f"each entry of a {kind} is true")
    check_files(report, {what for what in whats if what.startswith("/")})
    return report.done()


sys.exit(main())
