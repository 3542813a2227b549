# SPDX-License-Identifier: BSD-2-Clause
"""Transcripts of the observing programs (tests/conformance/programs), and where two of them may differ.

A transcript is a program's output: lines "name: what happened". docs/abi-differences.md lists the intended differences
in tables: between Linux and Tally in its first part, between x86_64 and Alpha under the heading ALPHA; and under
ALPHA_NOT the programs that are only for x86_64.
"""

import fnmatch
import glob
import os

from tallytest import kernels, together

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIFFERENCES = os.path.join(TESTS, "..", "docs", "abi-differences.md")
ALPHA = "Alpha"
ALPHA_NOT = "Programs that are not for Alpha"
# How a program is run on either kernel. (Programs that share a machine have the time of all of them.)
OPTIONS = ("--pmu", "emulated", "--icount", "--timeout", "300")
# The devices that a program observes.
ACCELERATORS = ("dsa,queue=none", "iax,queue=none")
DEVICES = dict.fromkeys(("observe_dmatest_parameters", "observe_dsa_files", "observe_dsa_settings"), ACCELERATORS)
# Programs that virtual time disturbs, and why: they run in real time.
REAL_TIME = {"observe_rseq": "a signal has to come before the tick, which Linux has at once there"}
# Programs that need more CPUs than one.
CPUS = {"observe_cpu_devices": 2, "observe_cpus_offline": 2}
# Programs that leave something in the machine, or find it: devices' settings, the contents of caches.
ALONE = (*DEVICES, "observe_model")
# Programs of one machine at most; a machine's time, and more of it for each of its programs.
TOGETHER = 16
TIMEOUT_S, MORE_S = 300, 20
NOTHING = "not there"
PART = "… "
ANY = "*"


def programs():
    """The names of all."""
    sources = glob.glob(os.path.join(TESTS, "conformance", "programs", "observe_*.c"))
    return sorted(os.path.basename(source)[:-2] for source in sources)


def options_of(program):
    words = [word for word in OPTIONS if word != "--icount" or program not in REAL_TIME]
    words += ["--cpus", str(CPUS[program])] if program in CPUS else []
    words += [word for name in DEVICES.get(program, ()) for word in ("--device", name)]
    # Linux's driver, which linux-run loads with tc_override=1, finds no meaning in the word.
    words += ["--append", "idxd.tc_override"] if program in DEVICES else []
    return tuple(words)


def observations(output):
    """{name: what happened} of what a program printed."""
    lines = (output if isinstance(output, str) else output.decode(errors="replace")).splitlines()
    found = {}
    times = {}
    for name, _, value in (line.rpartition(": ") for line in lines):
        times[name] = times.get(name, 0) + 1
        found[name if times[name] == 1 else f"{name} (time {times[name]})"] = value
    return found


def run_all(words, arch, runs, label):
    """Runs observing programs on machines that the command WORDS starts. RUNS: {name: (program, options)}; a program may have
    arguments after it, with single spaces. Those with the same options and no devices share machines, TOGETHER at most. Returns
    {name: (observations, status, what the machine said)}."""
    found = {}
    waiting = list(runs)
    while waiting:
        options = runs[waiting[0]][1]
        # The next program would find what this one leaves.
        is_alone = runs[waiting[0]][0] in ALONE
        group = waiting[:1] if is_alone else [name for name in waiting if runs[name][1] == options and
                                              runs[name][0] not in ALONE][:TOGETHER]
        commands = [os.path.join(kernels.folder(arch), "tests", runs[name][0]) for name in group]
        log = f"{commands[0].split()[0]}.{label}.log"
        status, output, error = together.run_at_root([*words, *options, "--log", log], arch, commands, TIMEOUT_S + MORE_S * len(commands))
        parts, rest = together.parts(output)
        found.update((name, (observations(text), code, error)) for name, (_, text, code) in zip(group, parts))
        if len(parts) < len(group):
            found[group[len(parts)]] = observations(rest), f"the machine's, {status}", error
        waiting = [name for name in waiting if name not in found]
    return found


def rows(heading, columns):
    """The rows of the document's tables of so many columns under HEADING (none: those above all headings)."""
    found, under = [], None
    with open(DIFFERENCES, encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                under = line[3:].strip()
            elif line.startswith("| ") and under == heading:
                cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
                if len(cells) == columns and cells[0] not in ("program", "---"):
                    found.append(cells)
    return found


def differ(there, here, allowed, names=("Linux", "Tally")):
    """The differences of transcripts THERE and HERE that are not allowed, and the numbers of the rows of `allowed` that
    were met. A row: program, observation's pattern, the answer there, the one here, why. ANY stands for each answer.
    Where the answers begin with PART, the rest is a part of the answer, and rows one below the other replace one part
    each."""
    met, wrong = set(), []
    for name in [*there, *(name for name in here if name not in there)]:
        pair = there.get(name, NOTHING), here.get(name, NOTHING)
        if pair[0] == pair[1]:
            continue
        fitting = [(i, *row[2:4]) for i, row in enumerate(allowed) if fnmatch.fnmatchcase(name, row[1])]
        found = {i for i, *answers in fitting if all(cell in (ANY, value) for cell, value in zip(answers, pair))}
        expected, replaced = pair[0], set()
        for i, part, other in fitting if not found else ():
            if part.startswith(PART) and part[len(PART):] in expected:
                expected = expected.replace(part[len(PART):], other[len(PART):])
                replaced.add(i)
        if expected == pair[1]:
            found = replaced
        met |= found
        if not found:
            wrong.append(f"{name}: {names[0]} {pair[0]}, {names[1]} {pair[1]}")
    return wrong, met


def with_differences(there, allowed):
    """Transcript THERE with the answers of the other side wherever they are in `allowed`."""
    here = dict(there)
    for _, pattern, answer, other, _ in allowed:
        if answer == NOTHING:
            here[pattern] = other  # it names one
        for name in fnmatch.filter(there, pattern):
            if there[name] == answer:
                here[name] = other
    return {name: value for name, value in here.items() if value != NOTHING}
