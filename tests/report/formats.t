#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""`tally report` writes each format and reads consoles; docs/report.md has the rules of the program, each with its sentence.

A console that is cut off, has lost lines or is not a report's ends with one line and a status of its own.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tallylib import report as reports
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
PROGRAM = os.path.join(os.environ["TALLY_BUILD"], "user", "bin", "report")
PAGE = os.path.join(ROOT, "docs", "report.md")
SMALL = """\
# Tally PMU report, format 1
# Processor  GenuineIntel, a model
# CPUs       1
1..4
ok 1 - one.holds
not ok 2 - one.is_broken
# expected 1 <, got 2
# breaks: counts & samples
# manual: a manual
not ok 3 - two.is_inexact # TODO inexact: over by 1
ok 4 - two.is_absent # SKIP one CPU
# Counts are usable for
#   counting: no: one.is_broken: expected 1 <, got 2
# report: 4 rules: 1 ok, 1 not ok, 1 inexact, 1 skipped
"""


def read(text, *options):
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        status, output, error = tap.command([TALLY, "report", "--console", file.name, *options])
        return status, output.decode(), error.replace(file.name, "FILE")


def is_xml(text):
    try:
        xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError:
        return False
    return True


def check_formats(report):
    report.equal(read(SMALL, "--format", "tap"), (1, SMALL, ""), "TAP is what the console has")
    status, output, _ = read(SMALL, "--format", "json")
    found = json.loads(output)
    report.equal((status, [(rule["name"], rule["outcome"]) for rule in found["rules"]]),
                 (1, [("one.holds", "ok"), ("one.is_broken", "not ok"), ("two.is_inexact", "inexact"), ("two.is_absent", "skip")]),
                 "JSON has each rule and its outcome")
    report.equal(found["usable"], {"counting": "no: one.is_broken: expected 1 <, got 2"}, "JSON has the verdict")
    status, output, _ = read(SMALL, "--format", "junit")
    suite = xml.etree.ElementTree.fromstring(output)
    report.equal((status, suite.attrib["tests"], [case.find("failure").attrib["message"] for case in suite if case.find("failure") is not None]),
                 (1, "4", ["expected 1 <, got 2"]), "JUnit has a test case for each rule")
    status, output, _ = read(SMALL)
    report.ok(status == 1 and "not ok     one.is_broken" in output and "one.holds" not in output, "the text has what is broken", output)


def check_consoles(report):
    noisy = "GRUB\r\n\x1b[2J" + SMALL.replace("\n", "\r\n").replace("ok 4", "ok 4", 1) + "tally: exit status 1\r\n"
    noisy = noisy.replace("ok 1 - one.holds\r\n", "ok 1 - one.holds\r\n[ 0.5] log: a line of the kernel\r\n")
    report.equal(read(noisy, "--format", "tap"), (1, SMALL, ""), "other lines, returns and terminal codes are left out")
    good = SMALL.replace("not ok 2 - one.is_broken\n# expected 1 <, got 2\n# breaks: counts & samples\n# manual: a manual\n", "ok 2 - one.is_broken\n")
    good = good.replace("1 ok, 1 not ok", "2 ok, 0 not ok")
    report.equal(read(SMALL + good)[0], 0, "of two reports the last counts")
    hostile = SMALL.replace("one CPU", "one\x07\x01 C\x85P\uffffU")
    status, output, _ = read(hostile, "--format", "junit")
    report.ok(status == 1 and is_xml(output), "control characters do not get into JUnit's XML", output)
    digits = "9" * 5000
    cases = (
        ("a plan that is no number", SMALL.replace("1..4", f"1..{digits}"),
         "tally: FILE: lines of the report are lost: the number of rules is missing\n"),
        ("a rule whose number is none", SMALL.replace("ok 1 -", f"ok {digits} -"),
         "tally: FILE: lines of the report are lost: rule 1 is followed by 2\n"),
        ("an end without a number", SMALL.replace("report: 4", f"report: {digits}"),
         "tally: FILE: the report is cut off after 4 of 4 rules\n"),
        ("a console without a report", "hello\n", "tally: FILE: no report of Tally is in it; the line 'Tally PMU report, format 1' is missing\n"),
        ("an empty console", "", "tally: FILE: no report of Tally is in it; the line 'Tally PMU report, format 1' is missing\n"),
        ("a report that is cut off", SMALL[:SMALL.index("not ok 3")], "tally: FILE: the report is cut off after 2 of 4 rules\n"),
        ("a report that is cut off at once", SMALL[:60], "tally: FILE: the report is cut off after 0 of an unknown number of rules\n"),
        ("a report that has lost a line", SMALL.replace("ok 1 - one.holds\n", ""),
         "tally: FILE: lines of the report are lost: rule 1 is followed by 2\n"),
        ("a report that has lost its last rule", SMALL.replace("ok 4 - two.is_absent # SKIP one CPU\n", ""),
         "tally: FILE: lines of the report are lost: 4 rules are announced, 3 are there\n"),
    )
    for name, text, line in cases:
        report.equal(read(text), (reports.NO_REPORT, "", line), f"{name}: one line, status {reports.NO_REPORT}")
    report.equal(tap.command([TALLY, "report", "--console", "/nowhere"])[0], 127, "a console that cannot be read: status 127")
    report.equal(tap.command([TALLY, "report", "--console", "/dev/zero"]),
                 (reports.NO_REPORT, b"", "tally: /dev/zero: longer than 16 MiB; keep its end, with the last report: tail -c 16M\n"),
                 "a console without an end is not read whole")
    noise = "a line of a machine that ran for days\n"
    longest = noise * ((reports.CONSOLE_MAX - len(SMALL)) // len(noise)) + SMALL
    report.equal(read(longest.rjust(reports.CONSOLE_MAX), "--format", "tap"), (1, SMALL, ""), "the longest console is read")
    report.equal(read(longest.rjust(reports.CONSOLE_MAX + 1))[0], reports.NO_REPORT, "one that is a byte longer is not")


def check_machine(report):
    status, output, error = tap.command([TALLY, "report", "--format", "json"])
    found = json.loads(output) if status == 0 else {"rules": []}
    report.ok(len(found["rules"]) > 150, "a machine's report as JSON has 150 rules and more", error)


def check_page(report):
    done = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True)
    rules = dict((name, (breaks, manual)) for name, manual, breaks in (line.split("\t") for line in done.stdout.splitlines()))
    with open(PAGE, encoding="utf-8") as file:
        rows = re.findall(r"^\| `([a-z_]+\.[a-z0-9_]+)` \| (.*) \| (.*) \|$", file.read(), re.MULTILINE)
    report.ok(len(rules) >= 150, "the program has 150 rules and more", len(rules))
    report.equal(len(rows), len(dict((row[0], 0) for row in rows)), "docs/report.md has each rule once")
    page = {name: (breaks, manual) for name, breaks, manual in rows}
    report.equal(sorted(set(rules) ^ set(page)), [], "docs/report.md has the rules of the program")
    differ = [name for name in rules if name in page and page[name] != rules[name]]
    report.equal(differ, [], "docs/report.md has the program's sentence and manual for each", "expected:", *(rules[name] for name in differ))


def check_sample(report):
    """The page's sample is what the named machine prints. "…" stands for lines, or for the rest of one."""
    with open(PAGE, encoding="utf-8") as file:
        command, block = re.search(r"`tools/tally report (--[^`]+)` prints:\n\n((?:    .*\n)+)", file.read()).groups()
    sample = [line[4:] for line in block.splitlines() if line != "    …"]
    status, output, error = tap.command([TALLY, "report", "--timeout", "400", *command.split()])
    printed = iter(output.decode().splitlines())
    missing = [line for line in sample if not any(line == got or line.endswith(" …") and got.startswith(line[:-2]) for got in printed)]
    report.equal((status, missing), (1, []), "docs/report.md's sample is what the machine prints, in its order", error, output.decode())
    done = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True)
    report.equal(re.findall(r"report: (\d+) rules", block), [str(len(done.stdout.splitlines()))], "the sample has the number of rules")


def main():
    report = tap.Report()
    check_formats(report)
    check_consoles(report)
    check_machine(report)
    check_page(report)
    check_sample(report)
    return report.done()


sys.exit(main())
