#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""tests/check ends a test that does not end by itself, and says what it was doing."""

import os
import re
import stat
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "check")
GOOD = "#!/bin/sh\necho 'ok 1 - good'\necho 1..1\n"
# Its Python waits in a function of its own, beside a child.
WAITS = """#!/usr/bin/python3 -S
import subprocess
from tallytest import tap

def wait_in_vain():
    subprocess.run(["sleep", "9999"])

tap.Report().ok(True, "begun")
wait_in_vain()
"""
# The test itself is over; prove waits for the end of its output and of its standard error.
HELD_OPEN = "#!/bin/sh\necho 'ok 1 - good'\necho 1..1\n(setsid sleep 9998 &)\n"
ERROR_HELD_OPEN = "#!/bin/sh\necho 'ok 1 - good'\necho 1..1\n(setsid sleep 9997 >/dev/null &)\n"
LIVING = [re.escape(f"sleep\0{seconds}\0") for seconds in (9997, 9998, 9999)]


def is_alive(words):
    """Whether a process has this command line."""
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                if re.fullmatch(words, file.read()):
                    return True
        except OSError:
            pass
    return False


def check(folder, name, text, *options):
    """Runs a script: the status, standard output and error."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, stat.S_IRWXU)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HARNESS", "TAP_"))}
    return tap.command([CHECK, *options, "--exec", "", path], env=environment)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-hung-") as folder:
        for name, text, expected in (
                ("waits.t", WAITS, ("failed: .*waits.t did not end within 1 s", "in wait_in_vain", "system call", "sleep 9999")),
                ("held-open.t", HELD_OPEN, ("failed: .* did not end within 1 s", "sleep 9998")),
                ("error-held-open.t", ERROR_HELD_OPEN, ("failed: .* did not end within 1 s", "sleep 9997"))):
            status, output, error = check(folder, name, text, "--limit", "1")
            report.ok(status != 0, f"{name} fails", f"status {status}", output.decode(), error)
            for line in expected:
                report.ok(re.search(line, error), f"{name}: the log has {line!r}", error)
            report.ok(re.search(expected[0], output.decode().partition("in short:")[2]), f"{name} is in the last lines, too", output.decode())
        report.equal([words for words in LIVING if is_alive(words)], [], "the processes are gone")
        status, output, error = check(folder, "good.t", GOOD)
        report.equal((status, error), (0, ""), "a test that ends is not touched", output.decode())
    return report.done()


sys.exit(main())
