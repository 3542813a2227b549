#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Programs for Alpha, on QEMU's user mode: newlib keeps its promises, and known work retires the instructions of its table.

QEMU's user mode translates a program's system calls into the host's, by Linux/alpha's conventions, numbers and
layouts: an oracle for these that needs no kernel for Alpha. It can also write down each instruction's address.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

FOLDER = os.path.join(os.environ["TALLY_BUILD"], "tests", "alpha-programs")
SPIN = os.path.join(ROOT, "userland", "libspin")
PROGRAMS = {
    "libc": [os.path.join(HERE, "libc.c")],
    "spin": [os.path.join(ROOT, "userland", "programs", "spin", "main.c"), os.path.join(SPIN, "spin.c"),
             *sorted(glob.glob(os.path.join(SPIN, "alpha", "*.[cS]")))],
}
TIMEOUT_S = 120
# It gives execve to the host's kernel, which does not know Alpha's executables.
BEYOND_QEMU = "execve gives a program its words and its environment"
# Each work is done so often.
PASSES = 3
BRANCHES = re.compile(r"b(r|sr|eq|ne|lt|le|gt|ge|lbc|lbs)|fb..|jmp|jsr|jsr_coroutine|ret")


def build(prefix, name):
    """Status and messages of the compiler."""
    os.makedirs(FOLDER, exist_ok=True)
    status, _, error = tap.command(
        ["alpha-linux-gnu-gcc", f"-specs={prefix}/lib/tally.specs", "-std=gnu11", "-O2", "-g", "-D_GNU_SOURCE",
         f"-I{SPIN}", "-Wall", "-Wextra", "-Werror", "-o", os.path.join(FOLDER, name), *PROGRAMS[name]])
    return status, error


def run(*words):
    """Standard output and error of qemu-alpha with these words."""
    _, output, error = tap.command(["qemu-alpha", *words], timeout_s=TIMEOUT_S)
    return output.decode(errors="replace"), error


def points_of(text):
    for line in text.splitlines():
        if line.startswith(("ok ", "not ok ")):
            yield line.startswith("ok "), line.split(" - ", 1)[1]


def check_library(report):
    output, error = run(os.path.join(FOLDER, "libc"))
    points = list(points_of(output))
    report.ok(len(points) > 1, "newlib's program runs", error)
    for good, name in points:
        if name == BEYOND_QEMU:
            report.skip(f"newlib: {name}", "QEMU's user mode gives it to the host's kernel")
        else:
            report.ok(good, f"newlib: {name}", output, error)


def derive(formula):
    """The number that spin -l writes as 2n+1."""
    each, fixed = re.fullmatch(r"(\d+)n\+(\d+)", formula).groups()
    return int(each) * PASSES + int(fixed)


def disassemble(program):
    """The function and the text of each instruction, by address."""
    listing = subprocess.run(["alpha-linux-gnu-objdump", "-d", "-Mno-aliases", "--no-show-raw-insn", program],
                             capture_output=True, text=True, check=True).stdout
    code, function = {}, None
    for line in listing.splitlines():
        if begin := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            function = begin.group(1)
        elif instruction := re.match(r"\s+([0-9a-f]+):\s+(\w+)", line):
            code[int(instruction.group(1), 16)] = function, instruction.group(2)
    return code


def retired(program, work):
    """The addresses that WORK retires, in order."""
    with tempfile.NamedTemporaryFile("r") as log:
        run("-singlestep", "-d", "exec,nochain", "-D", log.name, program, "-w", work, str(PASSES))
        return [int(address, 16) for address in re.findall(r"^Trace 0: \S+ \[\w+/(\w+)/", log.read(), re.M)]


def check_work(report):
    program = os.path.join(FOLDER, "spin")
    code = disassemble(program)
    listing, error = run(program, "-l")
    for line in listing.splitlines()[1:]:
        name, instructions, branches, _ = line.split(None, 3)
        done = [code[address] for address in retired(program, name)
                if code.get(address, ("", ""))[0] in (f"spin_{name}", "spin_leaf")]
        report.equal((len(done), sum(bool(BRANCHES.fullmatch(what)) for _, what in done)),
                     (derive(instructions), derive(branches)),
                     f"{PASSES} passes of {name} retire {instructions} instructions, {branches} branches", error)


def main():
    report = tap.Report()
    status, prefix, error = tap.command([os.path.join(ROOT, "userland", "libc", "build"), "--arch", "alpha"],
                                        timeout_s=900)
    if not report.ok(status == 0, "newlib for Alpha builds", error):
        return report.done()
    for name, check in (("libc", check_library), ("spin", check_work)):
        status, error = build(prefix.decode().strip(), name)
        if report.ok(status == 0, f"{name} builds for Alpha", error):
            check(report)
    return report.done()


sys.exit(main())
