# SPDX-License-Identifier: BSD-2-Clause
"""An initramfs that holds one program: the machine's first."""

from tallylib import cpio


def pack(program, output):
    """Writes the archive `output` with the file `program` as its /init."""
    archive = cpio.Archive()
    with open(program, "rb") as file:
        archive.add_file("init", file.read(), 0o755)
    with open(output, "wb") as file:
        file.write(archive.finish())
