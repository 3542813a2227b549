# SPDX-License-Identifier: BSD-2-Clause
"""Folders of the host that the guest sees in place: the current one, and those of --share.

The emulator serves each folder by 9P, read-only: the guest keeps its changes in its own memory (kernel/fs/9p/). With --write they
go through to the host. The kernel mounts them where /.tally/shares says, before the program starts and after the program itself
was found in the initramfs.
"""

import os
import sys

from .record import record

from . import architecture
from .failure import NOT_FOUND, USAGE, Failure

# The guest's file: the tag, with WRITE after it if changes go through, and the folder of each, as strings that end with a zero
# byte.
FILE = "/.tally/shares"
_WRITE = ",write"
# The guest's folders that the kernel needs itself.
_TAKEN = ("dev", "proc", "sys", ".tally")


@record
class Share:
    """The host's folder `host` at the guest's `guest`, both absolute; `tag` names it to the kernel."""

    host: str
    guest: str
    tag: str = ""
    write: bool = False

    def words(self):
        """QEMU's words for it."""
        path = self.host.replace(",", ",,")
        # Names of several of the host's file systems below the folder get different numbers.
        readonly = "" if self.write else "readonly=on,"
        return ["-fsdev", f"local,id={self.tag},path={path},security_model=none,{readonly}multidevs=remap",
                "-device", f"virtio-9p-pci,fsdev={self.tag},mount_tag={self.tag},ioeventfd=off,disable-legacy=on"]


def add_options(add):
    """Declares the options by argparse's ADD."""
    add("--share", metavar="HOST[:GUEST]", action="append", default=[],
        help="show this folder of the host, at its own path or at GUEST; changes stay in the machine (repeatable)")
    add("--write", action="store_true",
        help="let the program's changes of shared folders through to the host")
    add("--no-share", action="store_true", help="do not show the current folder")


def contents(shares):
    """The guest's FILE."""
    return b"".join(os.fsencode(text) + b"\0" for share in shares
                    for text in (share.tag + (_WRITE if share.write else ""), share.guest))


def _none(options, folder):
    """Why no folder is shared."""
    return "--no-share" if options.no_share else "--root" if options.root else f"{folder} of the guest cannot be a folder of the host"


def _why_not(options, own_emulator):
    if options.arch != architecture.DEFAULT:
        return f"the machine of --arch {options.arch} has no virtio"
    if options.under:
        return "KVM's guest has no virtio"
    return None if own_emulator else "this emulator is not ours; use --pmu emulated"


def _may_be(guest):
    """Whether a folder of the host can be there."""
    return guest.split("/")[1] not in ("", *_TAKEN)


def _parse(text):
    # A folder may have a colon in its name.
    host, colon, guest = (text, "", "") if os.path.isdir(text) else text.rpartition(":")
    if not colon:
        host = text
    if not os.path.isdir(host):
        problem = "is no folder" if os.path.exists(host) else "no such folder"
        raise Failure(NOT_FOUND, f"--share {text}: {host or text}: {problem}")
    try:
        host = os.path.abspath(host)
    except FileNotFoundError:
        raise Failure(NOT_FOUND, f"--share {text}: the working folder has been removed") from None
    if colon and not guest.startswith("/"):
        raise Failure(USAGE, f"--share {text}: {guest!r} is no absolute path of the guest")
    guest = os.path.normpath(guest) if colon else host
    # POSIX leaves two slashes at the front to the system.
    guest = "/" + guest.lstrip("/")
    if not _may_be(guest):
        raise Failure(USAGE, f"--share {text}: {guest} of the guest cannot be a folder of the host")
    if not os.access(host, os.R_OK | os.X_OK):
        raise Failure(NOT_FOUND, f"--share {text}: {host}: permission denied")
    return Share(host, guest)


def _check_outer(share, outer):
    """A share inside of another needs a folder there, over which it is mounted."""
    for other in reversed(outer):
        if share.guest.startswith(other.guest + "/"):
            place = os.path.join(other.host, share.guest[len(other.guest) + 1:])
            if not os.path.isdir(place):
                raise Failure(NOT_FOUND, f"--share at {share.guest}: it lies inside of {other.guest}, where the host has no "
                                         f"folder of that name ({place})")
            return


def settle(options, own_emulator, folder):
    """The shares of this run, outer ones first. `own_emulator`: the machine runs on our emulator; `folder`: where the
    program starts. Prints one line if a request is not possible here."""
    asked = [_parse(text) for text in options.share]
    reason = _why_not(options, own_emulator)
    if reason:
        if options.write:
            raise Failure(USAGE, f"--write: nothing is shared: {reason}")
        if asked:
            print(f"tally: nothing is shared: {reason}", file=sys.stderr)
        return []
    shares = {share.guest: share for share in asked}
    if len(shares) < len(asked):
        raise Failure(USAGE, "--share: two folders at one place of the guest")
    if not options.no_share and not options.root and _may_be(folder):
        shares.setdefault(folder, Share(folder, folder))
    found = [shares[guest] for guest in sorted(shares)]
    for number, share in enumerate(found):
        share.tag = f"tally{number}"
        share.write = options.write
        _check_outer(share, found[:number])
    if options.write and not found:
        raise Failure(USAGE, f"--write: nothing is shared: {_none(options, folder)}")
    return found
