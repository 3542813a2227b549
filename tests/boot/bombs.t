#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The shell still answers while and after a program takes every task, descriptor or page there is."""

import os
import shutil
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
BOMBS, LEAK = (os.path.join(BUILD, "user", "bin", name) for name in ("bombs", "leak"))
# An answer takes a process, a pipe and memory. The shell says "Killed" only when it is still alive as it begins to wait. While the
# bomb has all tasks, the shell works without children. compact_memory sets memory aside first, so that the exhaustion uses that
# memory, too.
SCRIPT = f"""\
answer() {{
	echo "$1: $(busybox uname -s | busybox cat)"
}}
{BOMBS} | busybox grep -v "^ok"; answer "after bombs"
echo 1 >/proc/sys/vm/compact_memory
{LEAK} --exhaust | busybox grep -v -e "^ok" -e "^#"; answer "after exhaustion"
busybox mkfifo /told
echo 1000 >/proc/sys/kernel/threads-max
{BOMBS} --fork >/told &
bomb=$!
read -r told </told
echo "during a bomb: $told"
kill -9 -$bomb
wait $bomb 2>/dev/null
echo "killed: $?"
answer "after a bomb"
"""
ANSWERS = """\
1..4
after bombs: Linux
1..3
after exhaustion: Linux
during a bomb: full
killed: 137
after a bomb: Linux
"""


def main():
    report = tap.Report()
    status, output, error = tap.command(
        [TALLY, "run", "--cpus", "4", "--timeout", "400", "--add", BOMBS, "--add", LEAK, shutil.which("busybox"), "sh",
         "-c", SCRIPT])
    report.equal(output.decode(errors="replace"), ANSWERS, "the shell answers after every bomb", error)
    report.equal(status, 0, "and exits with status 0", error)
    return report.done()


sys.exit(main())
