#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The jobs of examples/ci: their steps, as they stand there, on a clean Debian of the version that they name.

Each job passes with the program of its baseline and fails with one that does more; the counts are kept in both cases. Jobs that begin by
installing the same on the same Debian do so once: after that each works in a folder of its own.
"""

import itertools
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


def lines_of(steps):
    return [line for step in steps for line in step.splitlines()]


def installation(steps):
    """The lines that the steps begin with, as long as they install packages."""
    return tuple(itertools.takewhile(lambda line: line.startswith("apt-get "), lines_of(steps)))


def cases_of(name, steps, kept):
    """The cases of a job after its installation, in its folder: each is called by the job and a line's number or a word."""
    cases = list(enumerate(lines_of(steps)))[len(installation(steps)):]
    # The baseline is there before the last step; README.md of the examples says how it is made.
    cases.insert(-1, ("baseline", BASELINE))
    cases += [("build more", f"rm {kept}; cp more.c prog.c; {steps[-2]}"), ("more", steps[-1]), ("kept", f"test -s {kept}")]
    return [((name, label), f"cd {name}\n{text}\n") for label, text in cases]


def judge(report, name, got, steps, kept):
    numbers = itertools.count()
    for step in steps:
        lines = [got.get((name, number), got.get(number, (None, ""))) for _, number in zip(step.splitlines(), numbers)]
        report.equal([status for status, _ in lines], [0] * len(lines), f"{name}: {step.splitlines()[-1]}", *(text for _, text in lines))
    report.ok(lines[-1][1].endswith("every count is the baseline's\n"), f"{name}: the counts are the baseline's", lines[-1])
    status, text = got.get((name, "more"), (None, ""))
    report.ok(status == 1 and re.search(r"^tally: \d counts? ha(s|ve) grown by more than 1 %: instructions user: [\d,]+ -> [\d,]+ ", text, re.M),
              f"{name}: a program that does 2 % more makes the job fail", status, text)
    report.equal(got.get((name, "kept"), (None,))[0], 0, f"{name}: {kept} is kept then, too", got.get((name, "kept")))
    report.equal(got[""][0], 0, f"{name}: every command ended", got[""][1])


def make_folder(folder, debs):
    """The repository of a job: the program, what it will be, and the packages."""
    for file, passes in (("prog.c", FEW), ("more.c", MORE)):
        with open(os.path.join(folder, file), "w", encoding="utf-8") as output:
            output.write(PROGRAM.replace("PASSES", str(passes)))
    os.mkdir(os.path.join(folder, "ci"))
    for deb in debs:
        shutil.copy(deb, os.path.join(folder, "ci"))


def check(report, image, lines, jobs):
    """The jobs, {name: (steps, kept)}, on a Debian where LINES install."""
    tree, reason = packages.clean(SUITE_OF[image])
    if tree is None:
        for name in jobs:
            report.skip(f"{name}: its steps", reason)
        return
    debs = packages.build()
    cases = [(number, f"cd {next(iter(jobs))}\n{line}\n") for number, line in enumerate(lines)]
    with tempfile.TemporaryDirectory(prefix="tally-ci-") as folder:
        for name, job in jobs.items():
            os.mkdir(os.path.join(folder, name))
            make_folder(os.path.join(folder, name), debs)
            cases += cases_of(name, *job)
        got = packages.run(tree, cases, [os.path.join(folder, name) for name in jobs], os.path.join(folder, "run"))
    for name, job in jobs.items():
        judge(report, name, got, *job)


def main():
    report = tap.Report()
    systems = {}
    for name, job in (("github.yml", github), ("gitlab.yml", gitlab)):
        image, steps, kept = job()
        systems.setdefault((image, installation(steps)), {})[name] = (steps, kept)
    for (image, lines), jobs in systems.items():
        check(report, image, lines, jobs)
    return report.done()


sys.exit(main())
