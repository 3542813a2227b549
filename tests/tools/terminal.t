#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The screen of a user at a terminal: busybox's shell and bash, driven through a pseudo-terminal of the host.

Each group of points is one session, from boot to exit status.
"""

import os
import re
import sys

from tallytest import tap
from tallytest.terminal import ENTER, ESCAPE, LEFT, TAB, UP, Missing, Terminal, ctrl

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
PROMPT = b"/ # "
# busybox 1.37 calls this folder "~".
SHELL = ["--env", "PS1=" + PROMPT.decode()]
ROWS, COLUMNS = 31, 99


def editing(at):
    at.say(b"stty size; echo $TERM; id -un", b"31 99\r\nvt100\r\nroot\r\n")
    yield "the console has the terminal's size and kind"
    at.expect(PROMPT)
    at.type(b"echo ac" + LEFT + b"b\x7fB" + ENTER)
    at.expect(b"\r\naBc\r\n")
    yield "arrow keys and backspace edit the line"
    at.say(b"echo one-$((6*7))", b"\r\none-42\r\n")
    at.say(b"echo two-$((6*7))", b"\r\ntwo-42\r\n")
    at.expect(PROMPT)
    at.type(UP + UP + ENTER)
    at.expect(b"\r\none-42\r\n")
    yield "arrow keys go through the history"
    at.expect(PROMPT)
    at.type(b"cat /proc/sys/kern" + TAB + b"ost" + TAB + ENTER)
    at.expect(b"\r\nLinux\r\n")
    yield "tab completes names"
    at.expect(PROMPT)
    at.type(b"echo gone" + ctrl("u") + b"echo stays" + ENTER)
    at.expect(b"\r\nstays\r\n")
    yield "ctrl-U deletes the line"
    at.expect(PROMPT)
    at.say(b"seq 5 | sort -r | head -n 2 | tr '\\n' ' ' | cat -; echo $?", b"\r\n5 4 0\r\n")
    yield "pipes"
    at.expect(PROMPT)
    at.type(b"false" + ENTER)
    at.expect(PROMPT)
    at.type(ctrl("d"))


def start_cat(at, line):
    """Types a line that ends in `cat`. A line that comes back twice, as echo and from cat, shows that it is in the
    foreground; by "go" the shell has given the terminal's modes back."""
    at.say(b"echo go; " + line, b"\r\ngo\r\n")
    at.type(b"front" + ENTER)
    at.expect(b"front\r\nfront\r\n")


def wait_for_programs(at, number):
    """Waits until so many tasks in the background execute `sleep` or `cat`: at first each is a copy of the shell."""
    at.say(b"until test $(ps -o comm | grep -c -e sleep -e cat) = %d; do :; done; echo all" % number, b"\r\nall\r\n")
    at.expect(PROMPT)


def jobs(at):
    start_cat(at, b"cat")
    at.type(ctrl("z"))
    at.expect(b"Stopped")
    at.expect(PROMPT)
    at.say(b"jobs", b"[1]+  Stopped")
    yield "ctrl-Z stops what is in the foreground, jobs lists it"
    at.say(b"bg %1", b"[1] cat")
    at.type(ENTER)
    at.expect(PROMPT)
    at.say(b"until grep -q State:.T /proc/[0-9]*/status; do :; done; jobs", b"Stopped (tty input)")
    yield "in the background it may not read"
    at.type(b"fg" + ENTER)
    at.expect(b"fg\r\ncat\r\n")
    at.type(b"again" + ENTER)
    at.expect(b"again\r\nagain\r\n")
    for key, status in (("d", b"0"), ("c", b"130"), ("\\", b"131")):
        at.type(ctrl(key))
        at.expect(PROMPT)
        at.say(b"echo s=$?", b"\r\ns=" + status + b"\r\n")
        yield f"ctrl-{key} ends it with status {status.decode()}"
        at.expect(PROMPT)
        if status != b"131":
            start_cat(at, b"cat")
    at.say(b"sleep 99 & sleep 98 | cat &", PROMPT)
    wait_for_programs(at, 3)
    listed = at.say(b"ps -o pid,comm,args", PROMPT).decode()
    names = sorted(re.findall(r"^ *\d+ +(\S+) ", listed, re.MULTILINE))
    yield "ps lists all tasks", names, ["busybox", "cat", "ps", "sleep", "sleep"]
    at.say(b"kill %1 %2; wait; jobs; echo none", b"\r\nnone\r\n")
    yield "kill ends jobs"
    at.expect(PROMPT)
    at.say(b"test -c /dev/tty && exit 8", b"")


def screen(at):
    """Programs that use the whole screen."""
    at.say(b"sleep 99 &", PROMPT)
    wait_for_programs(at, 1)
    at.type(b"top" + ENTER)
    at.expect(b"Load average")
    frame = at.expect(b"sleep 99").decode()
    yield "top says what CPUs and tasks do", sorted(re.findall(r"PID.*%CPU COMMAND|\b1 +0 root +S", frame)), \
        ["1     0 root     S", "PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND"]
    at.type(b"q")
    at.expect(PROMPT)
    yield "q leaves it"
    at.type(b"vi /tmp/file" + ENTER)
    at.expect(b"\x1b[30;1H~")
    at.expect(b"- /tmp/file 1/1 100%")
    yield "vi fills the screen"
    at.type(b"ifirst" + ENTER + b"second" + ESCAPE)
    at.expect(b"- /tmp/file [Modified] 2/2 100%")
    at.type(b"kx0iF")
    at.expect(b"I /tmp/file [Modified] 1/2 50%")
    at.type(ESCAPE)
    at.expect(b"- /tmp/file [Modified] 1/2 50%")
    at.type(b":w" + ENTER)
    at.expect(b"'/tmp/file' 2L, 13C")
    at.type(b":q" + ENTER)
    at.expect(PROMPT)
    at.say(b"cat /tmp/file", b"\r\nFfirs\r\nsecond\r\n")
    yield "it inserts, moves, deletes, writes and leaves"
    at.expect(PROMPT)
    at.type(b"seq 100 | less" + ENTER)
    at.expect(b"30")
    at.type(b"G")
    at.expect(b"100")
    at.type(b"q")
    at.expect(PROMPT)
    yield "less shows the beginning and the end"
    at.type(ctrl("d"))


def bash(at):
    prompt = b"bash> "
    at.say(b"PS1='bash> '", prompt)
    at.type(b"echo ac" + LEFT + b"b\x7fB" + ENTER)
    at.expect(b"\r\naBc\r\n")
    at.expect(prompt)
    at.say(b"true", prompt)
    at.type(UP + UP + ENTER)
    at.expect(b"\r\naBc\r\n")
    yield "bash edits lines, and knows those before"
    at.expect(prompt)
    at.type(ctrl("r") + b"PS")
    at.expect(b"S': PS1=")
    at.type(ctrl("e") + b"; echo found" + ENTER)
    at.expect(b"\r\nfound\r\n")
    yield "it searches them"
    at.expect(prompt)
    start_cat(at, b"cat")
    at.type(ctrl("z"))
    at.expect(b"[1]+  Stopped                 cat")
    at.expect(prompt)
    at.say(b"sleep 99 &", prompt)
    at.say(b"jobs", b"[1]+  Stopped                 cat\r\n[2]-  Running                 sleep 99 &\r\n")
    at.expect(prompt)
    at.say(b"fg", b"\r\ncat\r\n")
    at.type(b"again" + ENTER)
    at.expect(b"again\r\nagain\r\n")
    at.type(ctrl("c"))
    at.expect(prompt)
    at.say(b"kill %2; wait %2; echo s=$?", b"s=143\r\n")
    yield "it controls jobs"
    at.expect(prompt)
    at.say(b"cat <(echo from $((1+1))) <<<and", b"from 2\r\n")
    yield "it gives a pipe a name"
    at.expect(prompt)
    at.say(b"read -s -p 'secret: ' word", b"\r\nsecret: ")
    at.type(b"hidden" + ENTER)
    yield "it reads without echo", at.expect(prompt), b""
    at.say(b"echo /${word}/", b"\r\n/hidden/\r\n")
    at.expect(prompt)
    at.say(b"exit 9", b"")


def leaving(at):
    yield "a prompt"
    at.type(ctrl("]"))


# The name, the tool's words, the first prompt, the session, its exit status.
SESSIONS = (
    ("a shell without a program: line editing", SHELL, PROMPT, editing, 1),
    ("job control", SHELL, PROMPT, jobs, 8),
    ("screens", SHELL, PROMPT, screen, 0),
    ("bash", ["--add", "/usr/bin/cat", "--add", "/usr/bin/sleep", "--add", "/usr/bin/grep", "--env", "PATH=/usr/bin:/bin",
              "bash", "--norc", "-i"], b"# ", bash, 9),
    ("ctrl-]", SHELL, PROMPT, leaving, 130),
)


def play(report, name, words, prompt, session, status):
    at = Terminal([TALLY, "run", "--timeout", "500", *words], ROWS, COLUMNS)
    last = "the first prompt"
    try:
        at.expect(prompt)
        for point in session(at):
            last, got, expected = (point, None, None) if isinstance(point, str) else point
            report.equal(got, expected, f"{name}: {last}", at.seen.decode(errors="replace"))
    except Missing as problem:
        report.ok(False, f"{name}: the text after: {last}", problem)
        at.type(ctrl("]"))
    report.equal(at.end(), status, f"{name}: it ends with status {status}", at.seen.decode(errors="replace"))


# Two CPUs on a virtual clock, one of which has all its time used: the second frame is of one second of that.
LOOP = "(while :; do :; done) & exec top -b -n 2 -d 1"
FRAME = re.compile(r"CPU:  50% usr   0% sys   0% nic  \d+% idle   0% io   0% irq   0% sirq\n.*\n"
                   r"  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND\n"
                   r" +2 +1 root +R +\d+ +0% +50% .*\n"
                   r" +1 +0 root +R +\d+ +0% +0% top -b -n 2 -d 1\n$")


def main():
    report = tap.Report()
    for session in SESSIONS:
        play(report, *session)
    status, output, error = tap.command([TALLY, "run", "--icount", "--cpus", "2", "busybox", "sh", "-c", LOOP])
    report.ok(FRAME.search(output.decode()), "top: a task that only computes has half of two CPUs",
              output.decode(), error, f"status {status}")
    return report.done()


sys.exit(main())
