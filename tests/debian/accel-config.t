#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's accel-config configures queues of two DSAs, dmatest moves memory through them, and perf counts it: accel-config.sh
prints the same on Tally as on Linux, whose answer is in tests/conformance/linux-6.12/.
"""

import difflib
import os
import re
import sys

from tallytest import kernels, linux_answers, tap

NAME = "accel-config"
KERNELS = (("the kernel", ()),) if kernels.IS_DEBUG else (("the kernel", ()), ("the debug kernel", ("--kernel", kernels.DEBUG_KERNEL)))
TALLY = os.path.join(linux_answers.ROOT, "tools", "tally")


def cases(output):
    """{case: what it printed}."""
    parts = re.split(r"^### (.*)\n", output.decode(errors="replace"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def main():
    report = tap.Report()
    question, answer = linux_answers.questions()[NAME], linux_answers.Answer(NAME)
    report.ok(not answer.problem and answer.status == 0, "Linux's answer is as new as the script and the emulator", answer.problem)
    linux = cases(answer.output)
    report.ok(len(linux) > 20, "Linux ran the cases", len(linux))
    for name, options in KERNELS:
        status, output, error = tap.command([TALLY, "run", *question.options, *options, question.program], timeout_s=330, cwd="/")
        report.equal(status, 0, f"the script ends [{name}]", error)
        tally = cases(output)
        report.equal([*tally], [*linux], f"the cases are Linux's [{name}]", output[-2000:])
        for case, text in linux.items():
            got = tally.get(case, "")
            report.ok(got == text, f"{case} [{name}]",
                      *difflib.unified_diff(text.splitlines(), got.splitlines(), "Linux", "Tally", lineterm="", n=0))
    return report.done()


sys.exit(main())
