#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The guest sees the host's current folder, and those of --share, in place; its changes stay in the machine."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile

from tallytest import tap, together

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
SHELL = shutil.which("busybox")
WORDS = os.path.join(BUILD, "tests", "words")
MANY = 100000
# Beyond what 32 bits can name, and what the machine has in memory.
LARGE, MIDDLE, READ = 10 << 30, 5 << 30, 40 << 20
# Observers of files work in the current folder: on tmpfs and in a share they see the same.
OBSERVERS = ("file_names", "files", "open", "locks", "permission_bits", "full_tmpfs", "mappings", "inotify", "inotify_events",
             "attack_inodes", "exec", "exec_access", "limits", "splice", "special_areas", "quotas", "access")
# Those to which the host refuses nothing: they see the same where changes go through.
WRITERS = ("file_names", "files", "open", "mappings", "inotify", "exec", "splice", "special_areas")
SECRET = "not shared"


def tally(folder, *words, **more):
    status, output, error = tap.command([TALLY, "run", "--timeout", "400", *words], cwd=folder, **more)
    return status, output, error


def shell(folder, script, *options, **more):
    """The output of SCRIPT by busybox's shell: all of its commands are in it."""
    status, output, error = tally(folder, *options, SHELL, "sh", "-c", script, **more)
    return status, os.fsdecode(output), error


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def listing(folder):
    """All that can be seen of FOLDER on the host, but the times of access."""
    found = {}
    for path, _, names in os.walk(os.fsencode(folder)):
        for name in (b"", *names):
            whole = os.path.join(path, name)
            status = os.lstat(whole)
            found[whole] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, status.st_nlink)
    return found


def make_tree(folder):
    os.makedirs(os.path.join(folder, "data", "deep"))
    write(os.path.join(folder, "data", "here"), "contents\n")
    write(os.path.join(folder, "data", "deep", "file"), bytes(range(256)) * 1000)
    os.chmod(os.path.join(folder, "data", "here"), 0o640)
    os.utime(os.path.join(folder, "data", "here"), ns=(1500000000123456789, 1400000000987654321))
    os.link(os.path.join(folder, "data", "here"), os.path.join(folder, "second"))
    os.symlink("data/here", os.path.join(folder, "link"))
    os.mkfifo(os.path.join(folder, "fifo"))
    shutil.copy(WORDS, os.path.join(folder, "words"))
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(folder)
        listener.bind("socket")
        os.chdir(here)


def check_in_place(report, folder):
    report.equal(shell(folder, "pwd; cat data/here link ../$(basename $PWD)/second"),
                 (0, f"{folder}\ncontents\ncontents\ncontents\n", ""), "relative names lead to the host's files")
    script = "busybox stat -c '%n %f %s %h %u %g %Y %Z' . data data/here second fifo socket words data/deep/file; " \
             "busybox stat -c '%n %f %s %N' link; busybox md5sum data/deep/file words"
    script = script.replace("busybox ", "")
    there = subprocess.run([SHELL, "sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    report.equal(shell(folder, script), (0, there, ""), "types, modes, sizes, links, owners, times and contents are the host's")
    report.equal(shell(folder, "./words 3 >/dev/null; echo $?; cp words /tmp/copy; cmp words /tmp/copy && echo equal"),
                 (0, "3\nequal\n", ""), "a program of the folder runs, and is read as it is")
    report.equal(tally(folder, "./words", "4")[0], 4, "PROGRAM is one of the folder")


def check_changes(report, folder):
    before = listing(folder)
    script = """echo more >>data/here; cat data/here; echo new >data/new; rm link; ln -s second link; cat link
                mv data moved; cat moved/here moved/new; ls; rm -r moved/deep; mkdir moved/deep; ls moved/deep | wc -l
                chmod 600 words; stat -c %a words; rmdir moved 2>/dev/null || echo not empty; : >second; wc -c <second
                rm -r moved; ls; echo again >data; cat data; mkdir sub; mv words sub/w; sub/w 9 2>/dev/null || ls sub"""
    status, output, error = shell(folder, script)
    expected = "contents\nmore\ncontents\ncontents\nmore\nnew\nfifo\nlink\nmoved\nsecond\nsocket\nwords\n0\n600\nnot empty\n0\n" \
               "fifo\nlink\nsecond\nsocket\nwords\nagain\nw\n"
    # Without the execute bit the program of the last line does not run.
    report.equal((status, output), (0, expected), "the guest sees its own changes", error)
    report.equal(listing(folder), before, "the host sees none of them")


def check_special(report, folder):
    script = "cat socket; echo $?; (echo through >fifo &); cat fifo"
    report.equal(shell(folder, script + " 2>&1")[1].splitlines()[-2:], ["1", "through"],
                 "a socket of the host cannot be opened, a FIFO is the machine's own")
    if os.geteuid() == 0:
        try:
            os.mknod(os.path.join(folder, "null"), 0o20666, os.makedev(1, 3))
        except OSError:
            return report.ok(True, "a device node is the machine's own # SKIP the host makes none here")
        report.equal(shell(folder, "echo gone >null; stat -c '%F %t %T' null; wc -c <null"),
                     (0, "character special file 1 3\n0\n", ""), "a device node is the machine's own")
        os.remove(os.path.join(folder, "null"))
    return None


def check_names(report, folder):
    names = [b"\xff\xfe", "\u00fc".encode(), b"a b", b"q'\"$*", b"new\nline", b"-", b"n" * 255]
    os.mkdir(os.path.join(folder, "odd"))
    for name in names:
        write(os.path.join(os.fsencode(folder), b"odd", name), name)
    expected = b"".join(b"./" + name + b"\0" for name in sorted(names))
    status, output, error = tally(folder, SHELL, "sh", "-c",
                                  "cd odd; find . -type f -print0; cat ./-; cat $(printf '\\377\\376')")
    report.equal((status, output, error), (0, expected + b"-" + b"\xff\xfe", ""),
                 "names are bytes, and a listing is sorted by them")
    shutil.rmtree(os.path.join(folder, "odd"))


def check_large(report, folder):
    path = os.path.join(folder, "large")
    with open(path, "wb") as file:
        file.truncate(LARGE)
        for place, text in ((MIDDLE, b"middle"), (LARGE - 3, b"end")):
            file.seek(place)
            file.write(text)
    script = f"stat -c %s large; tail -c 3 large; echo; dd if=large bs=1 skip={MIDDLE} count=6 2>/dev/null; echo; " \
             f"dd if=large of=/dev/null bs=1M count={READ >> 20} 2>&1 | head -n 1; echo x >>large; tail -c 5 large; stat -c %s large"
    report.equal(shell(folder, script, "--memory", "32"), (0, f"{LARGE}\nend\nmiddle\n{READ >> 20}+0 records in\nendx\n{LARGE + 2}\n", ""),
                 "a file of 10 GiB is read, and written to, in a machine of 32 MiB")
    os.remove(path)


def check_many(report, folder):
    # In memory where the host has such a folder: a disk's file system takes many times as long to make so many files.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else folder) as many:
        for number in range(MANY):
            os.close(os.open(os.path.join(many, f"{number:06}"), os.O_CREAT | os.O_WRONLY))
        script = "cd /mnt; set -- *; echo $# $1 ${100000}; rm 000000 099999; set -- *; echo $# $1; test -e 050000; echo $?; " \
                 "test -e none; echo $?"
        report.equal(shell(folder, script, "--share", many + ":/mnt"), (0, f"{MANY} 000000 099999\n{MANY - 2} 000001\n0\n1\n", ""),
                     "100,000 names are listed, and two removed")


def check_ways_out(report, folder):
    outside = tempfile.mkdtemp(prefix="tally-outside-")
    try:
        write(os.path.join(outside, "secret"), SECRET)
        inside = os.path.join(folder, "inside")
        os.mkdir(inside)
        relative = os.path.relpath(os.path.join(outside, "secret"), inside)
        os.symlink(os.path.join(outside, "secret"), os.path.join(inside, "absolute"))
        os.symlink(relative, os.path.join(inside, "relative"))
        os.symlink(outside, os.path.join(inside, "folder"))
        os.symlink("/", os.path.join(inside, "root"))
        script = f"ln -s {outside}/secret mine; ln -s /proc/self/root{outside} other; ln -s ../../../../../../../../{outside} up; " \
                 f"cat absolute relative folder/secret root{outside}/secret ../../{os.path.basename(outside)}/secret " \
                 f"{outside}/secret mine other/secret up/secret /proc/self/root{outside}/secret /proc/self/cwd/relative " \
                 f"/proc/1/root{outside}/secret 2>/dev/null; echo $?; ls root{os.path.dirname(outside)}"
        status, output, error = shell(inside, script)
        report.equal((status, output.splitlines()[0], SECRET in output), (0, "1", False),
                     "neither links nor .. lead to what was not shared", error, output)
    finally:
        shutil.rmtree(outside)


def check_vanishing(report, folder):
    gone = os.path.join(folder, "gone")
    os.mkdir(gone)
    write(os.path.join(gone, "early"), "early\n")
    write(os.path.join(gone, "late"), "late\n")
    write(os.path.join(gone, "open"), "open\n")
    with subprocess.Popen([TALLY, "run", "--timeout", "400", SHELL, "sh", "-c",
                           "exec 3<open; cat early; read line; cat late; cat <&3; ls | wc -l; echo written >new; cat new; exit 5"],
                          cwd=gone,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        shutil.rmtree(gone)
        output, error = process.communicate("go\n")
    report.equal((process.returncode, line, output.splitlines()[-1:]), (5, "early\n", ["written"]),
                 "a folder that vanishes has no files any more, and the program goes on", output, error)
    report.ok("can't open 'late'" in output, "what was not read before is not there", output)
    report.ok("read error: Stale file handle" in output, "a file that is open but was never read is stale", output)


def check_replaced(report, folder):
    """The host replaces a folder and a file by links out of the share, after the guest has seen both."""
    outside, place = tempfile.mkdtemp(prefix="tally-outside-"), os.path.join(folder, "place")
    os.makedirs(os.path.join(place, "in"))
    for name in (os.path.join(outside, "inner"), os.path.join(outside, "file")):
        write(name, SECRET)
    write(os.path.join(place, "in", "inner"), "inner\n")
    write(os.path.join(place, "file"), "file\n")
    with subprocess.Popen([TALLY, "run", "--timeout", "400", SHELL, "sh", "-c",
                           "stat -c %F in file; read line; cat in/inner file; ls in; echo end"], cwd=place,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        first = process.stdout.readline() + process.stdout.readline()
        shutil.rmtree(os.path.join(place, "in"))
        os.remove(os.path.join(place, "file"))
        os.symlink(outside, os.path.join(place, "in"))
        os.symlink(os.path.join(outside, "file"), os.path.join(place, "file"))
        output = process.communicate("go\n")[0]
    report.equal((process.returncode, first, output.splitlines()[-1:], SECRET in output),
                 (0, "directory\nregular file\n", ["end"], False),
                 "a folder that the host replaces by a link leads nowhere", output)
    shutil.rmtree(outside)


def check_options(report, folder):
    other = os.path.join(folder, "o:ther,x")
    os.makedirs(os.path.join(other, "in"))
    write(os.path.join(other, "file"), "of the other\n")
    write(os.path.join(folder, "file"), "of the first\n")
    report.equal(shell(folder, "ls | wc -l", "--no-share"), (0, "0\n", ""), "--no-share: the folder is empty")
    report.equal(shell(folder, f"cat file /mnt/a/file '{other}/file'", "--share", other + ":/mnt/a", "--share", other),
                 (0, "of the first\n" + 2 * "of the other\n", ""), "--share, with and without a place, repeated")
    report.equal(shell(folder, "cat /mnt/file; ls | wc -l", "--no-share", "--share", "o:ther,x:/mnt"),
                 (0, "of the other\n0\n", ""), "--share of a relative path, without the current folder")
    report.equal(shell(folder, "ls in /mnt/in; cat /mnt/file", "--share", other + ":/mnt", "--share", folder + ":/mnt/in")[1]
                 .splitlines()[-1:], ["of the other"], "a share inside of another")
    report.equal(shell("/", "pwd; ls -d work 2>/dev/null; true"), (0, "/\n", ""), "in /, nothing is shared")
    for options, status, text in (
            (("--share", "none"), 127, "--share none: none: no such folder"),
            (("--share", "file"), 127, "--share file: file: is no folder"),
            (("--share", "file:/mnt"), 127, "--share file:/mnt: file: is no folder"),
            (("--share", ""), 127, "--share : : no such folder"),
            (("--share", other + ":mnt"), 120, f"--share {other}:mnt: 'mnt' is no absolute path of the guest"),
            (("--share", other + ":/"), 120, f"--share {other}:/: / of the guest cannot be a folder of the host"),
            (("--share", other + ":/proc/x"), 120, f"--share {other}:/proc/x: /proc/x of the guest cannot be a folder of the host"),
            (("--share", other + ":/mnt", "--share", other + ":/mnt/"), 120, "--share: two folders at one place of the guest"),
            (("--share", other + ":/mnt", "--share", other + ":/mnt/none"), 127,
             f"--share at /mnt/none: it lies inside of /mnt, where the host has no folder of that name ({other}/none)"),
            (("--share", other, "--initrd", "file"), 120,
             "--initrd is booted as it is: it cannot be had with --root, --add, --env, --get, --share or --write")):
        report.equal(tally(folder, *options, "./words"), (status, b"", f"tally: {text}\n"), " ".join(options))
    status, output, error = shell(folder, "ls | wc -l", "--pmu", "none", "--share", other,
                                  env={**os.environ, "TALLY_QEMU": shutil.which("qemu-system-x86_64") or "none"})
    report.equal((status, output, error),
                 (0, "0\n", "tally: nothing is shared: this emulator is not ours; use --pmu emulated\n"),
                 "another emulator than ours: one line, if a share was asked for")


def observe(names, *options):
    """The observers NAMES, one after the other in a folder of their own on a machine with these options: {name: (status, lines)}, and
    what they left in the folder and in the one at /tmp on the host. {share} in an option is the latter's place."""
    script = 'for name; do echo "### /observe_$name"; "/observe_$name"; echo "### status $?"; done'
    # The programs are in the machine's root: the share at /tmp would hide those, and a folder, of a clone that is there.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, tempfile.TemporaryDirectory() as other, \
            tempfile.TemporaryDirectory() as root:
        os.chmod(folder, 0o755)
        os.chmod(other, 0o1777)
        os.chmod(root, 0o755)
        for name in names:
            shutil.copy(os.path.join(BUILD, "tests", "observe_" + name), root)
        status, output, error = tally(folder, *(option.format(share=other) for option in options), "--root", root,
                                      SHELL, "sh", "-c", script, "sh", *names)
        left = os.listdir(folder), os.listdir(other)
    parts, rest = together.parts(output.decode(errors="replace"))
    found = {os.path.basename(command).removeprefix("observe_"): (end, text.splitlines()) for command, text, end in parts}
    return found, left, (status, rest, error)


def check_same(report, found, in_memory, name, point, where):
    """FOUND, (status, lines), is what was seen IN_MEMORY."""
    (there_status, there), (here_status, here) = in_memory.get(name, (None, [])), found.get(name, (None, []))
    different = [f"in memory {one!r}, {where} {two!r}" for one, two in zip(there, here) if one != two]
    report.ok((there_status, there) == (here_status, here) and there, point, *different[:3], f"lines: {len(there)}, {len(here)}",
              f"statuses: {there_status}, {here_status}")


def check_observers(report):
    in_memory, _, end = observe(OBSERVERS, "--no-share")
    report.equal(end, (0, "", ""), "the observers end in memory")
    shared, left, end = observe(OBSERVERS, "--share", "{share}:/tmp")
    report.equal((end, left), ((0, "", ""), ([], [])), "the observers end in a share, and leave nothing on the host")
    for name in OBSERVERS:
        check_same(report, shared, in_memory, name, f"observe_{name} sees the same in a share and in memory", "in the share")
    through, _, end = observe(WRITERS, "--write", "--share", "{share}:/tmp")
    report.equal(end, (0, "", ""), "the writers end where their changes go through")
    for name in WRITERS:
        check_same(report, through, in_memory, name, f"observe_{name} sees the same where its changes go through", "through")


def main():
    report = tap.Report()
    folder = tempfile.mkdtemp(prefix="tally-share-")
    try:
        make_tree(os.path.join(folder, "tree"))
        check_in_place(report, os.path.join(folder, "tree"))
        check_changes(report, os.path.join(folder, "tree"))
        check_special(report, os.path.join(folder, "tree"))
        shutil.rmtree(os.path.join(folder, "tree"))
        for check in (check_names, check_large, check_many, check_ways_out, check_vanishing, check_replaced, check_options):
            os.mkdir(os.path.join(folder, check.__name__))
            shutil.copy(WORDS, os.path.join(folder, check.__name__, "words"))
            check(report, os.path.join(folder, check.__name__))
        check_observers(report)
    finally:
        shutil.rmtree(folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
