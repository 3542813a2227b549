# SPDX-License-Identifier: BSD-2-Clause
"""Bootable files with kernel and program inside.

Two forms: a multiboot ELF whose .initramfs section holds the program (the unikernel form, for
`qemu -kernel`, PXE loaders, a boot menu), and an ISO image with GRUB, kernel and initramfs, for CD,
USB stick and virtual machines. The kernel is not compiled again: the unikernel is linked from
the same object as build/tally.elf. Output files appear whole or not at all.
"""

import os
import subprocess
import tempfile

from . import paths
from .failure import MISSING, NOT_FOUND, Failure

# The commands that GRUB's configuration uses; an image with all of GRUB's modules is twice the size.
_GRUB_MODULES = "normal multiboot2 vbe serial terminal echo sleep iso9660 biosdisk"
_GRUB_BIOS = "/usr/lib/grub/i386-pc"


def make_unikernel(blob, output):
    """Links the kernel with the initramfs `blob` into the ELF file `output`."""
    kernel = paths.built("tally.o", "make")
    _need("ld", "objcopy")
    with tempfile.TemporaryDirectory(prefix="tally-image-") as folder:
        _write(os.path.join(folder, "blob"), blob)
        _call(["objcopy", "-I", "binary", "-O", "elf64-x86-64", "-B", "i386:x86-64",
               "--rename-section", ".data=.initramfs,alloc,load,readonly,data,contents",
               "blob", "blob.o"], folder)
        # The kernel's own link has the same words, in kernel.mk.
        _call(["ld", "-nostdlib", "-z", "max-page-size=0x1000", "-z", "noexecstack",
               "--no-warn-rwx-segments",
               "-T", os.path.abspath(paths.built("linker.ld", "make")),
               os.path.abspath(kernel), "blob.o", "-o", "image"], folder)
        _deliver(os.path.join(folder, "image"), output, 0o755)


def make_iso(blob, words, output, video="auto"):
    """Makes an ISO image that boots the kernel with the command line `words` and the initramfs.

    `video` is a mode in GRUB's words, see its gfxpayload."""
    kernel = paths.built("tally.elf", "make")
    _need("grub-mkrescue", "xorriso", "mformat")
    if not os.path.isdir(_GRUB_BIOS):
        raise Failure(MISSING, "GRUB's BIOS modules are not installed; "
                               "run: tools/deps tools/packages")
    template = os.path.join(paths.ROOT, "boot", "x86_64", "grub.cfg")
    with tempfile.TemporaryDirectory(prefix="tally-image-") as folder:
        tree = os.path.join(folder, "tree")
        os.makedirs(os.path.join(tree, "boot", "grub"))
        with open(kernel, "rb") as file:
            _write(os.path.join(tree, "boot", "tally.elf"), file.read())
        _write(os.path.join(tree, "boot", "initramfs.cpio"), blob)
        with open(template, encoding="utf-8") as file:
            config = file.read().replace("@WORDS@", words).replace("@VIDEO@", video)
        _write(os.path.join(tree, "boot", "grub", "grub.cfg"), config.encode())
        _call(["grub-mkrescue", "-d", _GRUB_BIOS, "--install-modules=" + _GRUB_MODULES,
               "--locales=", "--fonts=", "--themes=", "-o", "image", "tree"], folder)
        _deliver(os.path.join(folder, "image"), output, 0o644)


def _need(*commands):
    for command in commands:
        if not paths.in_path(command):
            raise Failure(MISSING, f"{command} is not installed; run: tools/deps tools/packages")


def _call(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise Failure(MISSING, f"{words[0]} failed: {said[-1]}; run make, then try again")


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def _deliver(path, output, mode):
    """Moves a finished file to `output` in one step."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        beside = f"{output}.{os.getpid()}"
        _write(beside, data)
        os.chmod(beside, mode)
        os.replace(beside, output)
    except OSError as error:
        raise Failure(NOT_FOUND, f"{output}: {error.strerror}") from None
