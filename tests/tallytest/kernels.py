# SPDX-License-Identifier: BSD-2-Clause
"""Which kernels the tests run: the one under test, and the debug kernel.

`make check` tests the first and has the second at hand. Under `make DEBUG=1 check` both are the debug kernel, whose sizes and
costs are others. A test of these calls skip_on_debug, and so does one that runs the debug kernel anyway.
"""

import os
import sys

BUILD = os.environ["TALLY_BUILD"]
KERNEL = os.path.join(BUILD, "tally.elf")
DEBUG_KERNEL = os.environ.get("TALLY_DEBUG_KERNEL") or os.path.join(BUILD, "debug", "tally.elf")
IS_DEBUG = os.path.realpath(KERNEL) == os.path.realpath(DEBUG_KERNEL)


def folder(arch):
    """The folder of the files that are built for ARCH, a name of --arch."""
    return BUILD if arch == "x86_64" else os.path.join(BUILD, arch)


def kernel(arch):
    return KERNEL if arch == "x86_64" else os.path.join(folder(arch), "tally.elf")


def debug_kernel(arch):
    return DEBUG_KERNEL if arch == "x86_64" else os.path.join(folder(arch), "debug", "tally.elf")


def skip_on_debug(reason):
    """Ends the script, all of it skipped for `reason`, if the kernel under test is the debug kernel."""
    if IS_DEBUG:
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
