# SPDX-License-Identifier: BSD-2-Clause
"""Files that the program leaves behind: --get FILE, a path of the guest, relative to its working folder.

The initramfs' /.tally/get names them, strings each ended by a zero byte; when the first program has ended, the kernel
sends them through QEMU's debug console, which ends in a file here: for each name "file SIZE\\n", the bytes and "end NUMBER\\n",
or "error NUMBER\\n" (docs/boot.md).
"""

import os

from .failure import BOOT, NOT_FOUND, USAGE, Failure

NAMES = ".tally/get"
_PORT = "isa-debugcon,iobase=0xe9,chardev=files"


def _write(target, name, contents):
    try:
        with open(target, "wb") as file:
            file.write(contents)
    except OSError as error:
        raise Failure(NOT_FOUND, f"--get {name}: {target} cannot be written: {error.strerror}") from None


def _next(channel, name):
    """The contents of the next file, or the error that reading it was."""
    kind, _, number = channel.readline().decode(errors="replace").strip().partition(" ")
    if kind == "error":
        return int(number)
    if kind != "file":
        raise Failure(BOOT, f"--get {name}: the machine ended without sending it")
    contents = channel.read(int(number))
    end, _, error = channel.readline().decode(errors="replace").strip().partition(" ")
    if end != "end":
        raise Failure(BOOT, f"--get {name}: the machine ended in the middle of it")
    return int(error) or contents


class Bringer:
    """The files of one run: `names` are paths of the guest, relative to `folder`; each goes to the current folder of the
    host, by its last part. `result`, if there is one, is the path of a file for the command itself."""

    def __init__(self, names, folder, result=None):
        self.paths = ([result] if result else []) + [os.path.join(folder, name) for name in names]
        self._result = result
        self._targets = {}
        for name in names:
            target = os.path.basename(name)
            if not target:
                raise Failure(USAGE, f"--get {name}: is the name of a folder")
            if target in self._targets:
                raise Failure(USAGE, f"--get {name}: would be written over what --get {self._targets[target]} brings")
            self._targets[target] = name
        # Other runs do not pay for loading it.
        import tempfile
        self._channel = tempfile.NamedTemporaryFile(prefix="tally-", suffix=".files")  # pylint: disable=consider-using-with

    def words(self):
        """QEMU's options for the files that leave the guest."""
        path = self._channel.name.replace(",", ",,")
        return ["-chardev", f"file,id=files,path={path}", "-device", _PORT]

    def deliver(self):
        """Writes the files, when the machine has ended; Failure about those that are not there. Returns the text of the
        result, "" if it is not there."""
        missing, result = [], b""
        with self._channel, open(self._channel.name, "rb") as channel:
            if self._result:
                result = _next(channel, self._result)
            for target, name in self._targets.items():
                contents = _next(channel, name)
                if isinstance(contents, int):
                    missing.append(f"{name} ({os.strerror(contents)})")
                else:
                    _write(target, name, contents)
        if missing:
            raise Failure(NOT_FOUND, "--get: the program left no " + ", no ".join(missing))
        return "" if isinstance(result, int) else result.decode()
