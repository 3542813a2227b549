#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a program may expect of the C library holds of newlib for Alpha: tests/boot/libc.c on QEMU's user mode.

QEMU's user mode translates the program's system calls into the host's, by Linux/alpha's conventions, numbers and
layouts: an oracle for these that needs no kernel for Alpha.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))

import tap  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
PROGRAM = os.path.join(BUILD, "tests", "libc-alpha")
TIMEOUT_S = 120
# It gives execve to the host's kernel, which does not know Alpha's executables.
BEYOND_QEMU = "execve gives a program its words and its environment"


def build():
    status, prefix, error = tap.command([os.path.join(ROOT, "userland", "libc", "build"), "--arch", "alpha"],
                                        timeout_s=600)
    if status:
        return status, error
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    status, _, error = tap.command(
        ["alpha-linux-gnu-gcc", f"-specs={prefix.decode().strip()}/lib/tally.specs", "-std=gnu11", "-O2", "-g",
         "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", PROGRAM, os.path.join(HERE, "libc.c")])
    return status, error


def main():
    report = tap.Report()
    status, error = build()
    if not report.ok(status == 0, "newlib for Alpha builds, and a program with it", error):
        return report.done()
    _, output, error = tap.command(["qemu-alpha", PROGRAM], timeout_s=TIMEOUT_S)
    points = {name: good for good, name in points_of(output.decode(errors="replace"))}
    report.ok(len(points) > 1, "the program runs", error)
    for name, good in points.items():
        if name == BEYOND_QEMU:
            report.skip(name, "QEMU's user mode gives it to the host's kernel")
        else:
            report.ok(good, name, output.decode(errors="replace"), error)
    return report.done()


def points_of(text):
    for line in text.splitlines():
        if line.startswith(("ok ", "not ok ")):
            yield line.startswith("ok "), line.split(" - ", 1)[1]


sys.exit(main())
