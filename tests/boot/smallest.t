#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The smallest kernel, WITHOUT="net trace pty", builds, reports, and passes the in-image tests that need none of these.

It is built below the build folder of the other one, whose programs it runs.
"""

import os
import subprocess
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

kernels.skip_on_debug("the kernel without the parts is built as the release kernel is")

PARTS = "net trace pty"
FOLDER = os.path.join(kernels.BUILD, "smallest")
KERNEL = os.path.join(FOLDER, "tally.elf")
TALLY = os.path.join(ROOT, "tools", "tally")
# The signs of the parts: no pair of terminals, no tracepoints. A socket leaves no file.
SCRIPT = """test ! -e /dev/ptmx && test ! -e /dev/pts && test ! -e /sys/bus/event_source/devices/tracepoint &&
test ! -e /sys/kernel/tracing/events && echo none"""
# Programs of the matrix that need a part, and which.
NEEDS = {"bombs": "net", "sockets": "net", "tidy": "net", "tracepoints": "trace"}


def programs():
    """The others."""
    sources = [name[:-2] for name in os.listdir(HERE) if name.endswith(".c")]
    return ["selfmon --tap", "profile --tap", *sorted(set(sources) - set(NEEDS) - {"fairness", "floods", "spreading"})]


def main():
    report = tap.Report()
    status, output, error = tap.command(["make", "-C", ROOT, f"O={FOLDER}", f"WITHOUT={PARTS}", KERNEL])
    if not report.ok(status == 0, f'make WITHOUT="{PARTS}" builds a kernel', output.decode(errors="replace"), error):
        return report.done()
    report.ok(os.path.getsize(KERNEL) < os.path.getsize(kernels.KERNEL), "it is smaller than the whole one")
    status, output, error = tap.command([TALLY, "report", "--pmu", "emulated", "--kernel", KERNEL])
    report.ok(status == 0, "its report is good", output.decode(errors="replace"), error)
    status, output, error = tap.command([TALLY, "run", "--kernel", KERNEL, "/bin/busybox", "sh", "-c", SCRIPT])
    report.ok(output.split() == [b"none"], "it has no trace of the parts", output.decode(errors="replace"), error)
    done = subprocess.run([os.path.join(HERE, "matrix"), "--one-shape", "--kernel", KERNEL, "2", *programs()],
                          stdout=subprocess.PIPE, text=True, check=False)
    wrong = tap.complaints(done.stdout)
    report.ok(not wrong, "the in-image tests that need none of them pass on it", *wrong)
    return report.done()


sys.exit(main())
