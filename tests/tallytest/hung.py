# SPDX-License-Identifier: BSD-2-Clause
"""Ends a test that does not end by itself, and says what its processes were doing.

Without it one such test stops all of `make check`, and the log does not say which one it was. The limit judges no test: it is many times
what the longest takes on a slow and busy host.
"""

import collections
import os
import signal
import subprocess
import sys
import time

LIMIT_S = 1200
_LOOK_S = 10
# For a debugger that attaches to an emulator with gigabytes of memory.
_GDB_S = 60
# The variable by which a process is known, whatever became of its parents. Its value is the number of tests/check.
MARK = "TALLY_CHECK"
# For Python to write where each of its threads is (tap.py).
_PYTHON_S = 1
_TICKS = os.sysconf("SC_CLK_TCK")

Process = collections.namedtuple("Process", "pid parent state age_s cpu_s words")


def watch(prove, ended, said, limit_s=LIMIT_S):
    """Looks at the tests that `prove`, a process id, runs, until `ended`, a threading.Event, is set.

    Runs in a thread of its own. Gives `said` a line about each test that it ends, as a failed point's. prove does not notice the
    end of a process that only held a good test's output open.
    """
    while not ended.wait(min(_LOOK_S, limit_s)):
        found = _processes()
        for test in sorted(process.pid for process in found.values() if process.parent == prove and process.age_s > limit_s):
            _end(prove, found[test], found, said, limit_s)


def _end(prove, test, found, said, limit_s):
    """Says what a test and its processes do, and ends them."""
    said(f"# failed: {test.words or f'a test whose output is still open, {test.pid},'} did not end within {limit_s} s")
    # prove waits for all that hold the test's output open, also for a process whose parent has ended.
    processes = [*_descendants(test.pid, found), *(orphan for orphan in _orphans(prove, found) if orphan.age_s > limit_s)]
    for process in processes:
        said(f"# process {process.pid}, of {process.parent}: {process.state}, {process.cpu_s:.1f} s of CPU time: {process.words[:1000]}")
    for process in processes:
        for text in _inside(process):
            print(f"# {text}", file=sys.stderr, flush=True)
    for process in processes:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


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
        # Python writes to the test's standard error, which comes out here.
        os.kill(process.pid, signal.SIGUSR2)
        time.sleep(_PYTHON_S)


def _program(process):
    return os.path.basename(process.words.partition(" ")[0])


def _backtrace(pid):
    try:
        done = subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all backtrace 20"], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=_GDB_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return [f"  no backtrace: {fault}"]
    return [f"  {line[:200]}" for line in done.stdout.splitlines() if line.startswith(("#", "Thread"))]


def _descendants(pid, found):
    """A process and those that it and its children started, if their parents live."""
    if pid in found:
        yield found[pid]
    for process in list(found.values()):
        if process.parent == pid:
            yield from _descendants(process.pid, found)


def _orphans(prove, found):
    """Processes that this `make check` started, by their environment, and whose parents have ended."""
    mark = f"{MARK}={os.getpid()}".encode()
    related = {process.pid for process in _descendants(prove, found)} | {os.getpid()}
    for process in found.values():
        try:
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                if process.pid not in related and mark in file.read().split(b"\0"):
                    yield process
        except OSError:
            pass


def _catches(pid, number):
    """Whether a process has a handler for a signal."""
    line = next((line for line in _read(f"/proc/{pid}", "status").splitlines() if line.startswith("SigCgt:")), ":0")
    return bool(int(line.partition(":")[2], 16) >> (number - 1) & 1)


def _processes():
    """All processes by number."""
    with open("/proc/uptime", encoding="ascii") as file:
        now = float(file.read().split()[0])
    found = {}
    for name in filter(str.isdecimal, _names("/proc")):
        # After the name, which may hold anything, the fields from the third (proc(5), /proc/PID/stat).
        fields = _read(f"/proc/{name}", "stat").rpartition(")")[2].split()
        if fields:
            words = _read(f"/proc/{name}", "cmdline").replace("\0", " ").strip()
            found[int(name)] = Process(int(name), int(fields[1]), fields[0], now - int(fields[19]) / _TICKS,
                                       (int(fields[11]) + int(fields[12])) / _TICKS, words)
    return found


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(folder, name):
    """A file's text; empty if the process is gone meanwhile."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
