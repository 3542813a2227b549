#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The programs that observe files observe the same in a folder of the host by 9P on Linux 6.12 and on Tally, with the same server.

tallytest/shared.py says which programs, and where. Linux's transcripts are linux-6.12/observe_*.9p.txt. The differences that are
meant are in docs/abi-differences.md, with the program's name and .9p; each is one point here, and fails when it is no longer there.
"""

import os
import sys

from tallytest import linux_answers, shared, tap
from tallytest.transcripts import differ, observations, options_of, rows

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
TIMEOUT_S = 330


def compare(report, program, allowed):
    """Compares one program's transcripts; `allowed` are the differences that are meant."""
    log = os.path.join(linux_answers.BUILD, "tests", f"{program}.9p.log")
    status, output, error = shared.run([TALLY, "run", *options_of(program), "--log", log], program, TIMEOUT_S)
    here = observations(output)
    report.ok(status == 0 and here, f"{program}: runs in a shared folder on Tally", f"status {status}", error)
    answer = linux_answers.Answer(linux_answers.in_shared(program))
    there = observations(answer.output)
    wrong, met = differ(there, here, allowed)
    report.ok(answer.status == 0 and there and not answer.problem and not wrong,
              f"{program}: {len(there)} observations in a shared folder are the same", answer.problem, f"{len(wrong)} differ:", *wrong)
    for i, (_, pattern, linux, tally, _) in enumerate(allowed):
        report.ok(i in met, f"{program}: listed difference in a shared folder: {pattern}",
                  f"expected: Linux {linux}, Tally {tally}", "got:      no such difference", "take it out of docs/abi-differences.md")


def main():
    if shared.why_not():
        print(f"1..0 # SKIP {shared.why_not()}")
        return 0
    report = tap.Report()
    differences = rows("Files by 9P", 5)
    names = {row[0] for row in differences}
    report.equal(sorted(names - {linux_answers.in_shared(program) for program in shared.PLACES}), [],
                 "the programs of the listed differences are run")
    for program in sys.argv[1:] or shared.PLACES:
        compare(report, program, [row for row in differences if row[0] == linux_answers.in_shared(program)])
    return report.done()


sys.exit(main())
