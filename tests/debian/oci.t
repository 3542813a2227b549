#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The image of `make oci`: each blob has the name of its digest and the size that is said, and the unpacked image counts a program."""

import glob
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

from tallytest import packages, tap

HERE = os.path.dirname(os.path.abspath(__file__))
OCI = os.path.join(HERE, "..", "..", "tools", "oci")

SPIN = "/usr/lib/tally/build/user/bin/spin"
FEW, MORE, EACH = 100000, 300000, 2


class Layout:
    """An OCI image layout; `faults` has what is wrong with its blobs."""

    def __init__(self, folder):
        self._folder = folder
        self.faults = []
        self._seen = set()

    def json(self, name):
        with open(os.path.join(self._folder, name), encoding="utf-8") as file:
            return json.load(file)

    def path(self, descriptor):
        """The file of a descriptor, which it is compared with."""
        kind, _, digest = descriptor["digest"].partition(":")
        path = os.path.join(self._folder, "blobs", kind, digest)
        with open(path, "rb") as file:
            data = file.read()
        self._seen.add(digest)
        if (hashlib.sha256(data).hexdigest(), len(data)) != (digest, descriptor["size"]):
            self.faults.append(f"{digest}: digest or size differ")
        return path

    def blob(self, descriptor):
        with open(self.path(descriptor), encoding="utf-8") as file:
            return json.load(file)

    def strangers(self):
        """Blobs that nothing names."""
        return sorted(set(os.listdir(os.path.join(self._folder, "blobs", "sha256"))) - self._seen)


def unpack(path, root):
    """Unpacks a layer; returns the digest of what is in it."""
    os.makedirs(root, exist_ok=True)
    digest = hashlib.sha256()
    with gzip.open(path, "rb") as file, subprocess.Popen(["tar", "-C", root, "--numeric-owner", "-xpf", "-"], stdin=subprocess.PIPE) as archiver:
        while data := file.read(1 << 20):
            digest.update(data)
            archiver.stdin.write(data)
    return "sha256:" + digest.hexdigest() if archiver.returncode == 0 else f"tar ended with status {archiver.returncode}"


def instructions(root, words):
    """User's instructions that the image's command counts, and the whole answer."""
    status, _, error = tap.command(["chroot", root, *words], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, cwd="/")
    found = re.search(r"^instructions +([\d,]+) ", error, re.M)
    return int(found[1].replace(",", "")) if found and status == 0 else 0, error


def main():
    report = tap.Report()
    _, reason = packages.clean("bookworm")
    if reason:
        report.skip("the image", reason)
        return report.done()
    with tempfile.TemporaryDirectory(prefix="tally-oci-", dir=os.environ["TALLY_BUILD"]) as folder:
        status, output, error = tap.command([OCI, folder, *packages.build()], timeout_s=900)
        if not report.equal((status, output.decode().strip()), (0, os.path.join(folder, "tally")), "tools/oci makes the layout", error):
            return report.done()
        layout = Layout(os.path.join(folder, "tally"))
        report.equal(layout.json("oci-layout"), {"imageLayoutVersion": "1.0.0"}, "the layout's version")
        [entry] = layout.json("index.json")["manifests"]
        manifest = layout.blob(entry)
        config = layout.blob(manifest["config"])
        layers = [layout.path(layer) for layer in manifest["layers"]]
        report.equal((layout.faults, layout.strangers()), ([], []), "each blob has its digest and size, and each is named")
        report.equal((config["os"], config["architecture"], config["config"]["Entrypoint"]), ("linux", "amd64", ["tally"]),
                     "it starts tally on Linux, amd64")
        root = os.path.join(folder, "root")
        report.equal([unpack(layer, root) for layer in layers], config["rootfs"]["diff_ids"], "the layers have the digests of their contents")
        left = [name for name in ("var/cache/apt/archives", "var/lib/apt/lists/*", "etc/resolv.conf") if glob.glob(os.path.join(root, name))]
        report.equal(left, [], "what apt has fetched is not in it")
        # A container runtime brings the devices.
        os.mknod(os.path.join(root, "dev", "null"), 0o20666, os.makedev(1, 3))
        os.mknod(os.path.join(root, "dev", "urandom"), 0o20666, os.makedev(1, 9))
        few, more = (instructions(root, [*config["config"]["Entrypoint"], "count", SPIN, str(number)]) for number in (FEW, MORE))
        report.equal(more[0] - few[0], (MORE - FEW) * EACH, f"tally count in it: {EACH} instructions for each pass", few[1], more[1])
        names = tarfile.open(os.path.join(folder, "tally.tar")).getnames()
        report.ok({"./oci-layout", "./index.json"} <= set(names), "tally.tar is the layout as one file", names[:9])
    return report.done()


sys.exit(main())
