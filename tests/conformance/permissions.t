#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""docs/permissions.md has a row for each system call, and for each file of /proc, /sys and tracefs, and no others.

The programs that the rows name try the rules (tests/conformance/transcripts.t).
"""

import fnmatch
import glob
import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAMS = os.path.join(HERE, "programs")
WALK = "observe_attack_trees"
DEVICES = ("--device", "dsa", "--device", "iax")
# x86-64's one call that has the registers of the caller, and so is not in a table.
WITH_REGISTERS = ["arch_prctl"]


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def calls():
    """The names of the kernel's system calls, on any ISA."""
    row = re.compile(r"\bCALL(?:_RESTARTING|_BY|_BY_RESTARTING)?\((\w+),")
    found = row.findall(text_of("kernel", "syscall", "table.c").partition("calls[] = {")[2])
    for path in glob.glob(os.path.join(ROOT, "arch", "*", "include", "machine", "calls.h")):
        found += row.findall(text_of(path).partition("#define MACHINE_CALLS")[2].partition("#define MACHINE_NAMES")[0])
    return {*found, *WITH_REGISTERS}


def rows():
    """{heading: [(the things in a row's first column, the row's last column)]} of the document."""
    found, under = {}, None
    for line in text_of("docs", "permissions.md").splitlines():
        if line.startswith("## "):
            under = line[3:]
            found[under] = []
        elif line.startswith("| `") and under:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            found[under].append((re.findall(r"`([^`]+)`", cells[0]), cells[-1]))
    return found


def compare(report, wanted, got, what):
    """One point for what is missing, one for what is too much or twice."""
    report.equal(sorted(wanted - {*got}), [], f"docs/permissions.md: each {what} has a row")
    report.equal(sorted(name for name in {*got} if name not in wanted or got.count(name) > 1), [],
                 f"docs/permissions.md: each row of a {what} has one that there is, and no other row has it")


def files_of(report, *options):
    """The files and folders of /sys of a machine."""
    status, output, error = tap.command([TALLY, "run", *options, "/bin/busybox", "find", "/sys"])
    report.equal(status, 0, "the files of a machine can be listed: " + (" ".join(options) or "no options"), error)
    return {*output.decode().splitlines()}


def check_devices(report, patterns, others):
    """The files that a machine has for its devices, beside the others, and their rows, or OTHERS'."""
    files = files_of(report, *DEVICES) - files_of(report)
    report.equal(sorted(file for file in files if not any(fnmatch.fnmatchcase(file, pattern)
                                                                 for pattern in (*patterns, *others))), [],
                 "docs/permissions.md: each file of a device has a row")
    report.equal([pattern for pattern in patterns if not fnmatch.filter(files, pattern)], [],
                 "docs/permissions.md: each row of files of devices has one that there is")


def main():
    report = tap.Report()
    tables = rows()

    def things(heading):
        return [name for names, _ in tables[heading] for name in names]

    compare(report, calls(), things("System calls"), "system call")
    patterns = re.findall(r'^PATTERN\("(.*)"\)', text_of(PROGRAMS, "attacked_trees.h"), re.MULTILINE)
    compare(report, {*patterns}, things("Other files of /proc, /sys and tracefs"), "pattern of files")

    check_devices(report, things("Files of devices"), patterns)
    status, output, error = tap.command([TALLY, "run", os.path.join(BUILD, "tests", WALK), "files"])
    lines = output.decode().splitlines()
    report.equal(status, 0, "the files that there are can be listed", error)
    compare(report, {line for line in lines if line.startswith("/proc/PID/")}, things("Files of processes"),
            "file of a process")
    # The virtio devices of tally run have drivers, too.
    devices = things("Files of devices")
    report.equal([line for line in lines if not line.startswith(("/proc/PID/", "unmet ")) and
                  not any(fnmatch.fnmatchcase(line, pattern) for pattern in devices)], [],
                 "each file of /proc, /sys and tracefs has a pattern")
    unmet = [line[len("unmet "):] for line in lines if line.startswith("unmet ")]
    report.equal(unmet, [], "each pattern has a file")

    named = {name for table in tables.values() for _, tried in table for name in re.findall(r"observe_\w+", tried)}
    missing = [name for name in named if not os.path.exists(os.path.join(PROGRAMS, name + ".c"))]
    report.equal(missing, [], "the programs that try them exist")
    return report.done()


sys.exit(main())
