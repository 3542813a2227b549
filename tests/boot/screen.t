#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The screen and the keyboard: a shell on a machine with a VGA, driven through QEMU's monitor.

The kernel log, the shell's output and what is typed on the keyboard must be in the adapter's text
memory; so must a panic.
"""

import os
import re
import shutil
import sys

from tallytest import monitor, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
IMAGE = os.path.join(BUILD, "tests", "screen.elf")
COLUMNS, ROWS, TEXT_MEMORY = 80, 25, 0xb8000
# QEMU's exit status for the exit device's values: an end, a panic.
ENDED, PANIC = 65, 67


class Screen(monitor.Machine):
    """A machine whose screen is a VGA's text memory."""

    def __init__(self, words, *devices):
        super().__init__("-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", IMAGE,
                         "-append", words, *devices)

    def rows(self):
        """The screen as text."""
        cells = re.findall(r"0x([0-9a-f]{4})\b", re.sub(r"(?m)^[0-9a-f]+:", "",
                           self.ask(f"xp /{COLUMNS * ROWS}hx {TEXT_MEMORY:#x}")))
        # Before them, the monitor echoes the command.
        text = "".join(chr(int(cell, 16) & 0xff) for cell in cells[-COLUMNS * ROWS:])
        return [text[i:i + COLUMNS].rstrip() for i in range(0, len(text), COLUMNS)]

    def wait_for_prompt(self):
        """Waits until the shell reads: it takes keys that come before for itself, where cat was to have them."""
        return self.wait_until(lambda rows: [row for row in rows if row][-1:] == ["/ #"])

    def type_into_cat(self, word):
        """Types a line. A line that comes back twice, as echo and from cat, shows that cat is in the foreground."""
        self.type(word + "\n")
        self.wait_for(word, 2)


def dialogue(report, name, *devices):
    """A shell driven by the keyboard alone."""
    machine = Screen("console=cooked", *devices)
    rows = machine.wait_for(r"/ #")
    report.ok(any(row.startswith("tally: screen: VGA text, 80 by 25") for row in rows),
              f"{name}: the kernel log is on the screen", *rows)
    report.ok("/ #" in rows, f"{name}: so is the shell's prompt", *rows)
    machine.type("echo A$((6*7)x\x7f)\n")
    rows = machine.wait_for(r"A42")
    report.ok("/ # echo A$((6*7))" in rows and "A42" in rows,
              f"{name}: what is typed is echoed, edited and carried out", *rows)
    machine.wait_for_prompt()
    machine.type("echo ready; cat\n")
    machine.wait_for("ready")
    machine.type_into_cat("here")
    machine.type("\x1a")
    rows = machine.wait_for(r"\^Z\[1\]\+  Stopped +cat")
    report.ok(any(row.startswith("^Z[1]+  Stopped") for row in rows),
              f"{name}: ctrl-z stops the job in the foreground", *rows)
    machine.wait_for_prompt()
    machine.type("fg\n")
    machine.wait_for("cat")
    machine.type_into_cat("again")
    machine.type("\x03")
    machine.wait_for_prompt()
    # Not the prompt at the very top: at the report of that place of the cursor, ESC [1;5R, busybox waits for one character more,
    # 50 ms long, and forgets it.
    machine.type("clear; echo top\n")
    rows = machine.wait_until(lambda rows: rows[:2] == ["top", "/ #"])
    report.equal(rows[:3], ["top", "/ #", ""], f"{name}: after clear the screen begins anew")
    machine.type("exit 5\n")
    report.equal(machine.end(), ENDED, f"{name}: leaving the shell ends the machine")


def main():
    report = tap.Report()
    busybox = shutil.which("busybox") or "/bin/busybox"
    status, _, error = tap.command([TALLY, "image", "-o", IMAGE, busybox, "sh"], cwd="/")
    report.equal(status, 0, "an image of a shell", error)
    dialogue(report, "with a serial line", "-serial", "null")
    dialogue(report, "without a serial line")
    machine = Screen("console=cooked panic=here")
    rows = machine.wait_for(r"tally: panic: requested on CPU 0")
    status = machine.end()
    report.equal(status, PANIC, "a panic ends the machine", *rows)
    return report.done()


sys.exit(main())
