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
# The sleeps of this run, which no other has.
SECONDS = [f"{number}{os.getpid()}" for number in (1, 2, 3)]
# Its Python waits in a function of its own, beside a child.
WAITS = f"""#!/usr/bin/python3 -S
import subprocess
from tallytest import tap

def wait_in_vain():
    subprocess.run(["sleep", "{SECONDS[0]}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

tap.Report().ok(True, "begun")
wait_in_vain()
"""
# The test itself is over; prove waits for the end of its output and of its standard error.
HELD_OPEN = f"#!/bin/sh\necho 'ok 1 - good'\necho 1..1\n(setsid sleep {SECONDS[1]} 2>/dev/null &)\n"
ERROR_HELD_OPEN = f"#!/bin/sh\necho 'ok 1 - good'\necho 1..1\n(setsid env -i sleep {SECONDS[2]} >/dev/null &)\n"
# The limits in seconds, one after the other until a test has come to its wait: the host may be busy.
LIMITS = ("1", "4", "16", "64")


def is_alive(seconds):
    """Whether there is a sleep of so many seconds."""
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                if file.read() == f"sleep\0{seconds}\0":
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
                ("waits.t", WAITS, ("failed: .*waits.t did not end within", "in wait_in_vain", "system call", f"sleep {SECONDS[0]}")),
                ("held-open.t", HELD_OPEN, (r"failed: \(held-open.t\) did not end within", f"sleep {SECONDS[1]}")),
                ("error-held-open.t", ERROR_HELD_OPEN, (r"failed: \(error-held-open\) did not end within", f"sleep {SECONDS[2]}"))):
            for limit in LIMITS:
                status, output, error = check(folder, name, text, "--limit", limit)
                if all(re.search(line, error) for line in expected):
                    break
            report.ok(status != 0, f"{name} fails", f"status {status}", output.decode(), error)
            for line in expected:
                report.ok(re.search(line, error), f"{name}: the log has {line!r}", error)
            report.ok(re.search(expected[0], output.decode().partition("in short:")[2]), f"{name} is in the last lines, too", output.decode())
        report.equal([seconds for seconds in SECONDS if is_alive(seconds)], [], "the processes are gone")
        status, output, error = check(folder, "good.t", GOOD)
        report.equal((status, error), (0, ""), "a test that ends is not touched", output.decode())
    return report.done()


sys.exit(main())
