# SPDX-License-Identifier: BSD-2-Clause
"""The state of a machine when its time was up: its CPUs and tasks as gdb sees them, in a file.

QEMU listens for gdb on a socket from the start, which costs the guest nothing without a connection. gdb looks
at the machine twice; the difference shows what moves and what stands still.
"""

import os
import subprocess

from . import paths
from .failure import MISSING, USAGE, Failure

_COMMANDS = ("tally cpus", "tally tasks", "tally stacks", "thread apply all -s -- backtrace 24",
             "thread apply all -s -- info registers general", "thread apply all -s -- x/48ga $sp")
_BETWEEN_S = 2
_GDB_LIMIT_S = 60


def must_be_writable(path):
    """Makes the file of --post-mortem, empty; raises Failure(USAGE)."""
    try:
        with open(path, "wb"):
            pass
    except OSError as error:
        raise Failure(USAGE, f"--post-mortem {path}: {error.strerror}; name a file that can be written") from None


class PostMortem:
    """The report about a machine with this kernel, for the file `path`; `folder` is a place for the socket."""

    def __init__(self, path, kernel, folder):
        if paths.in_path("gdb") is None:
            raise Failure(MISSING, "--post-mortem asks gdb, which is not installed; run: apt install gdb")
        self._path = path
        self._kernel = kernel
        self._socket = os.path.join(folder, "gdb")
        must_be_writable(path)

    def words(self):
        """For QEMU."""
        return ["-gdb", f"unix:{self._socket},server=on,wait=off"]

    def write(self):
        """Asks gdb, and returns where its answer is, for a sentence. The machine is running, and goes on."""
        script = os.path.join(paths.ROOT, "tools", "gdb", "tally.py")
        attached = [f"target remote {self._socket}", *_COMMANDS, "detach"]
        commands = ["set pagination off", f"source {script}", *attached, f"shell sleep {_BETWEEN_S}", *attached]
        words = [word for command in commands for word in ("-ex", command)]
        with open(self._path, "wb") as file:
            try:
                subprocess.run(["gdb", "-q", "-nx", "-batch", self._kernel, *words], stdin=subprocess.DEVNULL,
                               stdout=file, stderr=subprocess.STDOUT, timeout=_GDB_LIMIT_S, check=False)
            except subprocess.TimeoutExpired:
                file.write(b"tally: gdb did not answer in time\n")
        return f"what its CPUs and tasks did is in {self._path}"
