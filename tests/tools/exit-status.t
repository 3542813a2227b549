#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Each end of a run has its own exit status and one line of explanation.

The machine is the real emulator; the kernel is guest.c, which ends as its command line says.
"""

import os
import signal
import subprocess
import sys

from tallylib import paths
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
GUEST = os.path.join(BUILD, "tests", "guest.elf")
PROGRAM = os.path.join(BUILD, "tests", "nothing")
LARGE = os.path.join(BUILD, "tests", "large")
SIGNAL_ROUNDS = 4
ALPHA_PROGRAM = os.path.join(BUILD, "alpha", "tests", "tasks")

# How the guest ends, the resulting status, and the expected text on standard error.
ENDINGS = (
    ("e", 7, ""),
    ("k", 139, "killed by signal 11"),
    ("n", 122, "has no status line"),
    ("b", 122, "could not start: no memory; give the machine some"),
    ("p", 123, "tally: panic: the guest was asked to"),
    ("r", 122, "reset itself"),
    ("u", 122, "the emulator ended with status 3"),
    ("h", 124, "not ended after 3 s"),
)

# Words of the command line, the status, and the expected text on standard error.
MISTAKES = (
    ([], 120, "COMMAND"),
    (["walk"], 120, "walk"),
    (["run", "--cpus", "0", PROGRAM], 120, "no number from 1 to 255"),
    (["run", "--pmu-width", "49", PROGRAM], 120, "no number from 32 to 48"),
    (["run", "--timeout", "soon", PROGRAM], 120, "no time in seconds"),
    (["run", "--pmu", "none", "--pmu-skid", "1", PROGRAM], 120, "has no properties"),
    (["run", "--processor", "zen9", PROGRAM], 120, "invalid choice: 'zen9'"),
    (["run", "--processor", "zen3", "--cpu", "max", PROGRAM], 120, "leave out --cpu"),
    (["run", "--processor", "zen3", "--pmu-counters", "6", PROGRAM], 120, "zen3 has no --pmu-counters"),
    (["run", "--processor", "zen4", "--pmu-counters", "3", PROGRAM], 120, "takes 4 to 15"),
    (["run", "--processor", "zen4", "--pmu-counters", "16", PROGRAM], 120, "no number from 1 to 15"),
    (["run", "--processor", "k8", "--pmu-width", "40", PROGRAM], 120, "k8 has no --pmu-width"),
    (["run", "--pmu", "emulated", "--pmu-counters", "9", PROGRAM], 120, "takes 1 to 8"),
    (["run", "--device", "gpu", PROGRAM], 120, "'gpu' is none of dsa, iax"),
    (["run", "--device", "dsa,counters=0", PROGRAM], 120, "'counters=0' is none of counters=1..32"),
    (["run", "--device", "dsa,counter-width=65", PROGRAM], 120, "counter-width=8..64"),
    (["run", "--device", "dsa,", PROGRAM], 120, "'' is none of"),
    (["run", *["--device", "dsa"] * 9, PROGRAM], 120, "9 devices are more than 8"),
    (["run", "--device", "dsa", "--device", "iax,queue=none", PROGRAM], 120, "queue= is the same for all devices"),
    (["run", "--device", "dsa", "--pmu", "kvm", PROGRAM], 125, "use --pmu emulated"),
    (["run", "--device", "dsa", "--under", "kvm", PROGRAM], 120, "KVM's guest has no accelerator"),
    (["run", "--arch", "alpha", "--device", "dsa", ALPHA_PROGRAM], 120, "the Alpha's machine has none"),
    (["run", "--cpu", "EPYC", "--pmu-counters", "9", PROGRAM], 122, "x-pmu-counters must be 4, not 9"),
    (["run", "--cpu", "EPYC", "--pmu-width", "40", PROGRAM], 122, "x-pmu-width is a property of Intel's PMU"),
    (["run", "--cpu", "max,vendor=GenuineIntel,x-pmu-amd=v2", "--pmu-skid", "1", PROGRAM], 122, "x-pmu-amd chooses one of AMD's PMUs"),
    (["run", "--processor", "zen3", "--pmu", "kvm", PROGRAM], 125, "use --pmu emulated"),
    (["run", "--processor", "skylake", "--pmu-width", "40", PROGRAM], 120, "skylake has no --pmu-width"),
    (["run", "--processor", "skylake", "--pmu-counters", "9", PROGRAM], 120, "takes 1 to 8"),
    (["run", "--caches", "zen9", PROGRAM], 120, "'zen9' is neither none, skylake, zen3, zen4, cachegrind nor a geometry"),
    (["run", "--caches", "zen9,D1=32768,8,64", PROGRAM], 120, "'zen9' is neither none, skylake, zen3, zen4, cachegrind nor"),
    (["run", "--caches", "skylake,", PROGRAM], 120, "no geometry stands after the comma: [PRESET,]I1=SIZE,WAYS,LINE"),
    (["run", "--caches", "none,D1=32768,8,64", PROGRAM], 120, "none stands alone"),
    (["run", "--caches", "D1=32768,8,64,none", PROGRAM], 120, "none stands alone"),
    (["run", "--caches", "D1=32768,8,64,skylake", PROGRAM], 120, "skylake stands first, before the geometry"),
    (["run", "--caches", "skylake,zen3", PROGRAM], 120, "'zen3' is neither none,"),
    (["run", "--caches", "I1=32768", PROGRAM], 120, "I1 needs three numbers: I1=SIZE,WAYS,LINE"),
    (["run", "--caches", "I1=0", PROGRAM], 120, "I1 needs three numbers"),
    (["run", "--caches", "D2=32768,8,64", PROGRAM], 120, "there is no cache 'D2'; there are I1, D1, L2, LL"),
    (["run", "--caches", "D1=32768,8,64,D1=32768,8,64", PROGRAM], 120, "D1 is there twice"),
    (["run", "--caches", "D1=32K,8,64", PROGRAM], 120, "'32K' is no number"),
    (["run", "--caches", "D1=32768,8,48", PROGRAM], 120, "lines of 48 bytes; a power of two from 16 to 256"),
    (["run", "--caches", "D1=32768,8,8", PROGRAM], 120, "lines of 8 bytes; a power of two from 16 to 256"),
    (["run", "--caches", "D1=32768,33,64", PROGRAM], 120, "33 ways; 1 to 32 are possible"),
    (["run", "--caches", "D1=49152,8,64", PROGRAM], 120, "D1 of 49152 bytes is not 8 ways of a power of two of lines of 64"),
    (["run", "--caches", "D1=256,8,64", PROGRAM], 120, "D1 of 256 bytes is not 8 ways"),
    (["run", "--caches", "D1=32768,8,32,LL=8388608,16,64", PROGRAM], 120, "all caches have lines of one size"),
    (["run", "--caches", "D1=32768,8,32", PROGRAM], 120, "those that are not named have 64 bytes"),
    (["run", "--caches", "skylake,I1=32768,8,32,D1=32768,8,32,LL=8388608,16,32", PROGRAM], 120, "those that are not named have 64"),
    (["run", "--processor", "skylake", "--caches", "zen3", PROGRAM], 120, "zen3 is an AMD CPU's, and --processor is Intel's"),
    (["run", "--processor", "skylake", "--caches", "zen3,LL=0", PROGRAM], 120, "zen3,LL=0 is an AMD CPU's"),
    (["run", "--processor", "k8", "--caches", "skylake", PROGRAM], 120, "skylake is an Intel CPU's"),
    (["run", "--caches", "cachegrind", "--pmu", "none", PROGRAM], 120, "nothing to count caches with; leave out --caches"),
    (["run", "--caches", "cachegrind", "--pmu", "kvm", PROGRAM], 125, "use --pmu emulated"),
    (["run", "--caches", "cachegrind", "--under", "kvm", PROGRAM], 120, "KVM's PMU counts no modelled caches"),
    (["run", "--arch", "alpha", "--caches", "cachegrind", ALPHA_PROGRAM], 120, "--caches is for x86_64"),
    (["run", "--arch", "alpha", "--processor", "zen3", ALPHA_PROGRAM], 120, "the Alpha's is the EV67"),
    (["run", "--under-cpus", "2", PROGRAM], 120, "are for --under kvm"),
    (["run", "--under", "kvm", "--processor", "generic", PROGRAM], 120, "needs a CPU with SVM"),
    (["run", "--under", "kvm", "--gdb", PROGRAM], 120, "leave out --gdb"),
    (["run", "--under", "kvm", "--pmu", "emulated", PROGRAM], 120, "has KVM's PMU"),
    (["run", "--under", "kvm", "--pmu", "none", "--pmu-skid", "1", PROGRAM], 120, "has no properties"),
    (["run", "--under", "kvm", "--post-mortem", "x", PROGRAM], 120, "--post-mortem is for --timeout"),
    (["run", "--under", "kvm", "--timeout", "9", "--post-mortem", "/no/such/folder/x", PROGRAM], 120, "a file that can be written"),
    (["run", "--under", "kvm", "--under-memory", "300", PROGRAM], 120, "with KVM and a guest of 512 MiB needs"),
    (["run", "--under", "kvm", "--arch", "alpha", ALPHA_PROGRAM], 120, "--under kvm is for x86_64"),
    (["run", "--env", "PATH", PROGRAM], 120, "NAME=VALUE"),
    (["run", "--pmu", "kvm", "--icount", PROGRAM], 125, "use --pmu emulated"),
    (["run", "/no/such/program"], 127, "/no/such/program: No such file"),
    (["run", "--root", "/no/such/tree", PROGRAM], 127, "no such directory"),
    (["run", "--memory", "16", "--add", LARGE, PROGRAM], 120, "has 17 MiB and does not fit into --memory 16"),
    (["run", "--initrd", "/no/such/archive"], 127, "No such file"),
    (["run", "--log", "/no/such/folder/log", PROGRAM], 127, "No such file"),
    (["run", "--post-mortem", "x", PROGRAM], 120, "--post-mortem is for --timeout"),
    (["run", "--timeout", "9", "--post-mortem", "/no/such/folder/x", PROGRAM], 120, "a file that can be written"),
    (["boot", "/no/such/image"], 127, "no such file"),
    (["image", "--append", "x", "-o", "/dev/null", PROGRAM], 120, "--append needs --disk, --iso or --pxe"),
    (["image", "--video", "text", "-o", "/dev/null", PROGRAM], 120, "--video needs --disk, --iso or --pxe"),
    (["image", "--iso", "--video", "800x", "-o", "/dev/null", PROGRAM], 120, "no mode of a screen"),
)


def tally(words, stdin=b"", **environment):
    return tap.command([TALLY] + words, stdin=stdin, env={**os.environ, **environment})


def run_guest(end, *words, stdin=b""):
    return tally(["run", "--pmu", "none", "--kernel", GUEST, "--append", "end=" + end, *words,
                  PROGRAM], stdin)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()


def check_signals(report):
    """The signal comes at once when the machine's process is there, so most often before the emulator has begun."""
    # Else the command's first child is qemu/build.
    environment = {**os.environ, "TALLY_QEMU": paths.emulator(needs_model=True)}
    for number in (signal.SIGTERM, signal.SIGHUP) * SIGNAL_ROUNDS:
        # The caller of the tests may ignore it, as nohup(1) does; then the command would ignore it, too.
        signal.signal(number, signal.SIG_DFL)
        with subprocess.Popen([TALLY, "run", "--pmu", "none", "--kernel", GUEST, "--append", "end=h", "--timeout", "400",
                               PROGRAM],
                              stdin=subprocess.DEVNULL, env=environment) as command:
            # A command that has ended has none.
            while not (machines := children(command.pid)) and command.poll() is None:
                pass
            command.send_signal(number)
        report.equal(command.returncode, 128 + number, f"{number.name}: status {128 + number}")
        report.equal([len(machines), *(machine for machine in machines if os.path.exists(f"/proc/{machine}"))], [1],
                     f"{number.name}: the machine ends, too")


def main():
    report = tap.Report()
    check_signals(report)
    with open(LARGE, "wb") as file:
        file.truncate(16 << 20)
    for end, status, says in ENDINGS:
        got, _, error = run_guest(end, "--timeout", "3" if end == "h" else "400")
        report.equal(got, status, f"a guest that ends by '{end}' gives {status}", error)
        report.ok(says in error, f"a guest that ends by '{end}' is reported: {says}", error)
        report.ok(end in "pr" or error.count("\n") <= 1,
                  f"a guest that ends by '{end}' is reported in a line, a log apart", error)

    _, output, _ = run_guest("e", "--timeout", "400")
    report.equal(output, b"hello\r\n\x01\n", "standard output comes through untouched")
    data = bytes(range(256)) * 64
    got, output, error = run_guest("c", "--timeout", "400", stdin=data)
    report.ok((got, output) == (0, data), "standard input goes through untouched, and its end",
              f"{len(output)} of {len(data)} bytes, status {got}", error)

    for words, status, says in MISTAKES:
        if "--log" in words:
            words = words[:1] + ["--kernel", GUEST] + words[1:]
        got, _, error = tally(words)
        shown = " ".join(os.path.basename(word) for word in words) or "no command"
        report.equal(got, status, f"{shown}: status {status}", error)
        report.ok(says in error and error.count("\n") == 1, f"{shown}: one line that says: {says}", error)

    empty = os.path.join(BUILD, "tests", "empty-cache")
    got, _, error = tally(["run", "--pmu", "emulated", "--kernel", GUEST, PROGRAM],
                          TALLY_QEMU="", TALLY_CACHE=empty)
    report.equal((got, error), (121, "tally: the emulator is not built; run: make qemu\n"),
                 "a missing emulator is named, with the command that builds it")
    got, _, error = tally(["run", "--kernel", GUEST, PROGRAM], TALLY_QEMU="/no/such/qemu")
    report.equal((got, error),
                 (121, "tally: TALLY_QEMU=/no/such/qemu: no such file; correct or unset it\n"),
                 "a TALLY_QEMU without a file is named, with what to do")
    got, _, error = tally(["run", PROGRAM], TALLY_BUILD=empty)
    report.ok(got == 121 and "run: make" in error, "tally run names the command that builds a missing kernel", error)
    got, _, error = tally(["image", "-o", "x", PROGRAM], TALLY_BUILD=empty)
    report.ok(got == 121 and "run: make" in error, "tally image names the command that builds a missing kernel", error)
    got, _, error = tap.command([sys.executable, TALLY, "run", "--kernel", GUEST], env={"PATH": empty})
    report.ok(got == 121 and "run: tools/deps tools/packages" in error,
              "tally run without a program names the command that installs the missing shell", error)
    return report.done()


sys.exit(main())
