#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Kernels WITHOUT parts: without any one of them the kernel links and reports; the smallest one, without all, also passes
the in-image tests that need none of them.

`make check` links them below the build folder of a whole kernel, out of its objects; here make has nothing left to do, unless the
test is called by itself. They run the whole kernel's programs: without one part
the debug kernel, whose link is short, because no optimizer sees all of it; the smallest one as the release kernel is.
"""

import os
import subprocess
import sys

from tallytest import boot_programs, kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

kernels.skip_on_debug("the kernel without the parts is built as the release kernel is")

PARTS = ("net", "inet", "trace", "pty", "perfctr")
TALLY = os.path.join(ROOT, "tools", "tally")
# Prints the parts that are there and leave a file. A socket leaves none.
SCRIPT = """for file in /dev/ptmx /dev/pts; do test -e $file && echo pty; done
for file in /sys/bus/event_source/devices/tracepoint /sys/kernel/tracing/events; do test -e $file && echo trace; done
grep -q tracefs /proc/filesystems && echo trace; true"""


def programs():
    """Those of the matrix that need no part."""
    sources = [name[:-2] for name in os.listdir(HERE) if name.endswith(".c")]
    return ["selfmon --tap", "profile --tap", *sorted(set(sources) - set(boot_programs.NEEDS_PART) - set(boot_programs.BY_ICOUNT))]


def link(report, whole, parts, *words):
    """Links the kernel `whole` without `parts`, and looks at it. Returns its path, None if it cannot be linked. `words`:
    those that made `whole`."""
    objects = os.path.dirname(whole)
    folder = os.path.join(objects, "without-" + "-".join(parts))
    kernel = os.path.join(folder, "tally.elf")
    name = f'WITHOUT="{" ".join(parts)}"'
    status, output, error = tap.command(["make", "-C", ROOT, *words, f"O={folder}", f"OBJECTS={objects}",
                                         f"WITHOUT={' '.join(parts)}", kernel])
    if not report.ok(status == 0, f"make {name} links a kernel", output.decode(errors="replace"), error):
        return None
    report.ok(os.path.getsize(kernel) < os.path.getsize(whole), f"{name}: it is smaller than the whole one")
    status, output, error = tap.command([TALLY, "report", "--pmu", "emulated", "--kernel", kernel])
    report.ok(status == 0, f"{name}: its report is good", output.decode(errors="replace"), error)
    status, output, error = tap.command([TALLY, "run", "--kernel", kernel, "/bin/busybox", "sh", "-c", SCRIPT])
    report.equal((status, set(output.decode(errors="replace").split())), (0, {"trace", "pty"} - set(parts)),
                 f"{name}: it has the files of the other parts only")
    return kernel


def main():
    report = tap.Report()
    for part in PARTS:
        link(report, kernels.DEBUG_KERNEL, (part,), "DEBUG=1")
    report.equal(boot_programs.BY_SMALLEST - set(programs()), set(), "the programs that the matrix leaves to this test run here")
    kernel = link(report, kernels.KERNEL, PARTS)
    if kernel:
        done = subprocess.run([os.path.join(HERE, "matrix"), "--one-shape", "--kernel", kernel, str(boot_programs.SMALLEST_CPUS), *programs()],
                              stdout=subprocess.PIPE, text=True, check=False)
        wrong = tap.complaints(done.stdout)
        report.ok(not wrong, "the in-image tests that need no part pass on the smallest kernel", *wrong)
    return report.done()


sys.exit(main())
