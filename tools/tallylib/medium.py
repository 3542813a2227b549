# SPDX-License-Identifier: BSD-2-Clause
"""A disk or ISO image as the emulator's boot medium: on which device, and by which firmware."""

import mmap
import os
import re

from . import paths, sparse
from .failure import MISSING, Failure

# Firmware by name: the file that QEMU takes, None for its own.
FIRMWARE = {"bios": None, "uefi": "/usr/share/ovmf/OVMF.fd"}
# Volume descriptors of an ISO image begin here, with a type and this name.
_ISO_NAME_AT, _ISO_NAME = 16 * 2048 + 1, b"CD001"


# The line of boot/x86_64/grub.cfg with the kernel's words. The first word of a kind counts.
_KERNEL_LINE = re.compile(rb"multiboot2 /boot/tally\.elf ([^\n]*)")
_CONSOLE_WORD = re.compile(rb"(?:^| )console=(\w+)")


def _find_kernel_line(file):
    """A file of a medium has no holes inside. The image may be larger than memory."""
    for start, end in sparse.extents(file):
        # A mapping begins at a multiple of its unit.
        base = start - start % mmap.ALLOCATIONGRANULARITY
        with mmap.mmap(file.fileno(), end - base, access=mmap.ACCESS_READ, offset=base) as data:
            if match := _KERNEL_LINE.search(data):
                return match[1]
    return None


def is_terminal(path):
    """Whether the console of the kernel on this medium is a terminal, by the words in its grub.cfg."""
    with open(path, "rb") as file:
        line = _find_kernel_line(file)
    word = _CONSOLE_WORD.search(line) if line else None
    return bool(word) and word[1] == b"cooked"


def firmware_words(firmware):
    """QEMU's words for a firmware of the table, which has to be there."""
    path = FIRMWARE[firmware]
    if path is None:
        return []
    if not os.path.exists(path):
        raise Failure(MISSING, f"{path} is not there: the package ovmf has the firmware of --firmware {firmware}; " +
                      paths.remedy("tools/deps tools/packages", "ovmf"))
    return ["-bios", path]


def words(path, firmware, usb):
    """QEMU's words to boot the image at `path` by a firmware of the table, as a USB stick or not."""
    chosen = firmware_words(firmware)
    with open(path, "rb") as file:
        file.seek(_ISO_NAME_AT)
        is_iso = file.read(len(_ISO_NAME)) == _ISO_NAME
    drive = f"file={path.replace(',', ',,')},format=raw,id=medium,if=none,readonly=on"
    if usb:
        device = ["-device", "qemu-xhci", "-device", "usb-storage,drive=medium,bootindex=0"]
    elif is_iso:
        drive += ",media=cdrom"
        device = ["-device", "ide-cd,drive=medium,bootindex=0"]
    else:
        # QEMU's IDE disks are writable. Written sectors do not reach the file.
        drive = drive.replace("readonly=on", "snapshot=on")
        device = ["-device", "ide-hd,drive=medium,bootindex=0"]
    return [*chosen, "-drive", drive, *device]
