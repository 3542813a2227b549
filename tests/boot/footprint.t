#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel starts in 60 million instructions from reset to /init, and its image has at most 1 MiB."""

import os
import sys

from tallytest import footprint, kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = [os.path.join(ROOT, "tools", "tally"), "run"]


def main():
    kernels.skip_on_debug("the limits are the ordinary kernel's: checks take instructions and bytes")
    report = tap.Report()
    count = footprint.boot_instructions(TALLY)
    report.ok(count <= footprint.BOOT_INSTRUCTIONS_MAX,
              f"from reset to /init: at most {footprint.BOOT_INSTRUCTIONS_MAX} instructions", count)
    report.note(f"{count} instructions")
    size = footprint.image_bytes(os.path.join(footprint.BUILD, "tally.elf"))
    report.ok(size <= footprint.IMAGE_BYTES_MAX,
              f"the stripped image: at most {footprint.IMAGE_BYTES_MAX} bytes", size)
    report.note(f"{size} bytes")
    return report.done()


sys.exit(main())
