# SPDX-License-Identifier: BSD-2-Clause
"""The host's network for the program: --net and --publish.

The emulator translates the program's connections into its own (QEMU's user-mode networking): the host needs no privilege and
no setting. Its network is the same for each machine, so the kernel gets its address as a word and asks no server for it:
a machine that is up is on the network, and no wait or server stands between (kernel/net/inet/inet_ethernet.c).
"""

import argparse

from . import architecture
from .failure import USAGE, Failure

# QEMU's addresses: the machine, the host, and the name server, which passes questions on to the host's.
_WORD = "net=10.0.2.15/24,10.0.2.2"
_RESOLVER = ("/etc/resolv.conf", b"nameserver 10.0.2.3\n")
_PORT_MAX = 65535


def _ports(text):
    parts = text.split(":")
    if len(parts) != 2 or not all(part.isdecimal() and 0 < int(part) <= _PORT_MAX for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form HOSTPORT:PORT, each from 1 to {_PORT_MAX}")
    return tuple(map(int, parts))


def add_options(add):
    """Declares the options by argparse's ADD."""
    add("--net", action="store_true", help="let the program connect to other machines, and to this one as 10.0.2.2")
    add("--publish", metavar="HOSTPORT:PORT", action="append", default=[], type=_ports,
        help="with --net: connections to this TCP port of the host's 127.0.0.1 go to the program's PORT (repeatable)")


def check(options):
    """Raises Failure(USAGE) if the machine of the options cannot have the network that they ask for."""
    if options.publish and not options.net:
        raise Failure(USAGE, "--publish: nothing reaches the program without --net; add --net")
    if not options.net:
        return
    if options.icount:
        raise Failure(USAGE, "--net: virtual time (--icount) does not wait for other machines; leave one of the two out")
    if options.arch != architecture.DEFAULT or options.under:
        machine = "KVM's guest" if options.under else f"the machine of --arch {options.arch}"
        raise Failure(USAGE, f"--net: {machine} has no virtio; leave --net out")


def kernel_words(options):
    """The kernel's words for the network of the options; commands without --net have none."""
    return _WORD if getattr(options, "net", False) else ""


def words(options):
    """QEMU's words for it."""
    if not getattr(options, "net", False):
        return []
    ports = "".join(f",hostfwd=tcp:127.0.0.1:{host}-:{guest}" for host, guest in options.publish)
    return ["-netdev", f"user,id=net,ipv6=off{ports}", "-device", "virtio-net-pci,netdev=net,romfile=,disable-legacy=on"]


def files(options):
    """{path in the guest: bytes} of the files that programs there look for, unless the program brings them along."""
    return dict([_RESOLVER]) if getattr(options, "net", False) else {}
