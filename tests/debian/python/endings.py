# SPDX-License-Identifier: BSD-2-Clause
"""A thread that ends itself under the interpreter: glibc unwinds its stack with a library that it opens then."""
import ctypes
import os
import sys
import threading
import time


def end():
    ctypes.CDLL(None).pthread_exit(None)


print(len(os.listdir("/proc/self/task")))
threading.Thread(target=end, daemon=True).start()
while len(os.listdir("/proc/self/task")) > 1:
    time.sleep(0.01)
print("ended")
sys.stdout.flush()
os._exit(3)
