#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Every command line in README, docs/debugging.md, the manual pages and --help runs as it stands, and prints the shown output.

The test finds command lines in the documents themselves: lines of an indented block that begin with a command, lines
of a manual page after .Dl, and quoted words that begin with one of the project's own commands. They run in their order,
in one folder, whose files are those that the documents speak of; those of make run in the clone. Output is compared where
a document shows it: below a line that begins with a "$", and in the block after "`COMMAND` prints:".

A line that cannot run here, or that another test runs, is in NOT_RUN, with the reason. tools/tally has to know its options.
"""

import glob
import os
import re
import shlex
import sys
import tempfile

from tallylib import command_line, failure, kvm
from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

TALLY = "tools/tally"
# First words of a command line in a block; in a sentence only the project's own.
COMMANDS = ("tools/tally", "make", "perf", "gcc", "alpha-linux-gnu-gcc", "qemu/build")
OWN = ("tools/tally ", "make ", "qemu/build")
BUILDS = re.compile(r"  [A-Z]+ +\S+$")
NOT_RUN = {
    "make check": "runs this test",
    "make check-quick": "runs a part of the tests",
    'make WITHOUT="net inet trace pty perfctr"': "tests/boot/smallest.t builds it, in a folder of its own",
    "make deb": "tests/debian/packages.t builds the packages",
    "make oci": "tests/debian/oci.t builds the image",
    "make check ARCH=alpha": "runs Alpha's tests, as make check does",
    "make DEBUG=1 check": "the same",
    'make check TESTS="tests/boot/cpus-2.t"': "the same",
    "tools/tally run --under kvm ./hello": "tests/kvm/programs.t runs programs so, with their output and statuses",
    "tools/tally boot --usb --firmware uefi tally-pmu.img": "tests/media/disks.t boots such a stick, and the report from a disk",
    "tools/tally run --gdb …": "waits for gdb; gdb.t runs it with one",
    "tools/tally run --gdb ./a.out": "the same",
    "tools/tally run --pmu kvm ./a.out": "wants a host whose KVM has a vPMU; exit-status.t has what it says elsewhere",
}
# The files that the documents' lines name: name, contents, mode.
FILES = (
    ("a.c", "int main(void)\n{\n\tfor (volatile int n = 0; n < 500000; n++)\n\t\tcontinue;\n\treturn 0;\n}\n", 0o644),
    ("hello.c", '#include <stdio.h>\nint main(void)\n{\n\treturn puts("hello") < 0;\n}\n', 0o644),
    ("script.py", '#!/usr/bin/python3\nprint("hello")\n', 0o755),
    ("…", "#!/bin/sh\necho hello\n", 0o755),
    ("DIR/etc/motd", "hello\n", 0o644),
)
# The file that a line has to make.
LEFT = {
    "tools/tally run --trace syscalls --log FILE …": "FILE",
    "tools/tally run --add ./a.out --get perf.data /usr/bin/perf record -g ./a.out": "perf.data",
    "tools/tally flamegraph perf.data": "perf.data.svg",
}


def blocks(text):
    """README's indented blocks: the sentence before each, and its lines."""
    for match in re.finditer(r"^(?P<before>(?:\S.*\n)*)\n(?P<block>(?:(?:    .*)?\n)*    .*\n)", text, re.MULTILINE):
        yield " ".join(match["before"].split()), [line[4:] for line in match["block"].splitlines()]


def command_of(line):
    """The command that a line of a block is, without the comment after it; or None."""
    line = line.removeprefix("$ ")
    if not line.startswith(tuple(name + " " for name in COMMANDS)) and line not in COMMANDS:
        return None
    return re.split(r"\s+# ", line)[0]


def quoted(text):
    return [name for name in re.findall(r"`([^`]+)`", " ".join(text.split())) if name.startswith(OWN)]


def commands_of_readme(text):
    """[(command, what it prints, or None)], in order."""
    found = []
    for before, lines in blocks(text):
        said = re.search(r"`([^`]+)` prints:$", before)
        if said:
            found.append((said[1], "\n".join(lines) + "\n"))
        for i, line in enumerate(lines):
            if command_of(line):
                shown = None
                if line.startswith("$ "):
                    after = [command_of(later) is not None for later in lines[i + 1:]] + [True]
                    shown = "\n".join(lines[i + 1:i + 1 + after.index(True)]) + "\n"
                found.append((command_of(line), shown))
    return found + [(name, None) for name in quoted(text)]


def commands_of_page(text):
    text = text.replace("\\-", "-")
    lines = re.findall(r"^\.Dl (.*)$", text, re.MULTILINE) + \
        [name for name in re.findall(r"^\.Ql (.*?)(?: [.,])?$", text, re.MULTILINE) if name.startswith(OWN)]
    return [(line, None) for line in lines]


def commands_of_help(folder):
    """The commands in an epilogue or a description of --help."""
    _, output, _ = tap.command([TALLY, "--help"], cwd=folder)
    for name in re.findall(r"^    (\w+) ", output.decode(), re.MULTILINE):
        output += tap.command([TALLY, name, "--help"], cwd=folder)[1]
    lines = [line.strip() for line in output.decode().splitlines()]
    return [(command_of(line), None) for line in lines if command_of(line)] + [(name, None) for name in quoted(output.decode())]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def make_folder(folder):
    for name in ("tools", "qemu", "docs", "boot", "tests"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.symlink(kernels.BUILD, os.path.join(folder, "build"))
    for name, contents, mode in FILES:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(contents)
        os.chmod(path, mode)
    return tap.command(["gcc", "-O1", "-g", "-o", "a.out", "a.c"], cwd=folder)


def run(command, folder):
    """Status and output of a command line, by a shell, without the variables of the make that runs the tests."""
    if not command.startswith("make "):
        return tap.command(["/bin/bash", "-c", command], cwd=folder)
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "O", "TALLY_BUILD", "TALLY_DEBUG_KERNEL")
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    return tap.command(["/bin/bash", "-c", command], cwd=ROOT, env=environment)


def check(report, where, command, shown, folder):
    status, output, error = run(command, folder)
    report.equal(status, 0, f"{where}: {command}", output.decode(errors="replace")[-2000:], error[-2000:])
    if command in LEFT:
        left = os.path.join(folder, LEFT[command])
        report.ok(os.path.exists(left) and os.path.getsize(left), f"{where}: {command}: leaves {LEFT[command]}")
    if shown is None:
        return
    if command.startswith("make run") and "alpha" not in command and kvm.why_not() is None:
        report.skip(f"{where}: {command}: prints what is shown", "KVM's counters are taken here; the emulated ones are shown")
        return
    lines = output.decode(errors="replace").splitlines()
    if command.startswith("make "):
        # Also says what it builds, if it has to.
        lines = [line for line in lines if not BUILDS.match(line)]
    report.equal(lines, shown.splitlines(), f"{where}: {command}: prints what is shown")


def complaint(command):
    """The message of tools/tally that refuses the words of a command line of its own, or None."""
    words = shlex.split(command.removeprefix(TALLY))
    try:
        command_line.parser_of(words[0]).parse_args(words)
    except failure.Failure as found:
        return found.message
    return None


def main():
    kernels.skip_on_debug("the documents' commands are those of the release kernel")
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-documents-") as folder:
        folder = os.path.realpath(folder)
        report.equal(make_folder(folder), (0, b"", ""), "a.out compiles")
        documents = [(name, commands_of_readme(read(name))) for name in ("README.md", "docs/debugging.md")]
        documents += [(os.path.relpath(page, ROOT), commands_of_page(read(page)))
                      for page in sorted(glob.glob(os.path.join(ROOT, "docs", "man", "*.[1-9]")))]
        documents += [("--help", commands_of_help(folder))]
        shows = {command: shown for _, lines in documents for command, shown in lines if shown}
        report.ok(len(documents[0][1]) > 20 and {"make run", "make run ARCH=alpha"} <= set(shows), "README has command lines",
                  *documents[0][1])
        done = set()
        for where, lines in documents:
            for command, _ in lines:
                if command not in done and command not in NOT_RUN:
                    check(report, where, command, shows.get(command), folder)
                done.add(command)
        report.equal(set(NOT_RUN) - done, set(), "the lines that are not run are in the documents")
        report.equal({command: found for command in NOT_RUN if command.startswith(TALLY) and (found := complaint(command))}, {},
                     "tools/tally takes the words of the lines that are not run")
    return report.done()


sys.exit(main())
