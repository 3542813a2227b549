# SPDX-License-Identifier: BSD-2-Clause
"""Can this file be the machine's program? Answers before booting, in words.

The kernel checks every executable itself and relies on nothing here; `--no-check` skips
this module, and the tests use it to show the kernel the same damaged files. The checks are those of
Linux 6.12's binfmt_elf, plus two for faults that it accepts and that are always
mistakes: segments that overlap, and an executable without a segment to load.
"""

import struct

from . import architecture
from .failure import BAD_PROGRAM, Failure

# ELF-64 Object File Format, version 1.5: the file header, and one program header.
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")

_ET_NAMES = {0: "has no type", 1: "is an object file; link it first", 4: "is a core dump"}
_ET_EXEC = 2
_ET_DYN = 3
_MACHINES = {3: "32-bit x86", 20: "PowerPC", 21: "PowerPC", 22: "S/390", 40: "ARM", 183: "AArch64",
             243: "RISC-V", 258: "LoongArch"}
_PT_LOAD = 1

# The lowest 64 KiB cannot be mapped (vm.mmap_min_addr).
_USER_START = 0x10000


def _complaint_of_machine(machine, arch):
    """The message for an executable for another machine."""
    other = architecture.by_machine(machine)
    if not other:
        name = _MACHINES.get(machine, f"machine number {machine}")
        return f"is for {name}; Tally runs {arch.name} executables"
    if other.option == architecture.DEFAULT:
        return f"is for {other.name}; run it without --arch {arch.option}"
    return f"is for {other.name}; run it with --arch {other.option}"


def _complaint_of_segments(segments, file_bytes, fixed, arch):
    """The fault of the program headers, or None. `fixed`: addresses are absolute."""
    ranges = []
    for p_type, _, offset, vaddr, _, filesz, memsz, _ in segments:
        if p_type != _PT_LOAD:
            continue
        where = f"the segment at {vaddr:#x}"
        if offset + filesz > file_bytes:
            return f"is cut off: {where} needs the file up to byte {offset + filesz}, " \
                   f"it ends at {file_bytes}"
        if filesz > memsz:
            return f"{where} has more bytes in the file ({filesz}) than in memory ({memsz})"
        if vaddr + memsz > arch.user_end:
            return f"{where} reaches into kernel space (user addresses end at {arch.user_end:#x})"
        if fixed and memsz and vaddr < _USER_START:
            return f"{where} is below {_USER_START:#x}, where nothing can be mapped"
        if (vaddr - offset) % arch.page_bytes:
            return f"{where} cannot be mapped: its address and its file offset {offset:#x} " \
                   "differ within a page"
        if memsz:
            ranges.append((vaddr, vaddr + memsz))
    if not ranges:
        return "has no segment to load"
    ranges.sort()
    for (start, end), (next_start, _) in zip(ranges, ranges[1:]):
        if next_start < end:
            return f"the segments at {start:#x} and {next_start:#x} overlap"
    return None


def _complaint(data, arch):
    """The fault of the executable, or None."""
    if not data:
        return "is empty; compile it again"
    if data[:2] == b"#!":
        return None
    if data[:4] != b"\x7fELF":
        return "is no ELF executable"
    if len(data) < _HEADER.size:
        return f"is cut off inside its ELF header, at byte {len(data)}"
    (ident, e_type, machine, _, _, phoff, _, _, _, phentsize, phnum, _, _, _) = \
        _HEADER.unpack_from(data)
    if ident[4] != 2:
        return "is a 32-bit executable; compile it for x86-64 (gcc -m64)"
    if ident[5] != 1:
        return f"is big-endian; Tally runs {arch.name} executables"
    if machine != arch.elf_machine:
        return _complaint_of_machine(machine, arch)
    if e_type not in (_ET_EXEC, _ET_DYN):
        return _ET_NAMES.get(e_type, f"has the unknown ELF type {e_type}")
    if phentsize != _SEGMENT.size:
        return f"has program headers of {phentsize} bytes; ELF64 has {_SEGMENT.size}"
    if phnum == 0:
        return "has no program headers, so nothing to load"
    if phoff + phnum * phentsize > len(data):
        return f"is cut off: its program headers end at byte {phoff + phnum * phentsize}, " \
               f"the file at {len(data)}"
    segments = [_SEGMENT.unpack_from(data, phoff + i * phentsize) for i in range(phnum)]
    return _complaint_of_segments(segments, len(data), e_type == _ET_EXEC, arch)


def check_program(path, data, arch):
    """Raises Failure(BAD_PROGRAM) unless `data`, the contents of `path`, is a program for the Architecture
    `arch`: an executable, static or dynamic, or a script."""
    complaint = _complaint(data, arch)
    if complaint:
        raise Failure(BAD_PROGRAM, f"{path}: {complaint}")
