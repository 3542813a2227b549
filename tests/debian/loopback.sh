# Cases for loopback.t: servers and clients of Debian that talk over 127.0.0.1 and ::1. Each server takes a port that was free, since
# the host, where the cases run too, may have other servers.
### redis-server and redis-cli over both versions, redis-benchmark with 20 connections
cd "$(mktemp -d)"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
: >none; redis-server --port $port --bind 127.0.0.1 ::1 --save '' --logfile log --daemonize no <none &
until redis-cli -p $port ping 2>no | grep -q PONG; do sleep 0.1; done
redis-cli -p $port set a 41; redis-cli -h ::1 -p $port incr a
redis-benchmark -p $port -n 200 -c 20 -t ping,set,get,lpush -d 1000 --csv | cut -d, -f1
redis-benchmark -h ::1 -p $port -n 200 -c 5 -P 16 -t set --csv | cut -d, -f1
redis-cli -p $port llen mylist; redis-cli -p $port info clients | grep ^connected
redis-cli -p $port shutdown nosave; wait; echo "ended: $?"; redis-cli -p $port ping 2>&1 | sed s/$port/PORT/
rm -rf "$PWD"
### nginx with a worker, and curl: whole files, ranges, a file of 3 MB, an error, a closed port
echo root:x:0:0:root:/root:/bin/bash >/etc/passwd; echo root:x:0: >/etc/group
cd "$(mktemp -d)"; mkdir www logs
seq 400000 >www/large; echo small >www/small
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >conf <<END
daemon off; worker_processes 1; user root root; pid $PWD/pid; error_log $PWD/logs/error;
events { worker_connections 64; }
http { access_log $PWD/logs/access; client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f;
uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; sendfile on; tcp_nopush on;
server { listen 127.0.0.1:$port; listen [::1]:$port; root $PWD/www; } }
END
: >none; nginx -p "$PWD" -c "$PWD/conf" <none 2>err &
until curl -s -o page http://127.0.0.1:$port/small; do sleep 0.1; done
curl -s http://127.0.0.1:$port/small; curl -s "http://[::1]:$port/small"
curl -s http://127.0.0.1:$port/large | cmp - www/large && echo the same
curl -s -r 10-19 http://127.0.0.1:$port/large | od -c
curl -s http://127.0.0.1:$port/small http://127.0.0.1:$port/small -w '%{num_connects} %{remote_ip}\n'
curl -s -o page -w '%{http_code}\n' http://127.0.0.1:$port/none
kill -QUIT %1; wait %1; echo "ended: $?"
curl -s http://127.0.0.1:$port/small; echo "refused: $?"
cut -d' ' -f1,6-10 logs/access | tail -n +2; rm -rf "$PWD"
### Python's http.server and urllib, over both versions
cd "$(mktemp -d)"
cat >case.py <<'END'
import http.server, os, socket, threading, urllib.error, urllib.request

class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass

with open("a.txt", "w") as file:
    file.write("a line of a file\n" * 10000)
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    class Server(http.server.ThreadingHTTPServer):
        address_family = family
    server = Server((host, 0), Quiet)
    url = f"http://[{host}]:" if ":" in host else f"http://{host}:"
    url += f"{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    answer = urllib.request.urlopen(url + "a.txt")
    print(host, answer.status, len(answer.read()), answer.headers["Content-type"])
    try:
        urllib.request.urlopen(url + "none")
    except urllib.error.HTTPError as error:
        print(error.code)
    server.shutdown()
    server.server_close()
    thread.join()
    try:
        urllib.request.urlopen(url)
    except urllib.error.URLError as error:
        print(error.reason)
print(socket.getaddrinfo("127.0.0.1", 80, flags=socket.AI_ADDRCONFIG, type=socket.SOCK_STREAM))
END
python3 case.py; rm -rf "$PWD"
### UDP by Python: datagrams, their bounds, the sender's address, a port without a socket, both versions
cd "$(mktemp -d)"
cat >case.py <<'END'
import socket

for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    a, b = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)
    a.bind((host, 0))
    for size in (0, 1, 1000, 60000):
        b.sendto(b"x" * size, a.getsockname())
    for _ in range(4):
        data, sender = a.recvfrom(2000)
        print(len(data), sender[0], sender[1] == b.getsockname()[1])
    b.connect(a.getsockname())
    print(b.getsockname()[0], b.send(b"hello"), a.recv(10))
    name = a.getsockname()
    a.close()
    b.send(b"lost")
    try:
        b.send(b"lost")
    except OSError as error:
        print(error.strerror)
    try:
        b.sendto(b"x" * 70000, name)
    except OSError as error:
        print(error.strerror)
END
python3 case.py; rm -rf "$PWD"
