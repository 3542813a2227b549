#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's gdb on a program with two threads: gdb.sh on both."""

import glob
import os
import subprocess
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = ("bash gdb grep sed").split()
SOURCE = os.path.join(HERE, "debuggee.c")
DEBUGGEE = os.path.join(os.environ["TALLY_BUILD"], "tests", "debuggee")
# Before each case: hide texts that differ from run to run, and gdb's messages about libraries with or without symbols.
PROLOGUE = f"""DEBUGGEE={DEBUGGEE}
same() {{
	sed -E 's/(process|LWP) [0-9]+/\\1 N/; s/Thread 0x[0-9a-f]+/Thread A/; s/0x[0-9a-f]{{12,}}/A/' |
		grep -Ev 'libthread_db|libc|nptl|pthread_kill'
}}
"""


def main():
    report = tap.Report()
    os.makedirs(os.path.dirname(DEBUGGEE), exist_ok=True)
    subprocess.run(["gcc", "-g", "-O0", "-pthread", SOURCE, "-o", DEBUGGEE], check=True)
    cases = [(name, PROLOGUE + text) for name, text in both.cases_of(os.path.join(HERE, "gdb.sh"))]
    compiled = [*both.compiled("", "re"), *glob.glob("/usr/share/gdb/python/gdb/**/__pycache__", recursive=True)]
    both.compare(report, cases, PROGRAMS, (DEBUGGEE, SOURCE, "/bin/sh", *compiled), ("--cpus", "2"))
    return report.done()


sys.exit(main())
