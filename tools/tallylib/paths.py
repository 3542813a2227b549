# SPDX-License-Identifier: BSD-2-Clause
"""Where things are: the clone, its build folder, the emulator. Nothing is built from here.

The packages of `make deb` install what is needed in the clone's layout below /usr/lib/tally, without a makefile.
"""

import functools
import os
import stat
import subprocess

from .failure import MISSING, NOT_FOUND, Failure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IS_INSTALLED = not os.path.exists(os.path.join(ROOT, "Makefile"))
_OWN_PACKAGE = "tally"
# The variables of the environment on which qemu/build's answer depends.
_NAMES_OF_SCRIPT = ("QEMU_SRC", "TALLY_CACHE", "XDG_CACHE_HOME", "HOME")


def remedy(make, package=_OWN_PACKAGE):
    """The end of a sentence about something that is missing: MAKE, the command that makes it in a clone, or the Debian package
    that has it."""
    if not IS_INSTALLED:
        return f"run: {make}"
    # No archive has these two.
    return f"install {package} again" if package == _OWN_PACKAGE else f"run: apt-get install {package}"


def build(name=""):
    """A path below the build folder: what make calls O, here the environment's TALLY_BUILD."""
    return os.path.join(os.environ.get("TALLY_BUILD") or os.path.join(ROOT, "build"), name)


def built(name, make):
    """build(name), which must exist; `make` is the command that makes it."""
    path = build(name)
    if not os.path.exists(path):
        raise Failure(MISSING, f"{path} is not there; {remedy(make)}")
    return path


def logs():
    """The folder for the kernel's logs: the build folder, or one of the user's own where that is not to be written to."""
    if not IS_INSTALLED and os.access(build(), os.W_OK):
        return build()
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for folder in (os.environ.get("TALLY_CACHE") or os.path.join(cache, "tally"),
                   os.path.join(os.environ.get("TMPDIR") or "/tmp", f"tally-{os.geteuid()}")):
        try:
            os.makedirs(folder, 0o700, exist_ok=True)
            # In /tmp it may be another user's, or a link.
            status = os.lstat(folder)
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and os.access(folder, os.W_OK):
            return folder
    raise Failure(NOT_FOUND, "there is no folder for the kernel's log; name a file by --log")


def in_path(command):
    """The full path of a command of the system, or None."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, command)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _changed(folder):
    """The newest change below a folder, in nanoseconds since 1970."""
    newest = os.stat(folder).st_ctime_ns
    with os.scandir(folder) as entries:
        for entry in entries:
            newest = max(newest, _changed(entry.path) if entry.is_dir(follow_symlinks=False)
                         else entry.stat(follow_symlinks=False).st_ctime_ns)
    return newest


def _keep(path, text):
    """Writes a file, whole at once for other readers, unless it cannot be written."""
    new = f"{path}.{os.getpid()}"
    try:
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(new, path)
    except OSError:
        pass


def _by_script(script, arch):
    """Where qemu/build says that the emulator is, or None. It hashes the whole series, 20 ms of CPU time: its answer is
    kept in the build folder as long as nothing changes on which it depends."""
    depends = [str(_changed(os.path.dirname(script))), *(str(os.environ.get(name)) for name in _NAMES_OF_SCRIPT)]
    memory = build("emulator-" + arch)
    try:
        with open(memory, encoding="utf-8") as file:
            *known, path = file.read().split("\0")
    except OSError:
        known = path = None
    if known != depends or not os.path.exists(path):
        done = subprocess.run([script, "--arch", arch, "--path"], capture_output=True, text=True, check=False)
        path = done.stdout.strip()
        if done.returncode or not os.path.exists(path):
            return None
        _keep(memory, "\0".join((*depends, path)))
    return path


@functools.cache
def emulator(needs_model, arch="x86_64"):
    """The QEMU to use: the environment's TALLY_QEMU (TALLY_QEMU_ALPHA), ours, or (no `needs_model`) the system's.

    `needs_model`: the machine needs the emulated PMU, which only our QEMU has. `arch`: what --arch calls it.
    """
    variable = "TALLY_QEMU" if arch == "x86_64" else "TALLY_QEMU_" + arch.upper()
    chosen = os.environ.get(variable)
    if chosen:
        if not os.path.exists(chosen):
            raise Failure(MISSING, f"{variable}={chosen}: no such file; correct or unset it")
        return chosen
    script = os.path.join(ROOT, "qemu", "build")
    installed = os.path.join(ROOT, "qemu", "bin", "qemu-system-" + arch)
    if IS_INSTALLED and os.path.exists(installed):
        return installed
    if os.path.exists(script):
        path = _by_script(script, arch)
        if path:
            return path
    system = None if needs_model else in_path("qemu-system-" + arch)
    if system:
        return system
    raise Failure(MISSING, "the emulator is not installed; it is in the package tally-qemu, beside the package tally"
                  if IS_INSTALLED else "the emulator is not built; run: make qemu")
