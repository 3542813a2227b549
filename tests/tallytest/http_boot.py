# SPDX-License-Identifier: BSD-2-Clause
"""A network for UEFI's HTTP boot: QEMU's own servers, and what they lack, an offer of a URL.

QEMU's server of DHCP gives addresses; it cannot name a URL. As UEFI's specification has it (24.7.2), a second server, a proxy,
may do that for clients whose class is "HTTPClient". The proxy here is a socket at a hub of QEMU's, where it sees every
frame. The file comes from a server of HTTP on the host, which the guest reaches as 10.0.2.2.
"""

import contextlib
import functools
import http.server
import os
import socket
import struct
import tempfile
import threading

# A BOOTP message up to its options, in RFC 2131's layout (section 2).
_BOOTP = struct.Struct("!BBBBIHH4s4s4s4s16s64s128s4s")
_COOKIE = b"\x63\x82\x53\x63"
# Options of RFC 2132.
_MESSAGE_TYPE, _SERVER, _CLASS, _FILE, _END = 53, 54, 60, 67, 255
_DISCOVER, _OFFER = b"\x01", b"\x02"
_CLIENT_CLASS = b"HTTPClient"
_PROXY = bytes([10, 0, 2, 9])
_HOST_FOR_GUEST = "10.0.2.2"


class _Files(http.server.SimpleHTTPRequestHandler):
    def __init__(self, fetched, *arguments, **named):
        self._fetched = fetched
        super().__init__(*arguments, **named)

    def log_request(self, code="-", size="-"):
        self._fetched.append((self.command, self.path, int(code)))


def _options(data):
    found = {}
    at = 0
    while at + 1 < len(data) and data[at] != _END:
        if data[at] == 0:
            at += 1
            continue
        found[data[at]] = data[at + 2:at + 2 + data[at + 1]]
        at += 2 + data[at + 1]
    return found


def _checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    total = (total & 0xffff) + (total >> 16)
    return struct.pack("!H", ~(total + (total >> 16)) & 0xffff)


def _answer(frame, url):
    """The proxy's frame for a client's FRAME, or None."""
    # Ethernet, IPv4 without options, UDP to DHCP's port.
    if len(frame) < 42 + _BOOTP.size or frame[12:15] != b"\x08\x00\x45" or frame[23] != 17 or frame[36:38] != b"\x00\x43":
        return None
    fields = list(_BOOTP.unpack_from(frame, 42))
    options = _options(frame[42 + _BOOTP.size:])
    if fields[-1] != _COOKIE or options.get(_MESSAGE_TYPE) != _DISCOVER or not options.get(_CLASS, b"").startswith(_CLIENT_CLASS):
        return None
    fields[0] = 2
    fields[9] = _PROXY
    reply = _BOOTP.pack(*fields) + b"".join(
        bytes([code, len(value)]) + value
        for code, value in ((_MESSAGE_TYPE, _OFFER), (_SERVER, _PROXY), (_CLASS, _CLIENT_CLASS), (_FILE, url))) + bytes([_END])
    udp = struct.pack("!HHHH", 67, 68, 8 + len(reply), 0) + reply
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, _PROXY, b"\xff" * 4)
    return frame[6:12] + b"\x52\x55\x0a\x00\x02\x09" + b"\x08\x00" + header[:10] + _checksum(header) + header[12:] + udp


def _offer(proxy, hub, url):
    while frame := proxy.recv(65536):
        answer = _answer(frame, url)
        if answer:
            # The machine may have ended meanwhile.
            with contextlib.suppress(OSError):
                proxy.sendto(answer, hub)


@contextlib.contextmanager
def network(folder, file):
    """Serves `folder` by HTTP and offers the URL of `file` in it. Gives QEMU's words for a machine on the network
    ("net" is its netdev) and the list of paths that have been fetched."""
    fetched = []
    handler = functools.partial(_Files, fetched, directory=folder)
    with tempfile.TemporaryDirectory(prefix="tally-http-") as place, \
            http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        url = f"http://{_HOST_FOR_GUEST}:{server.server_port}/{file}".encode()
        ours, theirs = os.path.join(place, "proxy"), os.path.join(place, "hub")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as proxy:
            proxy.bind(ours)
            for body in (server.serve_forever, functools.partial(_offer, proxy, theirs, url)):
                threading.Thread(target=body, daemon=True).start()
            yield ("-netdev", "user,id=addresses", "-netdev", "hubport,id=hub0,hubid=0,netdev=addresses",
                   "-netdev", f"dgram,id=proxy,local.type=unix,local.path={theirs},remote.type=unix,remote.path={ours}",
                   "-netdev", "hubport,id=hub1,hubid=0,netdev=proxy", "-netdev", "hubport,id=net,hubid=0"), fetched
            # An empty frame ends the proxy.
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
                last.sendto(b"", ours)
        server.shutdown()
