# SPDX-License-Identifier: BSD-2-Clause
"""A PC with a screen and a keyboard in the emulator, driven through QEMU's monitor."""

import math
import os
import re
import select
import subprocess
import time

from tallylib import paths

# The time for all that a machine does, which takes seconds on an idle host, and for a key; the pause between two looks.
LIMIT_S, KEY_S, PAUSE_S = 600, 10, 0.05
# Characters that QEMU's sendkey calls by another name.
KEYS = {" ": "spc", "\n": "ret", "-": "minus", "=": "equal", ";": "semicolon", "/": "slash",
        "'": "apostrophe", "\\": "backslash", ".": "dot", "$": "shift-4", "(": "shift-9",
        ")": "shift-0", "*": "shift-8", "\x03": "ctrl-c", "\x1a": "ctrl-z", "\x7f": "backspace",
        "\x1b[A": "up"}


class Machine:
    """QEMU with a VGA and its monitor at our end of a pipe.

    Waits for answers until LIMIT_S after the start; later answers count as missing.
    """

    def __init__(self, *words, emulator=None):
        self.process = subprocess.Popen(
            [emulator or paths.emulator(needs_model=False), "-machine", "pc", "-m", "256M", "-nodefaults",
             "-no-user-config", "-display", "none", "-vga", "std", "-no-reboot", "-monitor", "stdio",
             "-cpu", "max", "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)
        self._deadline = time.monotonic() + LIMIT_S
        self._answer()

    def _answer(self):
        """The monitor's output up to its prompt."""
        answer = b""
        while not (answer.rstrip().endswith(b"(qemu)") and b"\n" in answer) and time.monotonic() < self._deadline:
            select.select([self.process.stdout], [], [], max(0, self._deadline - time.monotonic()))
            some = self.process.stdout.read()
            if some == b"":
                break
            answer += some or b""
        return answer.decode(errors="replace")

    def ask(self, words):
        """One monitor command's answer; empty once the machine has ended."""
        try:
            self.process.stdin.write(words.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return ""
        return self._answer()

    def rows(self):
        """The screen as text, without the spaces at the ends of rows."""
        raise NotImplementedError

    def wait_until(self, condition, limit_s=math.inf):
        """Waits until CONDITION holds of the screen's rows, or the machine has ended; returns the rows."""
        rows, deadline = self.rows(), min(self._deadline, time.monotonic() + limit_s)
        while not condition(rows) and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
            rows = self.rows()
        return rows

    def wait_for(self, line, times=1):
        """Waits until so many rows are LINE, a regular expression; returns the screen's rows."""
        return self.wait_until(lambda rows: sum(bool(re.fullmatch(line, row)) for row in rows) >= times)

    def type(self, text):
        """Presses keys. Each that shows has to be on the screen before the one after the next: the keyboard has room for few."""
        for part in re.findall(r"\x1b\[.|.", text, re.DOTALL):
            before, key = self.rows(), KEYS.get(part, part)
            self.ask("sendkey " + ("shift-" + key.lower() if key.isupper() else key) + " 20")
            if part not in " \n":
                self.wait_until(lambda rows, before=before: rows != before, KEY_S)

    def end(self):
        """Waits for the end: QEMU's status."""
        try:
            return self.process.wait(max(0, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
