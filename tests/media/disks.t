#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Disk and ISO images start on BIOS and UEFI, from a disk, a CD and a USB stick; the same input makes the same
bytes; and what is wrong with a command is said in one line.
"""

import os
import shutil
import stat
import struct
import sys
import time
import zlib

from tallylib import failure, gpt, medium
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
FOLDER = os.path.join(BUILD, "tests", "media")
OUTPUT = b"[/bin/words]\n[9]\n[two words]\n[PATH=/bin:/usr/bin]\n[HOME=/]\n"
DISK, ISO = (os.path.join(FOLDER, name) for name in ("disk", "iso"))
MIB = 1 << 20
# tests/media/screens.t has a disk by UEFI.
BOOTS = (
    ("a disk, by BIOS", DISK, ()),
    ("a disk image as a stick, by BIOS", DISK, ("--usb",)),
    ("a disk image as a stick, by UEFI", DISK, ("--usb", "--firmware", "uefi")),
    ("a CD, by UEFI", ISO, ("--firmware", "uefi")),
    ("an ISO image as a stick, by BIOS", ISO, ("--usb",)),
    ("an ISO image as a stick, by UEFI", ISO, ("--usb", "--firmware", "uefi")),
)


def make(output, *options):
    return tap.command([TALLY, "image", *options, "-o", output, WORDS, "9", "two words"])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def headers(data):
    """Both headers of a disk's GPT: their checksums are right, and each names the other."""
    found = []
    for here in (1, len(data) // 512 - 1):
        fields = struct.unpack_from("<8sIIIIQQQQ16sQIII", data, here * 512)
        plain = bytearray(data[here * 512:here * 512 + fields[2]])
        plain[16:20] = bytes(4)
        table = data[fields[10] * 512:fields[10] * 512 + fields[11] * fields[12]]
        found.append((fields[0], zlib.crc32(plain) == fields[3], fields[5] == here, fields[6],
                      zlib.crc32(table) == fields[13], fields[7] <= fields[8] < len(data) // 512))
    return found


def check_bytes(report):
    for name, path, form in ("disk", DISK, "--disk"), ("ISO", ISO, "--iso"):
        first = read(path)
        # FAT's times have 2 seconds.
        time.sleep(2.1)
        again = path + ".again"
        report.equal(make(again, form), (0, b"", ""), f"{name} image: it is made again")
        report.ok(read(again) == first, f"{name} image: the same bytes at another time")
        status, _, error = tap.command([TALLY, "image", form, "-o", again, WORDS, "9", "two words"],
                                       env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000"})
        report.ok(status == 0 and read(again) != first, f"{name} image: SOURCE_DATE_EPOCH is its date", status, error)
        os.unlink(again)
    data = read(DISK)
    last = len(data) // 512 - 1
    good = (b"EFI PART", True, True)
    report.equal(headers(data), [(*good, last, True, True), (*good, 1, True, True)], "disk image: both headers are right")
    big = DISK + ".big"
    report.equal(make(big, "--disk", "--size", "64"), (0, b"", ""), "disk image: --size is taken")
    report.equal((os.path.getsize(big), [header[1] for header in headers(read(big))]), (64 * MIB, [True, True]),
                 "disk image: it has that size, and its second header at the end")
    os.unlink(big)
    report.equal(read(ISO)[16 * 2048 + 1:16 * 2048 + 6], b"CD001", "ISO image: it has the descriptor of one")
    report.equal(read(ISO)[512:520], b"EFI PART", "ISO image: as a stick it has partitions")


def check_report(report):
    path = os.path.join(FOLDER, "report")
    report.equal(tap.command([TALLY, "image", "--report", "-o", path]), (0, b"", ""),
                 "--report needs nothing but a name")
    report.equal(read(path)[512:520], b"EFI PART", "--report makes a disk image")
    status, output, error = tap.command([TALLY, "boot", "--timeout", "400", path])
    report.equal(status, 0, "the report on a disk: every rule holds in our emulator",
                 output.decode(errors="replace")[-2000:], error)
    report.ok(b"^P" not in output and b"\x10" not in output, "the report has no echo of an input's end")
    os.unlink(path)


def check_bad_input(report):
    faults = (
        (("--disk", "--size", "3", "-o", "x", WORDS), failure.USAGE, "a medium of 3 MiB is too small; it takes 36"),
        (("--iso", "--size", "64", "-o", "x", WORDS), failure.USAGE, "--size is for --disk"),
        (("--disk", "-o", "no/such/x", WORDS), failure.NOT_FOUND, "no/such/x: No such file or directory"),
        (("--pxe", "/dev/null/x", WORDS), failure.NOT_FOUND, "/dev/null/x: Not a directory"),
        (("--pxe", "x", "-o", "y", WORDS), failure.USAGE, "leave out -o"),
        (("--disk", "--iso", "-o", "x", WORDS), failure.USAGE, "not allowed with"),
        (("--append", "loglevel=3", "-o", "x", WORDS), failure.USAGE, "--append needs --disk"),
        (("--elf", "--video", "text", "-o", "x", WORDS), failure.USAGE, "--video needs --disk"),
        (("--report", "-o", "x", WORDS), failure.USAGE, "--report is the program"),
        (("--disk", WORDS), failure.USAGE, "name the file to write"),
        (("--disk", "--append", "trace=a;b", "-o", "x", WORDS), failure.USAGE, "would not pass on ';'"),
        (("--pxe", "x", "--append", "a\nb", WORDS), failure.USAGE, "would not pass on '\\n'"),
        (("-o", "pipe", WORDS), failure.USAGE, "pipe is no regular file"),
    )
    # It stands for a stick's device, whose name must stay the device's.
    os.mkfifo(os.path.join(FOLDER, "pipe"))
    for words, expected, part in faults:
        status, output, error = tap.command([TALLY, "image", *words], cwd=FOLDER)
        report.ok(status == expected and part in error and error.count("\n") == 1 and not output,
                  f"image {' '.join(word for word in words if word != WORDS)}: one line, status {expected}", status, error)
    report.ok(stat.S_ISFIFO(os.stat(os.path.join(FOLDER, "pipe")).st_mode), "a FIFO as the output stays as it is")
    os.unlink(os.path.join(FOLDER, "pipe"))
    elf = os.path.join(FOLDER, "elf")
    make(elf)
    for option in ("--usb",), ("--firmware", "uefi"):
        status, _, error = tap.command([TALLY, "boot", *option, elf])
        report.ok(status == failure.USAGE and error.count("\n") == 1, f"boot {' '.join(option)} ELF: refused", status, error)
    os.unlink(elf)
    medium.FIRMWARE["uefi"] = "/no/such/OVMF.fd"
    try:
        medium.words(DISK, "uefi", False)
        problem = None
    except failure.Failure as found:
        problem = found
    report.ok(problem and problem.status == failure.MISSING and "ovmf" in problem.message
              and "\n" not in problem.message, "a missing OVMF is named, with its package", problem)
    big = os.path.join(FOLDER, "big")
    with open(big, "wb") as file:
        file.truncate(1 << 40)
        file.seek(5 * MIB)
        file.write(b"\n multiboot2 /boot/tally.elf console=cooked\n")
    report.ok(medium.is_terminal(big), "an image that is larger than memory: its console is found")
    os.unlink(big)
    report.equal(sorted(os.listdir(FOLDER)), ["disk", "iso"], "no half-made files are left")


def main():
    report = tap.Report()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    report.equal(make(DISK, "--disk"), (0, b"", ""), "a disk image is made, without a word")
    report.equal(make(ISO, "--iso"), (0, b"", ""), "an ISO image is made, without a word")
    for name, path, options in BOOTS:
        status, output, error = tap.command([TALLY, "boot", "--timeout", "400", *options, path])
        # UEFI writes on the line, too, and ends it as it likes.
        report.equal((status, output[-len(OUTPUT):]), (9, OUTPUT), f"{name}: it boots, output and status are right", error)
    check_bytes(report)
    check_report(report)
    check_bad_input(report)
    report.equal(gpt.HEAD_SECTORS, 34, "the first partition begins where tools expect it")
    return report.done()


sys.exit(main())
