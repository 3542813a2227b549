#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""tools/lint-words finds the words of docs/glossary.md in each kind of prose, and nothing elsewhere."""

import os
import sys
import tempfile

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

# File, contents, findings: line and word.
CASES = (
    ("comment.c", "/*\n * Puts the task on a\n * processor.\n */\nint x; // nobody\n", ["3: processor", "5: nobody"]),
    ("code.c", 'int x = "nobody"[0];\nint processors_made;\nint turned, y = X.processor;\n', ["2: processors_made"]),
    ("code.h", "enum { TOLD_CODE };\nint f(int TOLD_CODE, int untolds);\n", ["1: TOLD_CODE"]),
    ("log.c", 'void f(void)\n{\n\tlog_warning("a processor is late");\n}\n', ["3: processor"]),
    ("names.c", 'static const struct tap_rule rules[] = {\n\t{ "nobody waits", check },\n};\n', ["2: nobody"]),
    ("opening.c", "/* What it counts. */\n", ['1: a sentence that begins with "What"']),
    ("question.c", "/* What does it count? */\n", []),
    ("inside.c", "/* Says what it counts, and who reads it. */\n", []),
    ("quoted.c", '/* The manual calls it "processor"; the code `nobody`. */\n', []),
    ("kept.c", "/* The EV67 processor. The name of WANTED. */\n", []),
    ("broken.c", "/* It waits for\n * ever. */\n", ["1: for ever"]),
    ("script.py", '"""What it does."""\n\n# nobody\nprint("nobody")\n', ['1: a sentence that begins with "What"', "3: nobody"]),
    ("script.sh", "#!/bin/sh\n# nobody\necho nobody # somebody\n", ["2: nobody", "3: somebody"]),
    ("tool.py", 'report.ok(x, f"{x}: nobody")\nraise Failure(USAGE, f"{x}: nobody", x)\n', ["1: nobody", "2: nobody"]),
    ("rules.c", 'RULE("nobody waits", "nobody")\n', ["1: nobody"]),
    ("mutants/table", "file kernel/nobody.c\n\nwakes-nobody: It waits.\n- nobody\n+ x\nequivalent nobody asks\n", ["3: nobody", "6: nobody"]),
    ("docs/ABI/testing/one", "What:\t\tnobody\nDescription:\n\t\tWhat it is.\n", ["1: nobody", '3: a sentence that begins with "What"']),
    ("page.md", "A processor.\n\n    nobody\n\n| nobody | `nobody` |\n", ["1: processor", "5: nobody"]),
)


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory(prefix="tally-words-") as folder:
        for name, contents, expected in CASES:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(contents)
            status, output, error = tap.command([os.path.join(ROOT, "tools", "lint-words"), path])
            found = [line.split(name + ":", 1)[-1].split(" -> ")[0] for line in output.decode().splitlines()]
            report.equal((status, found, error), (1 if expected else 0, expected, ""), f"{name}: {len(expected)} findings")
    return report.done()


sys.exit(main())
