#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Programs observe the same ABI on Alpha as on x86_64, but for the differences that Linux itself has.

They are those of tests/conformance, compiled for Alpha. There is no Linux for the emulated Alpha to ask; so what is
expected is what Linux answers on x86_64, with the differences that Tally has there (which
tests/conformance/transcripts.t holds), and those that docs/abi-differences.md lists for Alpha: each of these is one
point here, and fails when it is no longer there. Programs that are not for Alpha are listed there too.

The observe_attack programs try as the plain user and those whose results differ from the user's: who may do what is decided by
code that is the same on both machines, where tests/conformance/transcripts.t has all of them try.
"""

import os
import sys

from tallytest import linux_answers, tap, transcripts

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
NAMES = ("x86_64", "Alpha")


def compare(report, program, on_alpha, elsewhere, allowed):
    """Compares one program's transcripts; `elsewhere` are Tally's differences from Linux, `allowed` Alpha's."""
    alpha, status, error = on_alpha
    report.ok(status == 0 and alpha, f"{program}: runs on Alpha", f"status {status}", error)
    answer = linux_answers.Answer(program)
    expected = transcripts.with_differences(transcripts.observations(answer.output), elsewhere)
    wrong, met = transcripts.differ(expected, alpha, allowed, NAMES)
    report.ok(not wrong, f"{program}: {len(alpha)} observations are the same", answer.problem, f"{len(wrong)} differ:", *wrong)
    for i, (_, pattern, there, here, _) in enumerate(allowed):
        report.ok(i in met, f"{program}: listed difference: {pattern}", f"expected: x86_64 {there}, Alpha {here}",
                  "got:      no such difference", "take it out of docs/abi-differences.md")


def main():
    report = tap.Report()
    elsewhere = transcripts.rows(None, 5)
    differences = transcripts.rows(transcripts.ALPHA, 5)
    programs = [program for program in transcripts.programs()
                if os.path.exists(os.path.join(BUILD, "alpha", "tests", program))]
    others = {row[0] for row in transcripts.rows(transcripts.ALPHA_NOT, 2)}
    report.equal({row[0] for row in differences} - set(programs), set(), "the listed programs exist")
    report.equal({*transcripts.programs()} - {*programs}, others, "those that are not for Alpha are listed")
    on_alpha = transcripts.run_all([TALLY, "run", "--arch", "alpha"], "alpha",
                                   {program: (linux_answers.by_chosen_attackers(program), transcripts.options_of(program)) for program in programs}, "tally")
    for program in programs:
        compare(report, program, on_alpha[program], [row for row in elsewhere if row[0] == program],
                [row for row in differences if row[0] == program])
    return report.done()


sys.exit(main())
