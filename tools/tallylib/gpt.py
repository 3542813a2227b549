# SPDX-License-Identifier: BSD-2-Clause
"""A disk's table of partitions, in the form of GPT with its protective master boot record.

Every number follows from the arguments: the same partitions give the same bytes.

Source: UEFI Specification 2.10, section 5 "GUID Partition Table (GPT) Disk Layout".
"""

import struct
import uuid
import zlib

from dataclasses import dataclass

SECTOR_BYTES = 512
# Sectors of the table of entries: 128 entries of 128 bytes.
_ENTRIES, _ENTRY_BYTES = 128, 128
_TABLE_SECTORS = _ENTRIES * _ENTRY_BYTES // SECTOR_BYTES
# The sectors before the first partition and after the last one.
HEAD_SECTORS = 2 + _TABLE_SECTORS
TAIL_SECTORS = 1 + _TABLE_SECTORS

BIOS_BOOT = uuid.UUID("21686148-6449-6e6f-744e-656564454649")
EFI_SYSTEM = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")

_MBR_CODE_BYTES = 440
_MBR_TYPE_PROTECTIVE = 0xee


@dataclass(frozen=True)
class Partition:
    """`kind`: one of the UUIDs above. `first` and `last` are sectors, both inside."""

    kind: uuid.UUID
    name: str
    first: int
    last: int


def _own_uuid(seed, number):
    return uuid.uuid5(uuid.NAMESPACE_OID, f"tally {seed.hex()} {number}")


def _entry(partition, own):
    return (partition.kind.bytes_le + own.bytes_le
            + struct.pack("<QQQ", partition.first, partition.last, 0)
            + partition.name.encode("utf-16-le").ljust(72, b"\0"))


def _header(here, other, table, sectors, disk, entries):
    """One of the two headers: at sector `here`, its table of entries at `table`."""
    def fields(checksum):
        return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, checksum, 0, here, other,
                           HEAD_SECTORS, sectors - TAIL_SECTORS - 1, disk.bytes_le, table,
                           _ENTRIES, _ENTRY_BYTES, zlib.crc32(entries))
    return fields(zlib.crc32(fields(0))).ljust(SECTOR_BYTES, b"\0")


def _protective(sectors, code):
    """The master boot record: one partition that covers the disk. Some BIOSes start a disk only if a
    partition is active, and UEFI does not look at the flag."""
    # CHS of sector 1, and of one that is out of reach.
    partition = struct.pack("<B3sB3sII", 0x80, b"\x00\x02\x00", _MBR_TYPE_PROTECTIVE, b"\xff\xff\xff",
                            1, min(sectors - 1, 0xffffffff))
    assert len(code) <= _MBR_CODE_BYTES
    return code.ljust(446, b"\0") + partition.ljust(64, b"\0") + b"\x55\xaa"


def tables(sectors, partitions, seed, code):
    """The first and the last sectors of a disk of `sectors` sectors, each as bytes.

    `seed`: bytes from which the disk's and the partitions' own UUIDs are made. `code`: what a BIOS
    starts, at most 440 bytes."""
    entries = b"".join(_entry(partition, _own_uuid(seed, number))
                       for number, partition in enumerate(partitions, 1))
    entries = entries.ljust(_ENTRIES * _ENTRY_BYTES, b"\0")
    disk = _own_uuid(seed, 0)
    last = sectors - 1
    head = (_protective(sectors, code) + _header(1, last, 2, sectors, disk, entries) + entries)
    tail = entries + _header(last, 1, last - _TABLE_SECTORS, sectors, disk, entries)
    return head, tail
