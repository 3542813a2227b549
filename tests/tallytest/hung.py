# SPDX-License-Identifier: BSD-2-Clause
"""Ends a test that does not end by itself, and says what its processes were doing.

Without it one such test stops all of `make check`, and the log does not say which one it was. The limit judges no test: it is
longer than the limits that tests have themselves.
"""

import collections
import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback

LIMIT_S = 2400
_LOOK_S = 10
# For a debugger that attaches to an emulator with gigabytes of memory.
_GDB_S = 60
# For Python to write where each of its threads is (tap.py).
_PYTHON_S = 1
_TICKS = os.sysconf("SC_CLK_TCK")

# `words`: its command line, or its name in brackets if that is gone, as a zombie's is.
Process = collections.namedtuple("Process", "pid parent state started cpu_s words")


def _program(process):
    return os.path.basename(process.words.partition(" ")[0])


def _backtrace(pid):
    try:
        done = subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all backtrace 20"], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=_GDB_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return [f"  no backtrace: {fault}"]
    lines = [line for line in done.stdout.splitlines() if line.startswith(("#", "Thread"))]
    return [f"  {line[:200]}" for line in lines or done.stderr.splitlines()[-1:]]


def _descendants(pid, found):
    """A process and those that it and its children started, if their parents live."""
    if pid in found:
        yield found[pid]
    for process in list(found.values()):
        if process.parent == pid:
            yield from _descendants(process.pid, found)


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _pipes(pid):
    """The names of a process's pipes."""
    found = set()
    for number in _names(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/{pid}/fd/{number}"))
    return {name for name in found if name.startswith("pipe:")}


def _orphans(prove, found):
    """The processes that hold open the output of tests that are over: a pipe of prove's that none of the running tests has. (make's
    pipes are prove's and ours.)"""
    living = {process.pid for process in _descendants(prove, found)} - {prove}
    pipes = _pipes(prove) - _pipes(os.getpid()) - set().union(*map(_pipes, living))
    return [process for process in found.values() if process.pid not in living | {prove, os.getpid()} and _pipes(process.pid) & pipes]


def _kept_from_ending(prove, test, found):
    """The processes that keep a test from its end: itself and its descendants, or those that hold the output of a test that is
    over. There are none if prove has only not asked yet how it ended."""
    return list(_descendants(test.pid, found)) if test.state != "Z" else _orphans(prove, found)


def _read(folder, name):
    """A file's text; empty if the process is gone meanwhile."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _catches(pid, number):
    """Whether a process has a handler for a signal."""
    line = next((line for line in _read(f"/proc/{pid}", "status").splitlines() if line.startswith("SigCgt:")), ":0")
    return bool(int(line.partition(":")[2], 16) >> (number - 1) & 1)


def _inside(process):
    """Lines on what a process's threads do."""
    yield f"threads of {process.pid}, {_program(process)}:"
    folder = f"/proc/{process.pid}/task"
    for thread in _names(folder):
        place = os.path.join(folder, thread)
        yield f"  {thread} {_read(place, 'comm')}: {_read(place, 'wchan')}; system call {_read(place, 'syscall')}"
    if _program(process).startswith("qemu-"):
        yield from _backtrace(process.pid)
    elif _catches(process.pid, signal.SIGUSR2):
        # The test itself writes to its standard error, which comes out here; that of its children is in its hands.
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGUSR2)
        time.sleep(_PYTHON_S)


def _processes():
    """All processes by number."""
    found = {}
    for name in filter(str.isdecimal, _names("/proc")):
        # The name in brackets may hold anything; after it the fields from the third (proc(5), /proc/PID/stat).
        text, _, rest = _read(f"/proc/{name}", "stat").rpartition(")")
        fields = rest.split()
        if fields:
            words = _read(f"/proc/{name}", "cmdline").replace("\0", " ").strip() or text.partition(" ")[2] + ")"
            found[int(name)] = Process(int(name), int(fields[1]), fields[0], int(fields[19]),
                                       (int(fields[11]) + int(fields[12])) / _TICKS, words)
    return found


def _describe_and_kill(prove, test, processes, said):
    for process in processes:
        said(f"# process {process.pid}, of {process.parent}: {process.state}, {process.cpu_s:.1f} s of CPU time: {process.words[:1000]}")
    # Too long for the last lines of the log.
    for process in processes:
        for text in _inside(process):
            print(f"# {text}", file=sys.stderr, flush=True)
    # That took its time: only those that are still the same, and what they have started meanwhile.
    found = _processes()
    now = [process for process in processes if process.pid in found and found[process.pid].started == process.started]
    for process in {*now, *_kept_from_ending(prove, found.get(test.pid, test), found)}:
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)


def watch(prove, ended, said, limit_s=LIMIT_S):
    """Looks at the tests that `prove`, a process id, runs, until `ended`, a threading.Event, is set.

    Runs in a thread of its own. Calls `said` with the lines about each test that it ends, as lines of a failed point: prove
    calls a test good that was over, and whose output another process held open.
    """
    look_s = min(_LOOK_S, limit_s)
    # Count looks, not seconds: the host may stop this process and the tests together.
    looks, handled = collections.Counter(), set()
    while not ended.wait(look_s):
        try:
            found = _processes()
            tests = [process for process in found.values() if process.parent == prove and process.pid not in handled]
            looks = collections.Counter({test.pid: looks[test.pid] + 1 for test in tests})
            for test in sorted(tests):
                if looks[test.pid] * look_s > limit_s and (kept := _kept_from_ending(prove, test, found)):
                    handled.add(test.pid)
                    said(f"# failed: {test.words} did not end within {limit_s} s")
                    _describe_and_kill(prove, test, kept, said)
        except Exception:  # the next look may do better: pylint: disable=broad-exception-caught
            traceback.print_exc()
