# SPDX-License-Identifier: BSD-2-Clause
"""What Linux answers to a program: asked once, and remembered while nothing that it depends on changes.

Programs start in the same folder on each kernel and each host: in /.

Linux boots for seconds to run a program of milliseconds, and its answer depends on the program, the
kernel, the init, the machine and its options: their contents are the key. An answer is remembered only
when the test that asked is content with it, so a wrong one never stays. TALLY_ASK_LINUX=1 asks anew.
While one test asks, and until it is content or has gone, another that wants the same answer waits for it.
"""

import fcntl
import functools
import hashlib
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))

import tap  # pylint: disable=wrong-import-position
from tallylib import paths  # pylint: disable=wrong-import-position

BUILD = os.environ["TALLY_BUILD"]
LINUX_RUN = os.path.join(HERE, "conformance", "linux-run")
CACHE = os.path.join(os.environ.get("TALLY_CACHE") or
                     os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tally"),
                     "linux-answers")
# A run that is still not over then hangs.
LIMIT_S = 430


def _kernel():
    return subprocess.run([os.path.join(HERE, "conformance", "linux-kernel")], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


@functools.cache
def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@functools.cache
def _surroundings():
    """What every answer depends on."""
    return [_digest(path) for path in (LINUX_RUN, os.path.join(ROOT, "tools", "tallylib", "emulator.py"),
                                       os.path.join(BUILD, "tests", "linux-init"),
                                       paths.emulator(needs_model=True), _kernel())]


class Answer:
    """Linux's answer to PROGRAM run with OPTIONS and the arguments WORDS: status, output, error, and Linux's own log
    (log_text) where the caller keeps it."""

    def __init__(self, program, options, log, *words, keeps_log=False):
        key = json.dumps([*options, *words, *(["with its log"] if keeps_log else []), _digest(program), *_surroundings()])
        name = hashlib.sha256(key.encode()).hexdigest()
        self._command = [LINUX_RUN, *options, "--log", log, program, *words]
        self._log = log if keeps_log else None
        self._path = os.path.join(CACHE, name)
        self._is_remembered = False
        self._lock = None  # held from before the question until the answer is remembered
        if not os.path.exists(self._path):
            self._lock = open(os.path.join(BUILD, "tests", f"{os.path.basename(program)}.asked"), "w", encoding="utf-8")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        if os.environ.get("TALLY_ASK_LINUX") or not os.path.exists(self._path):
            self.ask()
            return
        with open(self._path, encoding="utf-8") as file:
            self.status, output, *log_text = json.load(file)
        self.output, self.error = output.encode(), ""
        self.log_text = "".join(log_text)
        self._is_remembered = True

    def ask(self):
        """Asks, again if it was asked before."""
        self._is_remembered = False
        self.log_text = ""
        self.status, self.output, self.error = tap.command(self._command, timeout_s=LIMIT_S, cwd="/")
        if self._log:
            with open(self._log, encoding="utf-8", errors="replace") as file:
                self.log_text = file.read()

    def remember(self):
        """The answer is as it should be: next time it need not be asked."""
        if self._is_remembered:
            return
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        with open(f"{self._path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump([self.status, self.output.decode(errors="replace"), *([self.log_text] if self._log else [])], file)
        os.rename(file.name, self._path)
        self._lock = None
