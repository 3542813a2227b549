# SPDX-License-Identifier: BSD-2-Clause
"""Socket pairs, Unix-domain servers, passed descriptors, select, poll and epoll."""

import array, os, select, selectors, socket, socketserver, threading

a, b = socket.socketpair()
a.sendall(b"hello")
print(b.recv(100), select.select([b], [a], [], 0) == ([], [a], []))
a.shutdown(socket.SHUT_WR)
print(b.recv(1), b.send(b"back"), a.recv(10))
a.close()
try:
    b.send(b"x")
except BrokenPipeError:
    print("broken pipe")
b.close()

server = socket.socket(socket.AF_UNIX)
server.bind("listening")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("listening")
peer, _ = server.accept()
print(client.getpeername(), os.path.exists("listening"))
socket.send_fds(client, [b"with"], [os.open("/dev/null", os.O_RDONLY), client.fileno()])
data, descriptors, flags, _ = socket.recv_fds(peer, 100, 4)
print(data, len(descriptors), flags, os.read(descriptors[0], 1))
uid, = array.array("i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[4:8])
print(uid == os.getuid())


class Upper(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line.upper())


with socketserver.ThreadingUnixStreamServer("upper", Upper) as upper:
    threading.Thread(target=upper.serve_forever, daemon=True).start()
    for word in ("one", "two"):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect("upper")
            asking.sendall(word.encode() + b"\n")
            print(asking.recv(100))
    upper.shutdown()

reader, writer = os.pipe()
with select.epoll() as epoll:
    epoll.register(reader, select.EPOLLIN)
    print(epoll.poll(0))
    os.write(writer, b"x")
    print(epoll.poll(0) == [(reader, select.EPOLLIN)])
poll = select.poll()
poll.register(reader, select.POLLIN)
print(poll.poll(0) == [(reader, select.POLLIN)])
os.close(writer)
os.read(reader, 1)
print(poll.poll(0) == [(reader, select.POLLHUP)])
with selectors.DefaultSelector() as selector:
    one, other = socket.socketpair()
    selector.register(one, selectors.EVENT_READ, "data")
    print(selector.select(0.01))
    other.send(b"!")
    print([(key.data, events) for key, events in selector.select(1)])
