# SPDX-License-Identifier: BSD-2-Clause
"""GRUB for every medium: one program for each firmware, and the configuration that all of them read.

A program finds its medium by the name of a file that only this medium has, so that it never starts the
kernel of another one.
"""

import os
import struct

from . import paths
from .gpt import SECTOR_BYTES

_FOLDER = "/usr/lib/grub"
_TEMPLATE = os.path.join(paths.ROOT, "boot", "x86_64", "grub.cfg")

# Modules that the configuration uses, and those that read and find it.
_COMMON = "normal configfile multiboot2 serial terminal echo sleep halt test"
_MEDIA = "part_gpt part_msdos fat iso9660 search search_fs_file"
_BIOS = "vbe cpuid"
_MODULES = {
    "i386-pc": f"{_COMMON} {_MEDIA} {_BIOS} biosdisk",
    "i386-pc-eltorito": f"{_COMMON} {_MEDIA} {_BIOS} biosdisk",
    "i386-pc-pxe": f"{_COMMON} {_BIOS} pxe tftp",
    "x86_64-efi": f"{_COMMON} {_MEDIA} efi_gop",
    "x86_64-efi memdisk": f"{_COMMON} memdisk tar efi_gop",
}
# boot.img: where the first sector of the rest is written, and the instruction that a disk has no use for
# (GRUB 2.06, boot.S). diskboot.img: the list of the other sectors at its end (diskboot.S).
_BOOT_SECTOR_AT, _BOOT_CHECK_AT = 0x5c, 0x66
_BLOCKS_AT, _BLOCKS = SECTOR_BYTES - 12, "<QHH"
_BLOCKS_SEGMENT = 0x820


def folder(name):
    """GRUB's files for a firmware: i386-pc or x86_64-efi."""
    return os.path.join(_FOLDER, name)


def packages():
    """The folders that have to be there."""
    return [folder("i386-pc"), folder("x86_64-efi")]


def configuration(words, video):
    """The text of grub.cfg for the kernel's command line `words`."""
    with open(_TEMPLATE, encoding="utf-8") as file:
        return file.read().replace("@WORDS@", words).replace("@VIDEO@", video).encode()


def make(call, where, kind, output, prefix, marker=None, memdisk=None):
    """Makes the program `output` in the folder `where`. `call` runs a command there; `kind`: a key of the
    modules; `marker`: a file that marks its medium."""
    words = ["grub-mkimage", "-O", kind.split()[0], "-p", prefix, "-o", output]
    if marker:
        with open(os.path.join(where, "early.cfg"), "w", encoding="ascii") as file:
            file.write(f"search --no-floppy --file --set=root {marker}\nset prefix=($root){prefix}\n")
        words += ["-c", "early.cfg"]
    if memdisk:
        words += ["-m", memdisk]
    call(words + _MODULES[kind].split(), where)


def boot_sector(first):
    """The code of a disk's master boot record. `first`: the sector where `on_disk`'s result begins."""
    with open(os.path.join(folder("i386-pc"), "boot.img"), "rb") as file:
        code = bytearray(file.read(440))
    struct.pack_into("<Q", code, _BOOT_SECTOR_AT, first)
    code[_BOOT_CHECK_AT:_BOOT_CHECK_AT + 2] = b"\x90\x90"
    return bytes(code)


def on_disk(core, first):
    """GRUB's program `core` for a BIOS, as it lies on a disk from sector `first`."""
    sectors = -(-len(core) // SECTOR_BYTES)
    data = bytearray(core.ljust(sectors * SECTOR_BYTES, b"\0"))
    struct.pack_into(_BLOCKS, data, _BLOCKS_AT, first + 1, sectors - 1, _BLOCKS_SEGMENT)
    return bytes(data)
