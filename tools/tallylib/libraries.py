# SPDX-License-Identifier: BSD-2-Clause
"""The other files that a program needs to run: its interpreter, its libraries, its family's files.

The answer is read from the files themselves, the way the dynamic loader would (ld.so(8)), without
running anything: PT_INTERP, DT_NEEDED, DT_RPATH and DT_RUNPATH with $ORIGIN, then the directories of
/etc/ld.so.conf and the loader's own. Files that a program opens by name while it runs cannot be seen:
_FAMILIES knows some, and --add is for the rest.
"""

import glob
import os
import struct

from .failure import BAD_PROGRAM, NOT_FOUND, Failure

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<QQ")
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_PATH_BYTES = 4096
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 0, 1, 5, 15, 29

# The loader's own directories, after those of /etc/ld.so.conf.
_DEFAULT_DIRECTORIES = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
                        "/lib", "/usr/lib")
# Libraries that other libraries open by name: glibc opens this one at pthread_exit and pthread_cancel.
_OPENED = {"libc.so.6": ("libgcc_s.so.1",)}
# How many #! lines may lead to another: the kernel's limit.
_SCRIPTS_MAX = 4
# Left out of folders: nothing that a program opens.
_LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip"}
# The beginning of a folder's name in Python's, with what a program that has Python inside is linked with: 33 MB in Debian.
_LINKED_WITH = "config-3."


def _python(executable):
    """Python finds its modules beside itself: PREFIX/bin/python3.N, PREFIX/lib/python3.N."""
    real = os.path.realpath(executable)
    name = os.path.basename(real)
    return [os.path.join(os.path.dirname(os.path.dirname(real)), "lib", name)]


def _embedded_python(library):
    """So does a program that has Python inside, as gdb: PREFIX/lib/TRIPLET/libpython3.N.so, PREFIX/lib/python3.N."""
    real = os.path.realpath(library)
    name = os.path.basename(real).split(".so")[0][len("lib"):]
    above = os.path.dirname(real)
    return [os.path.join(above, name), os.path.join(os.path.dirname(above), name)]


def _gdb(_):
    """gdb's own Python files, and those that it opens for threads and for character sets."""
    libraries = ("libthread_db.so.1", "gconv/gconv-modules.cache", "gconv/UTF-32.so")
    return ["/usr/share/gdb", *(os.path.join("/usr/lib/x86_64-linux-gnu", library) for library in libraries)]


# Beginnings of the names of executables and libraries, and the function that lists the files and folders that they need.
_FAMILIES = (("python3.", _python), ("libpython3.", _embedded_python), ("gdb", _gdb))


def _in_standard_path(name):
    for directory in ("/usr/local/bin", "/usr/bin", "/bin"):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    return None


def _configured(path):
    """The directories of ld.so.conf and of what it includes."""
    found = []
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.split("#")[0].strip() for line in file]
    except OSError:
        return found
    for line in lines:
        words = line.split()
        if words[:1] == ["include"]:
            for pattern in words[1:]:
                for name in sorted(glob.glob(os.path.join(os.path.dirname(path), pattern))):
                    found += _configured(name)
        elif line:
            found.append(line)
    return found


def _dynamic(data):
    """An ELF file's interpreter or None, the libraries it needs, and where to look first."""
    try:
        phoff, phnum = _HEADER.unpack_from(data)[5], _HEADER.unpack_from(data)[10]
        segments = [_SEGMENT.unpack_from(data, phoff + i * _SEGMENT.size) for i in range(phnum)]
    except struct.error:
        return None, [], []
    loads = [(vaddr, offset, filesz) for kind, _, offset, vaddr, _, filesz, _, _ in segments
             if kind == _PT_LOAD]
    interpreter, entries = None, []
    for kind, _, offset, _, _, filesz, _, _ in segments:
        piece = data[offset:offset + filesz]
        if kind == _PT_INTERP:
            interpreter = os.fsdecode(piece.rstrip(b"\0"))
        elif kind == _PT_DYNAMIC:
            for entry in _DYNAMIC.iter_unpack(piece[:len(piece) // 16 * 16]):
                if entry[0] == _DT_NULL:
                    break
                entries.append(entry)
    table = next((value for tag, value in entries if tag == _DT_STRTAB), None)
    strings = next((data[offset + table - vaddr:offset + filesz] for vaddr, offset, filesz in loads
                    if table is not None and vaddr <= table < vaddr + filesz), b"")

    def names(tag):
        return [os.fsdecode(strings[value:strings.index(b"\0", value)])
                for kind, value in entries if kind == tag and value < len(strings)]

    search = [directory for path in names(_DT_RUNPATH) or names(_DT_RPATH)
              for directory in path.split(":") if directory]
    return interpreter, names(_DT_NEEDED), search


class Needs:
    """Collects files of the host, by the path at which a program looks for them."""

    def __init__(self):
        self.files = {}  # path: path of the contents
        self._directories = None

    def _find(self, library, search):
        if "/" in library:
            return library if os.path.isfile(library) else None
        if self._directories is None:
            self._directories = [*_configured("/etc/ld.so.conf"), *_DEFAULT_DIRECTORIES]
        for directory in [*search, *self._directories]:
            path = os.path.join(directory, library)
            if os.path.isfile(path):
                return path
        return None

    def _add_interpreter(self, path, line, scripts_left):
        words = line[2:].split(b"\n")[0].split()
        if not words:
            raise Failure(BAD_PROGRAM, f"{path}: is a script that names no interpreter")
        interpreter = os.fsdecode(words[0])
        if not scripts_left:
            raise Failure(BAD_PROGRAM, f"{path}: its interpreter is a script, and so on")
        if not os.path.isfile(interpreter):
            raise Failure(NOT_FOUND, f"{path}: its interpreter {interpreter} is not there")
        self._add(interpreter, interpreter, scripts_left - 1)
        # env(1) looks for its first word.
        if os.path.basename(interpreter) == "env" and len(words) > 1:
            found = _in_standard_path(os.fsdecode(words[1]))
            if found:
                self._add(found, found, scripts_left - 1)

    def _add_elf(self, path, data):
        interpreter, needed, search = _dynamic(data)
        if interpreter is not None:
            if not 1 < len(interpreter) < _PATH_BYTES or "\0" in interpreter:
                raise Failure(BAD_PROGRAM, f"{path}: the name of its dynamic loader is damaged")
            if not os.path.isfile(interpreter):
                raise Failure(NOT_FOUND, f"{path}: its dynamic loader {interpreter} is not there; "
                                         "install it, or link the program with -static")
            self._add(interpreter, interpreter, 0)
        origin = os.path.dirname(os.path.realpath(path))
        search = [directory.replace("$ORIGIN", origin).replace("${ORIGIN}", origin)
                  for directory in search]
        for library in needed:
            found = self._find(library, search)
            if found is None:
                raise Failure(NOT_FOUND, f"{path}: needs {library}, which is in no directory of the "
                                         "dynamic loader; install it, or --add it")
            self._add(found, found, 0)
            for opened in _OPENED.get(library, ()):
                path_of_opened = self._find(opened, [])
                if path_of_opened:
                    self._add(path_of_opened, path_of_opened, 0)

    def _add_if_possible(self, path):
        """A file of a tree: one that lacks something there is not what the tree is added for."""
        try:
            self._add(path, path, _SCRIPTS_MAX)
        except Failure:
            pass

    def add_tree(self, folder):
        """Everything under a folder, and what the executables and libraries in it need."""
        for directory, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name not in _LEFT_OUT and not name.startswith(_LINKED_WITH))
            for file in sorted(files):
                path = os.path.join(directory, file)
                if os.path.isfile(path):
                    self._add_if_possible(path)

    def _add(self, path, name, scripts_left):
        if name in self.files:
            return
        self.files[name] = path
        try:
            with open(path, "rb") as file:
                start = file.read(4)
                if start == b"\x7fELF":
                    file.seek(0)
                    self._add_elf(path, file.read())
                elif start[:2] == b"#!":
                    self._add_interpreter(path, (start + file.read(252)), scripts_left)
        except OSError as error:
            raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None
        if start != b"\x7fELF":
            return
        family = os.path.basename(os.path.realpath(path))
        for beginning, places in _FAMILIES:
            if family.startswith(beginning):
                for place in places(path):
                    if os.path.isdir(place):
                        self.add_tree(place)
                    elif os.path.isfile(place):
                        self._add(place, place, 0)

    def add(self, path, name=None):
        """`path`, at `name` (default: where it is), and all that it needs."""
        self._add(os.path.abspath(path), name or os.path.abspath(path), _SCRIPTS_MAX)


def in_path(name):
    """The host path of the program called NAME: a file, or found in PATH."""
    if "/" in name or os.path.isfile(name):
        return name
    for directory in os.environ.get("PATH", "").split(":"):
        path = os.path.join(directory or ".", name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return name
