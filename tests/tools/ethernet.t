#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Frames of other machines to `tally run --net`: this test is every other station of the guest's Ethernet.

The emulator's user-mode network is replaced by a pair of sockets, whose datagrams are frames. The guest (ethernet.c) does one thing
after the other, and this side answers what it sees; a frame that the guest must not believe is followed by one that it must.
"""

import errno
import os
import shlex
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading

from tallylib import paths
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "..", "tools", "tally")
OUR_MAC, OTHER_MAC, ALL_MAC, GROUP_MAC = (bytes.fromhex(text) for text in ("525500000202", "525500000203", "ffffffffffff", "01005e010203"))
OURS, GUEST, GROUP, LOOPBACK = (socket.inet_aton(text) for text in ("10.0.2.2", "10.0.2.15", "239.1.2.3", "127.0.0.1"))
ICMP, TCP, UDP = 1, 6, 17
FIN, SYN, RST, ACK = 1, 2, 4, 16
MARKED, DATAGRAM, CONNECT, SLOW = 7000, 8000, 9000, 9100
BYTES = 32768
MSS = 100
# The emulator by this name, with the network of the test in the place of its own.
WRAPPER = """\
#!/bin/bash
for word; do
	case $word in user,id=net*) word=dgram,id=net,local.type=unix,local.path={0}/guest,remote.type=unix,remote.path={0}/others ;; esac
	words+=("$word")
done
exec {1} "${{words[@]}}"
"""
# Linux 6.12's icmp_err_convert: the errno of each code, and whether the sender of a datagram hears of it.
CODES = ((errno.ENETUNREACH, False), (errno.EHOSTUNREACH, False), (errno.ENOPROTOOPT, True), (errno.ECONNREFUSED, True), (0, False),
         (errno.EOPNOTSUPP, False), (errno.ENETUNREACH, True), (errno.EHOSTDOWN, True), (errno.ENONET, True), (errno.ENETUNREACH, True),
         (errno.EHOSTUNREACH, True), (errno.ENETUNREACH, False), (errno.EHOSTUNREACH, False), (errno.EHOSTUNREACH, True),
         (errno.EHOSTUNREACH, True), (errno.EHOSTUNREACH, True))


def checksum(data):
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def packet(protocol, payload, source=OURS, to=GUEST):
    def header(check):
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, check, source, to)
    return header(checksum(header(0))) + payload


def udp(data, port, to_port, size=None, **more):
    """A packet with a datagram without a checksum; SIZE is what its header says of its length."""
    return packet(UDP, struct.pack("!HHHH", port, to_port, len(data) + 8 if size is None else size, 0) + data, **more)


def unreachable(code, quoted, wrong=0):
    message = struct.pack("!BBHI", 3, code, 0, 0) + quoted[:28]
    return packet(ICMP, struct.pack("!BBHI", 3, code, checksum(message) ^ wrong, 0) + quoted[:28])


def tcp(port, to, number, ack, flags, options=b""):
    def segment(check):
        return struct.pack("!HHIIBBHHH", port, to, number, ack, (5 + len(options) // 4) << 4, flags, 65535, check, 0) + options
    whole = segment(0)
    return packet(TCP, segment(checksum(OURS + GUEST + struct.pack("!HH", TCP, len(whole)) + whole)))


class Others(threading.Thread):
    """All other stations. `sent` has the bytes that came to the port SLOW, `numbers` the first numbers of connections."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(os.path.join(folder, "others"))
        self._guest, self._mac = os.path.join(folder, "guest"), None
        self.sent, self.numbers = b"", {}

    def _send(self, data, to=None, kind=0x0800):
        self._socket.sendto((to or self._mac) + OUR_MAC + struct.pack("!H", kind) + data, self._guest)

    def _send_marked(self):
        def marked(text, **more):
            return udp(text, MARKED, MARKED, **more)
        self._send(marked(b"only this, and not the rest", size=8 + 9))
        self._send(marked(b"longer than the packet", size=60000))
        self._send(marked(b"shorter than a header", size=3))
        self._send(marked(b"from the guest itself", source=GUEST))
        self._send(marked(b"from its loopback", source=LOOPBACK))
        self._send(marked(b"to its loopback", to=LOOPBACK))
        self._send(marked(b"to a group", to=GROUP), to=GROUP_MAC)
        self._send(marked(b"to another station"), to=OTHER_MAC)
        self._send(marked(b"to all"), to=ALL_MAC)
        self._send(marked(b""))
        self._send(marked(b"end"))

    def _take_datagram(self, data, port, to):
        if to == MARKED:
            self._send_marked()
            return
        case = to - DATAGRAM
        if case < len(CODES):
            self._send(unreachable(case, data))
        elif case == len(CODES):
            self._send(unreachable(3, data, wrong=1))
        elif case == len(CODES) + 1:
            self._send(unreachable(3, data[:12] + OURS + data[16:]))
        elif case == len(CODES) + 2:
            self._send(unreachable(3, data[:22] + struct.pack("!H", to + 1) + data[24:]))
        else:
            self._send(unreachable(3, data)[:-4])
        self._send(udp(b"y", to, port))

    def _take_slow(self, data, port, number, flags, header):
        first = self.numbers[SLOW]
        if flags & SYN:
            self._send(tcp(SLOW, port, 0, number + 1, SYN | ACK, struct.pack("!BBH", 2, 4, MSS)))
            return
        end = struct.unpack("!H", data[2:4])[0]
        if number == (first + 1 + len(self.sent)) & 0xffffffff:
            self.sent += data[header:end]
        has = (first + 1 + len(self.sent)) & 0xffffffff
        if flags & FIN and len(self.sent) == BYTES:
            self._send(tcp(SLOW, port, 1, (has + 1) & 0xffffffff, FIN | ACK))
        elif end > header:
            self._send(tcp(SLOW, port, 1, has, ACK))

    def _take_segment(self, data, port, to):
        number, _, size, flags = struct.unpack("!IIBB", data[24:34])
        self.numbers[to] = self.numbers.get(to, number)
        if to == SLOW:
            self._take_slow(data, port, number, flags, 20 + (size >> 4) * 4)
            return
        # An attempt's message of another segment, the right one, and an end where the code is no error.
        code = to - CONNECT
        self._send(unreachable(2 if code != 2 else 3, data[:24] + struct.pack("!I", number ^ 1) + data[28:]))
        self._send(unreachable(code, data))
        if not CODES[code][0]:
            self._send(tcp(to, port, 0, number + 1, RST | ACK))

    def run(self):
        while True:
            frame = self._socket.recv(65536)
            kind, data = struct.unpack("!H", frame[12:14])[0], frame[14:]
            self._mac = frame[6:12]
            if kind == 0x0806 and data[24:28] == OURS:
                self._send(data[:6] + b"\0\2" + OUR_MAC + OURS + data[8:18], kind=0x0806)
            elif kind == 0x0800 and data[16:20] == OURS:
                port, to = struct.unpack("!HH", data[20:24])
                {UDP: self._take_datagram, TCP: self._take_segment}[data[9]](data, port, to)


def check(report, lines, others):
    def of(word):
        return [line.split(" ", 1)[1] for line in lines if line.startswith(word + " ")]
    report.equal(of("marked"), ["9 only this", "6 to all", "0 ", "3 end"],
                 "a datagram is as long as its header says, and no packet comes from the guest itself, to a group, or to another station")
    report.equal(of("datagram"), [f"{code} {error}" for code, (error, hard) in enumerate(CODES) if hard],
                 "a datagram's sender hears of Linux's hard errors alone, and of no message that is not whole and about its own packet")
    report.equal(of("connect"), [f"{code} {error or errno.ECONNREFUSED}" for code, (error, _) in enumerate(CODES)],
                 "an attempt to connect ends with Linux's errno of the code, if the message is about its own segment")
    report.equal((of("slow"), others.sent == bytes(i % 251 for i in range(BYTES))), ([f"{BYTES} 0"], True),
                 f"a peer that takes segments of {MSS} bytes gets all {BYTES} bytes of one send")
    numbers = [others.numbers.get(port, 0) for port in [*range(CONNECT, CONNECT + len(CODES)), SLOW]]
    steps = [(after - before) % (1 << 32) for before, after in zip(numbers, numbers[1:])]
    report.ok(max(steps) > 1 << 24, "the first number of a connection does not follow from the one before", numbers)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        program, wrapper = os.path.join(folder, "ethernet"), os.path.join(folder, "qemu")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", program, os.path.join(HERE, "ethernet.c")], check=True)
        with open(wrapper, "w", encoding="ascii") as file:
            file.write(WRAPPER.format(folder, shlex.quote(paths.emulator(needs_model=True))))
        os.chmod(wrapper, stat.S_IRWXU)
        others = Others(folder)
        others.start()
        done = subprocess.run([TALLY, "run", "--net", "--pmu", "emulated", "--timeout", "300", program], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL, env={**os.environ, "TALLY_QEMU": wrapper})
    report.equal((done.returncode, done.stderr), (0, ""), "the program ends")
    check(report, done.stdout.splitlines(), others)
    return report.done()


sys.exit(main())
