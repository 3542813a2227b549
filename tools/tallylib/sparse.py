# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a file that are not holes: the image of a large medium is almost empty."""

import errno
import os


def extents(file):
    """Pairs of start and end, in bytes and in order, of all that is data in the open `file`."""
    end = 0
    while True:
        try:
            start = os.lseek(file.fileno(), end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
        yield start, end
