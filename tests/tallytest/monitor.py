# SPDX-License-Identifier: BSD-2-Clause
"""A PC with a screen and a keyboard in the emulator, driven through QEMU's monitor."""

import os
import re
import subprocess
import time

from tallylib import paths

# A minute: for what takes a second on a host that does nothing else.
TRIES, PAUSE_S = 600, 0.1
# Characters that QEMU's sendkey calls by another name.
KEYS = {" ": "spc", "\n": "ret", "-": "minus", "=": "equal", ";": "semicolon", "/": "slash",
        "'": "apostrophe", "\\": "backslash", ".": "dot", "$": "shift-4", "(": "shift-9",
        ")": "shift-0", "*": "shift-8", "\x03": "ctrl-c", "\x1a": "ctrl-z", "\x7f": "backspace",
        "\x1b[A": "up"}


class Machine:
    """QEMU with a VGA and its monitor at our end of a pipe."""

    def __init__(self, *words, emulator=None):
        self.process = subprocess.Popen(
            [emulator or paths.emulator(needs_model=False), "-machine", "pc", "-m", "256M", "-nodefaults",
             "-no-user-config", "-display", "none", "-vga", "std", "-no-reboot", "-monitor", "stdio",
             "-cpu", "max", "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)
        self._answer()

    def _answer(self):
        """The monitor's output up to its prompt."""
        answer = b""
        for _ in range(TRIES):
            answer += self.process.stdout.read() or b""
            if answer.rstrip().endswith(b"(qemu)") and b"\n" in answer or self.process.poll() is not None:
                break
            time.sleep(PAUSE_S / 10)
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

    def wait_for(self, line):
        """Waits until a row is LINE, a regular expression; returns the screen's rows."""
        rows = []
        for _ in range(TRIES):
            rows = self.rows()
            if any(re.fullmatch(line, row) for row in rows) or self.process.poll() is not None:
                break
            time.sleep(PAUSE_S)
        return rows

    def type(self, text):
        for part in re.findall(r"\x1b\[.|.", text, re.DOTALL):
            key = KEYS.get(part, part)
            self.ask("sendkey " + ("shift-" + key.lower() if key.isupper() else key) + " 20")
            time.sleep(0.1)

    def end(self):
        """Waits for the end: QEMU's status."""
        try:
            return self.process.wait(TRIES * PAUSE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
