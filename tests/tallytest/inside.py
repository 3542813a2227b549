# SPDX-License-Identifier: BSD-2-Clause
"""Debian's perf, as it is, inside Tally: lines of bash in one boot, and what each of them printed.

A case is a name and some lines of bash, which run in /tmp, one case after the other, with standard error in
the output. $SPIN is the program that does known work (userland/programs/spin). Time is virtual, so that
intervals, frequencies and races come out the same however busy the host is.
"""

import os
import re
import shutil
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))

TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
SPIN = os.path.join(os.environ["TALLY_BUILD"], "user", "bin", "spin")
# Retired by the work of spin in each pass.
INSTRUCTIONS_EACH, BRANCHES_EACH, CYCLES_EACH = 2, 1, 3
# The mark that ends the output of a case; it does not occur in what programs print.
_END = "\x1e"
_DRIVER = """\
cd /tmp || exit 99
for script in "$1"/*.sh; do
	bash "$script" </dev/null 2>&1
	printf '\\036%d\\036' $?
done
"""
_PROGRAMS = ("bash", "cat", "chrt", "false", "grep", "head", "ls", "objdump", "rm", "sed", "sh", "sleep", "sort", "taskset",
             "timeout", "true")


def perf_version():
    """The version of the host's perf as its first two numbers, "6.1"; "" if it does not say."""
    found = re.search(r"\d+\.\d+", tap.command(["perf", "--version"])[1].decode())
    return found[0] if found else ""


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Cases:
    """The cases of a test, in order, and what they printed."""

    def __init__(self):
        self._names = []
        self._texts = []
        self._results = {}

    def add(self, name, text):
        self._names.append(name)
        self._texts.append(text)

    def run(self, report, options=(), timeout_s=400):
        """Runs all in one boot; one point for its end. `options`: of tally run."""
        folder = tempfile.mkdtemp(prefix="tally-perf-")
        try:
            for number, text in enumerate(self._texts):
                _write(os.path.join(folder, f"{number:03}.sh"), text)
            driver = os.path.join(folder, "driver")
            _write(driver, _DRIVER)
            added = [folder, "/bin/bash", "/bin/sh", shutil.which("perf") or "/usr/bin/perf", SPIN,
                     *(os.path.join("/usr/bin", name) for name in _PROGRAMS)]
            words = [word for path in added for word in ("--add", path)]
            status, output, error = tap.command(
                [TALLY, "run", "--pmu", "emulated", "--icount", "--cpus", "2", "--timeout", str(timeout_s), "--env", f"SPIN={SPIN}",
                 "--env", "LC_ALL=C", *options, *words, "/bin/bash", driver, folder], timeout_s=timeout_s + 30)
        finally:
            shutil.rmtree(folder)
        parts = output.decode(errors="backslashreplace").split(_END)
        for name, text, code in zip(self._names, parts[0::2], parts[1::2]):
            self._results[name] = (int(code), text)
        report.equal((status, parts[-1], len(self._results)), (0, "", len(self._names)),
                     "every command ended", error)

    def status(self, name):
        return self._results.get(name, (None, ""))[0]

    def text(self, name):
        return self._results.get(name, (None, ""))[1]


# Value, unit, event, time, percent of the time it was counted, and more.
_ROW = re.compile(r"^([\d.]+|<[^>]*>),[^,]*,([^,]+),\d+,([\d.]*),", re.MULTILINE)


def counts(text):
    """{event: (count or None, percent of the time it was counted)} of what `perf stat -x,` printed."""
    return {event: (int(value) if value.isdecimal() else None, float(percent or 0))
            for value, event, percent in _ROW.findall(text)}
