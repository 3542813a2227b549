#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""perf's records leave Tally by --get, byte by byte, and the host's perf reads it.

Where samples are counted, time is virtual: perf reads the head of its ring twice (perf_mmap__push() in tools/perf/util/mmap.c), writes
what is there at the second time, and goes on at the first. Records that come in between are in its file twice.
"""

import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from tallytest import inside, tap

SVG = "{http://www.w3.org/2000/svg}"
KERNEL = os.path.join(os.environ["TALLY_BUILD"], "tally.elf")
PASSES, PERIOD = 1000000, 10000
SAMPLES = PASSES * inside.INSTRUCTIONS_EACH // PERIOD


def run(folder, *words):
    return tap.command([inside.TALLY, "run", "--pmu", "emulated", "--timeout", "300", *words], cwd=folder)


def perf(folder, *words):
    status, output, error = tap.command(["perf", *words], cwd=folder)
    return output.decode(errors="replace") if status == 0 else f"status {status}: {error}"


def check_copy(report, folder):
    contents = os.urandom(100001)
    path = os.path.join(folder, "sent", "bytes")
    os.mkdir(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(contents)
    status, _, error = run(folder, "--add", path, "--get", path, "--get", "/tmp/empty", "--get", "/nosuch", "--get", "/tmp",
                           "/bin/sh", "-c", f": >/tmp/empty; : >>{path}; exit 3")
    report.equal((status, error), (127, "tally: --get: the program left no /nosuch (No such file or directory), no /tmp "
                                        "(Is a directory)\n"), "what is not there is said")
    with open(os.path.join(folder, "bytes"), "rb") as file:
        report.ok(file.read() == contents, "every byte of a file")
    report.equal(os.path.getsize(os.path.join(folder, "empty")), 0, "an empty file")
    status, _, error = run(folder, "--get", "/tmp/empty", "/bin/sh", "-c", ": >/tmp/empty; exit 3")
    report.equal((status, error), (3, ""), "the status is the program's")
    for names, reason in ((("/tmp/",), "is the name of a folder"), (("/a/x", "/b/x"), "would be written over")):
        words = [word for name in names for word in ("--get", name)]
        status, _, error = run(folder, *words, "/bin/sh", "-c", "true")
        report.ok(status == 120 and reason in error, f"--get: {reason}", error)


def check_perf(report, folder):
    status, _, error = run(folder, "--icount", "--add", inside.SPIN, "--get", "perf.data", "/usr/bin/perf", "record", "-q", "-e",
                           "instructions:u", "-c", str(PERIOD), inside.SPIN, str(PASSES))
    report.equal((status, error), (0, ""), "perf record in the machine")
    text = perf(folder, "report", "-i", "perf.data", "--stdio")
    report.ok(f"# Samples: {SAMPLES}  of event 'instructions:u'" in text and "spin_loop" in text,
              "the host's perf report reads it", text)
    text = perf(folder, "report", "-i", "perf.data", "--header-only")
    report.ok("# os release : 6.12.0-tally" in text, "the recording names its kernel", text)
    status, _, error = run(folder, "--add", "/bin/ls", "--get", "perf.data", "/usr/bin/perf", "record", "-q", "-g", "-F",
                           "5000", "-e", "cycles:k", "/bin/ls", "-lR", "/proc")
    report.equal(status, 0, "perf record -g of the kernel", error)
    text = perf(folder, "script", "-i", "perf.data", "--vmlinux", KERNEL)
    places = re.findall(r"^\s+[0-9a-f]{16} (\S+?)\+0x", text, re.M)
    report.ok("syscall_entry" in places and "[unknown]" not in places, "the kernel's functions, by its own file", text[:2000])


def check_flames(report, folder):
    status, _, error = tap.command([inside.TALLY, "flamegraph", "perf.data"], cwd=folder)
    report.equal((status, error), (0, ""), "a flame graph")
    tree = ElementTree.parse(os.path.join(folder, "perf.data.svg"))
    boxes = {}
    for group in tree.iter(f"{SVG}g"):
        name, weight = re.match(r"(.*): (\d+) \(", group.find(f"{SVG}title").text).groups()
        shape = group.find(f"{SVG}rect")
        boxes.setdefault(int(shape.get("y")), []).append((float(shape.get("x")), name, int(weight)))
    levels = [boxes[y] for y in sorted(boxes, reverse=True)]
    report.equal([name for _, name, _ in levels[0]], ["all"], "it stands on one box")
    weights = [sum(weight for _, _, weight in level) for level in levels]
    report.ok(all(upper <= lower for lower, upper in zip(weights, weights[1:])), "no level is wider than the one below it",
              weights)
    report.ok(any(name == "syscall_entry" for level in levels for _, name, _ in level), "it has the kernel's functions")
    status, _, error = tap.command([inside.TALLY, "flamegraph", "bytes"], cwd=folder)
    report.ok(status == 127 and error.startswith("tally: bytes: perf cannot read it: "), "a file that is none of perf's", error)
    for words, message in ((["empty"], "tally: empty: perf cannot read it: zero-sized data"), (["none"], "tally: none: no such file"),
                           (["perf.data", "--kernel", "none"], "tally: none: no such file")):
        status, _, error = tap.command([inside.TALLY, "flamegraph", *words], cwd=folder)
        report.ok(status == 127 and error.startswith(message) and error.count("\n") == 1, f"one line about {' '.join(words)}", error)


def check_names(report, folder):
    """A command may have any name, and no browser opens an SVG with one character that XML has not."""
    name = 'a\x01<b>\n"&c'
    program = os.path.join(folder, name)
    shutil.copy(inside.SPIN, program)
    status, _, error = run(folder, "--add", program, "--get", "perf.data", "/usr/bin/perf", "record", "-q", "-g", "-e", "cycles:u",
                           "-c", str(PERIOD), program, str(PASSES))
    report.equal((status, error), (0, ""), "perf record of a program with an odd name")
    status, _, error = tap.command([inside.TALLY, "flamegraph", "perf.data", "-o", 'odd<&.svg'], cwd=folder)
    report.equal((status, error), (0, ""), "a flame graph of it")
    titles = [title.text for title in ElementTree.parse(os.path.join(folder, "odd<&.svg")).iter(f"{SVG}title")]
    report.ok(any(text.startswith('a\ufffd<b>\ufffd"&c: ') for text in titles), "has its name, as far as XML can", *titles)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-host-") as folder:
        check_copy(report, folder)
        check_perf(report, folder)
        check_flames(report, folder)
        check_names(report, folder)
    return report.done()


sys.exit(main())
