#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The tool's work on the host alone: packing, installing packages, asking KVM for a PMU."""

import os
import shutil
import subprocess
import sys

from tallylib import cpio, initramfs, kvm, kvm_guest
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
FOLDER = os.path.join(BUILD, "tests", "host")
DEPS = os.path.join(ROOT, "tools", "deps")
BACKPORTS = os.path.join(ROOT, "tools", "backports")
LOOPS_TO_1234 = bytes.fromhex("31c0" "b9d2040000" "ffc0" "e2fc" "f4")
FAULT = bytes.fromhex("b9ffffff0f" "0f32" "f4")


def rooted(report):
    """A tree as Debian lays it out now, with /bin a link, and a file in it that only its owner may run."""
    tree = os.path.join(FOLDER, "rooted")
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(os.path.join(tree, "usr", "bin"))
    os.makedirs(os.path.join(tree, "tmp"))
    os.chmod(os.path.join(tree, "tmp"), 0o1777)
    os.symlink("usr/bin", os.path.join(tree, "bin"))
    os.symlink("/bin/sbin-is-bin", os.path.join(tree, "sbin"))
    os.mkfifo(os.path.join(tree, "fifo"), 0o600)
    shutil.copy(os.path.join(BUILD, "tests", "nothing"), os.path.join(tree, "usr", "bin", "mine"))
    os.chmod(os.path.join(tree, "usr", "bin", "mine"), 0o4700)
    os.utime(os.path.join(tree, "usr", "bin", "mine"), (5, 1000000))
    blob = initramfs.pack_program("mine", [], {}, root=tree, added=[__file__])
    found = {name: (mode, data) for name, mode, data in cpio.entries(blob)}
    report.equal(found["bin"], (0o120777, b"usr/bin"), "a tree's own /bin stays what it is")
    report.equal(found[".tally/argv"][1], b"/usr/bin/mine\0", "a program is found in the tree")
    report.equal((found["usr/bin/mine"][0], found["tmp"][0], found["fifo"][0]), (0o104700, 0o41777, 0o10600),
                 "modes are kept, of files, folders and FIFOs")
    _, listing, _ = tap.command(["cpio", "-tvn", "--quiet"], stdin=blob, env={**os.environ, "TZ": "UTC0"})
    line = next(line for line in listing.decode().splitlines() if line.endswith(" usr/bin/mine"))
    report.equal(line.split()[2:4] + line.split()[5:8], [str(os.getuid()), str(os.getgid()), "Jan", "12", "1970"],
                 "owners and times too")
    report.ok(__file__.lstrip("/") in {os.path.normpath(name) for name in found}, "an added file lies beside it")
    blob = initramfs.pack_program(os.path.join(BUILD, "tests", "words"), [], {}, root=tree)
    names = [name for name, _, _ in cpio.entries(blob)]
    report.ok("usr/bin/words" in names and "bin/words" not in names,
              "a program of the host goes where the tree's links lead", names)


def one_file(report):
    """A file that has several names on the host, and a folder of Python's."""
    tree = os.path.join(FOLDER, "python3.0")
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(os.path.join(tree, "config-3.0"))
    for name in ("one", "config-3.0/libpython3.0.a"):
        with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
            file.write("contents\n")
    os.symlink("one", os.path.join(tree, "two"))
    blob = initramfs.pack_program(os.path.join(BUILD, "tests", "nothing"), [], {}, added=[tree])
    inside = tree.lstrip("/")
    found = {name: data for name, _, data in cpio.entries(blob) if name.startswith(f"{inside}/")}
    report.equal(found, {f"{inside}/one": b"contents\n", f"{inside}/two": b""},
                 "a file's contents are packed once, and what is only linked with is not packed")
    out = os.path.join(FOLDER, "unpacked")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    tap.command(["cpio", "-id", "--quiet", "-D", out], stdin=blob)
    names = [os.path.join(out, inside, name) for name in ("one", "two")]
    report.ok(os.path.samefile(*names) and os.path.getsize(names[1]) == 9, "both names lead to the same file", names)


def packing(report):
    """The archive as Debian's cpio reads it, and as this project's reader does."""
    tree = os.path.join(FOLDER, "tree")
    os.makedirs(os.path.join(tree, "etc"), exist_ok=True)
    with open(os.path.join(tree, "etc", "motd"), "w", encoding="utf-8") as file:
        file.write("hello\n")
    if not os.path.islink(os.path.join(tree, "link")):
        os.symlink("etc/motd", os.path.join(tree, "link"))
    blob = initramfs.pack_program(os.path.join(BUILD, "tests", "nothing"), ["a", "b c"],
                                  {"A": "1"}, root=tree)
    _, listing, _ = tap.command(["cpio", "-t", "--quiet"], stdin=blob)
    expected = ["bin", "dev", "proc", "sys", "tmp", ".tally", "etc", "link", "etc/motd",
                "bin/nothing", ".tally/argv", ".tally/env"]
    report.equal(listing.decode().split("\n")[:-1], expected, "cpio lists the archive's entries")
    found = {name: (mode, data) for name, mode, data in cpio.entries(blob)}
    report.equal(found[".tally/argv"][1], b"/bin/nothing\0a\0b c\0", "the program's words")
    report.equal(found[".tally/env"][1], b"A=1\0", "its environment")
    report.equal(found["link"], (0o120777, b"etc/motd"), "a symbolic link stays one")
    report.equal(found["bin/nothing"][0], 0o100755, "the program is executable")
    again = initramfs.pack_program(os.path.join(BUILD, "tests", "nothing"), ["a", "b c"],
                                   {"A": "1"}, root=tree)
    report.ok(blob == again, "packing is reproducible")
    rooted(report)
    one_file(report)
    two = blob + bytes(512) + blob
    report.equal(len(list(cpio.entries(two))), 2 * len(expected), "archives can be joined")


def packages(report):
    listed = os.path.join(FOLDER, "packages")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("# a comment\nbash   # is always there\n\ndpkg\n")
    report.equal(tap.command([DEPS, listed]), (0, b"", ""), "nothing missing: silent")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("bash\nno-such-package-as-this\n")
    report.equal(tap.command([DEPS, listed], env={**os.environ, "TALLY_DEPS": "skip"}),
                 (0, b"", ""), "TALLY_DEPS=skip: trusted")
    status, output, error = tap.command([DEPS, os.path.join(FOLDER, "none")])
    report.ok((status, output) == (2, b"") and "cannot be read" in error, "no such list: status 2",
              status, error)
    report.equal(tap.command([DEPS])[0], 2, "no list at all: status 2")

    # A system without dpkg: a PATH that has only the other commands.
    elsewhere = os.path.join(FOLDER, "elsewhere")
    os.makedirs(elsewhere, exist_ok=True)
    for name in ("sed", "sort", "bash"):
        path = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout
        if not os.path.lexists(os.path.join(elsewhere, name)):
            os.symlink(path.strip(), os.path.join(elsewhere, name))
    status, output, error = tap.command(["/bin/bash", DEPS, listed], env={"PATH": elsewhere})
    report.ok((status, output) == (3, b"") and "bash no-such-package-as-this" in error,
              "no Debian: the packages are named, status 3", status, error)

    # A Debian without root: an unprivileged user, and no sudo in the PATH.
    for name in ("dpkg-query", "apt-get", "comm", "id"):
        path = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout
        if not os.path.lexists(os.path.join(elsewhere, name)):
            os.symlink(path.strip(), os.path.join(elsewhere, name))
    identity = os.path.join(elsewhere, "id")
    os.remove(identity)
    with open(identity, "w", encoding="utf-8") as file:
        file.write("#!/bin/bash\necho 1000\n")
    os.chmod(identity, 0o755)
    status, output, error = tap.command(["/bin/bash", DEPS, listed], env={"PATH": elsewhere})
    for name in os.listdir(elsewhere):
        os.remove(os.path.join(elsewhere, name))
    report.equal((status, output, error),
                 (3, b"", "deps: missing packages; as root, run: apt-get install "
                          "no-such-package-as-this\n"),
                 "no root: the missing one is named, with the command, status 3")


# Stand-ins for a machine whose archives have bash-doc, and not linux-perf. Nothing can be installed.
UBUNTU = {
    "os-release": 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nNAME="Ubuntu"\nID=ubuntu\nVERSION_CODENAME=noble\n',
    "id": "#!/bin/bash\necho 0\n",
    "dpkg-query": "#!/bin/bash\nexit 1\n",
    "apt-get": '#!/bin/bash\n[ "$1" != indextargets ] || echo "noble http://ubuntu.example/"\ncase "$*" in *update*) ;; *) exit 100 ;; esac\n',
    "apt-cache": '#!/bin/bash\n[ "$2" = bash-doc ] && printf "bash-doc:\\n  Candidate: 5.2\\n"\n',
}


def relatives(report):
    """Ubuntu: what its archives do not have is named, and where the rest of Debian is."""
    folder = os.path.join(FOLDER, "ubuntu")
    os.makedirs(folder, exist_ok=True)
    for name, text in UBUNTU.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(folder, name), 0o755)
    listed = os.path.join(folder, "packages")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("bash-doc\nlinux-perf\n")
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TALLY_OS_RELEASE": os.path.join(folder, "os-release"),
                   "TMPDIR": folder}
    status, output, error = tap.command([DEPS, listed], env=environment)
    report.equal((status, output, error.splitlines()[-1:]),
                 (3, b"", ["deps: the archives of Ubuntu 24.04.1 LTS do not have: linux-perf (Ubuntu: linux-tools-generic); install "
                           "what has the same programs, and the rest of: bash-doc linux-perf; then set TALLY_DEPS=skip"]),
                 "Ubuntu: the package that it does not have is named, with its own, status 3", error)
    report.equal(tap.command([BACKPORTS, "--mirror"], env=environment), (0, b"http://deb.debian.org/debian/\n", ""),
                 "Ubuntu: its mirror is not taken for Debian's")
    status, output, error = tap.command(["/bin/bash", "-c", f"sed 's|^keyring=.*|keyring={folder}/none|' "
                                         f"{BACKPORTS} | bash -s download meson"], env={**environment, "TALLY_CACHE": folder})
    report.equal((status, output, error), (3, b"", f"backports: no {folder}/none, by which Debian's packages are verified; install "
                                           "debian-archive-keyring\n"), "no key of Debian's archive: the package is named, status 3")


def host_pmu(report):
    reason = kvm.why_not()
    report.ok(reason is None or len(reason) > 10, "KVM: a guest counts here, or there is a reason")
    report.note(f"KVM's PMU here: {reason or 'counts'}")
    try:
        device = os.open("/dev/kvm", os.O_RDWR)
    except OSError as error:
        for name in ("a guest's loop ends with its count", "a guest's fault counts nothing"):
            report.skip(f"KVM: {name}", f"/dev/kvm: {error.strerror}")
        return
    cpuid = kvm_guest.supported_cpuid(device)
    report.equal(kvm_guest.run(device, cpuid, LOOPS_TO_1234), 1234, "KVM: a guest's loop ends with its count")
    report.equal(kvm_guest.run(device, cpuid, FAULT), 0, "KVM: a guest's fault counts nothing")
    os.close(device)


def main():
    report = tap.Report()
    os.makedirs(FOLDER, exist_ok=True)
    packing(report)
    packages(report)
    relatives(report)
    host_pmu(report)
    return report.done()


sys.exit(main())
