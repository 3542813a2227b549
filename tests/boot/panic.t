#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's own mistakes are caught and reported: panic=NAME makes each on purpose.

The log must have the reason, a backtrace that names the function that made the mistake and the one
that called it, and end there; the command's status must be the one for panics. A start that cannot work is
no panic but says what to do.
"""

import os
import re
import sys

from tallytest import kernels, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
NOTHING = os.path.join(BUILD, "tests", "nothing")
LOG = os.path.join(BUILD, "tests", "panic.log")
PANIC, BOOT = 123, 122

# Name, CPUs; the reason as a regular expression; functions in the backtrace, innermost first.
DEMANDS = (
    ("here", 1, r"requested on CPU 0", ("call_panic", "panic_on_demand")),
    ("here", 4, r"requested on CPU [0-3]", ("call_panic", "panic_on_demand")),
    ("elsewhere", 2, r"requested on CPU 1", ("call_panic", "smp_call_interrupt")),
    ("elsewhere", 4, r"requested on CPU 3", ("call_panic", "smp_call_interrupt")),
    ("assertion", 1, r"kernel/panic_demand\.c:\d+: assertion failed: executable\[0\] != 0",
     ("fail_assertion", "panic_on_demand")),
    ("stack", 1, r"kernel stack overflow", ("overflow_stack", "overflow_stack")),
    ("text", 1, r"page fault: the kernel writes 0xffffffff80[0-9a-f]{6} \(error code 3\)",
     ("fail_text", "panic_on_demand")),
    ("text-alias", 1, r"page fault: the kernel writes 0xffff8000001[0-9a-f]{5} \(error code 3\)",
     ("fail_text_alias", "panic_on_demand")),
    ("rodata", 1, r"page fault: the kernel writes 0xffffffff80[0-9a-f]{6} \(error code 3\)",
     ("fail_read_only_data", "panic_on_demand")),
    ("execute-data", 1, r"page fault: the kernel executes 0xffffffff80[0-9a-f]{6} "
     r"\(error code 17\)", ("panic_on_demand",)),
    ("execute-page", 1, r"page fault: the kernel executes 0xffff8000[0-9a-f]{8} "
     r"\(error code 17\)", ("panic_on_demand",)),
    # SMAP and SMEP, which the emulated CPU model has.
    ("user-write", 1, r"page fault: the kernel writes 0x400000 \(error code 3\)",
     ("panic_on_demand",)),
    ("user-execute", 1, r"page fault: the kernel executes 0x400000 \(error code 17\)",
     ("panic_on_demand",)),
)

# The same for mistakes that only the debug build notices.
DEBUG_DEMANDS = (
    ("use-after-free", 1, r"use after free: an object at 0x[0-9a-f]{16}, freed by "
     r"fail_use_after_free, has 0x01 at offset 42", ("fail_use_after_free", "panic_on_demand")),
    ("page-after-free", 1, r"use after free: the page at 0x[0-9a-f]{13}000, freed by "
     r"fail_page_use_after_free, has 0x01 at offset 50",
     ("fail_page_use_after_free", "panic_on_demand")),
    ("end-of-object", 1, r"written past its end: the object at 0x[0-9a-f]{16} of 100 bytes, "
     r"allocated by fail_end_of_object", ("fail_end_of_object", "panic_on_demand")),
    ("free-twice", 1, r"freed twice: the object at 0x[0-9a-f]{16}, first by fail_free_twice, "
     r"now by fail_free_twice", ("fail_free_twice", "panic_on_demand")),
    ("undefined", 1, r"kernel/panic_demand\.c:\d+:\d+: undefined behaviour: "
     r"an addition overflows", ("panic_on_demand",)),
    ("lock-order", 1, r"lock order: fail_lock_order takes (\S+) after (\S+), "
     r"fail_lock_order took \2 after \1", ("fail_lock_order", "panic_on_demand")),
    ("sleep-locked", 1, r"lock order: mutex_lock may sleep for a mutex with a spin lock "
     r"held \(fail_sleep_locked\)", ("fail_sleep_locked", "panic_on_demand")),
    ("canary", 1, r"stack smashed: a function wrote past an array of its own",
     ("fail_canary",)),
    ("irqs-off", 1, r"interrupts were off for [23]\d{3} us", ("fail_irqs_off", "panic_on_demand")),
)

# The watchdog needs a word, and virtual time.
WORDS = {"irqs-off": " irqs-off-watchdog"}
OPTIONS = {"irqs-off": ("--icount", "--pmu", "emulated")}

# Words of the command line that are wrong; what the line says.
BAD_WORDS = (
    ("panic=nothing", "panic=nothing: no mistake of that name is known; "
     "see kernel/panic_demand.c"),
    ("loglevel=7", "loglevel=7: not a level; give 0 (errors) to 3 (everything)"),
    ("console=hot", "console=hot: not a way of using the console; give raw, cooked or virtio"),
    ("loglevel=" + "9" * 40, "loglevel=: value of 40 characters is too long (15)"),
)


def run(words, cpus, kernel=kernels.KERNEL, options=()):
    status, _, error = tap.command([TALLY, "run", "--timeout", "300", "--cpus", str(cpus), *options,
                                    "--kernel", kernel,
                                    "--log", LOG, "--append", words, NOTHING])
    with open(LOG, encoding="utf-8", errors="replace") as log:
        return status, [line.rstrip("\r\n") for line in log], error


def in_order(wanted, found):
    """Whether `wanted` are in `found` in this order, others in between allowed."""
    rest = iter(found)
    return all(any(name == other for other in rest) for name in wanted)


def main():
    report = tap.Report()
    demands = [(kernels.KERNEL, *demand) for demand in DEMANDS]
    demands += [(kernels.DEBUG_KERNEL, *demand) for demand in DEBUG_DEMANDS]
    for kernel, name, cpus, reason, functions in demands:
        status, log, error = run("panic=" + name + WORDS.get(name, ""), cpus, kernel, OPTIONS.get(name, ()))
        title = f"panic={name} on {cpus} CPUs"
        report.equal(status, PANIC, f"{title}: the command's status", error)
        reasons = [line for line in log if line.startswith("tally: panic: ")]
        report.ok(len(reasons) == 1 and re.fullmatch("tally: panic: " + reason, reasons[0]),
                  f"{title}: the reason", *log)
        found = [match[1] for match in (re.fullmatch(r"tally: +0x[0-9a-f]{16} (\w+)[\w.]*\+0x"
                                                     r"[0-9a-f]+( \?)?", line) for line in log) if match]
        report.ok(in_order(functions, found), f"{title}: the backtrace", f"expected: {functions}",
                  *log)
        report.ok(log[-1].startswith("tally:   0x"), f"{title}: nothing after the backtrace", *log)
    for word, line in BAD_WORDS:
        status, log, error = run(word, 1)
        report.equal((status, log[-1:]), (BOOT, ["tally: boot: " + line]), f"{word}: refused",
                     error)
    return report.done()


sys.exit(main())
