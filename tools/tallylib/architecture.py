# SPDX-License-Identifier: BSD-2-Clause
"""The architectures that Tally runs on: what differs between them for this command."""

from .record import record


@record
class Architecture:
    """One architecture. User addresses are below `user_end`; a page bounds what "congruent" means there."""

    option: str            # what --arch calls it
    name: str              # what sentences call it
    elf_machine: int
    user_end: int
    page_bytes: int
    folder: str            # of the build folder
    make: str              # what builds the kernel
    command_line_max: int  # characters that its boot protocol passes
    by_console: bool = False  # the machine's console speaks first, and ends the machine without a status


ARCHITECTURES = {
    # Linux/x86-64: user addresses end a page below 2^47.
    "x86_64": Architecture("x86_64", "x86-64", 62, (1 << 47) - 4096, 4096, "", "make", 2047),
    # Linux/alpha: 2^42, its TASK_SIZE.
    "alpha": Architecture("alpha", "Alpha", 0x9026, 1 << 42, 8192, "alpha", "make ARCH=alpha", 255,
                          by_console=True),
}
DEFAULT = "x86_64"


def by_machine(number):
    """The architecture of an ELF file's e_machine, or None."""
    return next((one for one in ARCHITECTURES.values() if one.elf_machine == number), None)
