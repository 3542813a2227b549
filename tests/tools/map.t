#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The documents and the tree agree: what they name exists, and the map names every source folder and kernel file.

The map is docs/design.md, up to its section "Next". A name is a word in backticks that is written as a path: it ends in "/"
or in a suffix of SUFFIXES, or it begins with a folder of the root. Stars and braces in it are a shell's. It is relative to
the root, to the folder of the section ("Inside kernel/perf"), or to a folder in the first cell of the table's row;
<kernel/base/log.h> is below include/. In the other documents a name without a folder may be anywhere in the tree. So may a
name in a comment of the kernel that cites no other project.
"""

import fnmatch
import glob
import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

MAP = "docs/design.md"
SUFFIXES = (".c", ".h", ".S", ".md", ".mk", ".ld", ".t", ".py", ".awk", ".txt", ".dot", ".svg")
NAME = re.compile(r"<?[\w.*{},+-]+(?:/[\w.*{},+-]+)*/?>?$")
# Folders whose subfolders the map leaves to the document beside them, or to their names.
LEAVES = {
    "docs/*": "drawings and manual pages",
    "qemu/*": "qemu/README.md",
    "tests/*/*": "tests/README.md",
    "userland/*/*": "one program or one library",
}
# Names in the documents that are no files of the tree.
NOT_OURS = {
    ".github/workflows/": "GitHub's",
    "a.c": "an example",
    "build/alpha/": "made by the build",
    "build/user/bin/": "made by the build",
    "hello.c": "an example",
    "prog.c": "an example",
    "counters.h": "PAPI's",
    "src/newlib/libc/string/": "newlib's",
    "NAME_test.c": "a pattern",
    "NAME_threads_test.c": "a pattern",
    "tests/boot/NAME.c": "a pattern",
    "linux/perf_event.h": "a program's include, below include/uapi/",
    "sys/queue.h": "newlib's",
    "bsd/sys/tree.h": "libbsd's",
}

KERNEL = ("kernel/", "include/", "arch/", "boot/", "drivers/")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Also below other folders; not a part of a longer word or of a path from the root of a file system.
COMMENT_NAME = re.compile(r"(?<![\w./<*-])[\w-]+(?:/[\w.-]+)*\.[chS](?![\w*])")
# A comment that cites another project names that project's files.
FOREIGN = re.compile(r"Linux|QEMU|PALcode|newlib|uapi/")
# Files of Linux that a document names: ours are in tests/kvm/ and arch/x86_64/.
LINUX = re.compile(r"(?:arch/x86|kvm)/(?:[\w/]+\.[ch]|kvm/)")


def tracked():
    """Every file of the tree, but those that git ignores."""
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    return sorted(name for name in done.stdout.decode().split("\n") if os.path.exists(os.path.join(ROOT, name)) and name)


def braces(name):
    match = re.search(r"\{([^{}]*)\}", name)
    if not match:
        return [name]
    return [more for part in match[1].split(",") for more in braces(name[:match.start()] + part + name[match.end():])]


def expand(name):
    """The paths below the root that a name with stars and braces stands for."""
    paths = [path for part in braces(name) for path in glob.glob(os.path.join(ROOT, part))]
    if name.endswith("/"):
        paths = [path for path in paths if os.path.isdir(path)]
    return [os.path.normpath(os.path.relpath(path, ROOT)) for path in paths]


def is_name(word, tops):
    if not NAME.match(word) or word.startswith(("/", "-", "..")) or word in NOT_OURS:
        return False
    bare = word.strip("<>")
    return bare.endswith(("/",) + SUFFIXES) or bare.split("/")[0] in tops and "/" in bare


def names_of(text, tops):
    """(line number, section's folder, folders of the row's first cell, name), for each name in a document."""
    folder, fenced = "", False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if line.startswith("#"):
            inside = re.match(r"#+ Inside (\S+)$", line)
            folder = inside[1] if inside else ""
        if fenced or line.startswith("    "):
            continue
        row = re.findall(r"`([^`]+)`", line.split("|")[1]) if line.startswith("|") else []
        for word in re.findall(r"`([^`]+)`", line):
            if is_name(word, tops):
                yield number, folder, [name for name in row if name.endswith("/")], word


def resolve(folder, row, word):
    """The things that a name of the map stands for: paths below the root, or nothing."""
    if word.startswith("<"):
        return expand("include/" + word.strip("<>"))
    for base in (*row, folder, ""):
        paths = expand(os.path.join(base, word))
        if paths:
            return paths
    return []


def folders_of(files):
    return {os.path.dirname(name) for name in files} - {""}


def first_cells(text):
    """The document with only the first cells of its tables."""
    return "\n".join("".join(line.split("|")[:2]) if line.startswith("|") else line for line in text.splitlines())


def check_map(report, files, tops):
    with open(os.path.join(ROOT, MAP), encoding="utf-8") as file:
        text = file.read().split("\n## Next")[0]
    named, missing = set(), []
    for number, folder, row, word in names_of(text, tops):
        paths = resolve(folder, row, word)
        # In a row about several folders, a file may be in any of them.
        named.update(paths, *(expand(os.path.join(base, word)) for base in row))
        if not paths:
            missing.append(f"{MAP}:{number}: {word} does not exist")
    report.ok(not missing, "the map names only what exists", *missing)
    report.ok(len(named) > 150, "the map names files and folders", len(named))
    leaves = {folder for folder in folders_of(files) for leaf in LEAVES if fnmatch.fnmatch(folder, leaf)}
    hidden = {folder for folder in folders_of(files) if folder.startswith(".")}
    unnamed = sorted(folders_of(files) - named - leaves - hidden - {os.path.dirname(name) for name in named})
    report.ok(not unnamed, "the map names every source folder", *(f"{MAP} does not name {folder}/" for folder in unnamed))
    kernel = [name for name in files if name.startswith("kernel/") and name.endswith((".c", ".S"))]
    unnamed = [name for name in kernel if name not in named]
    report.ok(not unnamed, "the map names every file of kernel/", *(f"{MAP} does not name {name}" for name in unnamed))
    rows = [path for _, folder, _, word in names_of(first_cells(text), tops) if folder for path in resolve(folder, [], word)]
    twice = sorted({path for path in rows if rows.count(path) > 1})
    report.ok(not twice, "and has one row for it", *(f"{MAP}: {path} has more than one row" for path in twice))
    unused = [leaf for leaf in LEAVES if not any(fnmatch.fnmatch(folder, leaf) for folder in folders_of(files))]
    report.equal(unused, [], "every exception is needed")


def doubled_rows(text):
    """(line number, first cell) of each row whose first cell, which names a file, an earlier row of its table has."""
    seen, fenced = set(), False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            seen = set()
            continue
        cell = line.split("|")[1].strip()
        if cell in seen and any(word.endswith(("/",) + SUFFIXES) for word in re.findall(r"`([^`]+)`", cell)):
            yield number, cell
        seen.add(cell)


def check_document(report, document, files, tops):
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        text = file.read().split("\n## Next")[0]
    folder, missing = os.path.dirname(document), []
    for number, _, row, word in names_of(text, tops):
        anywhere = [name for part in braces(word.strip("<>/")) for name in files
                    if fnmatch.fnmatch("/" + name + "/", f"*/{part}/*")]
        if not anywhere and not resolve(folder, row, word) and not LINUX.fullmatch(word):
            missing.append(f"{document}:{number}: {word} does not exist")
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", line):
            if not os.path.exists(os.path.join(ROOT, folder, target)):
                missing.append(f"{document}:{number}: the link to {target} leads nowhere")
    report.ok(not missing, f"{document} names only what exists", *missing)
    # A merge by union doubles rows.
    twice = [f"{document}:{number}: {cell}" for number, cell in doubled_rows(text)]
    report.ok(not twice, f"{document} has one row for each file of a table", *twice)


def check_comments(report, files):
    """The files that comments of the kernel name exist: by their path's end, beside the comment's file, below include/."""
    missing = []
    for path in files:
        if not path.startswith(KERNEL) or path.startswith("include/uapi/") or not path.endswith((".c", ".h", ".S")):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for comment in COMMENT.finditer(text):
            if FOREIGN.search(comment[0]):
                continue
            for match in COMMENT_NAME.finditer(comment[0]):
                name = match[0].removeprefix("./")
                if not any(("/" + one).endswith("/" + name) for one in files):
                    line = text.count("\n", 0, comment.start() + match.start()) + 1
                    missing.append(f"{path}:{line}: {name} does not exist")
    report.ok(not missing, "comments of the kernel name only files that exist", *missing)


def main():
    report = tap.Report()
    files = tracked()
    tops = {name.split("/")[0] for name in files if "/" in name}
    check_map(report, files, tops)
    check_comments(report, files)
    for document in [name for name in files if name.endswith(".md") and name != MAP and not name.startswith("qemu/")]:
        check_document(report, document, files, tops)
    return report.done()


sys.exit(main())
