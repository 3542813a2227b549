#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--gdb and tools/gdb/tally.py: a machine that stands still in a system call, seen from outside."""

import os
import re
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))

import tap  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("localhost", 0))
        return str(any_port.getsockname()[1])


def main():
    report = tap.Report()
    port = free_port()
    # The first read() of selfmon is that of an event.
    commands = ["source " + os.path.join(ROOT, "tools", "gdb", "tally.py"), "set tcp connect-timeout 30",
                f"target remote :{port}", "hbreak sys_read", "continue", "tally tasks", "tally cpus", "tally contexts",
                "delete", "detach"]
    with subprocess.Popen([TALLY, "run", "--gdb", "--cpus", "2", "--pmu", "emulated", "--timeout", "100", SELFMON],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TALLY_GDB_PORT": port}) as machine:
        said = machine.stderr.readline().decode()
        _, output, error = tap.command(["gdb", "-q", "-nx", "-batch", os.path.join(BUILD, "tally.elf"),
                                        *(word for command in commands for word in ("-ex", command))])
        machine.communicate()
    text = output.decode(errors="replace")
    report.ok(f"target remote :{port}" in said, "the tool says how to start gdb", said)
    task = re.search(r"^ +1 +1 +runnable +(\d)\* +\d+  selfmon$", text, re.MULTILINE)
    report.ok(task, "tally tasks: the program's task runs", text, error)
    cpus = re.findall(r"^ +(\d) +\d+ +(\d+)  (\S+) +(.*)$", text, re.MULTILINE)
    report.equal([number for number, *_ in cpus], ["0", "1"], "tally cpus: both are there", text)
    report.ok(any(tid == "1" and name == "selfmon" and place.startswith("sys_read") for _, tid, name, place in cpus),
              "one of them is in the program's read()", text)
    report.ok(re.search(r"^task 1 \(selfmon\): \d+ events, active on CPU \d\n    type 0 config 0x1: .*ACTIVE.*, count \d+",
                        text, re.MULTILINE), "tally contexts: the program's events, instructions first", text)
    report.equal(machine.returncode, 0, "once gdb has left, the program goes on to its end")
    return report.done()


sys.exit(main())
