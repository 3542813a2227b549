#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Standard input and output of `tally run` at pipes and files: each byte, the end, a reader that stops or goes, ctrl-C.

The streams are ports of a virtio console (tools/tallylib/virtio.py, drivers/virtio/console.c). The serial line, which is
there where that console is not, has the same rules in run.t, but for its speed.
"""

import contextlib
import hashlib
import math
import os
import random
import signal
import subprocess
import sys
import time

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SOURCE = os.path.join(BUILD, "tests", "pipe-source")

LARGE = 100 << 20
SMALL = 3 << 20
LIMIT = ("--timeout", "400")
# The time of a writer that is stopped, in runs of a program that ends at once: the host may be busier by then.
TIMES, LEAST_S = 20, 20
BUSYBOX = "/bin/busybox"
SIGPIPE_LINE = "tally: the program was killed by signal 13 (Broken pipe)\n"


def start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    return subprocess.Popen([TALLY, "run", *LIMIT, *words], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)


def script(text):
    """The words that run TEXT in busybox's shell, which needs no other program."""
    return (BUSYBOX, "sh", "-c", text)


def digest_of(file):
    digest = hashlib.sha256()
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()


@contextlib.contextmanager
def busy_host():
    """Each CPU of the host has something else to do."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def make_source():
    """A file of LARGE bytes that a serial line would have to escape now and then; and the digests of all and of SMALL."""
    piece = random.Random(1).randbytes(1 << 20)
    with open(SOURCE, "wb") as file:
        for i in range(LARGE >> 20):
            file.write(piece[i:] + piece[:i])
    with open(SOURCE, "rb") as file:
        small = hashlib.sha256(file.read(SMALL)).hexdigest()
        file.seek(0)
        return small, digest_of(file)


def copy(*options, size=SMALL, program=("/bin/cat",)):
    """Sends SIZE bytes of the source through a program; returns status, digest of the output, and standard error."""
    with open(SOURCE, "rb") as file:
        feeder = subprocess.Popen(["head", "-c", str(size)], stdin=file, stdout=subprocess.PIPE)
        process = start(*options, *program, stdin=feeder.stdout)
        feeder.stdout.close()
        digest = digest_of(process.stdout)
        _, error = process.communicate()
        feeder.wait()
    return process.returncode, digest, error.decode()


def check_bytes(report, small, large):
    for name, options in (("1 CPU", ()), ("2 CPUs", ("--cpus", "2")), ("4 CPUs", ("--cpus", "4")),
                          ("virtual time", ("--icount",)), ("no PMU", ("--pmu", "none")),
                          ("an accelerator beside it", ("--device", "dsa"))):
        status, digest, error = copy(*options)
        report.equal((status, digest, error), (0, small, ""), f"3 MiB in and out: {name}")
    status, digest, error = copy(size=LARGE)
    report.equal((status, digest, error), (0, large, ""), "100 MiB in and out, by pipes")
    with busy_host():
        loops = "for i in 1 2; do (while :; do :; done) & done; cat"
        status, digest, error = copy("--cpus", "2", size=LARGE, program=script(loops))
    report.equal((status, digest, error), (0, large, ""), "100 MiB in and out, with all CPUs busy here and there")
    with open(SOURCE, "rb") as source, open(SOURCE + ".out", "w+b") as output:
        process = start("/bin/cat", stdin=source, stdout=output)
        _, error = process.communicate()
        output.seek(0)
        report.equal((process.returncode, digest_of(output), error), (0, large, b""), "100 MiB in and out, by files")
    os.unlink(SOURCE + ".out")


def check_ends(report):
    status, output, error = tap.command([TALLY, "run", *LIMIT, *script("cat; cat; echo end")], stdin=b"\x10\x04\x10")
    report.equal((status, output, error), (0, b"\x10\x04\x10end\n", ""), "the end of input is final, and in no byte of it")
    status, output, error = tap.command([TALLY, "run", *LIMIT, *script("read x; echo $x; exit 9")],
                                        stdin=b"line\n" + bytes(1 << 20))
    report.equal((status, output, error), (9, b"line\n", ""), "a program may leave input unread")
    process = start("/bin/cat", stdin=subprocess.PIPE)
    for i in range(3):
        process.stdin.write(b"%d\n" % i)
        process.stdin.flush()
        report.equal(process.stdout.readline(), b"%d\n" % i, f"a line comes before the end of input: {i}")
    _, error = process.communicate()
    report.equal((process.returncode, error), (0, b""), "the end of input comes after the lines")
    # Pieces of one write stay together, also beside other writers.
    writers = "for i in 1 2 3 4; do head -c 200000 /dev/zero | tr '\\0' $i | dd bs=200000 iflag=fullblock 2>/dev/null & done; wait"
    status, output, error = tap.command([TALLY, "run", "--cpus", "4", *LIMIT, *script(writers)])
    runs = [output[at:at + 200000] for at in range(0, len(output), 200000)]
    report.equal((status, len(output), sorted(sorted(set(run)) for run in runs), error),
                 (0, 800000, [[number] for number in b"1234"], ""), "a write is in one piece")


def check_repeatable(report):
    """The clock at the end counts every instruction: equal clocks are equal runs."""
    words = script("head -c 1000000 /dev/zero; cat /proc/uptime /proc/stat")
    runs = []
    for _ in range(2):
        with open(SOURCE + ".out", "w+b") as output:
            process = start("--icount", *words, stdout=output)
            process.communicate()
            output.seek(1000000)
            runs.append((process.returncode, output.read()))
    os.unlink(SOURCE + ".out")
    report.equal(runs[0][0], 0, "virtual time: the program ends")
    report.equal(runs[1], runs[0], "virtual time: a run with output is the same each time")


def check_readers(report):
    process = start("/usr/bin/yes")
    process.stdout.read(10)
    process.stdout.close()
    error = process.stderr.read().decode()
    report.equal((process.wait(), error), (128 + signal.SIGPIPE, SIGPIPE_LINE), "a reader that goes ends the writer by SIGPIPE")
    process = start(*script("trap '' PIPE; while echo x; do :; done 2>/dev/null; exit 7"))
    process.stdout.read(2)
    process.stdout.close()
    error = process.stderr.read()
    report.equal((process.wait(), error), (7, b""), "a program that ignores SIGPIPE goes on")
    # The reader begins when the writer has long been stopped: all that a write has returned for is there.
    began = time.monotonic()
    report.equal(tap.command([TALLY, "run", *LIMIT, *script("exit 7")]), (7, b"", ""), "a program that ends at once")
    limit_s = max(LEAST_S, math.ceil(TIMES * (time.monotonic() - began)))
    process = start("--timeout", f"{limit_s}", *script("i=0; while :; do echo $i; i=$((i + 1)); done"))
    error = process.stderr.read().decode()
    lines = process.stdout.read().split(b"\n")
    process.stdout.close()
    report.ok(process.wait() == 124 and len(lines) > 1000 and
              all(line == b"%d" % number for number, line in enumerate(lines[:-1])),
              "a reader that stops stops the writer, and nothing before is lost", process.returncode, len(lines), error)


def interrupt(process):
    process.send_signal(signal.SIGINT)
    output, error = process.communicate()
    return process.returncode, output, error


def check_interrupts(report):
    line = b"tally: interrupted; the machine is off\n"
    process = start(*script("echo one; echo two; while :; do :; done"))
    first = process.stdout.readline()
    second = process.stdout.readline()
    report.equal((first + second, *interrupt(process)), (b"one\ntwo\n", 130, b"", line), "ctrl-C while a program runs")
    process = start("/bin/cat", stdin=subprocess.PIPE)
    process.stdin.write(b"here\n")
    process.stdin.flush()
    first = process.stdout.readline()
    report.equal((first, *interrupt(process)), (b"here\n", 130, b"", line), "ctrl-C while a program waits for input")
    process = start(*script("i=0; while :; do echo $i; i=$((i + 1)); done"))
    # communicate() drops what Python has buffered: read past the buffer.
    first = os.read(process.stdout.fileno(), 1)
    status, output, error = interrupt(process)
    lines = (first + output).split(b"\n")
    report.ok((status, error) == (130, line) and all(text == b"%d" % number for number, text in enumerate(lines[:-1])),
              "ctrl-C while a program writes: what is out has no hole", status, error, len(lines))
    log = os.path.join(BUILD, "tests", "pipe.log")
    if os.path.exists(log):
        os.remove(log)
    process = start("--log", log, *script("while :; do :; done"))
    # It is there before the emulator starts.
    while not os.path.exists(log) and process.poll() is None:
        time.sleep(0.001)
    report.equal(interrupt(process), (130, b"", line), "ctrl-C during the start")


def check_fallback(report):
    data = bytes(range(256)) * 16
    got = tap.command([TALLY, "run", *LIMIT, "--append", "console=raw", "/bin/cat"], stdin=data)
    report.equal(got, (0, data, ""), "console=raw: the serial line does it")
    status, output, error = tap.command([TALLY, "run", *LIMIT, "--append", "console=virtio", "/bin/cat"])
    report.equal((status, output, error.count("\n")), (122, b"", 1), "console=virtio on a machine without it: one line", error)
    report.ok("the machine has no virtio console" in error,
              "console=virtio on a machine without it: the line says what is missing", error)


def main():
    report = tap.Report()
    # The caller of the tests may ignore it, as a shell does for what it starts in the background; then the command would, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    small, large = make_source()
    try:
        check_bytes(report, small, large)
        check_ends(report)
        check_repeatable(report)
        check_readers(report)
        check_interrupts(report)
        check_fallback(report)
    finally:
        os.unlink(SOURCE)
    return report.done()


sys.exit(main())
