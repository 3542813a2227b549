#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""--trace syscalls: a program's system calls are in the log, decoded; without the option, none is."""

import os
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")


def run(*words):
    """Status, and the lines of the log that are system calls, without the number of the thread."""
    with tempfile.NamedTemporaryFile() as log:
        status, _, error = tap.command([TALLY, "run", "--timeout", "400", "--log", log.name, *words])
        lines = [line.split(" ", 2) for line in log.read().decode().splitlines()]
    return status, [line[2] for line in lines if len(line) == 3 and line[1].isdigit() and "(" in line[2]], error


def main():
    report = tap.Report()
    status, lines, error = run("--trace", "syscalls", WORDS, "3")
    report.equal(status, 3, "a traced program has its own exit status", error)
    report.equal(lines[:3], ['write(1, "[", 1) = 1', 'write(1, "/bin/words", 10) = 10', 'write(1, "].", 2) = 2'],
                 "what it writes is shown, and how much")
    report.equal(lines[-1:], ["exit_group(3) = ?"], "a call that does not return is shown at once")
    status, lines, error = run("--trace", "syscalls", "busybox", "cat", "/none", "/bin/busybox" * 9)
    opens = [line for line in lines if line.startswith("open")]
    report.ok('openat(AT_FDCWD, "/none", 0, 0) = -1 ENOENT' in opens,
              "a path, and an error by its name", *opens)
    report.ok(any('"/bin/busybox/bin/busybox/bin/busybox/bin/busybox"..., ' in line and line.endswith(") = -1 ENOTDIR")
                  for line in opens), "a long path is cut off", *opens)
    status, lines, error = run(WORDS, "3")
    report.equal((status, lines), (3, []), "without --trace there is none of it", error)
    status, _, error = run("--append", "trace=everything", WORDS)
    report.ok(status == 122 and "trace=everything" in error, "another word after trace= is refused", status, error)
    return report.done()


sys.exit(main())
