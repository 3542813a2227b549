# SPDX-License-Identifier: BSD-2-Clause
"""multiprocessing: pools, queues, shared memory, semaphores."""

import multiprocessing
from multiprocessing import shared_memory


def square(number):
    return number * number


def add(value, lock):
    for _ in range(100):
        with lock:
            value.value += 1


if __name__ == "__main__":
    with multiprocessing.Pool(4) as pool:
        print(sum(pool.map(square, range(200))), pool.apply(square, (9,)))
    value, lock = multiprocessing.Value("i", 0), multiprocessing.Lock()
    workers = [multiprocessing.Process(target=add, args=(value, lock)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(value.value, [worker.exitcode for worker in workers])
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=there.send, args=({"a": [1, 2]},))
    process.start()
    print(here.recv())
    process.join()
    memory = shared_memory.SharedMemory(create=True, size=100)
    memory.buf[:5] = b"share"
    other = shared_memory.SharedMemory(name=memory.name)
    print(bytes(other.buf[:5]))
    other.close()
    memory.close()
    memory.unlink()
