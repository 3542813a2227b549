#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""LAVA runs the jobs of tools/lava: each result that it stores is that of the report on the same console.

Debian's lava-run (tests/report/lava), with the device types as LAVA's server renders them. One machine is the QEMU of job-qemu.yaml;
the other a board (job-board.yaml): its power switch starts an emulator, and its serial line is a file.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile

from tallylib import paths
from tallylib import report as reports
from tallytest import stock, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
LAVA = os.path.join(HERE, "lava")
TYPES = os.path.join(ROOT, "tools", "lava")
# Where LAVA keeps what a job fetches; it removes the job's own folder.
DOWNLOADS = "/var/lib/lava/dispatcher/tmp"
NO_APT = 3
LIMIT_S = 600
RESULTS = {"ok": "pass", "not ok": "fail", "skip": "skip", "inexact": "unknown"}
# Renders the device DEVICE of a folder FOLDER with a job's context, as LAVA's server does.
RENDER = """
import jinja2, sys, yaml
folder, job, *types = sys.argv[1:]
with open(job, encoding="utf-8") as file:
    context = yaml.safe_load(file).get("context", {})
loader = jinja2.FileSystemLoader([folder, *types])
print(jinja2.Environment(loader=loader).get_template("device.jinja2").render(**context))
"""
# Turns LAVA's log, a line of YAML for each entry, to JSON.
READ = """
import json, sys, yaml
lines = (line for line in sys.stdin if line.startswith("{"))
json.dump([yaml.load(line, Loader=yaml.CBaseLoader) for line in lines], sys.stdout)
"""
QEMU_DEVICE = """\
{{% extends 'tally-pmu-qemu.jinja2' %}}
{{% set qemu = '{qemu}' %}}
{{% set no_kvm = true %}}
{{% set cpu = '{cpu}' %}}
"""
BOARD_DEVICE = """\
{{% extends 'tally-pmu-board.jinja2' %}}
{{% set connection_command = 'tail -n +1 -F {folder}/console' %}}
{{% set hard_reset_command = '{folder}/power on' %}}
{{% set power_off_command = '{folder}/power off' %}}
"""
POWER = """\
#!/bin/sh
case $1 in
on) exec {qemu} -daemonize -display none -pidfile {folder}/pid -serial file:{folder}/console -nic none -no-reboot \
	-cpu {cpu} -m 512 -drive file={image},format=raw ;;
off) [ ! -e {folder}/pid ] || kill "$(cat {folder}/pid)" ;;
esac
"""
INEXACT = "max,pmu=on,vendor=GenuineIntel,x-pmu-fault=extra-per-syscall"
BROKEN = "max,pmu=on,vendor=GenuineIntel,x-pmu-fault=event-silent"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def tests_of(name):
    with open(os.path.join(TYPES, name), encoding="utf-8") as file:
        return file.read().partition("- test:\n")[2]


class Job:
    """A run of a job on a device, both in FOLDER: LAVA's status, its results and the console."""

    def __init__(self, report, folder, name):
        self.name = name
        device, job = os.path.join(folder, "device.jinja2"), os.path.join(folder, "job.yaml")
        types = [TYPES, tap.command([LAVA, "types"])[1].decode().strip()]
        paths_of_types = [word for path in types for word in ("--path", path)]
        _, said, error = tap.command([LAVA, "lava-schema", "device", *paths_of_types, device])
        report.equal((said.decode(), error), (f"* {device}\n", ""), f"{name}: LAVA's schema of devices holds")
        _, said, error = tap.command([LAVA, "lava-schema", "job", "--strict", job])
        report.equal((said.decode(), error), (f"* {job}\n", ""), f"{name}: LAVA's schema of jobs holds")
        status, device, error = tap.command([LAVA, "python3", "-c", RENDER, folder, job, *types])
        report.equal((status, error), (0, ""), f"{name}: the device type is rendered")
        write(os.path.join(folder, "device.yaml"), device.decode())
        self.status, _, self.log = tap.command([LAVA, "lava-run", "--job-id", f"tally-{os.getpid()}", "--output-dir", folder,
                                                "--device", os.path.join(folder, "device.yaml"), job], timeout_s=LIMIT_S)
        _, lines, _ = tap.command([LAVA, "python3", "-c", READ], stdin=self.log.encode())
        lines = json.loads(lines)
        self.results = [line["msg"] for line in lines if line["lvl"] == "results"]
        self.console = "\n".join(line["msg"] for line in lines if line["lvl"] == "target")

    def cases(self, suite):
        return [(result["extra"]["test_case_id"], result["result"]) for result in self.results if result["definition"] == suite]


def check(report, job, expected, uses):
    """The results are those of the report; EXPECTED: the rules that are not ok or inexact, with LAVA's word; USES: LAVA's word for
    each use that is not "pass"."""
    name = job.name
    report.equal(job.status, 0, f"{name}: LAVA has run it", job.log[-3000:])
    try:
        found = reports.parse(job.console, name)
    except reports.Failure as problem:
        report.ok(False, f"{name}: a whole report", problem.message, job.log[-3000:])
        return
    rules = job.cases("pmu-rules")
    report.equal(rules, [(rule.name, RESULTS[rule.outcome]) for rule in found.rules], f"{name}: LAVA has each rule's result")
    report.equal([rule for rule in rules if rule[1] not in ("pass", "skip")], expected, f"{name}: it names the fault")
    report.equal({word for _, word in rules} >= {"pass", "skip"}, True, f"{name}: rules hold, and rules are skipped")
    stated = [re.match(r" +(.*?): ", line + " ")[1] for line in found.verdict[1:]]
    cases = job.cases("pmu-uses")
    report.equal([use for use, _ in cases], stated, f"{name}: LAVA has each use")
    report.equal({use: word for use, word in cases if word != "pass"}, uses, f"{name}: LAVA's word for each use")


def job_of(folder, name, image):
    with open(os.path.join(TYPES, name), encoding="utf-8") as file:
        text = file.read()
    write(os.path.join(folder, "job.yaml"), text.replace("https://lab.example/tally-pmu.img", f"file://{image}"))


def run_qemu(report, folder, image, qemu, cpu, name):
    folder = os.path.join(folder, re.sub(r"\W", "-", name))
    os.mkdir(folder)
    job_of(folder, "job-qemu.yaml", image)
    write(os.path.join(folder, "device.jinja2"), QEMU_DEVICE.format(qemu=qemu, cpu=cpu))
    return Job(report, folder, name)


def run_board(report, folder, image, cpu):
    folder = os.path.join(folder, "board")
    os.mkdir(folder)
    job_of(folder, "job-board.yaml", image)
    qemu = paths.emulator(needs_model=True)
    write(os.path.join(folder, "device.jinja2"), BOARD_DEVICE.format(folder=folder))
    power = os.path.join(folder, "power")
    write(power, POWER.format(qemu=qemu, folder=folder, cpu=cpu, image=image))
    os.chmod(power, 0o755)
    write(os.path.join(folder, "console"), "")
    try:
        return Job(report, folder, "a board")
    finally:
        tap.command([power, "off"])


def check_cut_off(report, folder, image, console):
    """An emulator that ends in the middle of what another machine's console has."""
    program = os.path.join(folder, "ends-early")
    text = console[:console.index("# Counts are usable for")]
    write(os.path.join(folder, "early"), text.replace("\n", "\r\n"))
    write(program, f"#!/bin/sh\nexec cat {folder}/early\n")
    os.chmod(program, 0o755)
    job = run_qemu(report, folder, image, program, "max", "a report that is cut off")
    report.equal((job.status, job.results[-1]["result"]), (1, "fail"), f"{job.name}: LAVA's job fails", job.log[-3000:])


def skip(report, reason):
    report.skip("LAVA runs the jobs of tools/lava", reason)
    return report.done()


def main():
    report = tap.Report()
    if os.geteuid() != 0:
        return skip(report, "lava-run wants to be root")
    status, _, error = tap.command([LAVA, "lava-run", "--help"])
    if status == NO_APT:
        return skip(report, error.strip())
    report.equal((status, error.replace("lava: fetching LAVA\n", "")), (0, ""), "LAVA is there")
    report.equal(tests_of("job-board.yaml"), tests_of("job-qemu.yaml"), "both jobs have the same tests")
    folder = tempfile.mkdtemp(prefix="tally-lava-")
    try:
        image = os.path.join(folder, "tally-pmu.img")
        report.equal(tap.command([TALLY, "image", "--report", "-o", image]), (0, b"", ""), "the image is made")
        ours = paths.emulator(needs_model=True)
        check(report, run_qemu(report, folder, image, ours, INEXACT, "an inexact machine"),
              [("precision.system_calls_add_nothing", "unknown")], {})
        check(report, run_board(report, folder, image, BROKEN), [("counting.branches_are_counted", "fail")],
              {"perf stat (counting)": "fail", "rr (record and replay)": "fail"})
        nothing = run_qemu(report, folder, image, stock.QEMU, "qemu64", "a machine without a PMU")
        report.equal(({word for _, word in nothing.cases("pmu-rules")}, {word for _, word in nothing.cases("pmu-uses")},
                      nothing.status), ({"skip"}, {"skip"}, 0), "a machine without a PMU: nothing fails", nothing.log[-3000:])
        check_cut_off(report, folder, image, nothing.console)
    finally:
        shutil.rmtree(folder)
        with contextlib.suppress(OSError):
            os.removedirs(DOWNLOADS)
    return report.done()


sys.exit(main())
