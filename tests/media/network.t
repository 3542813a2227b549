#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""A folder for a network's server starts machines by BIOS PXE, by UEFI's PXE and by iPXE, from QEMU's own TFTP, and by UEFI's
HTTP boot."""

import os
import shutil
import sys

from tallytest import http_boot, stock, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
WORDS = os.path.join(BUILD, "tests", "words")
FOLDER = os.path.join(BUILD, "tests", "netboot")
OUTPUT = ["[/bin/words]", "[here]", "[PATH=/bin:/usr/bin]", "[HOME=/]"]
BOOTS = (
    ("BIOS PXE", "tally.pxe", ("-device", "e1000,netdev=net", "-boot", "n")),
    # OVMF has a driver of its own for this card.
    ("UEFI PXE", "tally.efi", ("-device", "virtio-net-pci,netdev=net,romfile=", *stock.UEFI)),
    # The card's ROM is iPXE.
    ("iPXE's script", "tally.ipxe", ("-device", "e1000,netdev=net", "-boot", "n")),
)
# Firmware waits some seconds for more servers of DHCP to answer, in loops: here 64 ns pass with each instruction. QEMU's own servers
# answer at once whatever the time is; those of HTTP's boot, which are the host's, would come too late.
SHORT_WAITS = ("-icount", "shift=6,sleep=off")
# OVMF would try PXE before HTTP.
NO_PXE = ("-fw_cfg", "name=opt/org.tianocore/IPv4PXESupport,string=n", "-fw_cfg", "name=opt/org.tianocore/IPv6PXESupport,string=n")


def main():
    report = tap.Report()
    shutil.rmtree(FOLDER, ignore_errors=True)
    report.equal(tap.command([TALLY, "image", "--pxe", FOLDER, WORDS, "here"]), (0, b"", ""), "the folder is made")
    report.equal(sorted(os.listdir(FOLDER)), ["boot", "tally.efi", "tally.ipxe", "tally.pxe"],
                 "it has a program for each firmware")
    for name, file, options in BOOTS:
        status, lines = stock.run("-netdev", f"user,id=net,tftp={FOLDER},bootfile={file}", *options, *SHORT_WAITS)
        report.equal((status, lines[-len(OUTPUT):]), (stock.ENDED, OUTPUT), f"{name}: it boots, and the output is right",
                     *lines)
    with http_boot.network(FOLDER, "tally.efi") as (network, fetched):
        status, lines = stock.run(*network, "-device", "virtio-net-pci,netdev=net,romfile=", *NO_PXE, *stock.UEFI)
    report.equal((status, lines[-len(OUTPUT):]), (stock.ENDED, OUTPUT), "UEFI's HTTP boot: it boots, and the output is right", *lines)
    report.equal(fetched, [("HEAD", "/tally.efi", 200), ("GET", "/tally.efi", 200)], "it fetches tally.efi and nothing else")
    shutil.rmtree(FOLDER)
    return report.done()


sys.exit(main())
