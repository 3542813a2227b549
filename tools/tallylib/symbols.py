# SPDX-License-Identifier: BSD-2-Clause
"""The functions of an ELF file: where each begins, what it is called, and which line that is.

Names come from .symtab, else from the debug file with the same build id below /usr/lib/debug, and from .dynsym. The entries
of procedure linkage tables are called NAME@plt. Where a file has been stripped of names, .eh_frame_hdr still knows where
functions begin: those are called after their address. A function goes on to where the next one begins.
"""

import bisect
import os
import struct
import subprocess

from . import paths

DEBUG_FOLDER = "/usr/lib/debug"
_READER = "addr2line"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_FRAME = struct.Struct("<ii")
_PT_LOAD, _PF_X = 1, 1
_SHF_EXECINSTR, _SHN_UNDEF, _SHT_NOBITS = 4, 0, 8
_NOTYPE, _FUNC, _IFUNC = 0, 2, 10
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2
# .eh_frame_hdr as the GNU linker writes it: version 1, and a table of 4-byte pairs that are relative to the section.
_FRAMES_HEAD = bytes([1, 0x1b, 0x03, 0x3b])


class Image:
    """An ELF file of 64 bits and little endian. Raises ValueError for any other, and for a damaged one."""

    def __init__(self, data):
        self.data = data
        try:
            ident, _, _, _, _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, shstrndx = _HEADER.unpack_from(data)
            if ident[:6] != b"\x7fELF\2\1" or (phnum and phentsize != _SEGMENT.size) or (shnum and shentsize != _SECTION.size):
                raise ValueError("no ELF file of 64 bits")
            self.segments = [_SEGMENT.unpack_from(data, phoff + i * _SEGMENT.size) for i in range(phnum)]
            sections = [_SECTION.unpack_from(data, shoff + i * _SECTION.size) for i in range(shnum)]
        except struct.error as error:
            raise ValueError(f"a damaged ELF file: {error}") from None
        names = sections[shstrndx] if shstrndx < len(sections) else None
        self._sections = sections
        self.sections = {self._text(names, section[0]): section for section in sections} if names else {}

    def contents(self, section):
        if section is None or section[1] == _SHT_NOBITS:
            return b""
        return self.data[section[4]:section[4] + section[5]]

    def _text(self, strings, offset):
        data = self.data
        start = strings[4] + offset
        end = data.find(b"\0", start)
        return data[start:end].decode(errors="replace") if 0 <= start <= end else ""

    def symbols(self, name):
        """(address, size, type, binding, section, name) of each symbol of the table NAME."""
        table = self.sections.get(name)
        if table is None or table[6] >= len(self._sections):
            return
        content = self.contents(table)
        strings = self._sections[table[6]]
        for label, info, _, section, value, size in _SYMBOL.iter_unpack(content[:len(content) // _SYMBOL.size * _SYMBOL.size]):
            yield value, size, info & 15, info >> 4, section, self._text(strings, label)

    def is_code(self, index):
        return 0 < index < len(self._sections) and self._sections[index][2] & _SHF_EXECINSTR

    def build_id(self):
        content = self.contents(self.sections.get(".note.gnu.build-id"))
        return content[16:].hex() if len(content) > 16 and content[12:16] == b"GNU\0" else None

    def has_lines(self):
        return ".debug_line" in self.sections


def _rank(symbol):
    """The best of the names of one address is the least: global before weak and local ones, short ones, plain ones."""
    _, _, kind, binding, _, name = symbol
    return (kind == _NOTYPE, {_GLOBAL: 0, _WEAK: 1}.get(binding, 2), len(name) - len(name.lstrip("_")), len(name), name)


def _named(image, table, found):
    best, labels, ends = {}, [], []
    for symbol in image.symbols(table):
        address, size, kind, binding, section, name = symbol
        if not (name and image.is_code(section)):
            continue
        if kind == _NOTYPE and binding == _LOCAL:
            labels.append(symbol)
        elif kind in (_FUNC, _IFUNC, _NOTYPE):
            ends.append((address, address + size))
            if address not in best or _rank(symbol) < _rank(best[address]):
                best[address] = symbol
    # A label of assembly is a function unless it is inside of one.
    ends.sort()
    for symbol in labels:
        before = bisect.bisect_right(ends, (symbol[0], 1 << 64)) - 1
        if before < 0 or symbol[0] >= ends[before][1]:
            best.setdefault(symbol[0], symbol)
    for address, symbol in best.items():
        found.setdefault(address, symbol[5].split("@")[0])


def _linkage(image, found):
    """The entries of the procedure linkage tables: that of the first relocation is the first entry or the second."""
    symbols = [symbol[5].split("@")[0] for symbol in image.symbols(".dynsym")]
    content = image.contents(image.sections.get(".rela.plt"))
    names = [symbols[info >> 32] if 0 < info >> 32 < len(symbols) else None
             for _, info, _ in _RELOCATION.iter_unpack(content[:len(content) // _RELOCATION.size * _RELOCATION.size])]
    for table in (".plt", ".plt.sec", ".plt.got"):
        section = image.sections.get(table)
        if section is None:
            continue
        found.setdefault(section[3], f"[{table}]")
        first = section[5] // 16 - len(names)
        if table != ".plt.got" and first in (0, 1) and not (table == ".plt" and ".plt.sec" in image.sections):
            for index, name in enumerate(names):
                found[section[3] + 16 * (first + index)] = f"{name}@plt" if name else f"[{table}]"


def _frames(image, found):
    section = image.sections.get(".eh_frame_hdr")
    content = image.contents(section)
    if content[:4] != _FRAMES_HEAD or len(content) < 12:
        return
    count = min(struct.unpack_from("<I", content, 8)[0], (len(content) - 12) // _FRAME.size)
    for start, _ in _FRAME.iter_unpack(content[12:12 + count * _FRAME.size]):
        address = (section[3] + start) & (1 << 64) - 1
        found.setdefault(address, f"{address:#x}")


def debug_file(image):
    """The path of the file with the names and lines of IMAGE, or None."""
    build_id = image.build_id()
    path = build_id and os.path.join(DEBUG_FOLDER, ".build-id", build_id[:2], build_id[2:] + ".debug")
    return path if path and os.path.isfile(path) else None


def _code_segments(image):
    """(address, offset, bytes in the file) of the executable segments."""
    return sorted((vaddr, offset, filesz) for kind, flags, offset, vaddr, _, filesz, _, _ in image.segments
                  if kind == _PT_LOAD and flags & _PF_X)


def _offsets(image, addresses):
    """(offset in the file, address) of the addresses that the executable segments have."""
    segments = _code_segments(image)
    starts = [segment[0] for segment in segments]
    for address in addresses:
        index = bisect.bisect_right(starts, address) - 1
        if index >= 0 and address < segments[index][0] + segments[index][2]:
            yield address - segments[index][0] + segments[index][1], address


class Functions:
    """The functions of one file: `starts`, where they begin in it, ascending; `names`; `addresses`, in the file's own
    numbering. `lines_from` is the host's path of the file that has their lines, or None."""

    def __init__(self, data, path=None, absolute=False):
        """DATA: the file's contents; PATH: where the host has it. ABSOLUTE: `starts` are addresses (the kernel's)."""
        image = Image(data)
        found = {}
        _named(image, ".symtab", found)
        self.lines_from = path if image.has_lines() else None
        debug = debug_file(image)
        if debug:
            with open(debug, "rb") as file:
                more = Image(file.read())
            _named(more, ".symtab", found)
            if more.has_lines():
                self.lines_from = debug
        _named(image, ".dynsym", found)
        if not absolute:
            _linkage(image, found)
            for name in (".init", ".fini"):
                if name in image.sections:
                    found.setdefault(image.sections[name][3], f"[{name}]")
            _frames(image, found)
        self.starts, self.names, self.addresses = [], [], []
        self._segments = _code_segments(image)
        if absolute:
            placed = [(address, address) for address in found]
        else:
            placed = _offsets(image, found)
        for offset, address in sorted(placed):
            if not self.starts or offset > self.starts[-1]:
                self.starts.append(offset)
                self.names.append(found[address])
                self.addresses.append(address)

    def address_of(self, offset):
        """The address, in the file's own numbering, of code at an offset in the file."""
        for vaddr, start, size in self._segments:
            if start <= offset < start + size:
                return offset - start + vaddr
        return offset


def reads_lines():
    """Whether binutils' addr2line is there."""
    return paths.in_path(_READER) is not None


def _place(text):
    source, _, number = text.split(" (discriminator")[0].rpartition(":")
    return (source, int(number)) if number.isdecimal() and source not in ("", "??") else (None, 0)


def frames(path, addresses):
    """For each of the addresses in the file at PATH a list of (function, source file or None, line): of the innermost function that
    has the address, then of those that it is inlined into. By binutils' addr2line, if it is there."""
    nothing = [[("??", None, 0)] for _ in addresses]
    tool = paths.in_path(_READER)
    if not path or not tool or not addresses:
        return nothing
    text = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run([tool, "-a", "-i", "-f", "-e", path], input=text, capture_output=True, text=True, errors="replace", check=False)
    found, name = [], None
    for line in done.stdout.split("\n")[:-1]:
        # After an address a name and a place take turns.
        if name is None and line.startswith("0x"):
            found.append([])
        elif not found:
            return nothing
        elif name is None:
            name = line
        else:
            found[-1].append((name, *_place(line)))
            name = None
    return found if done.returncode == 0 and len(found) == len(addresses) and all(found) else nothing


def lines(path, addresses):
    """[(source file or None, line)] of the addresses in the file at PATH."""
    return [found[0][1:] for found in frames(path, addresses)]


def demangle(names):
    """The names, those of C++ as their programmers write them, by binutils' c++filt if it is there."""
    tool = paths.in_path("c++filt")
    mangled = sorted({name for name in names if name.startswith("_Z")})
    if not mangled or not tool:
        return list(names)
    done = subprocess.run([tool], input="\n".join(mangled) + "\n", capture_output=True, text=True, errors="replace", check=False)
    shown = done.stdout.splitlines()
    known = dict(zip(mangled, shown)) if len(shown) == len(mangled) else {}
    return [known.get(name, name) for name in names]
