#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Bootable images: each is made, boots, and gives the program's output and status.

The unikernel ELF starts by QEMU's own multiboot 1 loader; the ISO image through SeaBIOS and GRUB's
multiboot2, as on a machine with a CD drive.
"""

import os
import shutil
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")
FOLDER = os.path.join(BUILD, "tests", "images")
OUTPUT = b"[/bin/words]\n[9]\n[two words]\n[PATH=/bin:/usr/bin]\n[HOME=/]\n[A=b]\n"
FORMS = (("unikernel", ()), ("iso", ("--iso",)))


def make(path, options, *program):
    return tap.command([TALLY, "image", *options, "-o", path, *program])


def boot(path, *options):
    return tap.command([TALLY, "boot", "--timeout", "400", *options, path])


def main():
    report = tap.Report()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for form, options in FORMS:
        path = os.path.join(FOLDER, form)
        got = make(path, (*options, "--env", "A=b"), WORDS, "9", "two words")
        report.equal(got, (0, b"", ""), f"{form}: is made, without a word")
        status, output, error = boot(path)
        report.equal((status, output), (9, OUTPUT), f"{form}: boots, output and status are right",
                     error)
        status, output, error = boot(path, "--cpus", "2", "--pmu", "none")
        report.equal((status, output), (9, OUTPUT), f"{form}: also on two CPUs without a PMU", error)
        tap.command([TALLY, "image", SELFMON, "-o", path, *options])
        status, output, error = boot(path)
        report.equal(status, 0, f"{form}: the self-monitoring program is exact in it",
                     output.decode(errors="replace"), error)
        status, _, error = make(os.path.join(FOLDER, "no", "such"), options, WORDS)
        report.ok(status == 127 and "No such file or directory" in error,
                  f"{form}: an output that cannot be written is named", status, error)
    status, _, error = tap.command([TALLY, "image", WORDS])
    report.equal((status, error), (120, "tally: name the file to write: -o FILE\n"),
                 "the file to write has to be named")
    status, _, error = make(os.path.join(FOLDER, "x"), ("--iso",), os.path.join(FOLDER, "unikernel"))
    report.equal(status, 126, "a kernel is no program to put into an image", error)
    report.equal(sorted(os.listdir(FOLDER)), ["iso", "unikernel"], "no half-made files are left")
    return report.done()


sys.exit(main())
