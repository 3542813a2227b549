# SPDX-License-Identifier: BSD-2-Clause
"""A disk or ISO image as the emulator's boot medium: on which device, and by which firmware."""

import os

from .failure import MISSING, Failure

# Firmware by name: the file that QEMU takes, None for its own.
FIRMWARE = {"bios": None, "uefi": "/usr/share/ovmf/OVMF.fd"}
# Volume descriptors of an ISO image begin here, with a type and this name.
_ISO_NAME_AT, _ISO_NAME = 16 * 2048 + 1, b"CD001"


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
        # A disk of IDE wants to be written. What is written does not reach the file.
        drive = drive.replace("readonly=on", "snapshot=on")
        device = ["-device", "ide-hd,drive=medium,bootindex=0"]
    return [*chosen, "-drive", drive, *device]


def firmware_words(firmware):
    """QEMU's words for a firmware of the table, which has to be there."""
    path = FIRMWARE[firmware]
    if path is None:
        return []
    if not os.path.exists(path):
        raise Failure(MISSING, f"{path} is not there: the package ovmf has the firmware of --firmware {firmware}; "
                               "run: tools/deps tools/packages")
    return ["-bios", path]
