# SPDX-License-Identifier: BSD-2-Clause
"""A text in a kernel's file that only a kernel with some part has tells whether it has that part."""

import mmap
import os


def has_text(path, text):
    """Whether the file at `path` has `text`, bytes. It is read only up to there. Raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        # An empty file cannot be mapped.
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(text) >= 0
