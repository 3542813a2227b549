#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""How the machine ends: by end= on the command line, and without the word, on machines with an exit port and without.

Like machines.t this test starts the emulator itself. QEMU's own report of the end is the judge: its status for the exit
port, the reason in its SHUTDOWN event for power-off and reset, the registers of a CPU that stands still.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time

from tallylib import paths
from tallytest import first_program, stock, tap

BUILD = os.environ["TALLY_BUILD"]
KERNEL = os.path.join(BUILD, "tally.elf")
WORDS = os.path.join(BUILD, "tests", "words")
INITRAMFS = os.path.join(BUILD, "tests", "ends.cpio")
PVH = os.path.join(BUILD, "tests", "ends-pvh.elf")
LOG = os.path.join(BUILD, "tests", "ends.log")
# A microVM gives the kernel its ACPI tables by PVH only.
OURS = (paths.emulator(needs_model=False), "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", "-kernel", KERNEL)
STOCK = (stock.QEMU, "-kernel", PVH)
EXIT_DEVICE = ("-device", "isa-debug-exit,iobase=0xf4,iosize=4")
PC, Q35 = ("-machine", "pc"), ("-machine", "q35")
# Its ACPI is hardware-reduced: sleep and reset registers in memory.
MICROVM = ("-machine", "microvm,acpi=on,isa-serial=on")
NO_ACPI = ("-machine", "pc,acpi=off")
# For what takes a second on a host that does nothing else.
LIMIT_S, PAUSE_S = 600, 0.1
OFF, RESET, HALT = "guest-shutdown", "guest-reset", "halt"
EXIT_ENDED, EXIT_PANIC, EXIT_FAILURE = 65, 67, 69

# The rule; machine; words of the command line; the end.
ENDS = (
    ("without the word: the exit port", (*PC, *EXIT_DEVICE), "", EXIT_ENDED),
    ("without the word and the port: power-off", PC, "", OFF),
    ("the same on a chipset of 2007", Q35, "", OFF),
    ("the same where ACPI is hardware-reduced", MICROVM, "", OFF),
    ("without the word, the port and ACPI: halt", NO_ACPI, "", HALT),
    ("a panic without the port halts: its reason stays on the screen", PC, "panic=here", HALT),
    ("a panic with the port ends there", (*PC, *EXIT_DEVICE), "panic=here", EXIT_PANIC),
    ("end=exit with the port", (*PC, *EXIT_DEVICE), "end=exit", EXIT_ENDED),
    ("end=exit without the port halts", PC, "end=exit", HALT),
    ("end=poweroff leaves the exit port alone", (*PC, *EXIT_DEVICE), "end=poweroff", OFF),
    ("end=poweroff on a chipset of 2007", Q35, "end=poweroff", OFF),
    ("end=poweroff where ACPI is hardware-reduced", MICROVM, "end=poweroff", OFF),
    ("end=poweroff without ACPI halts", NO_ACPI, "end=poweroff", HALT),
    ("end=poweroff, after a panic", PC, "end=poweroff panic=here", OFF),
    ("end=reset leaves the exit port alone", (*PC, *EXIT_DEVICE), "end=reset", RESET),
    ("end=reset on a chipset of 2007, by the reset register", Q35, "end=reset", RESET),
    ("end=reset where ACPI is hardware-reduced", MICROVM, "end=reset", RESET),
    ("end=reset without ACPI, by the keyboard controller", NO_ACPI, "end=reset", RESET),
    ("end=reset with neither, by a triple fault", ("-machine", "microvm,acpi=off,isa-serial=on"), "end=reset", RESET),
    ("end=reset, after a panic", PC, "end=reset panic=here", RESET),
    ("end=halt leaves the exit port alone", (*PC, *EXIT_DEVICE), "end=halt", HALT),
    ("another value is a boot failure that names the four", (*PC, *EXIT_DEVICE), "end=now", EXIT_FAILURE),
)


class Machine:
    """QEMU with its machine protocol at our end of a pipe."""

    def __init__(self, machine, words):
        self.process = subprocess.Popen(
            [*(STOCK if "microvm" in machine[1] else OURS), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
             "-cpu", "max", "-m", "256M", *machine, "-serial", f"file:{LOG}", "-qmp", "stdio", "-initrd", INITRAMFS,
             "-append", f"{words} -- here"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # The only limit for an answer that does not come.
        self._limit = threading.Timer(LIMIT_S, self.process.kill)
        self._limit.daemon = True
        self._limit.start()
        self.reason = None
        self.ask({"execute": "qmp_capabilities"})

    def ask(self, request):
        """QEMU's answer; None once it has ended. Notes the reason of the end on the way."""
        with contextlib.suppress(OSError):
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("event") == "SHUTDOWN":
                self.reason = message["data"]["reason"]
            if "return" in message or "error" in message:
                return message.get("return")
        return None

    def is_halted(self):
        """Whether the CPU is in HLT with interrupts off; None once QEMU has ended."""
        answer = self.ask({"execute": "human-monitor-command", "arguments": {"command-line": "info registers"}})
        if answer is None:
            return None
        registers = answer.rpartition("RFL=")[2]
        return "HLT=1" in registers and not int(registers.split()[0], 16) & 0x200

    def end(self):
        """How the machine ends: a reason, the status, or HALT."""
        halts = 0
        # The idle loop halts with interrupts on; both answers are one moment.
        while halts < 5 and (is_halted := self.is_halted()) is not None:
            halts = halts + 1 if is_halted else 0
            time.sleep(PAUSE_S)
        if halts == 5:
            self.process.kill()
        status = self.process.wait()
        self._limit.cancel()
        if halts == 5:
            return HALT
        return self.reason if self.reason and status == 0 else status


def main():
    report = tap.Report()
    first_program.pack(WORDS, INITRAMFS)
    stock.without_multiboot(KERNEL, PVH)
    for rule, machine, words, expected in ENDS:
        found = Machine(machine, words).end()
        with open(LOG, encoding="utf-8", errors="replace") as file:
            log = file.read()
        report.equal(found, expected, rule, *log.splitlines()[-5:])
        if words == "end=now":
            report.ok("end=now: not a way to end; give exit, poweroff, reset or halt" in log, "the line says so", log)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
