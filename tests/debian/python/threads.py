# SPDX-License-Identifier: BSD-2-Clause
"""Threads, locks, conditions, queues, thread-local data and pools."""

import concurrent.futures, queue, threading, time

count = 0
lock = threading.Lock()


def add():
    global count
    for _ in range(2000):
        with lock:
            count += 1


threads = [threading.Thread(target=add) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(count, threading.active_count())

work, results = queue.Queue(maxsize=3), queue.Queue()


def serve():
    while (item := work.get()) is not None:
        results.put(item * item)


servers = [threading.Thread(target=serve) for _ in range(4)]
for server in servers:
    server.start()
for number in range(100):
    work.put(number)
for _ in servers:
    work.put(None)
for server in servers:
    server.join()
print(sorted(results.queue) == [n * n for n in range(100)])

event, barrier = threading.Event(), threading.Barrier(5)
passed = []


def meet(number):
    event.wait()
    barrier.wait()
    passed.append(number)


meeting = [threading.Thread(target=meet, args=(i,)) for i in range(5)]
for thread in meeting:
    thread.start()
print(passed)
event.set()
for thread in meeting:
    thread.join()
print(sorted(passed))
start = time.monotonic()
print(threading.Event().wait(0.1), time.monotonic() - start >= 0.1)
print(lock.acquire(), lock.acquire(timeout=0.05), lock.release())
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(lambda n: n * 2, range(1000))))
local = threading.local()
local.x = 1
seen = []
thread = threading.Thread(target=lambda: seen.append(hasattr(local, "x")))
thread.start()
thread.join()
print(seen)
timer = threading.Timer(0.05, lambda: print("timer"))
timer.start()
timer.join()
semaphore = threading.BoundedSemaphore(2)
print(semaphore.acquire(), semaphore.acquire(), semaphore.acquire(blocking=False))
