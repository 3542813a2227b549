# SPDX-License-Identifier: BSD-2-Clause
"""One boot, from start to exit status.

QEMU inherits standard output, so the program's bytes reach it untouched and at once. Standard input
goes through here, because a serial line has no end of file: it is sent as DLE EOT, and a DLE that is
meant is doubled (console_set_raw in include/kernel/tty/console.h). At a terminal it is the other way
round: the guest's console is one too, so every key goes there as it is, but for ctrl-], which ends
the machine. Nothing is sent before the kernel's first log line, since a guest that sets up its
serial port throws away what came before. A machine with a virtio console has its streams there (virtio.py).

Two witnesses report the end: QEMU's exit status, which holds what the kernel wrote to the
exit device, and the kernel's last log line on COM2, which has the program's status. On Alpha, where the
machine has no exit device, the second has to do for both.
"""

import contextlib
import os
import select
import signal
import stat
import subprocess
import sys
import termios
import threading
import time
import tty

from . import emulator, paths, scratch
from .failure import BOOT, INTERRUPTED, NOT_FOUND, PANIC, TIMEOUT, Failure

CONSOLE = "stdio,id=console,signal=off"
_ESCAPE = b"\x10"
_END_OF_FILE = _ESCAPE + b"\x04"
_LEAVE = b"\x1d"

# QEMU exits with (value << 1) | 1 for a value written to the exit device.
_ENDED = 0x20 << 1 | 1
_PANICKED = 0x21 << 1 | 1
_NOT_BOOTED = 0x22 << 1 | 1

_LOG_POLL_SECONDS = 0.005
_LOG_LINES_SHOWN = 60


class Log:
    """The file that the kernel log (COM2) goes to, new and empty.

    Named by the user, it stays. Else it is called after this process while the machine runs, and
    that is where it stays if the run fails; after a good run it becomes the build folder's
    last-run.log, so that runs beside each other do not mix theirs.
    """

    def __init__(self, chosen=None):
        needs_folder = chosen is None or os.path.exists(chosen) and not os.path.isfile(chosen)
        folder = paths.logs() if needs_folder else ""
        own = os.path.join(folder, f"run-{os.getpid()}.log")
        self._last = os.path.join(folder, "last-run.log")
        self._is_own = chosen is None
        self.path = own if chosen is None else chosen
        try:
            with open(self.path, "wb"):
                pass
        except OSError as error:
            raise Failure(NOT_FOUND, f"{self.path}: {error.strerror}") from None
        # No file can be beside a device.
        self._base = self.path if os.path.isfile(self.path) else own

    def beside(self, name):
        """The path of another log of this machine."""
        return f"{os.path.splitext(self._base)[0]}.{name}.log"

    def settle_beside(self, name):
        """As settle, for the log that is beside."""
        if self._base != self.path or self._is_own:
            os.replace(self.beside(name), f"{os.path.splitext(self._last)[0]}.{name}.log")

    def discard(self):
        """There was no run: removes what is not the user's."""
        if self._is_own:
            os.unlink(self.path)

    def text(self):
        with open(self.path, "rb") as file:
            return file.read().decode(errors="replace")

    def settle(self):
        """The run was good: give the log its lasting name."""
        if self._is_own:
            os.replace(self.path, self._last)


def at_terminal():
    """Whether a person sits at both ends, so that the guest's console should be a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def has_input():
    """Whether something may come from standard input, as far as that is known before it is read."""
    if sys.stdin is None:
        return False
    descriptor = sys.stdin.fileno()
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return os.lseek(descriptor, 0, os.SEEK_CUR) < status.st_size
    if stat.S_ISCHR(status.st_mode):
        return status.st_rdev != os.stat(os.devnull).st_rdev
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return all(events & select.POLLIN or not events & select.POLLHUP for _, events in poll.poll(0))


@contextlib.contextmanager
def _ending_deferred():
    """No signal ends this command meanwhile, so that no child is lost while Popen starts it. Yields the mask from before,
    which the child has to restore."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _relay(output):
    """Passes on the bytes after the first zero byte: the machine's console writes those before it (docs/boot.md)."""
    heard = False
    while data := os.read(output.fileno(), 65536):
        if not heard:
            _, zero, data = data.partition(b"\0")
            heard = bool(zero)
        try:
            while data:
                data = data[os.write(sys.stdout.fileno(), data):]
        except BrokenPipeError:
            pass  # there is no reader any more; the machine goes on
    output.close()


@contextlib.contextmanager
def _keys_untouched():
    """Our terminal hands over each key at once and as it is, for as long as this lasts."""
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _wait_ms(deadline, listening):
    """How long to sleep: until the deadline, or the next look at the log."""
    times = [] if listening else [_LOG_POLL_SECONDS]
    if deadline is not None:
        times.append(max(0, deadline - time.monotonic()))
    return min(times) * 1000 + 1 if times else None


def _send(to_machine, pending):
    """Writes what fits; returns the rest."""
    try:
        return pending[os.write(to_machine, pending):]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        return b""


def _attend(process, log, timeout_s, interactive, feed, streams):
    """Feeds the machine until it ends. Returns False if the time was up first."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    to_machine = streams.started() if streams else process.stdin.fileno()
    if streams is None:
        os.set_blocking(to_machine, False)
    # The end of QEMU: readable when it has exited.
    ended = os.pidfd_open(process.pid)
    # A virtio console keeps what comes too early.
    listening = streams is not None
    source = sys.stdin.fileno() if feed and sys.stdin else None
    pending = _END_OF_FILE if feed and source is None and streams is None else b""
    if source is None and streams:
        streams.end_input()
    try:
        while True:
            if not listening:
                listening = os.path.getsize(log) > 0
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            if streams:
                streams.watch(poll)
            if pending and listening:
                poll.register(to_machine, select.POLLOUT)
            elif source is not None and listening:
                poll.register(source, select.POLLIN)
            ready = dict(poll.poll(_wait_ms(deadline, listening)))
            if ended in ready:
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False
            if streams:
                streams.attend(ready, process)
            if to_machine in ready:
                pending = _send(to_machine, pending)
            elif source in ready:
                data = os.read(source, streams.PIECE if streams else 4096)
                if interactive and _LEAVE in data:
                    raise Failure(INTERRUPTED, "left by ctrl-]")
                pending = data if interactive or streams else data.replace(_ESCAPE, _ESCAPE * 2)
                if not data:
                    source = None
                    if streams:
                        streams.end_input()
                    else:
                        pending = _END_OF_FILE
    finally:
        os.close(ended)


def _last_after(text, mark):
    """The rest of the last line that has `mark`, after it; None if there is no such line."""
    for line in reversed(text.splitlines()):
        if mark in line:
            return line.split(mark, 1)[1].strip()
    return None


def _code_by_log(text):
    """The value that an exit device would have reported, from the log: without the device QEMU exits with 0."""
    ends = (("tally: panic: ", _PANICKED), ("tally: boot: ", _NOT_BOOTED),
            ("tally: exit status ", _ENDED), ("tally: killed by signal ", _ENDED))
    return next((code for line, code in ends if _last_after(text, line) is not None), 0)


def _reported_status(text, path):
    status = _last_after(text, "tally: exit status ")
    if status is not None and status.isdecimal():
        return int(status) & 0xFF
    killer = _last_after(text, "tally: killed by signal ")
    if killer is not None and killer.isdecimal():
        number = int(killer)
        print(f"tally: the program was killed by signal {number} ({signal.strsignal(number)})",
              file=sys.stderr)
        return 128 + number
    raise Failure(BOOT, f"the machine ended, but its log has no status line; see {path}")


def _show(text):
    lines = text.splitlines()
    if len(lines) > _LOG_LINES_SHOWN:
        print(f"[{len(lines) - _LOG_LINES_SHOWN} earlier lines]", file=sys.stderr)
    for line in lines[-_LOG_LINES_SHOWN:]:
        print(line, file=sys.stderr)


def _status(code, log, complaints):
    """The guest's exit status by both witnesses. `complaints`: the lines that QEMU wrote on standard error."""
    text = log.text()
    if code == _ENDED:
        return _reported_status(text, log.path)
    if code == _PANICKED:
        _show(text)
        raise Failure(PANIC, f"the kernel panicked; please report this log: {log.path}")
    if code == _NOT_BOOTED:
        reason = _last_after(text, "tally: boot: ") or "it gave no reason"
        raise Failure(BOOT, f"the kernel could not start: {reason} (log: {log.path})")
    if code == 0:
        _show(text)
        raise Failure(BOOT, "the machine reset itself or was switched off without reporting a "
                            f"status (a triple fault?); its log is in {log.path}")
    complaint = next((line for line in reversed(complaints) if line.strip()), "it said nothing")
    how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
    raise Failure(BOOT, f"the emulator {how}: {complaint}")


def run(words, log, timeout_s=None, interactive=False, feed=True, by_console=False, examiner=None, streams=None):
    """Runs QEMU by `words` and returns the exit status of the guest's first task.

    `log` is the Log that COM2 goes to; `interactive`: the guest's console is a terminal, and so is
    ours; `feed`: what comes from standard input goes to the console, and its end;
    `by_console`: the machine's own console is on the line before the kernel, and ends it; `examiner`: a PostMortem, asked
    when the time is up; `streams`: the virtio.Streams that the program's input and output are, if not the line. Raises Failure(BOOT, PANIC, TIMEOUT or INTERRUPTED).
    """
    with scratch.nameless() as complaints:
        process = relay = None
        try:
            with _ending_deferred() as mask:
                process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=complaints,
                                           stdout=subprocess.PIPE if by_console else None,
                                           pass_fds=streams.inherited() if streams else (),
                                           # No other thread runs yet. pylint: disable-next=subprocess-popen-preexec-fn
                                           preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
            if by_console:
                thread = threading.Thread(target=_relay, args=(process.stdout,))
                thread.start()
                relay = thread
            with _keys_untouched() if interactive else contextlib.nullcontext():
                in_time = _attend(process, log.path, timeout_s, interactive, feed, streams)
            found = "" if in_time or examiner is None else f", and {examiner.write()}"
        finally:
            if process:
                process.kill()
                process.wait()
            if relay:
                relay.join()
            if streams:
                streams.close()
            complaints.seek(0)
            for_user, others = emulator.divide_complaints(complaints.read().decode(errors="replace"))
            for line in for_user:
                print(line, file=sys.stderr)
        if not in_time:
            raise Failure(TIMEOUT,
                          f"not ended after {timeout_s:g} s; the kernel log is in {log.path}{found}")
        code = process.returncode
        if code == 0 and by_console:
            code = _code_by_log(log.text())
        status = _status(code, log, others)
    log.settle()
    return status
