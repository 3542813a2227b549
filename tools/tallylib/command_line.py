# SPDX-License-Identifier: BSD-2-Clause
"""The grammar of tools/tally's command line: its subcommands, their options, and the forms of values. cli.py acts on
them.

The functions named _add_* declare the options of a subcommand, or options that subcommands have in common, once; _COMMANDS,
at the end, has the subcommands.
"""

import argparse
import functools
import os
import sys

from . import architecture, caches, device, failure, image_form, limits, medium, network, processor, share
from .failure import USAGE, Failure

# Memory in MiB without --memory.
MEMORY_MIB = 512
# `tally count`: what makes two runs equal, and can be let go; options of `tally run` that count refuses, or sets itself.
CONDITIONS = ("time", "random", "addresses", "environment", "place", "input")
_NOT_COUNTS = ("--arch", "--pmu", "--under", "--under-cpus", "--under-memory", "--cpu", "--gdb", "--icount")
# Its FIFOs of --region, which userland/libperf/perf_region.c names.
_REGION = "/.tally/control,/.tally/answers"


@functools.cache
def _columns():
    """The columns of the terminal that standard output is, or 80; COLUMNS of the environment comes first."""
    chosen = os.environ.get("COLUMNS", "")
    if chosen.isdecimal() and int(chosen):
        return int(chosen)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for each option that is declared, and asks shutil for its width, which loads much."""

    def __init__(self, prog):
        super().__init__(prog, width=_columns() - 2)


class _Parser(argparse.ArgumentParser):
    """argparse, but with our exit status and one line instead of the whole usage, and no abbreviations."""

    def __init__(self, **words):
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **words)

    def error(self, message):
        raise Failure(USAGE, f"{message}; see: {self.prog} --help")


def parser(only=None):
    """The parser of tools/tally's words: `command` of what it returns is the subcommand's name. ONLY: the name of the single
    subcommand that it has to know; a run needs no other, and declaring the options of all costs more than all else that
    it does here."""
    statuses = "\n".join(f"  {number}  {meaning}" for number, meaning in failure.MEANING)
    tally = _Parser(
        prog="tally", description="Runs Linux programs on Tally, a kernel whose subject is the PMU.",
        epilog="exit status: the program's own (128 + N when signal N killed it), or\n" + statuses)
    commands = tally.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (meaning, add_options) in _COMMANDS.items():
        if only in (None, name):
            add_options(commands.add_parser(name, help=meaning))
    return tally


@functools.cache
def parser_of(word):
    """The parser for a command line that begins with WORD, made once. Where that is no subcommand, it knows all."""
    return parser(word if word in _COMMANDS else None)


def _number(low, high):
    def parse(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {low} to {high}")
        return int(text)
    return parse


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds")
    return value


def _add_machine_options(parser, hidden=()):
    """HIDDEN: options that are understood, so that a sentence can refuse them, and not listed."""
    def add(*names, help, **words):  # pylint: disable=redefined-builtin
        parser.add_argument(*names, help=argparse.SUPPRESS if names[0] in hidden else help, **words)
    add("--arch", choices=tuple(architecture.ARCHITECTURES), default=architecture.DEFAULT,
        help=f"the machine's architecture, which is the program's (default {architecture.DEFAULT})")
    add("--cpus", metavar="N", type=_number(1, 255), default=1, help="CPUs, 1 to 255 (default 1)")
    add("--memory", metavar="MIB", type=_number(16, 65536),
        help=f"memory in MiB (default {MEMORY_MIB}, and more for a large initramfs)")
    add("--pmu", choices=("auto", "emulated", "kvm", "none"), default="auto",
        help="auto: KVM's if it counts here, else the emulated one")
    add("--processor", choices=tuple(processor.PROCESSORS),
        help="the emulated processor: Intel's architectural PMU, a Skylake, or AMD's of three generations (default generic; "
             "zen3 with --under kvm)")
    add("--caches", metavar="CHOICE", type=caches.parse,
        help=f"emulated PMU: its caches, TLBs and branch prediction: {', '.join([caches.NONE, *caches.PRESETS])}, or a "
             f"geometry, {caches.FORM}, which replaces caches of the preset, or of cachegrind (default: the processor's; "
             f"{caches.NONE} for generic, k8, tally report and --under kvm)")
    add("--under", choices=("kvm",), help="boot Linux with KVM in the emulator, and this machine as its guest")
    add("--under-cpus", metavar="N", type=_number(1, 255), help="CPUs of that Linux (default: as --cpus)")
    add("--under-memory", metavar="MIB", type=_number(16, 65536), help="its memory (default: enough)")
    for name, (_, meaning) in processor.PMU_PROPERTIES.items():
        low, high = processor.range_of(name)
        add(f"--pmu-{name}", metavar="N", type=_number(low, high),
            help=f"emulated PMU: {meaning}, {low} to {high}")
    add("--device", metavar="KIND[,NAME=VALUE...]", action="append", default=[], type=device.parse,
        help=f"add an emulated accelerator: {' or '.join(device.KINDS)} (repeatable)")
    add("--cpu", metavar="MODEL", help="QEMU's CPU model, with its properties")
    add("--icount", action="store_true",
        help="one CPU at a time and virtual time, so that every run is the same")
    add("--kernel", metavar="ELF", help="the kernel (default: build/tally.elf)")
    add("--append", metavar="WORDS", default="", help="more words for the kernel's command line")
    add("--timeout", metavar="S", type=_seconds, help="give up after S seconds")
    add("--gdb", action="store_true", help="wait for gdb on port 1234 before the first instruction")
    add("--post-mortem", metavar="FILE", help="if the time is up: what the CPUs and tasks do then, by gdb")
    add("--log", metavar="FILE", help="keep the kernel log here (default: build/last-run.log)")
    add("-v", "--verbose", action="store_true", help="say which PMU is used, and why")


def _variable(text):
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _add_packing_options(parser):
    parser.add_argument("--root", metavar="DIR",
                        help="this tree is the root file system; PROGRAM is looked for in it first")
    parser.add_argument("--add", metavar="PATH", action="append", default=[],
                        help="add a file or folder of the host, with what it needs (repeatable)")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], type=_variable,
                        help="set a variable of the program's environment (repeatable)")
    parser.add_argument("--no-check", action="store_true",
                        help="leave it to the kernel to refuse a bad program or initramfs")


def _add_run(parser):
    _add_machine_options(parser)
    _add_packing_options(parser)
    parser.add_argument("--get", metavar="FILE", action="append", default=[],
                        help="when the program has ended, bring this file of the guest, by its path from "
                             "the working folder, to the current folder (repeatable)")
    share.add_options(parser.add_argument)
    network.add_options(parser.add_argument)
    parser.add_argument("--trace", choices=("syscalls",),
                        help="write every system call to the kernel log")
    parser.add_argument("--initrd", metavar="FILE",
                        help="boot this initramfs (cpio newc) and run its /init; "
                             "what follows are /init's arguments")
    parser.add_argument("words", metavar="PROGRAM [ARGS...]", nargs=argparse.REMAINDER,
                        help="a Linux program, and its arguments: an executable, whose "
                             "libraries are packed too, or a script; without one, busybox's shell")


def _add_image(parser):
    parser.set_defaults(parser=parser)
    _add_packing_options(parser)
    image_form.add_options(parser, _number(1, image_form.SIZE_MAX_MIB))
    parser.add_argument("words", metavar="PROGRAM [ARGS...]", nargs=argparse.REMAINDER)


def _add_boot(parser):
    _add_machine_options(parser)
    parser.add_argument("--firmware", choices=tuple(medium.FIRMWARE), default="bios",
                        help="what starts a disk or ISO image (default bios)")
    parser.add_argument("--usb", action="store_true", help="a disk or ISO image is a USB stick")
    parser.add_argument("image", metavar="IMAGE", help="a multiboot ELF, a disk image or an ISO image")


def _add_report(parser):
    _add_machine_options(parser)
    parser.add_argument("--format", choices=("text", "tap", "json", "junit"), default="text",
                        help="text: what is broken, the verdict, counts and profile; tap, json, junit: all rules, "
                             "and nothing else (default text)")
    parser.add_argument("--console", metavar="FILE",
                        help="boot nothing: read the report from what a machine's console printed")


def _add_flamegraph(parser):
    parser.add_argument("--kernel", metavar="ELF",
                        help="the kernel that ran (default: build/tally.elf)")
    parser.add_argument("-o", "--output", metavar="SVG", help="what to write (default: FILE.svg)")
    parser.add_argument("file", metavar="FILE", help="what perf record wrote")


def _add_abi(parser):
    parser.add_argument("--validate", action="store_true", help="check the form of every entry instead")
    parser.add_argument("pattern", metavar="PATTERN", nargs="?",
                        help="a regular expression for the name of an interface, or a file's path")


def _limit(text):
    try:
        return limits.parse(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _control(text):
    parts = text.split(",")
    if len(parts) > 2 or len(set(parts)) < len(parts) or not all(part.startswith("/") for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form /PATH or /PATH,/PATH")
    return text


def _add_count(parser):
    _add_machine_options(parser, _NOT_COUNTS)
    _add_packing_options(parser)
    add = parser.add_argument
    add("--format", choices=("text", "json", "callgrind"), default="text",
        help="the form of the counts; callgrind: those by function, for callgrind_annotate and KCachegrind (default text)")
    add("--functions", action="store_true", help="count by function, too: what each has cost, and its calls")
    add("--output", metavar="FILE", help="where the counts go (default: standard error)")
    add("--save", metavar="FILE", help="keep the counts for --compare")
    add("--compare", metavar="FILE", help="say which counts are others than the saved ones")
    add("--limit", metavar=limits.FORM, action="append", default=[], type=_limit,
        help="with --compare: status 1 if a count has grown by more (default 0); WHAT: a row or column of the table, or ROW/COLUMN; "
             "with WHAT alone the others may grow (repeatable)")
    add("--control", metavar="FIFO[,FIFO]", type=_control,
        help="count from \"enable\" to \"disable\", which the program writes to the first, and read \"ack\" from the second")
    add("--region", dest="control", action="store_const", const=_REGION,
        help="count between the program's calls of libperf's perf_region_start() and perf_region_stop()")
    add("--region-requests", action="store_true",
        help="count where the program's client requests of Valgrind's headers say so: CALLGRIND_START_INSTRUMENTATION and its like")
    add("--free", metavar="CONDITION", action="append", default=[], choices=CONDITIONS,
        help=f"let a condition go that makes runs equal: {', '.join(CONDITIONS)} (repeatable)")
    add("--net", action="store_true", help=argparse.SUPPRESS)
    add("words", metavar="PROGRAM [ARGS...]", nargs=argparse.REMAINDER)


# The subcommands in the order of --help: what each is for, and what declares its options.
_COMMANDS = {
    "run": ("boot and run one program", _add_run),
    "count": ("count one program, the same in each run", _add_count),
    "image": ("put kernel and program into one bootable file", _add_image),
    "boot": ("boot what `tally image` made, in the emulator", _add_boot),
    "report": ("judge the machine's PMU, then print exact counts and a profile", _add_report),
    "flamegraph": ("draw what perf has recorded (run --get) as an SVG", _add_flamegraph),
    "abi": ("search the interfaces that docs/ABI describes", _add_abi),
}
