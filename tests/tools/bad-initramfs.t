#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Damaged initramfs archives: the tool refuses each in one line, and the kernel refuses it unaided.

Also what no archive's own bytes tell: one that does not fit into the machine's memory.
"""

import os
import sys

from tallylib import cpio
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
FOLDER = os.path.join(BUILD, "tests", "bad-initramfs")
HEADER_BYTES = 110
# Where a header has the size of its file and of its name.
FILESIZE_AT, NAMESIZE_AT = 54, 94


def good_archive():
    """An archive of one file, /init, which is a real program."""
    with open(os.path.join(BUILD, "tests", "words"), "rb") as file:
        program = file.read()
    archive = cpio.Archive()
    archive.add_file("init", program, 0o755)
    return archive.finish()


def with_bytes(data, at, new):
    return data[:at] + new + data[at + len(new):]


GOOD = good_archive()
END = GOOD.rindex(b"070701")

# Name, the archive, the tool's expected message.
DAMAGE = (
    ("empty", b"", "is cut off at byte 0"),
    ("garbage", bytes(range(1, 256)) * 100, "there is no cpio newc entry at byte 0"),
    ("old-format", b"\xc7\x71" + bytes(74), "there is no cpio newc entry at byte 0"),
    ("gzip", b"\x1f\x8b\x08" + bytes(64), "is compressed"),
    ("zstd", b"\x28\xb5\x2f\xfd" + bytes(64), "is compressed"),
    ("cut-in-header", GOOD[:HEADER_BYTES // 2], "inside an entry's header"),
    ("cut-in-name", GOOD[:HEADER_BYTES + 2], "is cut off at byte 112"),
    ("cut-in-file", GOOD[:END // 2], f"is cut off at byte {END // 2}"),
    ("cut-before-end", GOOD[:END], "before its last entry"),
    ("cut-in-end", GOOD[:END + HEADER_BYTES + 4], "is cut off"),
    ("not-hexadecimal", with_bytes(GOOD, FILESIZE_AT, b"0000xyz0"), "is not hexadecimal"),
    ("huge-file", with_bytes(GOOD, FILESIZE_AT, b"FFFFFFFF"), "is cut off"),
    ("huge-name", with_bytes(GOOD, NAMESIZE_AT, b"FFFFFFFF"), "is cut off"),
    ("no-name", with_bytes(GOOD, NAMESIZE_AT, b"00000000"), "does not end"),
    ("endless-name", with_bytes(GOOD, HEADER_BYTES, b"initx"), "does not end"),
    ("bad-second-magic", with_bytes(GOOD, END, b"170701"), f"no cpio newc entry at byte {END}"),
    ("nothing-to-start", cpio.Archive().finish(), "has neither /init nor /.tally/argv"),
)


def run(path, *options):
    return tap.command([TALLY, "run", "--timeout", "400", "--log", path + ".log", *options,
                        "--initrd", path])


def main():
    report = tap.Report()
    os.makedirs(FOLDER, exist_ok=True)

    path = os.path.join(FOLDER, "good")
    with open(path, "wb") as file:
        file.write(GOOD)
    status, output, error = tap.command([TALLY, "run", "--timeout", "400", "--initrd", path, "7"])
    report.equal((status, output[:12]), (7, b"[/init]\n[7]\n"), "an undamaged one runs its /init",
                 error)

    for name, data, says in DAMAGE:
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(data)
        status, _, error = run(path)
        report.equal(status, 126, f"{name}: the tool refuses it", error)
        report.ok(says in error and error.startswith(f"tally: {path}: ") and error.count("\n") == 1,
                  f"{name}: in one line that says: {says}", error)
        status, output, error = run(path, "--no-check")
        report.equal((status, output), (122, b""), f"{name}: the kernel refuses it, too", error)
        report.ok(error.count("\n") == 1, f"{name}: in one line", error)

    # Larger than the machine; then one that fits beside nothing else.
    for mib, memory in ((96, 64), (60, 64)):
        path = os.path.join(FOLDER, f"{mib}-mib")
        archive = cpio.Archive()
        archive.add_file("init", b"x")
        archive.add_file("filler", bytes(mib << 20))
        with open(path, "wb") as file:
            file.write(archive.finish())
        for check, refused in (((), 120), (("--no-check",), 122)):
            status, output, error = run(path, "--memory", str(memory), *check)
            told = "the kernel refuses them, too" if check else f"do not fit into {memory}: the tool refuses them"
            report.equal((status, output), (refused, b""), f"{mib} MiB: {told}", error)
            report.ok(error.count("\n") == 1, f"{mib} MiB: in one line", error)
        os.remove(path)
    return report.done()


sys.exit(main())
