# SPDX-License-Identifier: BSD-2-Clause
"""A person at a terminal: types, reads, and waits for what must come.

A Terminal runs tools/tally at a pseudo-terminal of the host. expect() waits for a text among what came
since the last one that it found; type() presses keys. It knows one escape sequence, the question where the cursor is, which is
no part of the text: busybox 1.37 asks after each prompt, and does without an answer. All others, which move the cursor, are part
of the text.
"""

import fcntl
import os
import pty
import select
import struct
import termios
import time

# For what takes a second on a host that does nothing else.
WAIT_S = 600
UP, LEFT = b"\x1b[A", b"\x1b[D"
_WHERE = b"\x1b[6n"
ESCAPE, TAB, ENTER = b"\x1b", b"\t", b"\r"


def ctrl(letter):
    return bytes([ord(letter) & 0x1f])


class Missing(Exception):
    """The expected text did not come; the message has the actual one."""


class Terminal:
    def __init__(self, words, rows=24, columns=80, kind="vt100"):
        self.seen = b""
        self._found_at = 0
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            # The guest's folder, which its prompt shows, is ours. Our terminal has its size before anybody asks.
            os.chdir("/")
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(words[0], words, {**os.environ, "TERM": kind})

    def _read(self, timeout_s):
        """Whether something came in time."""
        if timeout_s <= 0 or not select.select([self._terminal], [], [], timeout_s)[0]:
            return False
        try:
            data = os.read(self._terminal, 4096)
        except OSError:
            return False
        self.seen += data
        self.seen = self.seen.replace(_WHERE, b"")
        return bool(data)

    def expect(self, text):
        """Waits for `text`; returns what came before it."""
        deadline = time.monotonic() + WAIT_S
        while (at := self.seen.find(text, self._found_at)) < 0:
            if not self._read(deadline - time.monotonic()):
                raise Missing(f"waited for {text!r}, got {self.seen[self._found_at:]!r}")
        before = self.seen[self._found_at:at]
        self._found_at = at + len(text)
        return before

    def type(self, keys):
        os.write(self._terminal, keys)

    def say(self, line, answer):
        """Types a line; waits for it as it is echoed, and then for the answer. Returns what came between them."""
        self.type(line + ENTER)
        self.expect(line)
        return self.expect(answer)

    def end(self):
        """Waits for the end: the tool's exit status."""
        while self._read(WAIT_S):
            continue
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
