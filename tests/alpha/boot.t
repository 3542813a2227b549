#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Tally on Alpha: it starts, runs Linux/alpha programs, static or with shared libraries, on 1, 2 and 4 CPUs, and ends as they end; what
cannot start or panics says so; and tools/tally tells programs of both architectures apart.

The programs are of the GNU C library; programs/ has their rules.
"""

import os
import shutil
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
PROGRAMS = os.path.join(BUILD, "alpha", "tests")
X86_PROGRAM = os.path.join(BUILD, "tests", "nothing")
TALLY = os.path.join(ROOT, "tools", "tally")
LOG = os.path.join(BUILD, "alpha", "boot-test.log")
# Files of Debian's C library for Alpha, which comes with its compiler.
LIBRARIES = [os.path.join("/usr/alpha-linux-gnu/lib", name) for name in ("ld-linux.so.2", "libc.so.6.1")]
TIMEOUT_S = 400
BAD_PROGRAM, BOOT, PANIC = 126, 122, 123


def run(*words):
    """Status, standard output, standard error, and the kernel's log."""
    command = [TALLY, "run", "--timeout", str(TIMEOUT_S), "--log", LOG, *words]
    status, output, error = tap.command(command, timeout_s=TIMEOUT_S + 20)
    try:
        with open(LOG, encoding="utf-8", errors="replace") as file:
            log = file.read()
    except FileNotFoundError:
        log = ""
    return status, output.decode(errors="replace"), error, log


def alpha(*words):
    return run("--arch", "alpha", *words)


def check_program(report, name, *words):
    """The points of program NAME, run by WORDS; returns the kernel's log."""
    status, output, error, log = alpha(*words)
    lines = output.splitlines()
    points = [line for line in lines if line.startswith(("ok ", "not ok "))]
    for line in points:
        report.ok(line.startswith("ok "), f"{name}: {line.split(' - ', 1)[1]}", output)
    report.ok(status == 0 and lines and lines[-1] == f"1..{len(points)}" and len(points) > 1,
              f"{name}: all of it runs, and nothing else is in its output", f"status {status}", output, error, log)
    return log


def check_programs(report):
    for cpus in (1, 2, 4):
        for name in ("traps", "tasks", "calls", "osf_times", "osf_calls"):
            log = check_program(report, f"{name}, {cpus} CPUs", "--cpus", str(cpus), os.path.join(PROGRAMS, name))
            report.ok(f"tally: {cpus} CPU" in log, f"... on {cpus} CPUs", log)


def check_libraries(report):
    with tempfile.TemporaryDirectory(prefix="tally-alpha-") as tree:
        os.mkdir(os.path.join(tree, "lib"))
        for library in LIBRARIES:
            shutil.copy(library, os.path.join(tree, "lib"))
        for name in ("tasks-dynamic", "tasks-pie"):
            shutil.copy(os.path.join(PROGRAMS, name), tree)
            check_program(report, name, "--root", tree, f"/{name}")


def check_ends(report):
    program = os.path.join(PROGRAMS, "tasks")
    status, output, error, _ = alpha(program, "42")
    report.equal((status, output), (42, ""), "the program's status is the command's, and it has its words", error)
    status, _, error, log = alpha("--append", "panic=here", program)
    report.equal(status, PANIC, "a panic has its own status", error)
    names = [line.split()[-1].split("+")[0] for line in log.splitlines() if "  0x" in line]
    report.ok("panic: requested on CPU 0" in log and names[:3] == ["call_panic", "fail_here", "panic_on_demand"],
              "... its reason, and a backtrace of all who called", log)
    status, _, error, log = alpha("--cpus", "2", "--append", "panic=elsewhere", program)
    report.ok(status == PANIC and "backtrace on CPU 1" in log and "smp_call_interrupt+" in log,
              "... also on another CPU, in an interrupt", error, log)
    status, _, error, log = alpha("--append", "panic=no-such", program)
    report.ok(status == BOOT and "no mistake of that name is known" in error,
              "what cannot start says why", error, log)


def check_architectures(report):
    status, _, error, _ = run(os.path.join(PROGRAMS, "tasks"))
    report.ok(status == BAD_PROGRAM and "is for Alpha; run it with --arch alpha" in error,
              "a program for Alpha is not taken for one for x86-64, and the message says how to run it", f"status {status}", error)
    status, _, error, _ = alpha(X86_PROGRAM)
    report.ok(status == BAD_PROGRAM and "is for x86-64; run it without --arch alpha" in error,
              "... and the other way round", f"status {status}", error)
    status, _, error, _ = alpha("--append", "x" * 256, os.path.join(PROGRAMS, "tasks"))
    report.ok(status != 0 and "255 can be passed" in error, "too long a command line is refused", error)
    # The tool lets it through; the kernel refuses it too.
    status, _, error, log = alpha("--no-check", X86_PROGRAM)
    report.ok(status == BOOT, "the kernel itself refuses a program for another machine", f"status {status}", error, log)


def main():
    report = tap.Report()
    check_programs(report)
    check_libraries(report)
    check_ends(report)
    check_architectures(report)
    return report.done()


sys.exit(main())
