# SPDX-License-Identifier: BSD-2-Clause
"""The exit statuses of tools/tally that are not the program's own, and the exception that carries one.

A program's status passes through unchanged (0 to 255, or 128 + signal), so that a script cannot
tell these from a program that chose the same number; they are high, and agree with timeout(1) and
the shell where those have a number for the same thing (124, 126, 127). The one line on standard
error, which always begins with "tally: ", tells them apart.
"""

USAGE = 120
MISSING = 121
BOOT = 122
PANIC = 123
TIMEOUT = 124
NO_PMU = 125
BAD_PROGRAM = 126
NOT_FOUND = 127
INTERRUPTED = 130

# Walked by --help; docs/man/tally.1 has the same table, and tests/tools/manual.t compares them.
MEANING = (
    (USAGE, "wrong use of this command"),
    (MISSING, "something is not built or not installed: emulator, kernel, a package"),
    (BOOT, "the machine did not start, or ended without reporting a status"),
    (PANIC, "the kernel panicked; its log is shown"),
    (TIMEOUT, "the time given by --timeout was up"),
    (NO_PMU, "the PMU asked for by --pmu is not to be had on this host"),
    (BAD_PROGRAM, "PROGRAM or the initramfs is damaged or of a kind that cannot run"),
    (NOT_FOUND, "PROGRAM, or another file named on the command line, cannot be read"),
    (INTERRUPTED, "interrupted from the keyboard"),
)


class Failure(Exception):
    """Ends the command: `message` is one line that says what is wrong and what to do next."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message
