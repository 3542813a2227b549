# SPDX-License-Identifier: BSD-2-Clause
"""fork, exec, pipes, signals, wait statuses, and the subprocess module."""

import os, signal, subprocess, sys, time

print(subprocess.run(["/usr/bin/tr", "a-z", "A-Z"], input="shout\n", capture_output=True, text=True).stdout, end="")
done = subprocess.run("echo out; echo err >&2; exit 5", shell=True, capture_output=True, text=True)
print(done.returncode, repr(done.stdout), repr(done.stderr))
print(subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).returncode)
try:
    subprocess.run(["/usr/bin/sleep", "10"], timeout=0.2)
except subprocess.TimeoutExpired:
    print("too late")
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as error:
    print(error)
with subprocess.Popen(["/usr/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
    print(len(cat.communicate(b"x" * 1000000)[0]), cat.returncode)
with subprocess.Popen(["/usr/bin/sleep", "10"], start_new_session=True) as sleeper:
    print(os.getsid(sleeper.pid) == sleeper.pid, sleeper.poll())
    sleeper.send_signal(signal.SIGTERM)
    print(sleeper.wait())
child = os.fork()
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
caught = []
signal.signal(signal.SIGUSR1, lambda number, frame: caught.append(number))
os.kill(os.getpid(), signal.SIGUSR1)
print(caught == [signal.SIGUSR1], signal.getsignal(signal.SIGUSR2) == signal.SIG_DFL)
signal.signal(signal.SIGALRM, lambda number, frame: caught.append("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.2)
print(caught[1:])
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
os.kill(os.getpid(), signal.SIGUSR2)
print(signal.sigpending(), signal.sigwait({signal.SIGUSR2}), signal.sigtimedwait({signal.SIGUSR2}, 0.01))
reader, writer = os.pipe()
if os.fork() == 0:
    os.close(reader)
    os.write(writer, b"through the pipe")
    os._exit(0)
os.close(writer)
print(os.read(reader, 100), os.read(reader, 100), os.wait()[1])
print(subprocess.check_output(["/usr/bin/env", "-i", "A=1", "/usr/bin/env"]), os.nice(0) == os.getpriority(os.PRIO_PROCESS, 0))
pool = [subprocess.Popen(["/usr/bin/true" if i % 2 else "/usr/bin/false"]) for i in range(20)]
print([process.wait() for process in pool])
