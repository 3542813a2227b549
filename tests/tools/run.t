#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A program on the real kernel: its words, environment, files, input, output and status."""

import os
import shutil
import sys
import time

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
NOTHING = os.path.join(BUILD, "tests", "nothing")
TREE = os.path.join(BUILD, "tests", "tree")
LINKS = os.path.join(BUILD, "tests", "links")
ENVIRONMENT = b"[PATH=/bin:/usr/bin]\n[HOME=/]\n"

# Options, program and words; status; standard output.
RUNS = (
    ("no words", (), (), 0, b"[/bin/words]\n" + ENVIRONMENT),
    ("words with spaces, empty ones, other scripts", (), ("a b", "", "\u00e9\u4e16", "--cpus"), 0,
     "[/bin/words]\n[a b]\n[]\n[\u00e9\u4e16]\n[--cpus]\n".encode() + ENVIRONMENT),
    ("a variable set and one changed", ("--env", "A=b=c", "--env", "HOME=/tmp"), (), 0,
     b"[/bin/words]\n[PATH=/bin:/usr/bin]\n[HOME=/tmp]\n[A=b=c]\n"),
    ("status 1", (), ("1",), 1, b"[/bin/words]\n[1]\n" + ENVIRONMENT),
    ("status 255", (), ("255",), 255, b"[/bin/words]\n[255]\n" + ENVIRONMENT),
    ("a crash", (), ("crash",), 139, b"[/bin/words]\n[crash]\n" + ENVIRONMENT),
    ("two CPUs", ("--cpus", "2"), ("2",), 2, b"[/bin/words]\n[2]\n" + ENVIRONMENT),
    ("64 MiB of memory", ("--memory", "64"), ("3",), 3, b"[/bin/words]\n[3]\n" + ENVIRONMENT),
    ("virtual time", ("--icount",), ("4",), 4, b"[/bin/words]\n[4]\n" + ENVIRONMENT),
    ("no PMU", ("--pmu", "none"), ("5",), 5, b"[/bin/words]\n[5]\n" + ENVIRONMENT),
)


def run(*words, stdin=b""):
    return tap.command([TALLY, "run", "--timeout", "400", *words], stdin=stdin)


def archive_with_links():
    """The path of an archive as cpio makes it, where one of a file's names has the contents."""
    shutil.rmtree(LINKS, ignore_errors=True)
    os.makedirs(os.path.join(LINKS, "bin"))
    shutil.copy(shutil.which("busybox"), os.path.join(LINKS, "bin", "busybox"))
    os.link(os.path.join(LINKS, "bin", "busybox"), os.path.join(LINKS, "bin", "sh"))
    with open(os.path.join(LINKS, "init"), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ncd /bin; stat -c '%n %h %s' busybox sh; test busybox -ef sh; echo $?\n")
    os.chmod(os.path.join(LINKS, "init"), 0o755)
    names = b"init\nbin\nbin/sh\nbin/busybox\n"
    _, data, _ = tap.command(["cpio", "-o", "-H", "newc", "--quiet"], stdin=names, cwd=LINKS)
    with open(LINKS + ".cpio", "wb") as file:
        file.write(data)
    return LINKS + ".cpio"


def main():
    report = tap.Report()
    for name, options, words, status, output in RUNS:
        got_status, got, error = run(*options, "--", WORDS, *words)
        report.equal((got_status, got), (status, output), name, error)

    data = bytes(range(256)) * 40
    status, output, error = run(WORDS, "copy", stdin=data)
    report.ok((status, output) == (0, data), "input and output of every byte value",
              f"status {status}, {len(output)} of {len(data)} bytes", error)
    status, output, error = run(WORDS, "copy")
    report.equal((status, output), (0, b""), "the end of an empty input", error)
    for stdin, told in ((b"", True), (b"x", False)):
        status, output, error = run("/bin/cat", "/proc/cmdline", stdin=stdin)
        report.equal((status, b"noinput" in output.split()), (0, told),
                     "no byte has to say that there is no input" if told else "and input is not taken for none", error)

    status, output, error = run("/usr/bin/env", "/bin/echo", "from the host")
    report.equal((status, output), (0, b"from the host\n"), "an argument that names a program of the host", error)

    shutil.rmtree(TREE, ignore_errors=True)
    os.makedirs(os.path.join(TREE, "bin"))
    shutil.copy(NOTHING, os.path.join(TREE, "bin", "words"))
    status, output, error = run("--root", TREE, WORDS)
    report.equal((status, output), (0, b"[/bin/words]\n" + ENVIRONMENT),
                 "the program goes over a file of the tree that has its name", error)

    status, _, error = run("-v", "--pmu", "emulated", NOTHING)
    report.equal((status, error), (0, "tally: PMU: emulated\n"), "-v says which PMU is used")

    status, output, error = run(stdin=b"echo a b | wc -w; exit 6\n")
    report.equal((status, output.strip()), (6, b"2"), "a shell that reads a script from a pipe", error)

    status, output, error = run("--initrd", archive_with_links())
    size = os.path.getsize(os.path.join(LINKS, "bin", "sh"))
    report.equal((status, output.decode()), (0, f"busybox 2 {size}\nsh 2 {size}\n0\n"),
                 "two names of a file in an archive of cpio's", error)

    times = []
    for _ in range(5):
        start = time.monotonic()
        status, output, error = run(NOTHING)
        times.append(time.monotonic() - start)
    report.equal((status, output, error), (0, b"", ""), "a program that does nothing")
    report.note(f"it takes {min(times):.2f} s from start to end, the best of {len(times)} runs")
    return report.done()


sys.exit(main())
