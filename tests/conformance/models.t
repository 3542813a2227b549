#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The observing programs whose answers depend on the CPU observe the same ABI on other models, too: a Skylake, AMD's.

As transcripts.t, which runs all programs on Intel's architectural PMU. The differences that are meant are the same; not
every one of them shows on another CPU.
"""

import os
import sys

from tallytest import linux_answers, tap
from tallytest.transcripts import differ, observations, rows, run_all

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")


def compare(report, program, processor, on_tally, allowed):
    linux = linux_answers.Answer(linux_answers.on_processor(program, processor))
    there = observations(linux.output)
    here, status, error = on_tally
    report.ok(status == 0 and here, f"{program}, {processor}: runs on Tally", f"status {status}", error)
    wrong, _ = differ(there, here, allowed)
    report.ok(there and not wrong and not linux.problem, f"{program}, {processor}: {len(there)} observations are the same",
              linux.problem, f"{len(wrong)} differ:", *wrong)
    intel = linux_answers.Answer(program)
    report.ok(there != observations(intel.output), f"{program}, {processor}: and not all as with Intel's architectural PMU", intel.problem)


def main():
    report = tap.Report()
    differences = rows(None, 5)
    pairs = [(program, processor) for program, processors in linux_answers.MODEL_PROGRAMS.items() for processor in processors]
    questions = linux_answers.questions()
    on_tally = run_all([TALLY, "run"], "x86_64",
                       {pair: (pair[0], questions[linux_answers.on_processor(*pair)].options) for pair in pairs}, "models")
    for program, processor in pairs:
        compare(report, program, processor, on_tally[program, processor], [row for row in differences if row[0] == program])
    return report.done()


sys.exit(main())
