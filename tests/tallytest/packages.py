# SPDX-License-Identifier: BSD-2-Clause
"""Tally's own packages, and clean Debians to install them on.

The packages are built once for a state of the clone; a clean Debian is made once in a while (tools/debian/bootstrap) and never
written to: a test's commands run in an overlay that goes with them.
"""

import fcntl
import glob
import hashlib
import os
import re
import subprocess

from tallytest import tap

_ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
_BUILD = os.environ["TALLY_BUILD"]
_FOLDER = os.path.join(_BUILD, "deb")
# The contents of the packages; the emulator's path names its contents.
_SOURCES = ("tools/tally", "tools/tallylib/*.py", "tools/gdb/*", "tools/debian/**", "docs/**", "*.md", "boot/x86_64/grub.cfg",
            "userland/libperf/*", "qemu/**")
_BUILT = ("tally.elf", "tally.o", "linker.ld", "alpha/tally.elf", "user/bin/*", "alpha/user/bin/*")
# The packages that these depend on, and last the two that the tests install beside them; a clean Debian has them in apt's cache.
SUITES = {"bookworm": ("python3", "libglib2.0-0", "libfdt1", "libslirp0", "zlib1g", "busybox-static", "gcc", "libc6-dev"),
          "trixie": ("python3", "libglib2.0-0t64", "libfdt1", "libslirp0", "zlib1g", "busybox-static", "gcc", "libc6-dev")}
_END = "\x1e"
# The tree below an overlay in memory, with the host's devices, and the commands in it.
_ENTER = """\
set -e
mount -t tmpfs tmpfs "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount --bind /dev "$2/root/dev"
mount -t devpts -o ptmxmode=666 devpts "$2/root/dev/pts"
mount -t proc proc "$2/root/proc"
cp -r "$3" "$2/root/mnt/given"
exec chroot "$2/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \\
	DEBIAN_FRONTEND=noninteractive /bin/sh /mnt/given/driver
"""


def _found():
    return sorted(glob.glob(os.path.join(_FOLDER, "tally*_*.deb")), key=lambda name: "tally-qemu" in name)


def build():
    """The paths of the packages tally and tally-qemu as the clone has them now."""
    key = hashlib.sha256(subprocess.run([os.path.join(_ROOT, "qemu", "build"), "--path"], stdout=subprocess.PIPE, check=True).stdout)
    names = [name for folder, patterns in ((_ROOT, _SOURCES), (_BUILD, _BUILT)) for pattern in patterns
             for name in sorted(glob.glob(os.path.join(folder, pattern), recursive=True))]
    for name in names:
        status = os.stat(name)
        key.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    os.makedirs(_FOLDER, exist_ok=True)
    with open(os.path.join(_FOLDER, "key"), "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        found = _found()
        if file.read() != key.hexdigest() or len(found) != 2:
            subprocess.run([os.path.join(_ROOT, "tools", "debian", "build"), _FOLDER], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            file.truncate(0)
            file.write(key.hexdigest())
            found = _found()
    return found


def complaint(debs):
    """The output of lintian if it finds an error in the packages, or None. It takes longer than an installation: packages without an
    error are not judged again, as long as it is the same lintian."""
    key = hashlib.sha256(subprocess.run(["dpkg-query", "-W", "lintian"], stdout=subprocess.PIPE, check=True).stdout)
    for deb in debs:
        with open(deb, "rb") as file:
            key.update(hashlib.sha256(file.read()).digest())
    memory = os.path.join(_FOLDER, "lintian")
    if os.path.exists(memory):
        with open(memory, encoding="utf-8") as file:
            if file.read() == key.hexdigest():
                return None
    status, output, error = tap.command(["lintian", "--fail-on", "error", "--allow-root", *debs])
    if status:
        return f"status {status}\n{output.decode()}{error}"
    with open(memory, "w", encoding="utf-8") as file:
        file.write(key.hexdigest())
    return None


def clean(suite, ready=False):
    """The path of a clean Debian and None, or None and the reason why there is none. READY: what the packages depend on is installed."""
    installed = ("--installed", " ".join(SUITES[suite][:-2])) if ready else ()
    status, output, error = tap.command([os.path.join(_ROOT, "tools", "debian", "bootstrap"), *installed, suite, *SUITES[suite]], timeout_s=1500)
    if status:
        return None, (error.strip().splitlines() or ["it gave no reason"])[-1]
    return output.decode().strip(), None


def run(tree, cases, given, folder):
    """Runs commands of a shell in an overlay over a clean Debian, one after the other, in /mnt/given, where the files `given` are.

    `cases`: (name, commands). `folder`: an empty one. Returns {name: (status, what was printed)}; the name "" has what was said
    beside that.
    """
    files, place = os.path.join(folder, "given"), os.path.join(folder, "place")
    os.makedirs(files)
    os.makedirs(place)
    driver = "cd /mnt/given\n"
    for number, (_, text) in enumerate(cases):
        with open(os.path.join(files, f"case-{number}"), "w", encoding="utf-8") as file:
            file.write(text)
        driver += f"/bin/sh -e ./case-{number} </dev/null 2>&1\nprintf '\\036%d\\036' $?\n"
    with open(os.path.join(files, "driver"), "w", encoding="utf-8") as file:
        file.write(driver)
    for path in given:
        subprocess.run(["cp", "-r", path, files], check=True)
    status, output, error = tap.command(["unshare", "--mount", "/bin/sh", "-c", _ENTER, "sh", tree, place, files], timeout_s=900)
    parts = re.split(_END, output.decode(errors="replace"))
    found = {name: (int(code), text) for (name, _), text, code in zip(cases, parts[0::2], parts[1::2])}
    return {**found, "": (status, error + parts[-1])}
