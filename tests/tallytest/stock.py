# SPDX-License-Identifier: BSD-2-Clause
"""Debian's QEMU, which has what ours has not: microVMs, a network with a server of TFTP, screenshots.

Its machines end by the exit device, and COM1 is what a test reads.
"""

import os
import re
import subprocess

from . import tap

QEMU = "/usr/bin/qemu-system-x86_64"
UEFI = ("-bios", "/usr/share/ovmf/OVMF.fd")
# QEMU's statuses for the values of docs/boot.md.
ENDED, BOOT_FAILURE = 2 * 0x20 + 1, 2 * 0x22 + 1
LIMIT_S = 600
_MULTIBOOT1 = (0x1badb002).to_bytes(4, "little")


def words(*more):
    return [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-cpu", "max", "-m", "512",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", *more]


def run(*more, emulator=QEMU):
    """Runs a machine; returns its status and the lines of COM1. A machine that does not end has no status."""
    command = [emulator, *words(*more, "-serial", "stdio")[1:]]
    try:
        status, output, error = tap.command(command, timeout_s=LIMIT_S)
    except subprocess.TimeoutExpired as late:
        status, output, error = None, late.stdout or b"", "not ended in time"
    text = output.decode(errors="replace").replace("\r", "") + error
    # Firmware's sequences for terminals.
    return status, re.sub(r"\x1b\[[0-9;=]*[A-Za-z]", "", text).splitlines()


def without_multiboot(path, output):
    """Copies an ELF without its multiboot 1 header, which QEMU would take first: PVH is left."""
    with open(path, "rb") as file:
        data = file.read()
    assert data.count(_MULTIBOOT1) == 1, os.path.basename(path)
    with open(output, "wb") as file:
        file.write(data.replace(_MULTIBOOT1, bytes(4)))
