# SPDX-License-Identifier: BSD-2-Clause
"""Tally's cost before it does anything: instructions from reset to /init, bytes of the kernel's image.

bench/compare prints both, boot/footprint.t keeps them within their limits.
"""

import os
import subprocess
import tempfile

from tallytest import tap

BUILD = os.environ.get("TALLY_BUILD") or os.path.join(os.path.dirname(__file__), "..", "..", "build")
BOOT_INSTRUCTIONS_MAX = 60_000_000
IMAGE_BYTES_MAX = 1 << 20


def boot_instructions(command):
    """The time stamp at the start of the first program, counted from reset, on one CPU with 256 MiB.

    Under --icount it counts instructions, the firmware's too. `command` is that of a kernel
    (`tally run`, `linux-run`). Raises RuntimeError if the program does not print a number.
    """
    status, output, error = tap.command(
        [*command, "--icount", "--memory", "256", "--timeout", "100", os.path.join(BUILD, "tests", "timestamp")])
    if status or not output.strip().isdigit():
        raise RuntimeError(f"status {status}, output {output!r}, {error}")
    return int(output)


def image_bytes(kernel):
    """The size of the ELF file without symbols, as a boot loader would read it."""
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, kernel], check=True)
        return os.path.getsize(stripped.name)
