# SPDX-License-Identifier: BSD-2-Clause
"""The guest's file tree before it becomes an archive: names, and what is to be there.

Names are relative, as in an archive, and no folder on the way to one is a symbolic link: a path that
leads through a link of the tree (Debian's /bin is one, to usr/bin) is followed to where the file then
is. Parents need no entry of their own; the kernel makes those that are missing.
"""

import os
import stat

from . import cpio
from .failure import NOT_FOUND, USAGE, Failure
from .record import record

# Symbolic links that the kernel follows in one path before ELOOP.
_LINKS_MAX = 40


@record
class Entry:
    """`mode` with the file's type. `contents`: bytes, or the host's path of them; a link's target."""

    mode: int
    contents: bytes | str = b""
    status: os.stat_result | None = None  # whose owner, time and device number it has; None: root's
    time: int = 0


def read_file(path):
    """The contents of a file of the host; Failure(NOT_FOUND) if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None


class Layout:
    def __init__(self):
        self._entries = {}

    def add_directory(self, name, mode):
        self._entries[name] = Entry(stat.S_IFDIR | mode)

    def _place(self, path):
        """The name at which a path ends, links followed; where one leads nowhere, that place."""
        todo = path.split("/")[::-1]
        found = []
        links = 0
        while todo:
            part = todo.pop()
            if part == "..":
                found = found[:-1]
            elif part not in ("", "."):
                found.append(part)
                entry = self._entries.get("/".join(found))
                if entry and stat.S_ISLNK(entry.mode):
                    links += 1
                    if links > _LINKS_MAX:
                        raise Failure(USAGE, f"/{'/'.join(found)}: symbolic links lead around in a circle")
                    target = os.fsdecode(entry.contents)
                    found = [] if target.startswith("/") else found[:-1]
                    todo += target.split("/")[::-1]
        return "/".join(found)

    def add_folder(self, path):
        """A directory at the guest's `path`, and those that it is in, unless they are there."""
        parts = [part for part in path.split("/") if part]
        for count in range(1, len(parts) + 1):
            above = "/".join(parts[:count])
            entry = self._entries.setdefault(self._place(above), Entry(stat.S_IFDIR | 0o755))
            if not stat.S_ISDIR(entry.mode):
                raise Failure(USAGE, f"/{above}: is no folder in the tree of --root; call this in another folder than "
                                     f"{path}")

    def add_tree(self, root):
        """Everything under the host directory `root`, as it is; over what has the same name."""
        if not os.path.isdir(root):
            raise Failure(NOT_FOUND, f"--root {root}: no such directory")
        for folder, directories, files in os.walk(root):
            directories.sort()
            for base in sorted(directories + files):
                path = os.path.join(folder, base)
                status = os.lstat(path)
                contents = b""
                if stat.S_ISLNK(status.st_mode):
                    contents = os.fsencode(os.readlink(path))
                elif stat.S_ISREG(status.st_mode):
                    contents = path
                self._entries[os.path.relpath(path, root)] = Entry(status.st_mode, contents, status)

    def add_file(self, path, contents, mode, time=0):
        """A regular file of root's at the guest's `path`, instead of what may be there. `time`: of its last change, in
        seconds since 1970; 0 is that of the boot."""
        self._entries[self._place(path)] = Entry(stat.S_IFREG | mode, contents, time=time)

    def has(self, path):
        """Whether the guest's `path` leads to an entry."""
        return self._place(path) in self._entries

    def add_link(self, path, target):
        """A symbolic link at the guest's `path`, unless something is there."""
        if not self.has(path) and self._place(path) != self._place(target):
            self._entries[self._place(path)] = Entry(stat.S_IFLNK | 0o777, os.fsencode(target))

    def files(self):
        """(path in the guest, contents or the host's path of them) of each regular file."""
        for name, entry in self._entries.items():
            if stat.S_ISREG(entry.mode):
                yield "/" + name, entry.contents

    def _names_of_files(self):
        """{name: all names of its file}, for files of the host with several entries: finish() packs their contents once, as hard
        links."""
        found = {}
        for name, entry in self._entries.items():
            if entry.status is None and isinstance(entry.contents, str):
                try:
                    status = os.stat(entry.contents)
                except OSError:
                    continue  # finish() fails where it reads it
                found.setdefault((status.st_dev, status.st_ino, entry.mode, entry.time), []).append(name)
        return {name: names for names in found.values() if len(names) > 1 for name in names}

    def finish(self):
        """The archive, as bytes."""
        archive = cpio.Archive()
        names_of = self._names_of_files()
        for name, entry in self._entries.items():
            contents = entry.contents
            names = names_of.get(name)
            if names and name != names[0]:
                contents = b""
            if isinstance(contents, str):
                contents = read_file(contents)
            try:
                archive.add(name, entry.mode, contents, entry.status, entry.time, names)
            except ValueError as error:
                raise Failure(USAGE, str(error)) from None
        return archive.finish()
