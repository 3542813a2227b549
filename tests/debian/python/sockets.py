# SPDX-License-Identifier: BSD-2-Clause
"""Python programs with Unix sockets: servers with threads, asyncio, descriptors, processes."""
import asyncio
import multiprocessing
import os
import socket
import socketserver
import threading

left, right = socket.socketpair()
left.settimeout(0.05)
try:
    left.recv(1)
except TimeoutError as error:
    print("timeout:", error)
writer = threading.Thread(target=right.sendall, args=(b"x" * 1000000,))
left.settimeout(None)
writer.start()
print(len(left.recv(1000000, socket.MSG_WAITALL)))
writer.join()


class Upper(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line.upper())


server = socketserver.ThreadingUnixStreamServer("upper", Upper)
thread = threading.Thread(target=server.serve_forever)
thread.start()
for number in range(5):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("upper")
        file = client.makefile("rw")
        file.write(f"hello {number}\n")
        file.flush()
        print(file.readline().strip())
        client.shutdown(socket.SHUT_WR)
        print(repr(file.read()))
server.shutdown()
server.server_close()
thread.join()
try:
    socket.socket(socket.AF_UNIX).connect("upper")
except OSError as error:
    print(error)


async def reverse(reader, stream):
    data = await reader.read()
    stream.write(data[::-1])
    await stream.drain()
    stream.close()


async def ask(number):
    reader, stream = await asyncio.open_unix_connection("reverse")
    stream.write(b"%d" % number * 50000)
    stream.write_eof()
    data = await reader.read()
    stream.close()
    return len(data)


async def serve():
    listening = await asyncio.start_unix_server(reverse, "reverse")
    print(await asyncio.gather(*[ask(number) for number in range(8, 13)]))
    listening.close()


asyncio.run(serve())

one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
read_end, write_end = os.pipe()
socket.send_fds(one, [b"take"], [read_end, write_end])
data, fds, flags, address = socket.recv_fds(other, 10, 5)
os.write(fds[1], b"through")
print(data, len(fds), os.read(read_end, 100), flags & ~socket.MSG_CMSG_CLOEXEC, address)


def child(pipe):
    pipe.send({"a": [1, 2]})
    print("child got", pipe.recv(), flush=True)


parent_end, child_end = multiprocessing.Pipe()
process = multiprocessing.Process(target=child, args=(child_end,))
process.start()
print(parent_end.recv())
parent_end.send("answer")
process.join()
print(process.exitcode)
