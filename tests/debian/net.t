#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Debian that reach servers of this script's on the host by `tally run --net`, and what is reached without it.

The servers listen on 127.0.0.1, on ports that the host chooses; nothing outside of this machine is asked.
"""

import contextlib
import hashlib
import http.server
import os
import shlex
import socket
import subprocess
import sys
import threading
import time

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 200
LARGE = bytes(hashlib.sha256(b"%d" % (i >> 5)).digest()[i & 31] for i in range(1 << 16)) * 64  # 4 MiB
SENT = 100_000  # bytes of the answer that stops
NAME = b"\5tally\4test\0"

# The guest's part. {web}, {udp}, {dns}, {closed}: ports of the host.
PROGRAM = """\
import errno, hashlib, http.client, socket, urllib.request
host, web = "10.0.2.2", "http://10.0.2.2:{web}/"
def attempt(call, *words):
    try:
        return call(*words)
    except OSError as error:
        return errno.errorcode[error.errno]
def of(kind, family=socket.AF_INET):
    return socket.socket(family, kind)
print("get", hashlib.md5(urllib.request.urlopen(web + "large").read()).hexdigest())
print("post", urllib.request.urlopen(web, data=bytes(range(256)) * 8192).read().decode())
try:
    urllib.request.urlopen(web + "half").read()
except http.client.IncompleteRead as error:
    print("half", len(error.partial), error.expected)
u = of(socket.SOCK_DGRAM)
u.connect((host, {udp}))
u.settimeout(60)
for size in (0, 1, 1472, 1473, 9000):
    u.send(b"u" * size)
    print("udp", size, u.recv(65536) == b"U" * size)
print("from", u.getsockname()[0])
print("refused", attempt(of(socket.SOCK_STREAM).connect, (host, {closed})))
print("ipv6", attempt(of(socket.SOCK_STREAM, socket.AF_INET6).connect, ("2001:db8::1", 80)))
print("group", attempt(of(socket.SOCK_STREAM).connect, ("224.0.0.1", 80)))
print("broadcast", attempt(of(socket.SOCK_DGRAM).sendto, b"", ("10.0.2.255", 9)))
s = of(socket.SOCK_STREAM)
s.bind(("127.0.0.1", 0))
print("loopback's", attempt(s.connect, (host, {web})))
print("other's", attempt(of(socket.SOCK_STREAM).bind, (host, 0)))
print("netlink", attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW))
print("names", socket.if_nametoindex("eth0"), socket.if_indextoname(1))
print("addrinfo", socket.getaddrinfo(host, 80, flags=socket.AI_ADDRCONFIG, type=socket.SOCK_STREAM)[0][4])
l = of(socket.SOCK_STREAM)
l.bind(("10.0.2.15", 0))
l.listen(1)
c = of(socket.SOCK_STREAM)
c.connect(l.getsockname())
print("itself", l.accept()[1][0], c.getsockname()[0])
"""
GUEST = """\
echo "wget $(busybox wget -q -O - http://10.0.2.2:{web}/large | md5sum)"
busybox wget -q -O - http://10.0.2.2:{closed}/ 2>&1
echo "$(busybox nslookup tally.test 10.0.2.2:{dns} | grep '^Address: 1')"
cat /etc/resolv.conf
busybox ifconfig eth0 | grep inet
busybox route -n | tail -n 2
python3 case.py
"""
OUTSIDE = """\
import errno, os, socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        socket.socket(socket.AF_INET, kind).connect(("10.0.2.2", 80))
    except OSError as error:
        print(errno.errorcode[error.errno])
print(os.path.exists("/etc/resolv.conf"), socket.if_indextoname(1))
try:
    print(socket.if_indextoname(2))
except OSError as error:
    print(errno.errorcode[error.errno])
"""
SERVER = """\
import socket
s = socket.socket()
s.bind(("0.0.0.0", 8000))
s.listen(5)
while True:
    c, peer = s.accept()
    word = c.recv(4)
    if word:
        break
c.sendall(b"to " + word)
c.close()
print("served", word.decode(), peer[0])
"""


class Web(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def _answer(self, body, size):
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/half":
            self._answer(LARGE[:SENT], len(LARGE))
            self.close_connection = True
        else:
            self._answer(LARGE, len(LARGE))

    def do_POST(self):
        digest = hashlib.md5(self.rfile.read(int(self.headers["Content-Length"]))).hexdigest().encode()
        self._answer(digest, len(digest))


def serve(sock, answer):
    with contextlib.suppress(OSError):
        while True:
            data, sender = sock.recvfrom(65536)
            sock.sendto(answer(data), sender)


def name_answer(query):
    """A's answer is 192.0.2.7; any other question has none."""
    kind = query[12 + len(NAME):][:2]
    question = query[12:12 + len(NAME) + 4]
    if query[12:].startswith(NAME) and kind == b"\0\1":
        return query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question + b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\7"
    return query[:2] + b"\x81\x80\0\1\0\0\0\0\0\0" + question


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def tally(options, tree, text):
    status, output, error = tap.command(
        [both.TALLY, "run", *options, "--root", tree, "--timeout", str(TIMEOUT_S), "bash", "-c", text], timeout_s=TIMEOUT_S + 30, cwd="/")
    return status, output.decode(), error


def with_case(program, then):
    return f"cd /tmp; cat >case.py <<'END'\n{program}END\n{then}"


def check_reached(report, tree):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web) as web, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as dns:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        for sock, answer in ((udp, bytes.upper), (dns, name_answer)):
            sock.bind(("127.0.0.1", 0))
            threading.Thread(target=serve, args=(sock, answer), daemon=True).start()
        ports = {"web": web.server_port, "udp": udp.getsockname()[1], "dns": dns.getsockname()[1], "closed": free_port()}
        status, output, error = tally(["--net"], tree, with_case(PROGRAM.format(**ports), GUEST.format(**ports)))
        web.shutdown()
    large, posted = hashlib.md5(LARGE).hexdigest(), hashlib.md5(bytes(range(256)) * 8192).hexdigest()
    rules = [
        ("busybox wget fetches 4 MiB", [f"wget {large}  -"]),
        ("a closed port of the host refuses wget", ["wget: can't connect to remote host (10.0.2.2): Connection refused"]),
        ("a name is resolved by a server's answer", ["Address: 192.0.2.7"]),
        ("/etc/resolv.conf names QEMU's server", ["nameserver 10.0.2.3"]),
        ("ifconfig shows the address", ["          inet addr:10.0.2.15  Bcast:10.0.2.255  Mask:255.255.255.0"]),
        ("route shows the way out", ["0.0.0.0         10.0.2.2        0.0.0.0         UG    0      0        0 eth0",
                                     "10.0.2.0        0.0.0.0         255.255.255.0   U     0      0        0 eth0"]),
        ("urllib fetches 4 MiB", [f"get {large}"]),
        ("urllib sends 2 MiB", [f"post {posted}"]),
        ("a server that stops in the middle is noticed", [f"half {SENT} {len(LARGE) - SENT}"]),
        ("datagrams go and come, those of several fragments too", [f"udp {size} True" for size in (0, 1, 1472, 1473, 9000)]),
        ("they come from the machine's address", ["from 10.0.2.15"]),
        ("a closed port of the host is ECONNREFUSED", ["refused ECONNREFUSED"]),
        ("an IPv6 address of another machine is ENETUNREACH", ["ipv6 ENETUNREACH"]),
        ("TCP to a group is ENETUNREACH", ["group ENETUNREACH"]),
        ("a broadcast without SO_BROADCAST is EACCES", ["broadcast EACCES"]),
        ("a socket of the loopback's address reaches no other machine: EINVAL", ["loopback's EINVAL"]),
        ("another machine's address is EADDRNOTAVAIL", ["other's EADDRNOTAVAIL"]),
        ("AF_NETLINK is EAFNOSUPPORT", ["netlink EAFNOSUPPORT"]),
        ("interfaces have names and indices", ["names 2 lo"]),
        ("getaddrinfo finds IPv4 configured", ["addrinfo ('10.0.2.2', 80)"]),
        ("the machine's own address stays inside", ["itself 10.0.2.15 10.0.2.15"]),
    ]
    lines = output.splitlines()
    for name, expected in rules:
        report.equal(lines[:len(expected)], expected, name, error)
        lines = lines[len(expected):]
    report.equal((status, lines), (0, []), "the program ends with status 0 and no other output", error)


def check_published(report, tree):
    port = free_port()
    with subprocess.Popen([both.TALLY, "run", "--net", "--publish", f"{port}:8000", "--root", tree, "--timeout", str(TIMEOUT_S),
                           "bash", "-c", with_case(SERVER, "python3 case.py")], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/") as process:
        answer = b""
        while process.poll() is None and not answer:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as sock:
                sock.sendall(b"word")
                answer = sock.recv(100)
            time.sleep(0.1)
        output, error = process.communicate()
    report.equal((answer, output), (b"to word", b"served word 10.0.2.2\n"), "a published port leads to the program's server",
                 error.decode())


def check_refusals(report):
    for words, sentence in (
            (["run", "--publish", "1:1", "true"], "--publish: nothing reaches the program without --net; add --net"),
            (["run", "--net", "--icount", "true"], "--net: virtual time (--icount) does not wait for other machines; leave one of the two out"),
            (["run", "--net", "--arch", "alpha", "true"], "--net: the machine of --arch alpha has no virtio; leave --net out"),
            (["count", "--net", "true"], "--net: what other machines send is not the same in each run, and so the counts would not be; "
                                         "leave it out, or use perf stat in `tally run --net`")):
        status, output, error = tap.command([both.TALLY, *words])
        report.equal((status, output, error), (120, b"", f"tally: {sentence}\n"), f"{shlex.join(words)} is refused")


def main():
    report = tap.Report()
    tree = subprocess.run([os.path.join(HERE, "tree"), "bash", "coreutils", "grep", "python3", "busybox-static"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    check_reached(report, tree)
    status, output, error = tally([], tree, with_case(OUTSIDE, "python3 case.py"))
    report.equal((status, output.splitlines()), (0, ["ENETUNREACH", "ENETUNREACH", "False lo", "ENXIO"]),
                 "without --net there is the loopback and nothing else", error)
    check_published(report, tree)
    check_refusals(report)
    return report.done()


sys.exit(main())
