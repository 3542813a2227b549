# SPDX-License-Identifier: BSD-2-Clause
"""The archive format of an initramfs: cpio "newc", written and checked.

Only this one format: a 110-byte header of ASCII hexadecimal numbers, the name, the contents, each
padded to four bytes (Linux, Documentation/driver-api/early-userspace/buffer-format.rst). Archives
are reproducible: inode numbers count from one, and what is not said (owner, time) is zero.
"""

import os
import stat

_MAGIC = b"070701"
_HEADER_BYTES = 110
_END_NAME = "TRAILER!!!"
# The header's fields after the magic, eight hexadecimal digits each, in this order.
_FIELDS = ("ino", "mode", "uid", "gid", "nlink", "mtime", "filesize", "devmajor", "devminor",
           "rdevmajor", "rdevminor", "namesize", "check")


def _padding(size):
    return b"\0" * (-size % 4)


class Archive:
    """An archive under construction. Names are relative, without a leading slash."""

    def __init__(self):
        self._parts = []
        self._inodes = 0
        self._linked = {}  # the number of a file with several names, by the host's numbers of it or by its first name

    def _add(self, name, mode, data, more):
        if len(data) >= 1 << 32:
            raise ValueError(f"{name}: larger than the 4 GiB that cpio can describe")
        self._inodes += 1
        encoded = os.fsencode(name) + b"\0"
        values = {"ino": self._inodes, "nlink": 2 if stat.S_ISDIR(mode) else 1, **more,
                  "mode": mode, "filesize": len(data), "namesize": len(encoded)}
        header = _MAGIC + b"".join(b"%08X" % values.get(field, 0) for field in _FIELDS)
        self._parts += [header, encoded, _padding(len(header) + len(encoded)),
                        data, _padding(len(data))]

    def add(self, name, mode, data, status=None, time=0, names=None):
        """An entry of the type that is in `mode`. `time`: of its last change, in seconds since 1970. `status`, an
        os.stat_result: has its owner, its time, its device number; and its other names, if they are added
        too, are other names of it in the archive, where only the first has the contents. `names`: all names
        of a file without a status, if it has several; pass the data with the first and none with the others."""
        values = {"mtime": time & 0xFFFFFFFF}
        if names is not None:
            values["nlink"] = len(names)
            values["ino"] = self._linked.setdefault(names[0], self._inodes + 1)
        if status is not None:
            values = {"uid": status.st_uid, "gid": status.st_gid, "mtime": int(status.st_mtime) & 0xFFFFFFFF}
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                values["rdevmajor"], values["rdevminor"] = os.major(status.st_rdev), os.minor(status.st_rdev)
            if status.st_nlink > 1 and stat.S_ISREG(mode):
                key = (status.st_dev, status.st_ino)
                data = b"" if key in self._linked else data
                values["nlink"] = status.st_nlink
                values["ino"] = self._linked.setdefault(key, self._inodes + 1)
        self._add(name, mode, data, values)

    def add_file(self, name, data, mode=0o644):
        self.add(name, stat.S_IFREG | mode, data)

    def finish(self):
        """The whole archive as bytes; nothing can be added after."""
        self._add(_END_NAME, 0, b"", {})
        return b"".join(self._parts)


def _entry(data, at):
    """The entry at byte `at`: (name, mode, contents, where the next one begins)."""
    header = data[at:at + _HEADER_BYTES]
    if header[:6] != _MAGIC[:len(header)]:
        raise ValueError(f"there is no cpio newc entry at byte {at}")
    if len(header) < _HEADER_BYTES:
        raise ValueError(f"it is cut off at byte {len(data)}, inside an entry's header")
    try:
        values = {field: int(header[6 + 8 * i:14 + 8 * i], 16) for i, field in enumerate(_FIELDS)}
    except ValueError:
        raise ValueError(f"the entry at byte {at} has a number that is not hexadecimal") from None
    name_at = at + _HEADER_BYTES
    name_end = name_at + values["namesize"]
    body_at = name_end + -name_end % 4
    body_end = body_at + values["filesize"]
    raw_name = data[name_at:name_end]
    if name_end > len(data) or body_end > len(data):
        raise ValueError(f"it is cut off at byte {len(data)}: the entry at byte {at} "
                         f"goes on to {max(name_end, body_end)}")
    if not raw_name.endswith(b"\0"):
        raise ValueError(f"the name of the entry at byte {at} does not end")
    name = os.fsdecode(raw_name[:-1])
    return name, values["mode"], data[body_at:body_end], body_end + -body_end % 4


def entries(data):
    """Yields (name, mode, contents) of an archive; raises ValueError where it is damaged.

    Several archives one after another, with zero bytes between, are one archive, as for Linux.
    """
    at = 0
    ended = False
    while at < len(data):
        if ended and data[at] == 0:
            at += 1
            continue
        name, mode, contents, at = _entry(data, at)
        ended = name == _END_NAME
        if not ended:
            yield name, mode, contents
    if not ended:
        raise ValueError(f"it is cut off at byte {len(data)}, before its last entry")
