#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""GNU coreutils, dynamically linked, as they come from Debian: coreutils.sh on both."""

import os
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = (
    "base64 basename bash cat chmod cksum cmp comm cp cut date dd dirname du echo env expand expr factor false fmt "
    "fold head id install join link ln ls md5sum mkdir mkfifo mktemp mv nice nl nohup nproc numfmt od paste "
    "pathchk pr printenv printf pwd readlink realpath rm rmdir sed seq sha256sum shred shuf sleep sort "
    "split stat stdbuf sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq "
    "unlink wc whoami yes").split()
# Files that programs look for by name: the shell of split, the library of stdbuf, the names of users.
ADDED = ("/bin/sh", "/usr/libexec/coreutils/libstdbuf.so", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf")


def main():
    report = tap.Report()
    cases = both.cases_of(os.path.join(HERE, "coreutils.sh"))
    both.compare(report, cases, PROGRAMS, ADDED)
    return report.done()


sys.exit(main())
