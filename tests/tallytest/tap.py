# SPDX-License-Identifier: BSD-2-Clause
"""TAP for tests in Python: printing it, and reading what a program printed.

A test script makes one Report, calls its methods, and ends with `sys.exit(report.done())`. A failed
point prints what was expected and what was got; a point that cannot be tried prints why.
"""

import contextlib
import faulthandler
import os
import re
import select
import signal
import subprocess
import sys
import traceback

_TALLY = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "tools", "tally"))
_POINT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*-?\s*([^#]*)(?:#\s*(\w+)\s*(.*))?$")
_PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?$", re.IGNORECASE)
# hung.py asks each test that does not end where it is.
faulthandler.register(signal.SIGUSR2)


class Report:
    """The points of one script, numbered as they come."""

    def __init__(self):
        self._points = 0
        self._failed = 0

    def ok(self, good, name, *diagnostics):
        """One point; when it fails, it and the diagnostics (any text) go to standard error.

        That is where prove lets them through; notes it shows only when it is asked to (-v).
        """
        self._points += 1
        self._failed += not good
        print(f"{'ok' if good else 'not ok'} {self._points} - {name}", flush=True)
        if not good:
            for text in (f"failed: {name}", *diagnostics):
                for line in str(text).splitlines():
                    print(f"# {line}", file=sys.stderr, flush=True)
        return bool(good)

    def equal(self, got, expected, name, *diagnostics):
        return self.ok(got == expected, name, f"expected: {expected!r}", f"got:      {got!r}",
                       *diagnostics)

    def skip(self, name, reason):
        self._points += 1
        print(f"ok {self._points} - {name} # SKIP {reason}", flush=True)

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}", flush=True)

    def done(self):
        """Prints the plan; returns the script's exit status."""
        print(f"1..{self._points}", flush=True)
        return 1 if self._failed or not self._points else 0


def _wait(child, words, timeout_s):
    """The status of a child, negative for a signal's number."""
    ended = os.pidfd_open(child)
    try:
        if not select.select([ended], [], [], timeout_s)[0]:
            raise subprocess.TimeoutExpired(words, timeout_s)
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become_tally(entry, words, files, folder, environment):
    """Does what tools/tally does, in a child with these standard files. Does not return."""
    code = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        if folder is not None:
            os.chdir(folder)
        if environment is not None:
            os.environ.clear()
            os.environ.update(environment)
        sys.exit(entry(words))
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # as the interpreter does at the end of a script: pylint: disable=broad-exception-caught
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _tally(words, timeout_s, cwd=None, env=None):
    """command() for tools/tally."""
    from tallylib import cli  # for tests that run it: pylint: disable=import-outside-toplevel
    cli.load(words[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    with open(os.devnull, "rb") as nothing, os.fdopen(os.memfd_create("stdout"), "rb") as output, \
            os.fdopen(os.memfd_create("stderr"), "rb") as error:
        child = os.fork()
        if child == 0:
            _become_tally(cli.main, words[1:], (nothing, output, error), cwd, env)
        try:
            code = _wait(child, words, timeout_s)
        except BaseException:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        for file in (output, error):
            file.seek(0)
        return code, output.read(), error.read().decode(errors="replace")


def command(words, stdin=b"", timeout_s=430, **more):
    """Runs a command; returns (status, standard output as bytes, standard error as text).

    tools/tally without input runs in a copy of this process, so that Python starts once for a test and not once for each of
    its machines. Tests that start it by a shell or with input run the script itself.
    """
    if os.path.realpath(words[0]) == _TALLY and not stdin and set(more) <= {"cwd", "env"}:
        return _tally(words, timeout_s, **more)
    source = {"input": stdin} if stdin else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(words, capture_output=True, timeout=timeout_s, check=False, **source, **more)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def complaints(text):
    """The faults of the TAP in `text`: a list of sentences, empty if every point is good.

    A point that is not ok, and what was said before it since the last point.
    """
    found, said, plan, points, skipped_all = [], [], None, 0, None
    for line in text.splitlines():
        planned = _PLAN.match(line)
        point = _POINT.match(line)
        if planned:
            plan, skipped_all = int(planned[1]), planned[2]
        elif point:
            points += 1
            if point[1] and (point[4] or "").upper() != "SKIP":
                found.append("\n".join([line, *said]))
            said = []
        elif line.startswith("#"):
            said.append(line)
    if plan is None:
        found.append("there is no plan (1..N): the program did not finish")
    elif plan != points:
        found.append(f"{plan} points are planned, {points} were printed")
    elif plan == 0 and skipped_all is None:
        found.append("the plan is empty")
    return found


def skips(text):
    """The reasons of the points that were skipped, in order."""
    found = []
    for line in text.splitlines():
        match = _PLAN.match(line) or _POINT.match(line)
        if match and match.re is _PLAN and match[2]:
            found.append(match[2])
        elif match and match.re is _POINT and (match[4] or "").upper() == "SKIP":
            found.append(f"{match[3].strip()}: {match[5]}")
    return found
