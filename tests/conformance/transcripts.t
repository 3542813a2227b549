#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The same binaries observe the same ABI on Linux 6.12 and on Tally.

Each observe_* program prints "name: what happened" lines; the two transcripts are compared by name, and
with a number where a name is printed again.
With arguments, only these programs are observed. The differences that are meant are in the table of docs/abi-differences.md, with their reasons: each is
one point here, and fails when it is no longer there.

Programs with the same options share a machine of Tally's, one after the other; Linux is asked about each alone.
On the debug kernel, which is slow, the attackers of an observe_attack program (attackers.h) are the plain user and those whose
results differ from the user's on Linux; the others' results are the user's on both of the kernels that are compared.

Both run in virtual time, so that programs that sleep and are interrupted see the same however busy the host
is. Linux's transcripts are in linux-6.12/ (linux_answers.py).
"""

import os
import sys

from tallytest import kernels, linux_answers, tap
from tallytest.transcripts import NOTHING, differ, observations, options_of, programs, rows, run_all

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")


def compare(report, program, on_tally, on_debug, allowed):
    """Compares one program's transcripts; `allowed` are the differences that are meant."""
    tally, status, error = on_tally
    report.ok(status == 0 and tally, f"{program}: runs on Tally", f"status {status}", error)
    if on_debug:
        checked, status, error = on_debug
        different = [f"{name}: {tally.get(name, NOTHING)}, on the debug kernel {checked.get(name, NOTHING)}"
                     for name in tally.keys() | checked.keys() if tally.get(name) != checked.get(name)]
        report.ok(status == 0 and not different,
                  f"{program}: the debug kernel finds nothing wrong and says the same",
                  f"status {status}", error, *different)

    answer = linux_answers.Answer(program)
    linux = observations(answer.output)
    wrong, met = differ(linux, tally, allowed)
    if not report.ok(answer.status == 0 and linux and not answer.problem, f"{program}: runs on Linux",
                     f"status {answer.status}", answer.problem):
        return
    report.ok(not wrong, f"{program}: {len(linux)} observations are the same",
              f"{len(wrong)} differ:", *wrong)
    for i, (_, pattern, there, here, _) in enumerate(allowed):
        report.ok(i in met, f"{program}: listed difference: {pattern}",
                  f"expected: Linux {there}, Tally {here}", "got:      no such difference",
                  "take it out of docs/abi-differences.md")


def main():
    report = tap.Report()
    differences = rows(None, 5)
    strangers = {*(row[0] for row in differences), *sys.argv[1:]} - set(programs())
    report.equal(strangers, set(), "the programs that are named exist")
    chosen = sys.argv[1:] or programs()
    runs = {program: (program, options_of(program)) for program in chosen}
    on_tally = run_all([TALLY, "run"], "x86_64", runs, "tally")
    runs = {program: (linux_answers.by_chosen_attackers(program), options_of(program)) for program in chosen}
    on_debug = {} if kernels.IS_DEBUG else run_all([TALLY, "run", "--kernel", kernels.DEBUG_KERNEL], "x86_64", runs, "debug")
    for program in chosen:
        compare(report, program, on_tally[program], on_debug.get(program), [row for row in differences if row[0] == program])
    return report.done()


sys.exit(main())
