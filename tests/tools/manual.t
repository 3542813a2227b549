#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The manual page agrees with the tool: the same exit statuses, every option, no other ones."""

import os
import re
import sys

from tallylib import failure
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
PAGE = os.path.join(ROOT, "docs", "man", "tally.1")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_of(command):
    status, output, error = tap.command([TALLY, command, "--help"])
    return set(OPTION.findall(output.decode())) if status == 0 else {error}


def main():
    report = tap.Report()
    with open(PAGE, encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    documented = dict(re.findall(r"^\.It (\d\d\d)\n(.*)$", page, re.MULTILINE))
    for number, meaning in failure.MEANING:
        said = documented.pop(str(number), "")
        report.equal(said.lower(), meaning.lower() + ".", f"exit status {number} is explained")
    report.equal(documented, {}, "no other status is explained")
    in_page = {"--" + name for name in re.findall(r"^\.It Fl -([a-z-]+)", page, re.MULTILINE)}
    in_tool = set()
    for command in ("run", "count", "image", "boot", "report", "flamegraph", "abi"):
        in_tool |= options_of(command) - {"--help"}
    report.equal(in_tool - in_page, set(), "every option is explained")
    report.equal(in_page - in_tool, set(), "every explained option is there")
    status, output, error = tap.command(["man", "--warnings", "-l", PAGE],
                                        env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    report.equal((status, error), (0, ""), "man formats the page without a warning")
    report.ok(b"EXIT STATUS" in output, "the formatted page has the exit statuses")
    return report.done()


sys.exit(main())
