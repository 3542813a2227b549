#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The jobs of examples/ci: their steps, as they stand there, on a clean Debian of the version that they name.

Each job passes with the program of its baseline and fails with one that does more; the counts are kept in both cases.
"""

import os
import re
import shutil
import sys
import tempfile

import yaml

from tallytest import packages, tap

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "ci")

SUITE_OF = {"debian:12": "bookworm", "debian:13": "trixie"}
PROGRAM = "int main(void)\n{\n\tfor (volatile int n = 0; n < PASSES; n++)\n\t\t;\n\treturn 0;\n}\n"
# 2 % more passes; with the C library's start and end the growth is still more than the 1 % of the jobs.
FEW, MORE = 100000, 102000
BASELINE = "gcc -O2 -static -o prog prog.c && tally count --save baseline.json ./prog"


def load(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        # YAML 1.1 takes the key "on" for a truth value, which is no matter here.
        return yaml.safe_load(file)


def github():
    """The image of the job, its commands, and the file that it keeps."""
    job = load("github.yml")["jobs"]["count"]
    kept = next(step["with"]["path"] for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact"))
    return job["container"], [step["run"] for step in job["steps"] if "run" in step], kept


def gitlab():
    job = load("gitlab.yml")["counts"]
    return job["image"], job["before_script"] + job["script"], job["artifacts"]["paths"][0]


def judge(report, name, got, steps, kept):
    for number, step in enumerate(steps):
        report.equal(got.get(f"step {number}", (None,))[0], 0, f"{name}: {step.splitlines()[-1]}", got.get(f"step {number}"))
    last = len(steps) - 1
    report.ok(got.get(f"step {last}", (0, ""))[1].endswith("every count is the baseline's\n"), f"{name}: the counts are the baseline's",
              got.get(f"step {last}"))
    status, text = got.get("more", (None, ""))
    report.ok(status == 1 and re.search(r"^tally: \d counts? ha(s|ve) grown by more than 1 %: instructions user: [\d,]+ -> [\d,]+ ", text, re.M),
              f"{name}: a program that does 2 % more makes the job fail", status, text)
    report.equal(got.get("kept", (None,))[0], 0, f"{name}: {kept} is kept then, too", got.get("kept"))
    report.equal(got[""][0], 0, f"{name}: every command ended", got[""][1])


def main():
    report = tap.Report()
    debs = packages.build()
    for name, job in (("github.yml", github), ("gitlab.yml", gitlab)):
        image, steps, kept = job()
        tree, reason = packages.clean(SUITE_OF[image])
        if tree is None:
            report.skip(f"{name}: its steps", reason)
            continue
        with tempfile.TemporaryDirectory(prefix="tally-ci-") as folder:
            for file, passes in (("prog.c", FEW), ("more.c", MORE)):
                with open(os.path.join(folder, file), "w", encoding="utf-8") as output:
                    output.write(PROGRAM.replace("PASSES", str(passes)))
            os.mkdir(os.path.join(folder, "ci"))
            for deb in debs:
                shutil.copy(deb, os.path.join(folder, "ci", os.path.basename(deb)))
            cases = [(f"step {number}", step) for number, step in enumerate(steps)]
            # The baseline is there before the last step; README.md of the examples says how it is made.
            cases[-1:-1] = [("baseline", BASELINE)]
            cases += [("build more", f"rm {kept}; cp more.c prog.c; {steps[-2]}"), ("more", steps[-1]), ("kept", f"test -s {kept}")]
            got = packages.run(tree, cases, [os.path.join(folder, file) for file in ("prog.c", "more.c", "ci")],
                               os.path.join(folder, "run"))
        judge(report, name, got, steps, kept)
    return report.done()


sys.exit(main())
