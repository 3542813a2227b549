#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The guest's working folder is the host's, with the added files in place."""

import os
import shutil
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

BUILD = os.environ["TALLY_BUILD"]
TALLY = os.path.join(ROOT, "tools", "tally")
ODD = "a b'\"\n\u00fc*$x,y"
WORDS = os.path.join(BUILD, "tests", "words")
# As README has it.
ALPHA_COMPILER = ("alpha-linux-gnu-gcc", "-O2", "-static", "-Wl,--no-relax")
ALPHA_SOURCE = b"""
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char path[4096], line[64];

	return printf("%s in %s: %s", argv[0], getcwd(path, sizeof(path)), fgets(line, sizeof(line), fopen("here", "r"))) < argc;
}
"""


def tally(folder, *words):
    status, output, error = tap.command([TALLY, "run", "--timeout", "400", *words], cwd=folder)
    return status, os.fsdecode(output), error


def shell(folder, script, *options):
    return tally(folder, *options, "/bin/sh", "-c", script)


def check_folder(report, folder):
    for options, mode in (((), f"{os.stat(folder).st_mode & 0o7777:o}"), (("--no-share",), "755")):
        report.equal(shell(folder, "pwd; stat -c '%U %a %F' .", "--add", "/bin/stat", *options),
                     (0, f"{folder}\nroot {mode} directory\n", ""), f"{folder!r}: getcwd says the host's path {options}")
    shutil.copy(WORDS, os.path.join(folder, "words"))
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    with open(os.path.join(folder, "data", "here"), "w", encoding="ascii") as file:
        file.write("contents\n")
    for typed, called in (("./words", "./words"), ("words", "words"), ("data/../words", os.path.join(folder, "words")),
                          (os.path.join(folder, "words"), "/bin/words")):
        _, output, error = tally(folder, typed)
        report.equal(output.split("]\n")[0], f"[{called}", f"{typed!r} is the program {called!r}", error)
    script = "cat data/here ./data/here; ./words 1 >left; mkdir new; cd data; pwd; ../words 7 >../new/left"
    status, output, error = shell(folder, script, "--add", "/bin/cat", "--add", "/bin/mkdir", "--add", "words", "--add", "data",
                                  "--get", "left")
    report.equal((status, output, error), (7, f"contents\ncontents\n{folder}/data\n", ""),
                 "what is added by a relative path is found by it, and the folder can be written")
    with open(os.path.join(folder, "left"), encoding="utf-8") as file:
        report.equal(file.read().splitlines()[:2], ["[./words]", "[1]"], "--get with a relative path")
    os.remove(os.path.join(folder, "left"))
    for name in ("new/left", "./new/left", os.path.join(folder, "new", "left"), "../" + os.path.basename(folder) + "/new/left"):
        status, _, error = shell(folder, "mkdir new; echo 1 >new/left", "--add", "/bin/mkdir", "--get", name)
        report.equal((status, error, os.path.exists(os.path.join(folder, "left"))), (0, "", True), f"--get {name!r}")
        os.remove(os.path.join(folder, "left"))


def check_scripts(report, folder):
    path = os.path.join(folder, "script")
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho $0\n")
    os.chmod(path, 0o755)
    report.equal(tally(folder, "./script"), (0, "./script\n", ""), "a script by a relative path")


def check_special(report, folder):
    for special in ("/", "/proc/self", "/sys/kernel", "/dev"):
        report.equal(shell(special, "pwd"), (0, "/\n", ""), f"in {special} the guest's folder is /")
    report.equal(shell("/", "echo 1 >left", "--get", "/left", "--get", "tmp/no"),
                 (127, "", "tally: --get: the program left no tmp/no (No such file or directory)\n"), "in /, --get is from /")
    os.remove("/left")
    gone = os.path.join(folder, "gone")
    inside = f"mkdir {gone}; cd {gone}; rmdir {gone}; exec {TALLY} run --timeout 400"
    report.equal(tap.command(["/bin/sh", "-c", f"{inside} /bin/sh -c pwd"]), (0, b"/\n", ""), "a folder that has been removed")
    for words in ("./words", "--add words /bin/true", "--add ./words /bin/true"):
        status, _, error = tap.command(["/bin/sh", "-c", f"{inside} {words}"])
        report.ok(status == 127 and error.startswith("tally: ") and error.count("\n") == 1,
                  f"one line about {words!r} in it", status, error)


def check_trees(report, folder):
    tree = os.path.join(folder, "tree")
    top = folder.split("/")[1]
    os.makedirs(tree + folder)
    os.chmod(tree + folder, 0o751)
    shutil.copy(shutil.which("busybox"), os.path.join(tree, "sh"))
    report.equal(tally(folder, "--root", tree, "/sh", "-c", "pwd; stat -c %a .; ls /"),
                 (0, f"{folder}\n751\nbin\ndev\nproc\nsh\nsys\ntmp\n", ""), "--root: a folder of the tree keeps its mode")
    report.equal(tally(tree, "--root", ".", "--add", "sh", "/sh", "-c", "pwd; ls"), (0, f"{tree}\nsh\n", ""),
                 "--root .: the folder is inside the tree too")
    shutil.rmtree(os.path.join(tree, top))
    os.symlink("elsewhere", os.path.join(tree, top))
    report.equal(tally(folder, "--root", tree, "--add", "words", "/sh", "-c", "pwd; ls"),
                 (0, f"{folder.replace(top, 'elsewhere', 1)}\nwords\n", ""), "--root: links of the tree lead on")
    os.remove(os.path.join(tree, top))
    with open(os.path.join(tree, top), "w", encoding="ascii"):
        pass
    status, _, error = tally(folder, "--root", tree, "/sh", "-c", "pwd")
    report.ok(status == 120 and f"/{top}: is no folder" in error and error.count("\n") == 1, "--root: a file in its place", error)


def check_image(report, folder):
    status, _, error = tap.command([TALLY, "image", "--add", "data", "-o", "image.elf", "/bin/sh", "-c", "pwd; echo data/*"],
                                   cwd=folder)
    report.equal((status, error), (0, ""), "an image")
    report.equal(tap.command([TALLY, "boot", "--timeout", "400", os.path.join(folder, "image.elf")], cwd="/"),
                 (0, os.fsencode(f"{folder}\ndata/here\n"), ""), "its program starts in the folder in which it was made")


def check_alpha(report, folder):
    if shutil.which(ALPHA_COMPILER[0]) is None:
        report.skip("Alpha: the same", f"{ALPHA_COMPILER[0]} is not installed")
        return
    compiled = tap.command([*ALPHA_COMPILER, "-x", "c", "-o", "alpha-program", "-"], stdin=ALPHA_SOURCE, cwd=folder)
    report.equal(compiled, (0, b"", ""), "Alpha: a program compiles")
    with open(os.path.join(folder, "here"), "w", encoding="ascii") as file:
        file.write("contents\n")
    report.equal(tally(folder, "--arch", "alpha", "--add", "here", "./alpha-program"),
                 (0, f"./alpha-program in {folder}: contents\n", ""), "Alpha: the same")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-folder-") as folder:
        folder = os.path.realpath(folder)
        for name in ("plain", ODD):
            os.mkdir(os.path.join(folder, name))
            check_folder(report, os.path.join(folder, name))
        folder = os.path.join(folder, "plain")
        check_scripts(report, folder)
        check_special(report, folder)
        check_trees(report, folder)
        check_image(report, folder)
        check_alpha(report, folder)
    return report.done()


sys.exit(main())
