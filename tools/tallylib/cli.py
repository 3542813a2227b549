# SPDX-License-Identifier: BSD-2-Clause
"""The commands of tools/tally: words in, exit status out.

Each subcommand is a function that takes the parsed words (command_line.py) and returns the exit status. The long ones have
modules of their own: count_command.py, report_command.py.
"""

import importlib
import os
import re
import signal
import sys

from . import command_line, failure, image_form, initramfs, machine, medium, network, packing, paths, start
from .failure import USAGE, Failure

# The report on media: all of it on the screen and on both lines, since any of them may be the only one. Where the
# emulator's exit port is missing, the machine stands still, so that the screen can be read.
_AS_REPORT = "console=cooked log=both end=exit"

# `tally abi`: no entry matches, or some have faults.
NO_ENTRY = 1


def _run(options):
    network.check(options)
    if options.initrd is None:
        return packing.run_packed(options)
    if options.root or options.env or options.add or options.get or options.share or options.write:
        raise Failure(USAGE, "--initrd is booted as it is: it cannot be had with --root, --add, --env, --get, --share or --write")
    words = packing.words_of(options)
    if any(word.split() != [word] for word in words):
        raise Failure(USAGE, "words for the /init of an --initrd cannot have spaces in them")
    blob = initramfs.read_ready_made(options.initrd, check=not options.no_check)
    return start.run_blob(options, start.platform_of(options), blob, ["--", *words] if words else [])


def _boot(options):
    if options.kernel:
        raise Failure(USAGE, "an image has its own kernel; leave out --kernel")
    start.must_be_file(options.image)
    with open(options.image, "rb") as file:
        is_elf = file.read(4) == b"\x7fELF"
    interactive, feed = False, True
    if is_elf:
        if options.usb or options.firmware != "bios":
            raise Failure(USAGE, "--usb and --firmware are for disk and ISO images, and this is an ELF")
        platform = start.platform_of(options)
        interactive, feed = platform.interactive, platform.has_input
        words = ["-kernel", options.image, "-append", start.join(options.append, platform.words)]
    elif options.append:
        raise Failure(USAGE, "an image has its own command line; give --append to `tally image`")
    else:
        words = medium.words(options.image, options.firmware, options.usb)
        if medium.is_terminal(options.image):
            # It has no end of input, and no escape for it.
            interactive = feed = machine.at_terminal()
    return start.start(options, words, interactive, feed)


def _image(options):
    # Linking and GRUB are of no use to a run, which should not pay for loading them.
    from . import image, report_command
    if options.output is None and options.words and not options.pxe:
        # PROGRAM may also come before the options: then its own arguments come after them.
        program, *rest = packing.words_of(options)
        options = options.parser.parse_args(rest, options)
        options.words = [program] + packing.words_of(options)
    form = image_form.settle(options)
    words = start.AS_PIPES
    if options.report:
        if options.words:
            raise Failure(USAGE, "--report is the program; leave out PROGRAM")
        options.words = [paths.built(os.path.join("user", "bin", report_command.JUDGE), "make")]
        words = start.join(_AS_REPORT, report_command.JUDGE_WORDS)
    blob = packing.packed(options)
    words = start.join(options.append, words)
    image_form.make(image, form, options, blob, words)
    return 0


def _flamegraph(options):
    # Nothing else draws.
    from . import flamegraph
    for path in filter(None, (options.file, options.kernel)):
        start.must_be_file(path)
    flamegraph.make(options.file, options.output or options.file + ".svg", options.kernel)
    return 0


def _abi(options):
    # Nothing else reads it.
    from . import abi
    if options.validate == (options.pattern is not None):
        raise Failure(USAGE, "give a PATTERN or --validate; see: tally abi --help")
    entries, faults = abi.read(os.path.join(paths.ROOT, "docs", "ABI"))
    if options.validate:
        faults += abi.check(entries)
        for fault in faults:
            print(fault)
        return NO_ENTRY if faults else 0
    try:
        expression = re.compile(options.pattern, re.IGNORECASE)
    except re.error as problem:
        raise Failure(USAGE, f"{options.pattern!r} is no regular expression: {problem}") from None
    found = abi.search(entries, expression)
    if not found:
        raise Failure(NO_ENTRY, f"no entry of docs/ABI matches {options.pattern!r}")
    print("\n".join(map(abi.describe, found)), end="")
    return 0


def _count(options):
    # Nothing else counts.
    from . import count_command
    return count_command.run(options)


def _report(options):
    # Nothing else reads reports.
    from . import report_command
    return report_command.run(options)


# The modules that the subcommands load when they run, and those that most machines load: emulator.settle_pmu() asks for KVM.
_MODULES = {"count": ("count_command",), "report": ("report_command",), "image": ("image", "report_command")}
_MODULES_OF_RUNS = ("kvm",)
_ACTIONS = {"run": _run, "count": _count, "image": _image, "boot": _boot, "report": _report, "flamegraph": _flamegraph, "abi": _abi}


def _end_by_exception():
    """A signal that ends this command ends the machine too, and removes what was made for it."""
    def end(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def load(words):
    """Loads ahead what main() would load for WORDS in each run: for a process whose copies call main()."""
    command = words[0] if words else None
    command_line.parser_of(command)
    for name in (*_MODULES.get(command, ()), *_MODULES_OF_RUNS):
        importlib.import_module("." + name, __package__)


def main(words, platform=start.tally):
    """Runs the command; returns its exit status and prints at most one line about a failure.

    `platform` returns the Platform, and is called only by commands that boot one.
    """
    try:
        _end_by_exception()
        options = command_line.parser_of(words[0] if words else None).parse_args(words)
        options.platform = platform
        return _ACTIONS[options.command](options)
    except Failure as problem:
        print(f"tally: {problem.message}", file=sys.stderr)
        return problem.status
    except KeyboardInterrupt:
        print("tally: interrupted; the machine is off", file=sys.stderr)
        return failure.INTERRUPTED
