# SPDX-License-Identifier: BSD-2-Clause
"""Machines that move to another emulator, again and again, while the guest's tests run.

The machine is stopped after some milliseconds, wherever it is, and goes on in a new emulator; the guest must
not notice. How often depends on the host; at least once: a machine that ends before its first move runs again.
"""

import json
import os
import re
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

MOST_MIGRATIONS = 25
MOST_TRIES = 20
PAUSE_S = 0.004
POLL_S = 0.01
# For the first line, which a short guest does not outlive by much.
FIRST_POLL_S = 0.0005
TIMEOUT_S = "400"
# A point, with its comment, that needs a translation to stay in the TLB: a move empties it, as a CPU may at any time.
_EXCUSED = re.compile(r"^not (ok \d+ - .*VMRUN and #VMEXIT keep the .*translation)\n#   expected .*$", re.MULTILINE)


class Machine:
    """One emulator, driven by QMP. Its serial port goes on where that of the last one ended."""

    def __init__(self, words, folder, number, source):
        path = os.path.join(folder, f"qmp-{number}")
        self.serial = os.path.join(folder, f"serial-{number}")
        self.process = subprocess.Popen(
            ["timeout", "-k", "10", TIMEOUT_S, *words, "-serial", f"file:{self.serial}",
             "-qmp", f"unix:{path},server=on,wait=off",
             *(["-incoming", f"exec:cat {source}"] if source else ["-S"])],
            stdin=subprocess.DEVNULL)
        connection = socket.socket(socket.AF_UNIX)
        while connection.connect_ex(path) and self.process.poll() is None:
            time.sleep(POLL_S)
        self.stream = connection.makefile("rw")
        self.stream.readline()
        self.ask("qmp_capabilities")
        self.wait("query-status", ("inmigrate",))
        self.ask("cont")

    def ask(self, command, **arguments):
        """The answer of a command; None once the machine has ended."""
        try:
            self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self.stream.flush()
            for line in self.stream:
                answer = json.loads(line)
                if "return" in answer or "error" in answer:
                    return answer.get("return")
        except OSError:
            pass
        return None

    def wait(self, query, states):
        """Polls `query` until its status is none of `states`; returns the status."""
        while (answer := self.ask(query)) is not None:
            if answer.get("status") not in states:
                return answer.get("status")
            time.sleep(POLL_S)
        return None

    def move_to(self, path):
        """Stops the machine and writes it to a file. False: it has ended."""
        if self.ask("stop") is None:
            return False
        self.ask("migrate", uri=f"exec:cat > {path}")
        if self.wait("query-migrate", ("setup", "active", "device", "pre-switchover")) != "completed":
            return False
        self.ask("quit")
        return True

    def has_printed(self):
        """Whether the guest's first line is out, or the machine has ended."""
        return os.path.getsize(self.serial) > 0 or self.process.poll() is not None

    def output(self):
        self.process.wait()
        with open(self.serial, encoding="utf-8", errors="replace") as file:
            return file.read()


def built(*words):
    """The last line that a build script prints."""
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def emulator(arch):
    """The emulator of an architecture, or the one that a variable names."""
    variable = "TALLY_QEMU" if arch == "x86_64" else "TALLY_QEMU_ALPHA"
    return os.environ.get(variable) or built(os.path.join(ROOT, "qemu", "build"), "--arch", arch)


def run_once(words, first_pause_s=PAUSE_S):
    """run() without a second try; the first move is first_pause_s after the guest's first line."""
    output, moved, source = "", 0, None
    with tempfile.TemporaryDirectory() as folder:
        while True:
            machine = Machine(words, folder, moved, source)
            while not moved and not machine.has_printed():
                time.sleep(FIRST_POLL_S)
            time.sleep(PAUSE_S if moved else first_pause_s)
            source = os.path.join(folder, f"state-{moved}")
            goes_on = moved < MOST_MIGRATIONS and machine.move_to(source)
            output += machine.output()
            if not goes_on:
                return output.replace("\r", ""), moved
            moved += 1


def run(words):
    """Runs the machine of a command line to the guest's end; returns its output and how often it moved.

    A fast host, or one that is busy elsewhere, may let a short guest end before it moves. Then the machine starts anew, and
    moves after half the time.
    """
    for halvings in range(MOST_TRIES):
        output, moved = run_once(words, PAUSE_S / 2 ** halvings)
        if moved:
            break
    return output, moved


def judge(report, name, output, moved, allowed=()):
    """Three points: the machine moved, nothing failed, the guest ran to its end. allowed: the guest's comments."""
    lines = _EXCUSED.sub(r"\1", output).split("\n")
    bad = [line for line in lines if line.startswith(("not ok", "#")) and line not in allowed]
    good = sum(line.startswith("ok ") for line in lines)
    report.ok(moved > 0, f"the machine was moved ({name})")
    report.ok(not bad, f"nothing failed on the way ({name})", *bad)
    report.ok(good > 0 and f"1..{good}" in lines, f"the guest ran to its end ({name})", *lines[-3:])
