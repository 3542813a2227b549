# SPDX-License-Identifier: BSD-2-Clause
"""Limits, usage, scheduling, times, the platform."""

import os, platform, resource, sched, time

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
print(resource.getrlimit(resource.RLIMIT_NOFILE))
opened = []
try:
    while True:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(error.strerror, len(opened) + 3 >= 60)
for descriptor in opened:
    os.close(descriptor)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime >= 0, usage.ru_maxrss > 1000, usage.ru_minflt > 100)
print(os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, len(os.sched_getaffinity(0)) >= 1)
os.sched_setaffinity(0, {0})
print(os.sched_getaffinity(0))
before = time.monotonic_ns()
time.sleep(0.02)
print(time.monotonic_ns() - before >= 20000000, time.process_time() > 0, time.thread_time() > 0)
print(time.gmtime(0)[:6], time.strftime("%Y", time.gmtime(1e9)), time.clock_getres(time.CLOCK_REALTIME) <= 0.01)
print(platform.system(), platform.machine(), os.sysconf("SC_PAGESIZE"), os.cpu_count() >= 1, os.uname().sysname)
print(len(os.urandom(1000)), len(os.getrandom(16)), os.getpgid(0) > 0, os.getppid() > 0, os.times().elapsed > 0)
order = []
scheduler = sched.scheduler()
begin = time.monotonic()
for delay in (0.03, 0.01, 0.02):
    scheduler.enterabs(begin + delay, 1, order.append, (delay,))
scheduler.run()
print(order)
big = bytearray(50 << 20)
big[::4096] = b"x" * (len(big) // 4096)
print(sum(big[::4096]) == len(big) // 4096 * ord("x"))
