#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""--gdb, --post-mortem and tools/gdb/tally.py: a machine that stands still in a system call, seen from outside."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SELFMON = os.path.join(BUILD, "user", "bin", "selfmon")


@contextlib.contextmanager
def free_port():
    """A port that no other program gets meanwhile. The emulator can listen there: a socket that only has the address does not
    prevent it, if both allow that."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("localhost", 0))
        yield str(holder.getsockname()[1])


def examine_at(port, words, commands):
    """The same, by this port."""
    commands = ["source " + os.path.join(ROOT, "tools", "gdb", "tally.py"), "set tcp connect-timeout 300",
                f"target remote :{port}", *commands, "delete", "detach"]
    with subprocess.Popen([TALLY, "run", "--gdb", "--pmu", "emulated", "--timeout", "400", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TALLY_GDB_PORT": port}) as machine:
        said = machine.stderr.readline().decode()
        _, output, error = tap.command(["gdb", "-q", "-nx", "-batch", os.path.join(BUILD, "tally.elf"),
                                        *(word for command in commands for word in ("-ex", command))])
        machine.communicate()
    return machine.returncode, said.replace(port, "PORT"), output.decode(errors="replace"), error


def examine(words, commands):
    """Runs `words` with gdb at its side; returns its status, its first line of standard error, and gdb's output."""
    with free_port() as port:
        return examine_at(port, words, commands)


def check_running(report):
    # The first read() of selfmon is that of an event.
    status, said, text, error = examine(["--cpus", "2", SELFMON],
                                        ["hbreak sys_read", "continue", "tally tasks", "tally cpus", "tally contexts",
                                         "thread apply all -- print $cr0"])
    report.ok("target remote :PORT" in said, "the tool says how to start gdb", said)
    task = re.search(r"^ +1 +1 +runnable +(\d)\* +\d+  selfmon$", text, re.MULTILINE)
    report.ok(task, "tally tasks: the program's task runs", text, error)
    cpus = re.findall(r"^ +(\d) +\d+ +(\d+)  (\S+) +(.*)$", text, re.MULTILINE)
    report.equal([number for number, *_ in cpus], ["0", "1"], "tally cpus: both are there", text)
    report.ok(any(tid == "1" and name == "selfmon" and place.startswith("sys_read") for _, tid, name, place in cpus),
              "one of them is in the program's read()", text)
    report.ok(re.search(r"^task 1 \(selfmon\): \d+ events, active on CPU \d\n    type 0 config 0x1: .*ACTIVE.*, count \d+",
                        text, re.MULTILINE), "tally contexts: the program's events, instructions first", text)
    report.equal(re.findall(r"^\$\d+ = (\[.*\])$", text, re.MULTILINE), ["[ PG AM WP NE ET MP PE ]"] * 2,
                 "both CPUs have the same CR0, with caches on", text)
    report.equal(status, 0, "once gdb has left, the program runs to its exit")


def check_sleeping(report):
    _, _, text, error = examine(["--icount", "--add", "/bin/busybox", "busybox", "sh", "-c",
                                 "sleep 1000 & sleep 1; sync"], ["hbreak sys_sync", "continue", "tally stacks"])
    report.ok(re.search(r"^ +2  sleep .* < sys_clock_nanosleep\+\d+ < .*syscall_entry\+\d+$", text,
                        re.MULTILINE), "tally stacks: what a task that sleeps waits in, and who called that", text, error)


def check_post_mortem(report):
    with tempfile.NamedTemporaryFile() as found:
        status, _, error = tap.command([TALLY, "run", "--pmu", "emulated", "--cpus", "2", "--timeout", "5",
                                        "--post-mortem", found.name, "busybox", "sleep", "1000"])
        text = found.read().decode(errors="replace")
    report.equal(status, 124, "a program that does not end, with --post-mortem", error)
    report.ok(f"what its CPUs and tasks did is in {found.name}" in error, "the tool says where to look", error)
    for number in (0, 1):
        report.equal(len(re.findall(rf"^Thread .*CPU#{number}.*\n#0 ", text, re.MULTILINE)), 2,
                     f"gdb looked at CPU {number} twice", text)


def main():
    report = tap.Report()
    check_running(report)
    check_sleeping(report)
    check_post_mortem(report)
    return report.done()


sys.exit(main())
