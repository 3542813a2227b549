# SPDX-License-Identifier: BSD-2-Clause
"""Observing programs in a folder of the host that is mounted by 9P, on either kernel with the same server.

The folder is a new, empty one of a tmpfs of the host, so that the host's own file system does not show through. The emulator
serves it with security_model=none; the program `mounted` (tests/conformance/mounted.c) mounts it where the observing program
works and becomes that program.
"""

import os
import shlex
import shutil
import tempfile

from tallylib import paths
from tallytest import kernels, tap

# Where the programs work that observe files. observe_inotify and observe_inotify_events are not among them: on Linux's 9P they do
# not come to their ends.
PLACES = {
    "observe_attack_inodes": "/tmp",
    "observe_attack_open_files": "/tmp",
    "observe_file_names": "/observed",
    "observe_files": "/observed",
    "observe_limits": "/tmp",
    "observe_locks": "/observed",
    "observe_permission_bits": "/tmp",
    "observe_permissions": "/tmp",
    "observe_written": "/observed",
}
OPTIONS = "trans=virtio,version=9p2000.L"
# Shared mappings that can be written to need a cache on Linux.
MORE_OPTIONS = {"observe_written": ",cache=mmap"}
MOUNTED = "tests/conformance/mounted.c"
TAG = "observed"
SERVER = "security_model=none,multidevs=remap"
_TMPFS = "/dev/shm"


def why_not():
    """Why no folder can be served here; "" if one can."""
    # The server makes files of each owner.
    if os.geteuid():
        return "only root can serve files of all owners"
    return "" if os.access(_TMPFS, os.W_OK) else f"{_TMPFS} is not there"


def options_of(program):
    """The options of the program's mount."""
    return OPTIONS + MORE_OPTIONS.get(program, "")


def run(words, program, timeout_s):
    """Runs PROGRAM on a machine that the command WORDS starts, in its place. Returns the status, the output, and what went to
    standard error."""
    with tempfile.TemporaryDirectory(prefix="shared-", dir=kernels.BUILD) as own, \
            tempfile.TemporaryDirectory(prefix="tally-9p-", dir=_TMPFS) as folder:
        os.chmod(folder, 0o755)
        root, emulator = (os.path.join(own, name) for name in ("root", "emulator"))
        os.mkdir(root)
        os.chmod(root, 0o755)
        for name in ("mounted", program):
            shutil.copy(os.path.join(kernels.BUILD, "tests", name), root)
        with open(emulator, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
exec {shlex.quote(paths.emulator(needs_model=True))} "$@" -fsdev local,id={TAG},path={folder},{SERVER} \\
    -device virtio-9p-pci,fsdev={TAG},mount_tag={TAG},ioeventfd=off,disable-legacy=on
""")
        os.chmod(emulator, 0o755)
        mounted = os.path.join(kernels.BUILD, "tests", "mounted"), TAG, PLACES[program], options_of(program), "/" + program
        return tap.command([*words, "--root", root, *mounted], timeout_s=timeout_s, cwd="/", env={**os.environ, "TALLY_QEMU": emulator})
