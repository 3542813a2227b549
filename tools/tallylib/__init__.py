# SPDX-License-Identifier: BSD-2-Clause
"""The host side of Tally: what tools/tally is made of. Python 3.9 or newer, standard library only.

Walk downhill: cli (the command line) calls machine (one boot, start to status) and image (bootable
media); these use initramfs and cpio (what the guest finds), elf (what may be its program), emulator
(how QEMU is called) and kvm (whether the host's own PMU can be used). Everything that goes wrong is
a failure.Failure, which carries the exit status.
"""
