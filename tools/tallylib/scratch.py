# SPDX-License-Identifier: BSD-2-Clause
"""Files of the command's own, for the time of a run.

The standard library's tempfile loads random numbers, digests and three ways of compression: a sixth of the time in which
`tools/tally run` starts. The modules of every run use this one.
"""

import contextlib
import os

from .failure import NOT_FOUND, Failure

# Where they may be: the first that can be written to.
_FOLDERS = ("/tmp", "/var/tmp")


def nameless():
    """A file without a name, open for reading and writing."""
    return os.fdopen(os.memfd_create("tally"), "w+b")


@contextlib.contextmanager
def named(suffix):
    """A file that others can open by its `name`, which ends with SUFFIX; it is removed in the end. Raises Failure(NOT_FOUND)."""
    folders = [folder for folder in (os.environ.get("TMPDIR"), *_FOLDERS) if folder]
    for folder in folders:
        path = os.path.join(folder, f"tally-{os.urandom(8).hex()}{suffix}")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            break
        except OSError:
            continue
    else:
        raise Failure(NOT_FOUND, f"no file can be made in {', '.join(folders)}; name a folder by TMPDIR")
    try:
        # The name that was opened, which a descriptor alone has not.
        with open(path, "w+b", opener=lambda *_: descriptor) as file:
            yield file
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
