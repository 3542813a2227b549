#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""With --write, what a program changes in shared folders is on the host when its call has returned; errors are the host's."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile

from tallylib import paths
from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SHELL = shutil.which("busybox")
WRITER = os.path.join(BUILD, "tests", "observe_written")
# The program's.
BLOCK = 8192
COUNTER = os.path.join(BUILD, "user", "bin", "count")
# Without capabilities root obeys the modes of the host's files, as any user does.
PLAIN = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
SECRET = "what nobody shared"


def tally(folder, *words, **more):
    return tap.command([TALLY, "run", "--timeout", "240", *words], cwd=folder, **more)


def plainly(folder, *words):
    """The same by a user without rights beyond the host's modes."""
    return tap.command([*PLAIN, TALLY, "run", "--timeout", "240", "--write", *words], cwd=folder)


def shell(folder, script, *options, **more):
    """The output of SCRIPT by busybox's shell, with --write."""
    status, output, error = tally(folder, "--write", *options, SHELL, "sh", "-c", script, **more)
    return status, os.fsdecode(output), error


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read().decode(errors="replace")


def check_names(report, folder):
    """Each kind of change of names and attributes."""
    os.mkdir(os.path.join(folder, "old"))
    for name, text in (("old/kept", "kept"), ("old/gone", "gone"), ("over", "over"), ("long", "0123456789")):
        write(os.path.join(folder, name), text)
    os.symlink("nowhere", os.path.join(folder, "dangling"))
    script = """echo new >made; echo more >>made; mkdir -p a/b/c; echo deep >a/b/c/file; ln -s made link; ln made second
                rm old/gone; mv old moved; mv made over; mkfifo fifo; chmod 640 over; chmod 700 a/b
                touch -d '2020-02-03 04:05:06' a/b/c/file; : >long; rmdir a/none 2>/dev/null; mkdir x; rmdir x; rm dangling
                echo through >link 2>/dev/null; cat second over moved/kept; find . | sort | tr '\\n' ' '; umask 077; echo >private
                mkdir d1 d2; mv d1 d2/d; echo far >d2/d/far; rm -r a/b; stat -c %a:%s over long"""
    status, output, error = shell(folder, script)
    report.equal((status, output), (0, "new\nmore\nnew\nmore\nkept"
                                    ". ./a ./a/b ./a/b/c ./a/b/c/file ./fifo ./link ./long ./made ./moved ./moved/kept ./over "
                                    "./second 640:9\n644:0\n"), "the program sees its own changes", error)
    found = sorted(os.path.relpath(os.path.join(path, name), folder)
                   for path, folders, files in os.walk(folder) for name in (*folders, *files))
    report.equal(found, ["a", "d2", "d2/d", "d2/d/far", "fifo", "link", "long", "made", "moved", "moved/kept", "over", "private",
                         "second"], "names that were made, moved and removed are so on the host")
    report.equal([read(folder, name) for name in ("made", "second", "over", "moved/kept", "d2/d/far", "long")],
                 ["through\n", "new\nmore\n", "new\nmore\n", "kept", "far\n", ""], "contents are on the host")
    modes = {name: stat.filemode(os.lstat(os.path.join(folder, name)).st_mode) for name in ("over", "private", "fifo", "link", "d2")}
    report.equal(modes, {"over": "-rw-r-----", "private": "-rw-------", "fifo": "prw-r--r--", "link": "lrwxrwxrwx",
                         "d2": "drwx------"}, "types and modes are the program's")
    owners = {(status.st_uid, status.st_gid) for status in map(os.lstat, (os.path.join(folder, name) for name in found))}
    report.equal(owners, {(os.geteuid(), os.getegid())}, "the user who runs tally owns what was made")
    report.equal(os.stat(os.path.join(folder, "over")).st_nlink, 2, "a second name is one on the host")


def check_program(report, folder):
    """Every way to write, by the program that writes on Linux, too."""
    in_memory = tally(folder, "--no-share", WRITER)
    through = plainly(folder, WRITER)
    there, here = (result[1].decode(errors="replace").splitlines() for result in (in_memory, through))
    different = [f"in memory {one!r}, through {two!r}" for one, two in zip(there, here) if one != two]
    report.ok(through == in_memory and there, "a program sees the same in memory and through", *different[:3], len(there),
              len(here), through[2])
    place = os.path.join(folder, "written")
    text = bytes(ord("a") + i % 23 for i in range(40 * BLOCK))
    with open(os.path.join(place, "calls"), "rb") as file:
        report.ok(file.read() == b"one TW" + bytes(6) + text, "what calls wrote is on the host")
    mapped = bytearray(3 * BLOCK + 10)
    for at, part in ((0, b"FIrst"), (100, b"exit"), (BLOCK - 2, b"la"), (BLOCK, b"second"), (2 * BLOCK + 1, b"xchild"), (3 * BLOCK, b"0123456789")):
        mapped[at:at + len(part)] = part
    with open(os.path.join(place, "mapped"), "rb") as file:
        report.ok(file.read() == mapped, "what mappings wrote is on the host, nothing of a private one's, nothing beyond the end")
    found = {name: (stat.filemode(os.lstat(os.path.join(place, name)).st_mode), read(place, name) if os.path.isfile(
        os.path.join(place, name)) and name not in ("calls", "mapped") else "") for name in sorted(os.listdir(place))}
    report.equal(found, {"calls": ("-rw-r--r--", ""), "fourth": ("-rw----r--", "name+"), "inner": ("drwx------", ""),
                         "mapped": ("-rw-r--r--", ""), "moved": ("drwxr-sr-x", ""), "read-only": ("-r--------", "made"),
                         "replaced": ("-rw-r-----", "OTher"), "second": ("-rw----r--", "name+")},
                 "names and modes are, and nothing is left of files that lost their names")
    report.equal(sorted(os.listdir(os.path.join(place, "moved"))), ["by descriptor", "link"], "a moved folder keeps its files")


def check_rights(report, folder):
    """The host's refusals, and Tally's own."""
    os.mkdir(os.path.join(folder, "closed"))
    write(os.path.join(folder, "closed", "file"), "kept")
    write(os.path.join(folder, "secret"), "hidden")
    for name, mode in (("closed/file", 0o400), ("secret", 0), ("closed", 0o555)):
        os.chmod(os.path.join(folder, name), mode)
    script = """echo a >closed/file; cat secret; echo b >closed/new; rm -f closed/file; mv closed/file moved; ln -s x closed/l
                mkdir closed/d; chown 1 secret; chmod u+s secret; mknod device c 1 3; cat closed/file"""
    status, output, error = plainly(folder, SHELL, "sh", "-c", script + " 2>&1")
    report.equal((status, [line.rpartition(": ")[2] for line in os.fsdecode(output).splitlines()]),
                 (0, 7 * ["Permission denied"] + 3 * ["Operation not permitted"] + ["kept"]),
                 "the host's errors are the calls'; set-id bits and devices are refused", error, output)
    report.equal((sorted(os.listdir(folder)), os.listdir(os.path.join(folder, "closed")), os.stat(
        os.path.join(folder, "secret")).st_mode & 0o7777), (["closed", "secret"], ["file"], 0), "and nothing has changed")
    os.chmod(os.path.join(folder, "closed"), 0o700)


def check_full(report, folder):
    small = os.path.join(folder, "small")
    os.mkdir(small)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], stderr=subprocess.DEVNULL,
                                      check=False).returncode:
        report.ok(True, "a full disk # SKIP the host mounts nothing here")
        return
    try:
        script = "cd small; (dd if=/dev/zero of=f bs=1000 count=100; stat -c %s f; echo more >g; wc -c <g; rm f; echo now >g; cat g) 2>&1"
        status, output, error = shell(folder, script)
        lines = [line for line in output.splitlines() if "records" not in line]
        report.equal((status, lines), (0, ["dd: error writing 'f': No space left on device", "65536",
                                           "sh: write error: No space left on device", "0", "now"]),
                     "a full disk is ENOSPC, what was written before stays, and room is used again", error)
        report.equal((os.listdir(small), read(small, "g")), (["g"], "now\n"),
                     "a full disk: the host has what was written after room came back")
    finally:
        subprocess.run(["umount", small], check=True)


def check_ways_out(report, folder):
    outside = tempfile.mkdtemp(prefix="tally-outside-")
    try:
        write(os.path.join(outside, "secret"), SECRET)
        os.chmod(os.path.join(outside, "secret"), 0o666)
        inside = os.path.join(folder, "inside")
        os.mkdir(inside)
        os.symlink(outside, os.path.join(inside, "folder"))
        os.symlink(os.path.join(outside, "secret"), os.path.join(inside, "file"))
        script = f"""exec 2>/dev/null; echo x >folder/new; echo x >file; echo x >../../../../../../../..{outside}/secret; ln -s {outside} mine
                     echo x >mine/new; mkdir mine/d; rm mine/secret; mv mine/secret here; chmod 0 mine/secret; ln mine/secret l
                     touch ../beside; mv folder moved; echo end"""
        status, output, error = shell(inside, script)
        report.equal((status, output, sorted(os.listdir(outside)), read(outside, "secret"),
                      os.stat(os.path.join(outside, "secret")).st_mode & 0o777, sorted(os.listdir(folder))),
                     (0, "end\n", ["secret"], SECRET, 0o666, ["inside"]), "neither links nor .. lead changes out of the share",
                     error)
        report.equal(sorted(os.listdir(inside)), ["file", "mine", "moved"], "links are made and moved as what they are")
        # The host replaces a folder by a link out, after the guest has seen it.
        os.mkdir(os.path.join(inside, "in"))
        with subprocess.Popen([TALLY, "run", "--timeout", "240", "--write", SHELL, "sh", "-c",
                               "exec 2>/dev/null 3>in/open; echo a >in/f; echo ready; read line; echo b >in/g; echo c >in/f; rm in/secret; mv in/f in/h; "
                               "echo through >&3; echo end"],
                              cwd=inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()
            os.rename(os.path.join(inside, "in"), os.path.join(inside, "was"))
            os.symlink(outside, os.path.join(inside, "in"))
            rest = process.communicate("go\n")[0]
        report.equal((process.returncode, first, rest, sorted(os.listdir(outside)), read(outside, "secret")),
                     (0, "ready\n", "end\n", ["secret"], SECRET), "nor does a folder that the host replaces by a link")
        report.equal((read(inside, "was", "open"), read(inside, "was", "f")), ("through\n", "a\n"),
                     "an open file is the one that was opened")
    finally:
        shutil.rmtree(outside)


def check_ends(report, folder):
    """However the machine ends, what the program has written is there."""
    place = os.path.join(folder, "gone")
    os.mkdir(place)
    script = "echo one >a; echo two >>a; exec 3>b; echo open >&3; echo ready; read line; echo three >>a; echo late >c; exit 4"
    with subprocess.Popen([TALLY, "run", "--timeout", "240", "--write", SHELL, "sh", "-c", script], cwd=place,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        before = read(place, "a"), read(place, "b")
        shutil.rmtree(place)
        output = process.communicate("go\n")[0]
    report.equal((process.returncode, before), (4, ("one\ntwo\n", "open\n")), "what was written is there while the program runs")
    report.ok("can't create" in output, "in a folder that vanishes no file is made, and the program goes on", output)
    with subprocess.Popen([TALLY, "run", "--timeout", "240", "--write", SHELL, "sh", "-c", "echo early >early; echo ready; sleep 1000"],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.terminate()
        process.communicate()
    report.equal(read(folder, "early"), "early\n", "a machine that is ended from outside has written what its program wrote")


def check_odd_names(report, folder):
    names = [b"\xff\xfe", "\u00fc".encode(), b"a b", b"q'\"$*", b"new\nline", b"-", b"n" * 255]
    write(os.path.join(folder, "names"), b"".join(name + b"\0" for name in names))
    status, _, error = tally(folder, "--write", SHELL, "sh", "-c",
                             "mkdir made; cd made; xargs -0 -n 1 sh -c 'echo x >\"./$0\"' <../names; mv ./- ./--; echo x >$(printf 'n%.0s' $(seq 256))")
    report.equal((status, sorted(os.listdir(os.path.join(os.fsencode(folder), b"made")))),
                 (1, sorted(b"--" if name == b"-" else name for name in names)), "names are bytes, at most 255", error)


def check_counts(report, folder):
    script = "mkdir t; for i in 1 2 3 4 5 6 7 8; do echo $i >t/$i; cat t/$i >>t/all; done; mv t/all t/copy; rm t/[1-8]; ls t"
    results = []
    for _ in range(2):
        shutil.rmtree(os.path.join(folder, "t"), ignore_errors=True)
        tally(folder, "--icount", "--pmu", "emulated", "--write", COUNTER, "-t", "-r", "-a", "-o", "result", "user:0:1:u",
              "kernel:0:1:k", "--", SHELL, "sh", "-c", script)
        results.append(read(folder, "result"))
        os.remove(os.path.join(folder, "result"))
    report.ok(results[0] == results[1] and "exit 0" in results[0], "in virtual time a program that writes counts the same", *results)


def check_options(report, folder):
    nothing = "--write: nothing is shared: "
    for place, options, text in (
            (folder, ("--no-share",), nothing + "--no-share"),
            ("/", (), nothing + "/ of the guest cannot be a folder of the host"),
            (folder, ("--root", folder), nothing + "--root"),
            (folder, ("--initrd", "file"), "--initrd is booted as it is: it cannot be had with --root, --add, --env, --get, --share or "
                                           "--write")):
        report.equal(tally(place, "--write", *options, SHELL, "true"), (120, b"", f"tally: {text}\n"), " ".join(options) or place)
    stock = {**os.environ, "TALLY_QEMU": shutil.which("qemu-system-x86_64") or "none"}
    report.equal(tally(folder, "--write", "--pmu", "none", SHELL, "true", env=stock),
                 (120, b"", f"tally: {nothing}this emulator is not ours; use --pmu emulated\n"), "another emulator than ours")
    os.mkdir(os.path.join(folder, "other"))
    report.equal(shell(folder, "echo x >/mnt/f; ls | wc -l", "--no-share", "--share", "other:/mnt"), (0, "0\n", ""),
                 "--no-share with another folder")
    report.equal(read(folder, "other", "f"), "x\n", "which is written to")


def check_mount(report, folder):
    """mount -t 9p of a device that the emulator got by other words than tally's."""
    emulator = os.path.join(folder, "emulator")
    own = os.path.join(folder, "own")
    os.mkdir(own)
    write(os.path.join(own, "file"), "host\n")
    write(emulator, f"""#!/bin/sh
exec {paths.emulator(needs_model=True)} "$@" -fsdev local,id=own,path={own},security_model=none,multidevs=remap \\
    -device virtio-9p-pci,fsdev=own,mount_tag=own,ioeventfd=off,disable-legacy=on
""")
    os.chmod(emulator, 0o755)
    script = """mkdir /m /n; m() { mount -t 9p -o "$@" 2>/dev/null && echo ok || echo no; }
                m trans=virtio,version=9p2000.L,msize=131072,cache=none,access=any,unknown=1 own /m; cat /m/file; echo guest >/m/new
                grep /m /proc/mounts; grep 9p /proc/filesystems; stat -fc "%S %b" /m; chmod 4755 /m/new; stat -c %a /m/new
                for o in trans=tcp trans= msize=100 msize=x version=9p2000 cache=some access=x debug=g dfltuid=-1; do m $o own /n; done
                m trans=virtio own /n; m trans=virtio none /n; m trans=virtio tally0 /n; umount /m; ls /m
                m ro own /n; cat /n/new; grep /n /proc/mounts; (echo x >/n/x; rm /n/new; mv /n/new /n/x; mkdir /n/d; chmod 0 /n/new
                touch /n/new; truncate -s 0 /n/new; ln /n/new /n/l) 2>&1 | sed 's/.*: //'; mount -o remount,rw /n; echo more >>/n/new; cat /n/new"""
    host = os.statvfs(own)
    # The server's blocks are as many of the host's as fit into a message beside its header.
    factor = (131072 - 24) // host.f_bsize
    status, output, error = shell(folder, script, "--pmu", "emulated", env={**os.environ, "TALLY_QEMU": emulator})
    report.equal((status, output.splitlines()), (0, [
        "ok", "host", "own /m 9p rw,access=client,msize=131072,trans=virtio 0 0", "nodev\t9p", f"{factor * host.f_frsize} {host.f_blocks // factor}", "4755", *9 * ["no"], *3 * ["no"], "ok", "guest",
        "own /n 9p ro,access=client,trans=virtio 0 0", *8 * ["Read-only file system"], "guest", "more"]),
                 "mount -t 9p: options, tags, ro, and the server's room", error)
    report.equal((read(own, "new"), sorted(os.listdir(own)), os.stat(os.path.join(own, "new")).st_mode & 0o7777),
                 ("guest\nmore\n", ["file", "new"], 0o4755), "changes in a mounted share reach the host, set-id bits included")
    # Without CAP_SYS_ADMIN, and a device that is not there.
    status, output, error = shell(folder, "mkdir /m; mount -t 9p own /m 2>&1; su -s /bin/sh nobody -c 'mount -t 9p tally0 /m' 2>&1; true")
    report.equal(output.splitlines()[:1], ["mount: mounting own on /m failed: No such file or directory"], "a tag that is not there",
                 error)


def main():
    report = tap.Report()
    folder = tempfile.mkdtemp(prefix="tally-write-")
    try:
        for check in (check_names, check_program, check_rights, check_full, check_ways_out, check_ends, check_odd_names, check_counts,
                      check_options, check_mount):
            os.mkdir(os.path.join(folder, check.__name__))
            check(report, os.path.join(folder, check.__name__))
    finally:
        shutil.rmtree(folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
