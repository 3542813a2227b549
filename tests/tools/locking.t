#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""docs/locking.md has every lock of the kernel, and no other.

A lock is a spin lock or a mutex: a variable, or a member of a structure. The page names a variable by its name, and a member as
STRUCTURE->MEMBER, where STRUCTURE is the structure's name or its last words: context->lock is the lock of struct perf_context.
Every name in the page is that of one lock; only architectures have locks of the same name.
"""

import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
PAGE = "docs/locking.md"
SOURCES = ("kernel", "arch", "boot", "drivers", "include/kernel", "include/arch")

# File: why its locks are not in the page.
LEFT_OUT = {
    "kernel/panic_demand.c": "takes locks in the wrong order so that the debug build panics",
}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DIRECTIVE = re.compile(r"^#(?:.*\\\n)*.*$", re.MULTILINE)
# The beginning of a structure, a brace, or the declaration of a lock.
WORD = re.compile(r"\b(?:struct|union)\s+(?P<tag>\w+)\s*\{|(?P<brace>[{}])|"
                  r"(?<!extern )\bstruct\s+(?:spinlock|mutex)\s+(?P<names>\w+(?:\s*,\s*\w+)*)\s*[;=\[]")
# A name of a lock in the page.
NAMED = re.compile(r"\b(\w+->\w*(?:lock|mutex|update)|\w+_(?:lock|mutex)(?!\.c))\b")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def locks_of(text):
    """(structure or "", name) for each lock that TEXT, a source, defines."""
    text = DIRECTIVE.sub(blank, COMMENT_OR_STRING.sub(blank, text))
    tags = []
    for match in WORD.finditer(text):
        if match["tag"] or match["brace"] == "{":
            tags.append(match["tag"] or "")
        elif match["brace"]:
            tags = tags[:-1]
        else:
            tag = next((tag for tag in reversed(tags) if tag), "")
            for name in match["names"].split(","):
                yield tag, name.strip()


def all_locks():
    """The files of each (structure, name)."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *SOURCES], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    found = {}
    for path in listed.stdout.splitlines():
        if path.endswith((".c", ".h")) and path not in LEFT_OUT and os.path.exists(os.path.join(ROOT, path)):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                for lock in locks_of(file.read()):
                    found.setdefault(lock, []).append(path)
    return found


def is_named(lock, name):
    structure, member = lock
    if not structure:
        return name == member
    written, _, after = name.partition("->")
    return after == member and (structure == written or structure.endswith("_" + written))


def main():
    report = tap.Report()
    text = ("struct a {\n\tstruct spinlock b, c;\n\tstruct {\n\t\tint d;\n\t} e;\n\tstruct mutex f; /* struct mutex g; */\n};\n"
            "extern struct mutex h;\nstatic struct mutex i = { 0 };\nstruct mutex *j;\n#define K struct mutex k;\nstruct mutex;\n")
    report.equal(list(locks_of(text)), [("a", "b"), ("a", "c"), ("a", "f"), ("", "i")], "locks are found, pointers and declarations are none")
    report.equal([is_named(("perf_context", "lock"), name) for name in ("context->lock", "perf_context->lock", "text->lock", "context->mutex")],
                 [True, True, False, False], "a member is named after the last words of its structure")

    locks = all_locks()
    report.ok(len(locks) > 70, "the sources have locks", len(locks))
    twice = [f"{'->'.join(filter(None, lock))}: {', '.join(paths)}" for lock, paths in sorted(locks.items())
             if len(paths) > 1 and len({path.split("/")[1] for path in paths if path.startswith("arch/")}) < len(paths)]
    report.equal(twice, [], "no two locks have one name")

    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        page = file.read()
    names = sorted(set(NAMED.findall(page)))
    missing = [f"{paths[0]}: {'->'.join(filter(None, lock))}" for lock, paths in sorted(locks.items(), key=lambda item: item[1])
               if not any(is_named(lock, name) for name in names)]
    report.equal(missing, [], f"{PAGE} has every lock")
    meant = {name: ["->".join(filter(None, lock)) for lock in locks if is_named(lock, name)] for name in names}
    wrong = [f"{name}: {' or '.join(found) or 'there is no such lock'}" for name, found in meant.items() if len(found) != 1]
    report.equal(wrong, [], "each name in it is that of one lock")
    orders = re.findall(r"^ {4}(.* > .*)$", page, re.MULTILINE)
    report.equal([order for order in sorted(set(orders)) if orders.count(order) > 1], [], "no order stands twice in it")
    gone = [path for path in LEFT_OUT if not os.path.exists(os.path.join(ROOT, path))]
    report.equal(gone, [], "each exception exists")
    return report.done()


sys.exit(main())
