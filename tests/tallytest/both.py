# SPDX-License-Identifier: BSD-2-Clause
"""The same commands with the same Debian programs, on the host and on Tally; their output compared.

A case is a name and some lines of bash. All cases of a test run one after the other in one boot, each
in a new, empty folder, with standard error in its output; what a case printed and its exit status must
be the same on both. So a case prints nothing that differs from run to run: no numbers of processes,
no times of now, no names of the folder.

This is not the conformance suite: the oracle is whatever Linux the host runs, and so a case asks for
nothing that differs between Linux kernels.
"""

import difflib
import os
import re
import shutil
import subprocess
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/", "LC_ALL": "C", "TZ": "UTC0"}
# The mark that ends the output of a case; \1e does not occur in what programs print.
_END = "\x1e"
# Programs that the driver itself calls.
_DRIVER_PROGRAMS = ("bash", "mktemp", "rm")
_DRIVER = """\
cd "$1" || exit 99
for script in "$1"/*.sh; do
	folder=$(mktemp -d) || exit 99
	cd "$folder" || exit 99
	bash "$script" </dev/null 2>&1
	printf '\\036%d\\036' $?
	cd / && rm -rf "$folder"
done
"""


def cases_of(path):
    """The cases of a file: each starts with a line "### NAME"."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^### (.*)\n", file.read(), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def _write(folder, cases):
    for number, (_, text) in enumerate(cases):
        with open(os.path.join(folder, f"{number:03}.sh"), "w", encoding="utf-8") as file:
            file.write(text)


def results(output):
    """[(status, text)], one for each case that ended, and what came after the last of them."""
    parts = output.decode(errors="backslashreplace").split(_END)
    return list(zip(parts[1::2], parts[0::2])), parts[-1]


def _on_host(driver, folder, cases, timeout_s):
    """Returns the output of the cases on the host. A case that leaves a process with its output open holds the run up."""
    try:
        # Signals that the caller of the test ignores: a shell keeps that.
        return subprocess.run(
            ["env", "--default-signal", "bash", driver, folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            env=ENVIRONMENT, timeout=timeout_s, check=True).stdout
    except subprocess.TimeoutExpired as late:
        ended, rest = results(late.stdout or b"")
        name = cases[len(ended)][0] if len(ended) < len(cases) else "a process that a case left behind"
        raise SystemExit(f"on the host, not ended after {timeout_s} s: {name}\n{rest}") from None


def differences(host, ours):
    """The lines that differ, and the statuses."""
    yield f"status on the host {host[0]}, on Tally {ours[0]}"
    yield from difflib.unified_diff(host[1].splitlines(), ours[1].splitlines(), "host", "Tally", lineterm="", n=0)


def _paths(programs):
    return [os.path.join("/usr/bin", name) for name in programs]


def compare(report, cases, programs, added=(), options=(), timeout_s=400):
    """One point for each case, and one for the end of the run.

    `programs`: the names of what the cases call, which are packed from the host's /usr/bin; `added`:
    more of its files. `options`: of tally run. A program that the host lacks fails the test, since
    tests/packages names all.
    """
    folder = tempfile.mkdtemp(prefix="tally-debian-")
    try:
        _write(folder, cases)
        driver = os.path.join(folder, "driver")
        with open(driver, "w", encoding="utf-8") as file:
            file.write(_DRIVER)
        host, _ = results(_on_host(driver, folder, cases, timeout_s))
        words = [word for path in [folder, *_paths([*_DRIVER_PROGRAMS, *programs]), *added] for word in ("--add", path)]
        words += [word for name, value in ENVIRONMENT.items() for word in ("--env", f"{name}={value}")]
        status, output, error = tap.command(
            [TALLY, "run", "--timeout", str(timeout_s), *options, *words, "/bin/bash", driver, folder],
            timeout_s=timeout_s + 30)
    finally:
        shutil.rmtree(folder)
    ours, rest = results(output)
    for number, (name, text) in enumerate(cases):
        if number < len(ours):
            report.ok(ours[number] == host[number], name, *differences(host[number], ours[number]), text)
        else:
            report.ok(False, name, *(("did not end", text, rest) if number == len(ours) else ("not reached",)))
    report.equal((status, rest), (0, ""), "the shell that ran the cases exits with status 0", error)


def compiled(*packages):
    """The folders of what Debian has compiled of Python's packages, "" for the modules in none. The host's Python reads that; without
    it each first import compiles its module in the guest."""
    modules = os.path.join("/usr/lib", os.path.basename(os.path.realpath("/usr/bin/python3")))
    folders = (os.path.join(modules, package, "__pycache__") for package in packages)
    return [folder for folder in folders if os.path.isdir(folder)]
