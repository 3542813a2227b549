# SPDX-License-Identifier: BSD-2-Clause
"""What the guest finds when it starts: builds the initramfs from a program, its words and a tree.

The kernel starts what /.tally/argv names, a protocol of ours (docs/boot.md): strings one after
another, each ended by a zero byte; the first is the path of the executable and also argv[0].
/.tally/env has the environment in the same form. Archives made elsewhere have neither, and their
/init is started.
"""

import os
import stat

from . import cpio, elf, libraries
from .failure import BAD_PROGRAM, NOT_FOUND, USAGE, Failure

# There before anything else: mount points of the kernel's own file systems, and where programs
# may write.
_DIRECTORIES = ("bin", "dev", "proc", "sys", "tmp", ".tally")


def read_file(path):
    """The contents of a file of the host; Failure(NOT_FOUND) if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None


def pack_program(program, words, environment, root=None, init=None, check=True, added=()):
    """An initramfs that runs `program` (a host path, or a name in PATH) with `words` as its arguments.

    What the program needs beside itself is packed too, at the paths it has on the host.
    `environment` is a dict; `root` a host directory whose tree is added: a program that is in it is
    run from there, with what the tree has. `added` are more files and folders of the host. `init` is
    the host path of what becomes /init, for a kernel that does not know /.tally/argv. Returns the
    archive's bytes.
    """
    archive = cpio.Archive()
    for directory in _DIRECTORIES:
        archive.add_directory(directory)
    needs = libraries.Needs()
    name = _in_root(program, root)
    if name is None:
        program = libraries.in_path(program)
        data = read_file(program)
        if check:
            elf.check_program(program, data)
        name = "/bin/" + os.path.basename(program)
        if check:
            needs.add(program, name)
        else:
            needs.files[name] = program
    for path in added:
        if os.path.isdir(path):
            needs.add_tree(os.path.abspath(path))
        else:
            needs.add(path)
    files = {path.lstrip("/"): source for path, source in needs.files.items()}
    if root is not None:
        _add_tree(archive, root, set(_DIRECTORIES) | set(files))
    for path, source in files.items():
        if root is None or path == name.lstrip("/") or not os.path.exists(os.path.join(root, path)):
            mode = 0o755 if path == name.lstrip("/") else stat.S_IMODE(os.stat(source).st_mode)
            archive.add_file(path, read_file(source), mode)
    if init is not None:
        archive.add_file("init", read_file(init), 0o755)
    archive.add_file(".tally/argv", _strings([name] + list(words)))
    archive.add_file(".tally/env", _strings(f"{key}={value}" for key, value in environment.items()))
    return archive.finish()


def _in_root(program, root):
    """The path in the tree `root` of a program that is there, or None."""
    if root is None:
        return None
    names = [program] if program.startswith("/") else \
        [f"{folder}/{program}" for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin")]
    if "/" in program and not program.startswith("/"):
        return None
    for name in names:
        if os.path.lexists(os.path.join(root, name.lstrip("/"))):
            return name
    return None


def read_ready_made(path, check=True):
    """The bytes of an initramfs that exists; Failure(BAD_PROGRAM) if it is damaged."""
    data = read_file(path)
    if not check:
        return data
    if data[:2] == b"\x1f\x8b" or data[:4] == b"\x28\xb5\x2f\xfd" or data[:6] == b"\xfd7zXZ\0":
        raise Failure(BAD_PROGRAM, f"{path}: is compressed; unpack it first "
                                   "(gzip -d, zstd -d or xz -d)")
    try:
        names = {name.removeprefix("./").lstrip("/") for name, _, _ in cpio.entries(data)}
    except ValueError as error:
        raise Failure(BAD_PROGRAM, f"{path}: is no usable initramfs: {error}") from None
    if not names & {"init", ".tally/argv"}:
        raise Failure(BAD_PROGRAM, f"{path}: has neither /init nor /.tally/argv, "
                                   "so nothing to start")
    return data


def _strings(words):
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _add_tree(archive, root, taken):
    """Adds what is under the host directory `root`, except the names in `taken`."""
    if not os.path.isdir(root):
        raise Failure(NOT_FOUND, f"--root {root}: no such directory")
    for folder, directories, files in os.walk(root):
        directories.sort()
        for entry in sorted(directories + files):
            path = os.path.join(folder, entry)
            name = os.path.relpath(path, root)
            mode = os.lstat(path).st_mode
            if name in taken:
                continue
            if stat.S_ISLNK(mode):
                archive.add_link(name, os.readlink(path))
            elif stat.S_ISDIR(mode):
                archive.add_directory(name)
            elif stat.S_ISREG(mode):
                archive.add_file(name, read_file(path), stat.S_IMODE(mode))
            else:
                raise Failure(USAGE, f"{path}: is neither file, directory nor symbolic link; "
                                     "remove it from the --root tree")
