#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's lspci, and the files that it reads, on Linux 6.12 and on Tally in the same machine: each output is the same.

This test starts the emulator itself: tools/tally has no options for the chipset, whose configuration space is in
memory, nor for most devices. The functions are some that neither kernel has a driver for.
"""

import os
import subprocess
import sys
import tempfile

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
DEVICES = ("qemu-xhci,addr=1", "e1000,addr=2,romfile=", "secondary-vga,addr=3,romfile=")
KERNELS = {
    "Linux": "console=ttyS0 rdinit=/init panic=-1 mitigations=off quiet loglevel=0",
    "Tally": "log=com2 console=raw",
}
INIT = """#!/bin/busybox sh
export PATH=/usr/bin:/bin
mount -t proc proc /proc 2>/dev/null
mount -t sysfs sysfs /sys 2>/dev/null
stty -opost 2>/dev/null
for case in /cases/*; do
	sh $case 2>/dev/null </dev/null
	printf '\\036%d\\036' $?
done
# Waits until the output is out: the kernel's line overtakes it.
stty opost 2>/dev/null
[ ! -e /proc/sysrq-trigger ] || echo o >/proc/sysrq-trigger
[ ! -e /proc/sysrq-trigger ] || sleep 100
"""
APPLETS = "cat chmod dd echo hexdump mount printf readlink sh sleep stat stty su wc".split()
USERS = "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"


def pack(folder, cases):
    """Makes the initramfs of both; returns its path."""
    tree = subprocess.run([os.path.join(HERE, "tree"), "pciutils"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    root = os.path.join(folder, "root")
    subprocess.run(["cp", "-a", tree, root], check=True)
    for name in "usr/share/doc", "usr/share/perl", "usr/share/perl5", "usr/lib/x86_64-linux-gnu/gconv":
        subprocess.run(["rm", "-rf", os.path.join(root, name)], check=True)
    for name in "bin", "cases", "dev", "proc", "sys":
        os.makedirs(os.path.join(root, name), exist_ok=True)
    subprocess.run(["cp", "/bin/busybox", os.path.join(root, "bin")], check=True)
    for name in APPLETS:
        os.symlink("busybox", os.path.join(root, "bin", name))
    for number, (_, text) in enumerate(cases):
        with open(os.path.join(root, "cases", f"{number:03}"), "w", encoding="utf-8") as file:
            file.write(text)
    for name, text, mode in ("init", INIT, 0o755), ("etc/passwd", USERS, 0o644), ("etc/group", "root:x:0:\n", 0o644):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(root, name), mode)
    archive = os.path.join(folder, "root.cpio")
    with open(archive, "wb") as file:
        names = subprocess.run(["find", "."], cwd=root, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=root, input=names, stdout=file, check=True)
    return archive


def run(kernel, words, archive):
    """The output of the cases on KERNEL: [(status, text)], and what came after the last."""
    emulator = subprocess.run([os.path.join(ROOT, "qemu", "build")], check=True, capture_output=True, text=True).stdout.strip()
    devices = [word for device in DEVICES for word in ("-device", device)]
    _, output, error = tap.command(
        [emulator, "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", "-nodefaults", "-no-user-config", "-display", "none",
         "-vga", "none", "-no-reboot", "-machine", "q35", "-cpu", "max", "-smp", "2", "-m", "512M", "-serial", "stdio", "-serial",
         "null", "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", kernel, "-initrd", archive, "-append", words, *devices])
    found, rest = both.results(output.replace(b"\r", b""))
    return found, rest + error


def main():
    report = tap.Report()
    linux = subprocess.run([os.path.join(ROOT, "tests", "conformance", "linux-kernel")], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.strip()
    kernels = {"Linux": linux, "Tally": os.path.join(BUILD, "tally.elf")}
    cases = both.cases_of(os.path.join(HERE, "lspci.sh"))
    with tempfile.TemporaryDirectory(prefix="tally-lspci-") as folder:
        archive = pack(folder, cases)
        (there, rest_there), (here, rest_here) = (run(kernels[name], words, archive) for name, words in KERNELS.items())
    report.equal((len(there), len(here)), (len(cases), len(cases)), "each case ends on Linux and on Tally", rest_there, rest_here)
    for (name, _), theirs, ours in zip(cases, there, here):
        report.ok(theirs == ours and theirs[1], name, *both.differences(theirs, ours))
    return report.done()


sys.exit(main())
