#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With --write, what a program changes in shared folders is on the host when its call has returned; errors are the host's."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SHELL = shutil.which("busybox")
PROGRAM = os.path.join(BUILD, "tests", "share_write")
SECRET = "what nobody shared"


def tally(folder, *words, **more):
    return tap.command([TALLY, "run", "--timeout", "240", *words], cwd=folder, **more)


def shell(folder, script, *options, **more):
    """The output of SCRIPT by busybox's shell, with --write."""
    status, output, error = tally(folder, "--write", *options, SHELL, "sh", "-c", script, **more)
    return status, os.fsdecode(output), error


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read().decode(errors="replace")


def check_names(report, folder):
    """Each kind of change of names and attributes."""
    os.mkdir(os.path.join(folder, "old"))
    for name, text in (("old/kept", "kept"), ("old/gone", "gone"), ("over", "over"), ("long", "0123456789")):
        write(os.path.join(folder, name), text)
    os.symlink("nowhere", os.path.join(folder, "dangling"))
    script = """echo new >made; echo more >>made; mkdir -p a/b/c; echo deep >a/b/c/file; ln -s made link; ln made second
                rm old/gone; mv old moved; mv made over; mkfifo fifo; chmod 640 over; chmod 700 a/b
                touch -d '2020-02-03 04:05:06' a/b/c/file; : >long; rmdir a/none 2>/dev/null; mkdir x; rmdir x; rm dangling
                echo through >link 2>/dev/null; cat second over moved/kept; find . | sort | tr '\\n' ' '; umask 077; echo >private
                mkdir d1 d2; mv d1 d2/d; echo far >d2/d/far; rm -r a/b; stat -c %a:%s over long"""
    status, output, error = shell(folder, script)
    report.equal((status, output), (0, "new\nmore\nnew\nmore\nkept"
                                    ". ./a ./a/b ./a/b/c ./a/b/c/file ./fifo ./link ./long ./made ./moved ./moved/kept ./over "
                                    "./second 640:9\n644:0\n"), "the program sees its own changes", error)
    found = sorted(os.path.relpath(os.path.join(path, name), folder)
                   for path, folders, files in os.walk(folder) for name in (*folders, *files))
    report.equal(found, ["a", "d2", "d2/d", "d2/d/far", "fifo", "link", "long", "made", "moved", "moved/kept", "over", "private",
                         "second"], "names that were made, moved and removed are so on the host")
    report.equal([read(folder, name) for name in ("made", "second", "over", "moved/kept", "d2/d/far", "long")],
                 ["through\n", "new\nmore\n", "new\nmore\n", "kept", "far\n", ""], "contents are on the host")
    modes = {name: stat.filemode(os.lstat(os.path.join(folder, name)).st_mode) for name in ("over", "private", "fifo", "link", "d2")}
    report.equal(modes, {"over": "-rw-r-----", "private": "-rw-------", "fifo": "prw-r--r--", "link": "lrwxrwxrwx",
                         "d2": "drwx------"}, "types and modes are the program's")
    owners = {(status.st_uid, status.st_gid) for status in map(os.lstat, (os.path.join(folder, name) for name in found))}
    report.equal(owners, {(os.geteuid(), os.getegid())}, "the user who runs tally owns what was made")
    report.equal(os.stat(os.path.join(folder, "over")).st_nlink, 2, "a second name is one on the host")


def main():
    report = tap.Report()
    folder = tempfile.mkdtemp(prefix="tally-write-")
    try:
        for check in (check_names,):
            os.mkdir(os.path.join(folder, check.__name__))
            check(report, os.path.join(folder, check.__name__))
    finally:
        shutil.rmtree(folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
