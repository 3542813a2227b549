#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Only the functions of <kernel/mm/user_range.h> make a range of user space: nothing else compiles.

The kernel's own flags are those that matter: -Wall -Wextra -Werror.
"""

import os
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

SOURCE = """\
#include <kernel/mm/user_range.h>
int walk(struct user_range range);
int test(uintptr_t start, size_t size);
int test(uintptr_t start, size_t size)
{{
	{}
}}
"""
GOOD = {
    "a range that was cut": "return walk(user_range_clip(start, size));",
    "a range that was checked": "struct user_range range; return user_range_make(start, size, &range) ? walk(range) : -1;",
    "an empty range": "struct user_range range = {}; return walk(range) + !start + !size;",
}
# The code to try, and a word of the compiler's message about it.
BAD = {
    "two numbers": ("return walk(start, size);", "incompatible type"),
    "a list of numbers": ("struct user_range range = { start, size, 0 }; return walk(range);", "positional"),
    "a literal": ("return walk((struct user_range){ start, size, 0 });", "positional"),
    "a named list": ("struct user_range range = { .user_range_member_start = start, .user_range_member_end = size };"
                     " return walk(range);", "poisoned"),
    "a member that is set": ("struct user_range range = user_range_clip(start, size);"
                             " range.user_range_member_end = size; return walk(range);", "poisoned"),
}


def compile_body(body):
    """The compiler's status and what it says."""
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc", "-I", "tests/unit/include",
               "-I", "include", "-"]
    done = subprocess.run(command, input=SOURCE.format(body), cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main():
    report = tap.Report()
    for name, body in GOOD.items():
        status, said = compile_body(body)
        report.equal(status, 0, f"compiles: {name}", said)
    for name, (body, word) in BAD.items():
        status, said = compile_body(body)
        report.ok(status and word in said, f"does not compile: {name}", f"expected: an error with the word {word}",
                  f"got:      status {status}", said)
    return report.done()


sys.exit(main())
