# SPDX-License-Identifier: BSD-2-Clause
"""Where things are: the clone, its build folder, the emulator. Nothing is built from here."""

import functools
import os
import subprocess

from .failure import MISSING, Failure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build(name=""):
    """A path below the build folder: what make calls O, here the environment's TALLY_BUILD."""
    return os.path.join(os.environ.get("TALLY_BUILD") or os.path.join(ROOT, "build"), name)


def built(name, make):
    """build(name), which must exist; `make` is the command that makes it."""
    path = build(name)
    if not os.path.exists(path):
        raise Failure(MISSING, f"{path} is not there; run: {make}")
    return path


def in_path(command):
    """The full path of a command of the system, or None."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, command)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


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
    if os.path.exists(script):
        which = [] if arch == "x86_64" else ["--arch", arch]
        done = subprocess.run([script, *which, "--path"], capture_output=True, text=True, check=False)
        path = done.stdout.strip()
        if done.returncode == 0 and os.path.exists(path):
            return path
    system = None if needs_model else in_path("qemu-system-" + arch)
    if system:
        return system
    raise Failure(MISSING, "the emulator is not built; run: make qemu")
