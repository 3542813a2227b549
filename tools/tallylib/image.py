# SPDX-License-Identifier: BSD-2-Clause
"""Bootable files with kernel and program inside.

The forms: a multiboot ELF whose .initramfs section holds the program (the unikernel form, for
`qemu -kernel`, microVMs, PXE loaders, a boot menu); and with GRUB, kernel and initramfs a disk image,
an ISO image and a folder for a network's server. The kernel is not compiled again: the unikernel is
linked from the same object as build/tally.elf. Output files appear whole or not at all, and the same
input gives the same bytes: all dates are SOURCE_DATE_EPOCH, or 2020-01-01.
"""

import hashlib
import io
import os
import subprocess
import tarfile
import tempfile

from . import gpt, grub, paths, sparse
from .failure import MISSING, NOT_FOUND, USAGE, Failure

_EPOCH = "1577836800"
# Which list has the packages in a clone, and which those are.
_PACKAGES = ("tools/deps tools/packages", "binutils grub-common grub-pc-bin grub-efi-amd64-bin mtools xorriso")
_MIB = 1 << 20
_SECTORS_PER_MIB = _MIB // gpt.SECTOR_BYTES
# Where the disk's first MiB ends, and with it the part of GRUB that a BIOS starts. Writers of sticks
# prefer whole MiBs.
_FILES_FIRST = _SECTORS_PER_MIB
# FAT with clusters of one sector: FAT32, which UEFI asks of a disk, needs 65525 of them and its own two
# tables of 4 bytes each.
_FILES_LEAST_MIB = 34
_FAT_LABEL = "TALLY"
_ISO_LABEL = "TALLY"
_EFI_PROGRAM = "BOOTX64.EFI"


def _need(*commands, folders=()):
    for command in commands:
        if not paths.in_path(command):
            raise Failure(MISSING, f"{command} is not installed; {paths.remedy(*_PACKAGES)}")
    for folder in folders:
        if not os.path.isdir(folder):
            raise Failure(MISSING, f"GRUB's modules {folder} are not installed; {paths.remedy(*_PACKAGES)}")


def _environment():
    chosen = os.environ.get("SOURCE_DATE_EPOCH", _EPOCH)
    if not chosen.isdecimal():
        raise Failure(USAGE, f"SOURCE_DATE_EPOCH={chosen}: no number of seconds")
    return {**os.environ, "SOURCE_DATE_EPOCH": chosen, "TZ": "UTC", "MTOOLS_SKIP_CHECK": "1"}


def _call(words, folder):
    done = subprocess.run(words, cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise Failure(MISSING, f"{words[0]} failed: {said[-1]}; run make, or set TMPDIR to a folder with room, then try again")


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def _copy(source, target):
    """Copies a file to another, which is empty from there on, without reading holes and without writing what is zero."""
    base = target.tell()
    for start, end in sparse.extents(source):
        source.seek(start)
        target.seek(base + start)
        while start < end and (data := source.read(min(_MIB, end - start))):
            if data.count(0) == len(data):
                target.seek(len(data), os.SEEK_CUR)
            else:
                target.write(data)
            start += len(data)


def _deliver(path, output, mode):
    """Moves a finished file to `output` in one step."""
    if os.path.exists(output) and not os.path.isfile(output):
        # A device's name would become the name of a file, and the stick would get nothing.
        raise Failure(USAGE, f"{output} is no regular file; write the image to a file, then copy it there")
    beside = f"{output}.{os.getpid()}"
    try:
        with open(path, "rb") as source, open(beside, "wb") as target:
            _copy(source, target)
            target.truncate(os.path.getsize(path))
        os.chmod(beside, mode)
        os.replace(beside, output)
    except OSError as error:
        if os.path.exists(beside):
            os.unlink(beside)
        raise Failure(NOT_FOUND, f"{output}: {error.strerror}") from None


def _tree(folder, blob, words, video):
    """Makes the files of a medium in `folder`/tree. Returns the name of the file that only it has."""
    # Without the names for gdb: the kernel has its own table of symbols.
    _need("objcopy")
    _call(["objcopy", "--strip-all", os.path.abspath(paths.built("tally.elf", "make")), "kernel"], folder)
    with open(os.path.join(folder, "kernel"), "rb") as file:
        kernel = file.read()
    config = grub.configuration(words, video)
    digest = hashlib.sha256()
    for part in (kernel, blob, config):
        digest.update(hashlib.sha256(part).digest())
    marker = f"/boot/{digest.hexdigest()[:8]}.id"
    tree = os.path.join(folder, "tree")
    os.makedirs(os.path.join(tree, "boot", "grub"))
    os.makedirs(os.path.join(tree, "EFI", "BOOT"))
    _write(os.path.join(tree, "boot", "tally.elf"), kernel)
    _write(os.path.join(tree, "boot", "initramfs.cpio"), blob)
    _write(os.path.join(tree, "boot", "grub", "grub.cfg"), config)
    _write(tree + marker, digest.hexdigest().encode() + b"\n")
    return marker


def _make_efi(folder, where, marker):
    grub.make(_call, folder, "x86_64-efi", f"{where}/{_EFI_PROGRAM}", "/boot/grub", marker)


def _tree_mib(folder):
    """MiB that the files of `folder`/tree take on FAT, its tables included: 4 + 4 bytes for a sector."""
    files = (os.path.join(path, name) for path, _, names in os.walk(os.path.join(folder, "tree"))
             for name in names)
    sectors = sum(os.path.getsize(file) // gpt.SECTOR_BYTES + 1 for file in files)
    return sectors * (gpt.SECTOR_BYTES + 8) // _MIB + 1


def _date(folder):
    """Gives all files of `folder` the date of the medium."""
    seconds = int(_environment()["SOURCE_DATE_EPOCH"])
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            os.utime(os.path.join(path, name), (seconds, seconds))


def _make_fat(folder, name, mib, first, tree="tree"):
    """Makes the file system `name` of the files in `tree`; `first`: its first sector on the disk."""
    with open(os.path.join(folder, name), "wb") as file:
        file.truncate(mib * _MIB)
    _date(folder)
    kind = ["-F", "-c", "1"] if mib >= _FILES_LEAST_MIB else []
    _call(["mformat", "-i", name, *kind, "-h", "255", "-s", "63", "-T", str(mib * _SECTORS_PER_MIB),
           "-H", str(first), "-N", "7a11a111", "-v", _FAT_LABEL, "::"], folder)
    _call(["mcopy", "-i", name, "-s", "-m", *sorted(
        os.path.join(tree, one) for one in os.listdir(os.path.join(folder, tree))), "::/"], folder)


def _ipxe(words):
    """iPXE starts multiboot kernels on a BIOS only."""
    return ("#!ipxe\n"
            "iseq ${platform} efi && chain tally.efi ||\n"
            f"kernel boot/tally.elf {words} || shell\n"
            "initrd boot/initramfs.cpio || shell\n"
            "boot || shell\n").encode()


def _tar(tree, name):
    """An archive of the folder `name` in `tree`."""
    seconds = int(_environment()["SOURCE_DATE_EPOCH"])

    def plain(entry):
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = seconds, 0, 0, "", ""
        return entry
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.add(os.path.join(tree, name), arcname=name, filter=plain)
    return data.getvalue()


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


def make_disk(blob, words, output, video="auto", size_mib=None):
    """Makes a disk image for a stick or a virtual machine, which BIOS and UEFI start.

    It has two partitions: GRUB for a BIOS; and the files, where UEFI finds its own GRUB. `words`: the
    kernel's command line; `video`: a mode in GRUB's words, see its gfxpayload; `size_mib`: the size of
    the medium, without it the least."""
    _need("grub-mkimage", "mformat", "mcopy", folders=grub.packages())
    with tempfile.TemporaryDirectory(prefix="tally-image-") as folder:
        marker = _tree(folder, blob, words, video)
        grub.make(_call, folder, "i386-pc", "core", "/boot/grub", marker)
        _make_efi(folder, "tree/EFI/BOOT", marker)
        files_mib = max(_FILES_LEAST_MIB, _tree_mib(folder))
        least = 1 + files_mib + 1
        size = size_mib or least
        if size < least:
            raise Failure(USAGE, f"--size {size}: a medium of {size} MiB is too small; it takes {least}")
        sectors = size * _SECTORS_PER_MIB
        last = _FILES_FIRST + files_mib * _SECTORS_PER_MIB - 1
        _make_fat(folder, "files", files_mib, _FILES_FIRST)
        with open(os.path.join(folder, "core"), "rb") as file:
            core = grub.on_disk(file.read(), gpt.HEAD_SECTORS)
        partitions = (
            gpt.Partition(gpt.BIOS_BOOT, "GRUB", gpt.HEAD_SECTORS, _FILES_FIRST - 1),
            gpt.Partition(gpt.EFI_SYSTEM, "Tally", _FILES_FIRST, last))
        head, tail = gpt.tables(sectors, partitions, marker.encode(), grub.boot_sector(gpt.HEAD_SECTORS))
        assert len(head) + len(core) <= _MIB
        with open(os.path.join(folder, "disk"), "wb") as disk:
            disk.write(head + core)
            disk.seek(_FILES_FIRST * gpt.SECTOR_BYTES)
            with open(os.path.join(folder, "files"), "rb") as file:
                _copy(file, disk)
            disk.truncate(size * _MIB)
            disk.seek(-len(tail), os.SEEK_END)
            disk.write(tail)
        _deliver(os.path.join(folder, "disk"), output, 0o644)


def make_iso(blob, words, output, video="auto"):
    """Makes an ISO image that BIOS and UEFI start, from a CD drive or copied to a stick. The arguments
    are make_disk's."""
    _need("grub-mkimage", "xorriso", "mformat", "mcopy", folders=grub.packages())
    with tempfile.TemporaryDirectory(prefix="tally-image-") as folder:
        marker = _tree(folder, blob, words, video)
        grub.make(_call, folder, "i386-pc-eltorito", "tree/boot/grub/bios.img", "/boot/grub", marker)
        os.makedirs(os.path.join(folder, "efi", "EFI", "BOOT"))
        _make_efi(folder, "efi/EFI/BOOT", marker)
        _make_fat(folder, "efi.img", 1 + os.path.getsize(
            os.path.join(folder, "efi", "EFI", "BOOT", _EFI_PROGRAM)) // _MIB, 0, "efi")
        _date(folder)
        _call(["xorriso", "-as", "mkisofs", "-o", "image", "-V", _ISO_LABEL, "-r", "-J",
               "--grub2-mbr", os.path.join(grub.folder("i386-pc"), "boot_hybrid.img"),
               "-partition_offset", "16", "--protective-msdos-label",
               "-b", "boot/grub/bios.img", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table",
               "--grub2-boot-info",
               "-append_partition", "2", "0xef", "efi.img", "-appended_part_as_gpt",
               "-eltorito-alt-boot", "-e", "--interval:appended_partition_2:all::", "-no-emul-boot",
               "tree"], folder)
        _deliver(os.path.join(folder, "image"), output, 0o644)


def make_netboot(blob, words, output, video="auto"):
    """Makes the folder `output` for a server of TFTP or HTTP: a program for BIOS PXE (tally.pxe), which
    fetches the other files by TFTP; one for UEFI, which holds all of them (tally.efi); and a script for
    iPXE. The arguments are make_disk's."""
    _need("grub-mkimage", folders=grub.packages())
    with tempfile.TemporaryDirectory(prefix="tally-image-") as folder:
        _tree(folder, blob, words, video)
        tree = os.path.join(folder, "tree")
        grub.make(_call, folder, "i386-pc-pxe", "tree/tally.pxe", "(pxe)/boot/grub")
        _write(os.path.join(folder, "memdisk"), _tar(tree, "boot"))
        grub.make(_call, folder, "x86_64-efi memdisk", "tree/tally.efi", "(memdisk)/boot/grub",
                  memdisk="memdisk")
        _write(os.path.join(tree, "tally.ipxe"), _ipxe(words))
        try:
            os.makedirs(output, exist_ok=True)
        except OSError as error:
            raise Failure(NOT_FOUND, f"{output}: {error.strerror}") from None
        # The programs last: they are what a machine asks for first.
        for name in ("boot/initramfs.cpio", "boot/tally.elf", "boot/grub/grub.cfg", "tally.ipxe",
                     "tally.pxe", "tally.efi"):
            target = os.path.join(output, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _deliver(os.path.join(tree, name), target, 0o644)
