# SPDX-License-Identifier: BSD-2-Clause
"""`tally report` from its words to its status: the judge in the machine, or what a console kept; then counts and a profile.

report.py reads a report and writes its forms.
"""

import os
import sys

from . import architecture, packing, paths, report, scratch, start
from .failure import NOT_FOUND, USAGE, Failure

# The programs that `tally report` runs after the judge, in this order, on one machine. The judge has the counters to itself.
PROGRAMS = ("selfmon", "profile")
ONE_AFTER_THE_OTHER = ("each", "-e")
# It alone is on the media of `tally image --report`.
JUDGE, JUDGE_WORDS = "report", "pmu=off init-check"
# The characters of its console that are shown if the machine does not end well.
_CONSOLE_SHOWN = 2000


def _own(options, name):
    """The path of a program of this tree."""
    arch = start.architecture_of(options)
    return paths.built(os.path.join(arch.folder, f"user/bin/{name}"), arch.make)


def _run_own(options, name, *words):
    """Runs a program of this tree, alone in the initramfs but for those that its words name."""
    options.words = [_own(options, name), *words]
    options.root, options.env, options.add, options.no_check = None, [], [], False
    return packing.run_packed(options)


def _text_of(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _judge(options):
    """Boots the judge and prints its report; returns the status that it asks for. As TAP it goes out line by line."""
    words = options.append
    options.append = start.join(words, JUDGE_WORDS)
    try:
        if options.format == "tap":
            return _run_own(options, JUDGE)
        with scratch.nameless() as console:
            try:
                with start.output_to(console):
                    _run_own(options, JUDGE)
            except Failure:
                # The last lines of the console show how far the judge came.
                sys.stderr.write(_text_of(console)[-_CONSOLE_SHOWN:])
                raise
            text = _text_of(console)
    finally:
        options.append = words
    found = report.parse(text, "the machine's console")
    print(report.write(found, options.format), end="\n" if options.format == "text" else "", flush=True)
    return found.status


def _judge_console(options):
    try:
        with open(options.console, "rb") as file:
            data = file.read(report.CONSOLE_MAX + 1)
    except OSError as error:
        raise Failure(NOT_FOUND, f"{options.console}: {error.strerror}") from None
    if len(data) > report.CONSOLE_MAX:
        raise Failure(report.NO_REPORT, f"{options.console}: longer than {report.CONSOLE_MAX >> 20} MiB; keep its end, "
                                        f"with the last report: tail -c {report.CONSOLE_MAX >> 20}M")
    text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    found = report.parse(text, options.console)
    print(report.write(found, options.format), end="")
    return found.status


def run(options):
    """The status of `tally report`."""
    if options.console is not None:
        return _judge_console(options)
    is_text = options.format == "text"
    has_judge = options.arch == architecture.DEFAULT
    # The judge derives the counts of cycles, to which stalls would add.
    options.bare = True
    if not has_judge and not is_text:
        raise Failure(USAGE, f"--format {options.format}: the rules are for x86_64, not for {options.arch}")
    broken = _judge(options) if has_judge else 0
    if is_text:
        name, *words = ONE_AFTER_THE_OTHER
        status = _run_own(options, name, *words, *(_own(options, program) for program in PROGRAMS))
        if status:
            return status
    return broken
