# SPDX-License-Identifier: BSD-2-Clause
"""The options of `tally image` about the form of what it makes: declared, checked, and carried out by image.py."""

import argparse
import re

from .failure import USAGE, Failure

SIZE_MAX_MIB = 1 << 20
# GRUB and iPXE read the kernel's words from a script: these characters are of their languages.
_SCRIPT_CHARACTER = re.compile(r"[^ -~]|[\"#$&';<>\\`{|}]")


def _video_mode(text):
    if text not in ("text", "auto") and not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}(x\d\d)?", text,
                                                         re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no mode of a screen: give text, auto or "
                                         "WIDTHxHEIGHT[xDEPTH]")
    return text


def add_options(parser, size):
    """Declares the options; `size` reads the number of --size."""
    parser.set_defaults(form=None)
    add = parser.add_mutually_exclusive_group().add_argument
    add("--elf", dest="form", action="store_const", const="elf",
        help="one multiboot and PVH ELF (the default without --report)")
    add("--disk", dest="form", action="store_const", const="disk",
        help="a disk image with GRUB, for a USB stick or a virtual machine, BIOS and UEFI (the default with --report)")
    add("--iso", dest="form", action="store_const", const="iso",
        help="the same as a CD image, which is good for a stick, too")
    add("--pxe", metavar="DIR", help="a folder for a network's server: BIOS PXE, UEFI and iPXE")
    parser.add_argument("--report", action="store_true", help="the program is the PMU report")
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="what to write (must be given, except with --pxe)")
    add("--append", metavar="WORDS", default="", help="more words for the kernel's command line (not in an ELF)")
    add("--video", metavar="MODE", type=_video_mode,
        help="the screen's mode: text, auto or WIDTHxHEIGHT[xDEPTH] (not in an ELF; default auto)")
    add("--size", metavar="MIB", type=size, help="the size of the medium (only a disk image; default: what it takes)")


def settle(options):
    """The form that the options ask for: elf, disk, iso or pxe. Refuses options that do not fit it."""
    form = "pxe" if options.pxe else options.form or ("disk" if options.report else "elf")
    if form == "pxe" and options.output is not None:
        raise Failure(USAGE, "--pxe DIR names the folder; leave out -o")
    if form != "pxe" and options.output is None:
        raise Failure(USAGE, "name the file to write: -o FILE")
    if form == "elf" and options.append:
        raise Failure(USAGE, "--append needs --disk, --iso or --pxe: an ELF gets its words from the boot loader")
    if bad := _SCRIPT_CHARACTER.search(options.append):
        raise Failure(USAGE, f"--append: the medium's boot loader would not pass on {bad[0]!r}; leave it out")
    if form == "elf" and options.video:
        raise Failure(USAGE, "--video needs --disk, --iso or --pxe: the ELF's screen is what its loader sets")
    if form != "disk" and options.size:
        raise Failure(USAGE, "--size is for --disk: the other forms are as large as what is in them")
    return form


def make(image, form, options, blob, words):
    """Makes it, by the functions of the module `image`."""
    video = options.video or "auto"
    if form == "elf":
        image.make_unikernel(blob, options.output)
    elif form == "disk":
        image.make_disk(blob, words, options.output, video, options.size)
    elif form == "iso":
        image.make_iso(blob, words, options.output, video)
    else:
        image.make_netboot(blob, words, options.pxe, video)
