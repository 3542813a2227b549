#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A stopped machine shows MXCSR with all flags, also those that the host has raised.

The guest (guest/test-sse.c) says in R15 what MXCSR is, while R14 says that it does.
"""

import os
import re
import sys
import tempfile
import time

import moving
from tallytest import tap

HELD = "5555aaaa12345678"
STOPS = 40
PAUSE_S = 0.01


def value_of(name, text):
    match = re.search(rf"\b{name}=([0-9a-f]+)", text)
    return match[1] if match else None


def look(machine):
    """The stopped machine's MXCSR and the guest's word for it; None: it is not in the state to say."""
    registers = machine.ask("human-monitor-command", **{"command-line": "info registers"}) or ""
    if value_of("R14", registers) != HELD:
        return None
    return int(value_of("MXCSR", registers), 16), int(value_of("R15", registers), 16)


def main():
    report = tap.Report()
    guest = moving.built(os.path.join(moving.HERE, "build-guest"))
    for name, accelerator in (("a thread for each CPU", ["-accel", "tcg,thread=multi"]), ("icount", ["-icount", "shift=0"])):
        command = [moving.emulator("x86_64"), "-M", "pc", "-cpu", "max", *accelerator, "-m", "128", "-nodefaults",
                   "-no-user-config", "-nic", "none", "-display", "none", "-no-reboot",
                   "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", guest, "-append", "suite=sse cpus=1"]
        with tempfile.TemporaryDirectory() as folder:
            machine = moving.Machine(command, folder, 0, None)
            seen, wrong = 0, []
            while machine.process.poll() is None and seen < STOPS:
                time.sleep(PAUSE_S)
                if machine.ask("stop") is None:
                    break
                values = look(machine)
                seen += values is not None
                if values and values[0] != values[1]:
                    wrong.append("expected %#x, got %#x" % (values[1], values[0]))
                machine.ask("cont")
            machine.ask("cont")
            output = machine.output()
        report.ok(seen > 0, f"the machine was stopped ({name})")
        report.ok(not wrong, f"MXCSR has the flags of what ran ({name})", *wrong)
        lines = output.replace("\r", "").splitlines()
        bad = [line for line in lines if line.startswith("not ok")]
        good = sum(line.startswith("ok ") for line in lines)
        report.ok(not bad, f"nothing failed in the guest ({name})", *bad)
        report.ok(good > 0 and f"1..{good}" in lines, f"the guest ran to its end ({name})", *lines[-3:])
    return report.done()


sys.exit(main())
