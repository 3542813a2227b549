# SPDX-License-Identifier: BSD-2-Clause
"""Builds the initramfs, the files that the guest starts with, from a program, its words and a tree.

The kernel starts what /.tally/argv names, a protocol of ours (docs/boot.md): strings one after
another, each ended by a zero byte; the first is the path of the executable and also argv[0].
/.tally/env has the environment in the same form, /.tally/cwd the folder in which it starts. Archives
made elsewhere have none of them, and their /init is started.
"""

import os
import stat

from . import architecture, bring, cpio, elf, libraries
from .failure import BAD_PROGRAM, NOT_FOUND, Failure
from .layout import Layout, read_file

# There before anything else: mount points of the kernel's own file systems, and where programs
# may write.
_DIRECTORIES = {"bin": 0o755, "dev": 0o755, "proc": 0o755, "sys": 0o755, "tmp": 0o1777, ".tally": 0o755}
# The folders that become file systems of the kernel's own.
_KERNELS = ("dev", "proc", "sys")
CURRENT = ".tally/cwd"
# The files without a --root: the user is root at first.
_NAMES = {"/etc/passwd": b"root:x:0:0:root:/root:/bin/sh\n", "/etc/group": b"root:x:0:\n"}


def _move(layout, here, folder, added):
    """Each name in the host's folder HERE that leads to an ADDED path becomes a link to the same name in FOLDER."""
    for path in added:
        inside = os.path.relpath(path, here).split("/")[0]
        if here != "/" and inside not in (".", ".."):
            layout.add_folder(here)
            layout.add_link(os.path.join(here, inside), os.path.join(folder, inside))


def _absolute(path):
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise Failure(NOT_FOUND, f"{path}: the working folder has been removed") from None


def _place(program, folder):
    """Where a program of the host is in the guest, and the name by which it is called."""
    if os.path.isabs(program) or folder == "/":
        name = "/bin/" + os.path.basename(program)
        return name, name
    name = os.path.abspath(program)
    # The folder before a ".." need not be in the guest.
    return name, name if ".." in program.split("/") else program


def _in_tree(program, layout):
    """The path in the tree of a program that is there, or None."""
    if program.startswith("/"):
        names = [program]
    elif "/" in program:
        names = []
    else:
        names = [f"{folder}/{program}" for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin")]
    return next((name for name in names if layout.has(name)), None)


def _mode_and_time(path):
    try:
        status = os.stat(path)
        return stat.S_IMODE(status.st_mode), int(status.st_mtime)
    except OSError as error:
        raise Failure(NOT_FOUND, f"{path}: {error.strerror}") from None


def _strings(words):
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def pack_program(program, words, environment, root=None, init=None, check=True, added=(), brought=(),
                 arch=architecture.ARCHITECTURES[architecture.DEFAULT], folder="/", files=None, starter=None, moved=None,
                 folders=(), listed=None, absent=None):
    """An initramfs that runs `program` (a host path, or a name in PATH) with `words` as its arguments.

    The files that the program needs are packed too, at their paths on the host.
    `environment` is a dict; `root` a host directory that becomes the root file system: a program that is
    in it is run from there, with what the tree has. `added` are more files and folders of the host. `brought` are the
    paths of files that are to come out when the program has ended (bring.py). `init` is
    the host path of what becomes /init, for a kernel that does not know /.tally/argv. `arch` is the Architecture
    that the program has to be for. `folder` is the guest's working folder (working_folder()). In it, a program with a
    relative path is where it is on the host; any other is in /bin. `files` has more files by their path in the guest, as
    bytes or as the host's path; `absent` too, those that nothing else has brought. `folders` are more folders. `starter` are words before the program's: the first is the path of one of `files`, which
    is started instead. `moved`, the host's working folder: what is `added` from below it lies below `folder` in the guest,
    where its path on the host leads to, and a program lies in /bin. `listed`, a dict, takes the contents, or the host's path of
    them, of each regular file by its path. Returns the archive's bytes.
    """
    layout = Layout()
    for directory, mode in _DIRECTORIES.items():
        layout.add_directory(directory, mode)
    if root is not None:
        layout.add_tree(root)
    for path in folders:
        layout.add_folder(path)
    if folder != "/":
        layout.add_folder(folder)
        layout.add_file(CURRENT, _strings([folder]), 0o644)
    if moved:
        _move(layout, moved, folder, map(_absolute, added))
    needs = libraries.Needs()
    name = called = _in_tree(program, layout) if root is not None else None
    if name is None:
        program = libraries.in_path(program)
        data = read_file(program)
        if check:
            elf.check_program(program, data, arch)
        name, called = _place(program, "/" if moved else folder)
        # Linux, which may start this initramfs too, does not make it.
        layout.add_folder(os.path.dirname(name))
        if check:
            needs.add(program, name)
        else:
            needs.files[name] = program
    for path in map(_absolute, added):
        if os.path.isdir(path):
            needs.add_tree(path)
        else:
            needs.add(path)
    for path, source in needs.files.items():
        if path == name or not layout.has(path):
            # Linux, the kernel of such an init, does not make it.
            if init is not None:
                layout.add_folder(os.path.dirname(path))
            mode, time = _mode_and_time(source)
            layout.add_file(path, source, 0o755 if path == name else mode, time)
    for path, contents in _NAMES.items():
        if root is None and not layout.has(path):
            layout.add_file(path, contents, 0o644)
    for path, contents in (absent or {}).items():
        if not layout.has(path):
            layout.add_file(path, contents, 0o644)
    if init is not None:
        layout.add_file("init", init, 0o755)
    for path, contents in (files or {}).items():
        layout.add_file(path, contents, 0o755 if starter and path == starter[0] else 0o644)
    if brought:
        layout.add_file(bring.NAMES, _strings(brought), 0o644)
    layout.add_file(".tally/argv", _strings([*(starter or ()), called, *words]), 0o644)
    layout.add_file(".tally/env", _strings(f"{key}={value}" for key, value in environment.items()), 0o644)
    if listed is not None:
        listed.update(layout.files())
    return layout.finish()


def working_folder():
    """The guest's working folder: the host's, or / if that has been removed or the guest has a file system of the
    kernel's there."""
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        return "/"
    return "/" if folder.split("/")[1] in _KERNELS else folder


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
