#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""--under kvm that goes wrong: each end has its exit status, and one line that names the machine at fault.

L1 is the Linux with KVM, L2 the guest. The guest is tests/tools/guest.c, which ends as its command line says; as the kernel of
L1, without these words, it hangs.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

from tallylib import paths, under
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))

TALLY = os.path.join(ROOT, "tools", "tally")
BUILD = os.environ["TALLY_BUILD"]
GUEST = os.path.join(BUILD, "tests", "guest.elf")
PROGRAM = os.path.join(BUILD, "tests", "nothing")
# All that tests/conformance/linux-kernel wants: it fetches a folder anew that lacks one.
MODULES = ("irqbypass", "kvm", "kvm-amd", "msr", "cpuid")
# Linux clears the memory of its guest.
MEMORY_MIB = "64"
# The limit of the guest that hangs, in runs of one that ends. If the guest is not where it hangs by then, because the host is busier,
# a longer limit follows.
TIMES = 4
LEAST_S, MOST_S = 20, 600
PLACE = "CPU 0 at guest_main+"


def words_of(folder, name, *options):
    return [TALLY, "run", "--under", "kvm", "--memory", MEMORY_MIB, "--kernel", GUEST, "--log", os.path.join(folder, f"{name}.log"),
            *options, PROGRAM]


def ended(report, name, status, says, got, error):
    report.equal(got, status, f"{name}: status {status}", error)
    for text in says:
        report.ok(text in error.rstrip("\n").rpartition("\n")[2], f"{name}: the last line says: {text}", error)


def run(report, folder, name, status, says, *options, lines=1, **environment):
    got, _, error = tap.command(words_of(folder, name, *options), env={**os.environ, **environment})
    ended(report, name, status, says, got, error)
    if lines:
        report.equal(error.count("\n"), lines, f"{name}: in one line", error)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def linux_folder(cache, kernel):
    """A cache with this kernel as Linux, and its modules to be added; returns their folder."""
    modules = os.path.join(cache, "linux-6.12", "modules")
    os.makedirs(modules)
    os.symlink(kernel, os.path.join(cache, "linux-6.12", "vmlinuz"))
    return modules


def check_without_linux(report, folder):
    """No modules, and no apt that could bring them."""
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    for name in os.listdir("/usr/bin"):
        if not name.startswith("apt"):
            os.symlink(os.path.join("/usr/bin", name), os.path.join(programs, name))
    with contextlib.suppress(FileExistsError):
        os.symlink(sys.executable, os.path.join(programs, "python3"))
    run(report, folder, "no modules", 121, ["there is no Linux with KVM's modules", "no apt-get here"],
        TALLY_CACHE=os.path.join(folder, "none"), PATH=programs)


def check_damaged_module(report, folder, linux):
    """Damaged before L1's files are made quicker, which gives them up, and after it."""
    modules = linux_folder(os.path.join(folder, "damaged"), linux)
    quick = linux_folder(os.path.join(folder, "quick"), linux)
    beside = os.path.dirname(quick)
    shutil.copytree(os.path.join(os.path.dirname(linux), "lean"), os.path.join(beside, "lean"), copy_function=os.symlink)
    for name in MODULES:
        write(os.path.join(modules, f"{name}.ko"), "not a module\n")
        write(os.path.join(quick, f"{name}.ko"), "not a module\n")
    kernel = os.path.join(os.path.dirname(modules), "vmlinuz")
    report.equal(under.quick_linux(kernel), (kernel, modules), "damaged modules: L1 starts with those, not with some of them quicker")
    damaged = os.path.join(beside, "lean", "modules", "irqbypass.ko")
    os.unlink(damaged)
    write(damaged, "not a module\n")
    run(report, folder, "damaged modules", 122, ["Linux does not load /modules/irqbypass.ko: Exec format error"],
        TALLY_CACHE=os.path.join(folder, "quick"))


def check_linux_hangs(report, folder, linux):
    cache = os.path.join(folder, "hanging")
    modules = linux_folder(cache, GUEST)
    for name in MODULES:
        os.symlink(os.path.join(os.path.dirname(linux), "modules", f"{name}.ko"), os.path.join(modules, f"{name}.ko"))
    run(report, folder, "L1 hangs", 124, ["not ended after 3 s", "L1 hangs, or is not up yet", "it has said nothing"],
        "--timeout", "3", TALLY_CACHE=cache)


def check_linux_panics(report, folder):
    """L1's first program is one that ends."""
    build = os.path.join(folder, "build")
    os.makedirs(os.path.join(build, "tools"))
    for name in os.listdir(BUILD):
        if name != "tools":
            os.symlink(os.path.join(BUILD, name), os.path.join(build, name))
    os.symlink(PROGRAM, os.path.join(build, "tools", "kvm-init"))
    run(report, folder, "L1 panics", 122, ["L1, the Linux with KVM, panicked: Attempted to kill init!"], TALLY_BUILD=build)


def start_hanging(folder, limit_s):
    return subprocess.Popen(words_of(folder, "L2 hangs", "--append", "end=h", "--timeout", f"{limit_s:.0f}"),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def main():
    report = tap.Report()
    linux = subprocess.run([os.path.join(ROOT, "tests", "conformance", "linux-kernel")], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.strip()
    # The cache of these tests has no emulator.
    os.environ["TALLY_QEMU"] = paths.emulator(needs_model=True)
    # A comma divides words of QEMU.
    folder = tempfile.mkdtemp(prefix="tally-kvm,")
    try:
        start = time.monotonic()
        run(report, folder, "L2 panics", 123, ["the kernel panicked"], "--append", "end=p", lines=0)
        beside = os.listdir(os.path.dirname(linux))
        report.ok("lean" in beside and not [name for name in beside if name.startswith("lean.")],
                  "Linux is unpacked once, and nothing is left of the work", beside)
        limit_s = max(LEAST_S, TIMES * (time.monotonic() - start))
        # The guest halts while it hangs, so that the others have the CPU.
        with start_hanging(folder, limit_s) as hanging:
            check_without_linux(report, folder)
            check_damaged_module(report, folder, linux)
            check_linux_hangs(report, folder, linux)
            check_linux_panics(report, folder)
            run(report, folder, "L2 resets itself", 122, ["L2, the guest, reset itself"], "--append", "end=r", lines=0)
            _, error = hanging.communicate()
        while PLACE not in error and limit_s < MOST_S:
            limit_s *= 2
            with start_hanging(folder, limit_s) as hanging:
                _, error = hanging.communicate()
        ended(report, "L2 hangs", 124, ["L2 hangs: Linux answers, and the guest's state is in", PLACE],
              hanging.returncode, error)
        report.equal(error.count("\n"), 1, "L2 hangs: in one line", error)
        with open(os.path.join(folder, "L2 hangs.guest.log"), encoding="utf-8") as file:
            text = file.read()
        report.ok(text.count("CPU#0") == 2 and "HLT=1" in text, "L2 hangs: the post-mortem has its registers, twice", text)
    finally:
        shutil.rmtree(folder)
    return report.done()


sys.exit(main())
