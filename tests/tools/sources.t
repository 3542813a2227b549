#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The sources keep the rules of docs/design.md that a compiler does not check.

Files read downhill: a helper, static or not, stands before the function that calls it. So a C file calls a function of its own,
or declares a static one, before its definition only where the order cannot help: in a recursion, or where a table of operations
closes the circle. UPHILL has these functions. The calls in QEMU's series and in newlib's port are not looked at.

A Python file reads downhill, too: a function or class stands before those that use it, a method before the methods that call
it, and main() is the last. __init__ alone is the first method, whatever it calls. CIRCULAR has the recursions.

A header of kernel/perf, kernel/trace or arch/*/pmu belongs to one file: NAME.c defines each function and variable that NAME.h
declares.

Includes have one order: first, alone, the header that a C file implements, if the file includes it; then the headers of C,
the tree's, and those of the file's own folder ("..."). A blank line is between the parts, and each part is sorted.

Shared data has its lock beside it: in the headers of kernel/perf each field of a structure has a comment that begins with the
letters of its locks, and a comment before the structure explains the letters. UNSHARED has the structures that need none.

A program in Python begins with Debian's interpreter, whatever a user has in the PATH.

A version's heading in CHANGELOG.md has a date and names a commit of the history.

An observing program has at most PROGRAM_LINES lines: a longer one has a second subject, which gets its own.
"""

import ast
import functools
import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

# (file, function): why it is declared or called before its definition.
UPHILL = {
    ("kernel/fs/9p/directory.c", "share_directory_create"): "table: a directory's operations look up directories",
    ("kernel/fs/path.c", "walk_path"): "recursion: a path leads to a symbolic link, which has a path",
    ("kernel/fs/pseudo.c", "list"): "table: an entry of a directory can be a directory",
    ("kernel/fs/pseudo.c", "look_up"): "table: an entry of a directory can be a directory",
    ("kernel/fs/pseudo.c", "make_directory"): "table: an entry of a directory can be a directory",
    ("kernel/fs/pseudo.c", "remove_directory"): "table: an entry of a directory can be a directory",
    ("kernel/trace/calls.c", "print_enter"): "table: it finds its names in the table of events",
    ("kernel/trace/calls.c", "print_exit"): "table: it finds its names in the table of events",
    ("kernel/trace/filter.c", "parse_list"): "recursion: an expression has expressions in parentheses",
    ("qemu/files/hw/dma/idxd/operation.c", "run_batch"): "recursion: a batch is a descriptor that has descriptors",
    ("tests/unit/libperf_test.c", "isa_read_counter"): "the library, which is included, calls it",
    ("tests/unit/libperf_test.c", "isa_read_timestamp"): "the library, which is included, calls it",
    ("tests/unit/ring_threads_test.c", "write_record"): "recursion: an interrupt writes, too",
    ("tests/unit/sim/ev67.c", "interrupt_entry"): "recursion: an entry can be interrupted",
    ("tests/unit/sim/ev67.c", "leave_user_mode"): "recursion: an entry can be interrupted",
    ("tests/unit/sim/ev67.c", "sim_ev67_user_begin"): "recursion: an entry can be interrupted",
}

# (file, function or method): why it stands after one that uses it.
CIRCULAR = {
    ("tools/tallylib/libraries.py", "Needs._add"): "recursion: what a file needs is a file that needs others",
}

# Structure: why its fields need no lock.
UNSHARED = {
    "perf_first_attr": "a layout of the ABI",
    "perf_first_page": "a layout of the ABI",
    "counter_move": "on the caller's stack",
    "counter_moves": "on the caller's stack",
    "perf_call": "on the caller's stack",
    "perf_callchain": "its CPU's, between perf_callchain_take and perf_callchain_done",
    "perf_group_walk": "on the caller's stack",
    "perf_field": "constant",
    "perf_fields": "constant",
    "perf_mapping": "on the caller's stack",
    "perf_moment": "on the writer's stack",
    "perf_notice": "on the writer's stack",
    "perf_output": "on the writer's stack",
    "perf_raw": "on the writer's stack",
    "pmu_attribute": "constant",
}
# Structure: its legend gives the rule for fields without a letter.
WITH_DEFAULT = {"pmu"}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DECLARATION = re.compile(r"^static\b(?!_)[^;{}=#]*?\b(\w+)\s*\(((?:[^;{}=#])*)\)\s*;", re.MULTILINE)
# A function's definition, whose body begins and ends in the first column.
FUNCTION = re.compile(r"^([A-Za-z_](?:(?!\n[ \t]*\n)[^;{}#])*)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)+")
NAME = re.compile(r"\b(\w+)\s*\(")
# A name in a call, but not of a member.
CALL = re.compile(r"(?<!->)(?<![.\w])(\w+)\s*\(")
# Files whose calls may lead downwards: the text of both follows its project.
NOT_DOWNHILL = ("qemu/files/", "userland/libc/")
# The most of an observing program.
PROGRAM_LINES = 400
# Words before a parenthesis that are no function's name.
NOT_FUNCTIONS = {"__attribute__", "PERCPU", "aligned", "LIST_HEAD", "TAILQ_HEAD"}


def in_git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@functools.cache
def sources(*suffixes):
    listed = in_git("ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    return [path for path in listed if path.endswith(suffixes) and os.path.exists(os.path.join(ROOT, path))]


@functools.cache
def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def first_line(path):
    """The beginning of a file, which may be no text, to the end of its line."""
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.readline(80)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def declared_functions(text):
    """The names of static functions that TEXT, a C file, declares without a body."""
    for match in DECLARATION.finditer(COMMENT_OR_STRING.sub(blank, text)):
        is_pointer = re.search(r"\(\s*\*", match[0])
        if match[1] not in NOT_FUNCTIONS and not is_pointer and "[" not in match[0].split("(")[0]:
            yield match[1]


def defined_functions(text):
    """(name, body) of each function that TEXT, a C file, defines, in their order."""
    for match in FUNCTION.finditer(COMMENT_OR_STRING.sub(blank, text)):
        name = NAME.search(ATTRIBUTE.sub("", match[1]))
        if name:
            yield name[1], match[2]


def called_uphill(functions):
    """The names of FUNCTIONS, [(name, body)], that one before them calls."""
    later = {name: place for place, (name, _) in reversed(list(enumerate(functions)))}
    for place, (_, body) in enumerate(functions):
        for name in CALL.findall(body):
            if later.get(name, place) > place:
                yield name


def check_calls(report):
    text = ("GENERATE(a)\n\nstatic inline __attribute__((always_inline)) int f(int a,\n\t     int b)\n{\n\tg(a);\n\tp->h(b), p.h(b);\n}\n\n"
            "/* Calls h(). */\nvoid g(int a)\n{\n\tif (a)\n\t\tg(a - 1);\n\tprint(\"f(\");\n\th (a);\n}\n\nint t[] = {\n\t1,\n};\n\n"
            "void h(int a)\n{\n\tg(a);\n}\n")
    functions = list(defined_functions(text))
    report.equal([name for name, _ in functions], ["f", "g", "h"], "definitions of functions are found")
    report.equal(list(called_uphill(functions)), ["g", "h"], "calls of functions further down are found")
    functions = {path: list(defined_functions(read(path))) for path in sources(".c") if not path.startswith(NOT_DOWNHILL)}
    count = sum(len(defined) for defined in functions.values())
    report.ok(count > 9000, "functions are found", count)
    return {(path, name) for path, defined in functions.items() for name in called_uphill(defined)}


def check_downhill(report):
    report.equal(list(declared_functions("static int f(int a,\n\t     int b);\nstatic int (*table[2])(void);\n"
                                         "static char bytes[8] __attribute__((aligned(8)));\nstatic int f(int a)\n{\n}\n")),
                 ["f"], "a declaration is found, pointers and arrays are none")
    declared = {(path, name) for path in sources(".c") for name in declared_functions(read(path))}
    called = check_calls(report)
    advice = "put the helper before its caller, or add it to UPHILL with the reason"
    report.equal(sorted(declared - set(UPHILL)), [], "files read downhill: no static function is declared before its definition", advice)
    report.equal(sorted(called - set(UPHILL)), [], "files read downhill: no function is called before its definition", advice)
    report.equal(sorted(set(UPHILL) - declared - called), [], "each exception is still one")


def is_python(path):
    return path.endswith(".py") or re.match(rb"#!.*python3", first_line(path)) is not None


def used_names(node):
    """The names that NODE, a part of a module, uses and does not bind itself."""
    if isinstance(node, ast.ClassDef):
        return {name for part in node.body for name in used_names(part)}
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    bound = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    bound |= {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef) and part is not node}
    return {name.id for name in names} - bound - {name.id for name in names if isinstance(name.ctx, ast.Store)}


def used_methods(node):
    """The methods and fields of its own object that NODE, a part of a class, uses; none for __init__."""
    if isinstance(node, ast.FunctionDef) and node.name == "__init__":
        return set()
    return {part.attr for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in {"cls", "self"}}


def used_early(parts, uses):
    """The functions and classes among PARTS that stand after one that uses them; USES has the names that a part uses."""
    places = {part.name: place for place, part in enumerate(parts) if isinstance(part, (ast.ClassDef, ast.FunctionDef))}
    return sorted({name for place in places.values() for name in uses(parts[place]) if places.get(name, -1) > place})


def uphill(text):
    """The functions, classes and methods of TEXT, a Python file, that stand after one that uses them; main() if it is not last, and
    __init__ if it is not first."""
    parts = ast.parse(text).body
    yield from used_early(parts, used_names)
    for part in parts:
        if isinstance(part, ast.ClassDef):
            yield from (f"{part.name}.{name}" for name in used_early(part.body, used_methods))
            if "__init__" in [method.name for method in part.body if isinstance(method, ast.FunctionDef)][1:]:
                yield f"{part.name}.__init__"
    if "main" in [part.name for part in parts if isinstance(part, (ast.ClassDef, ast.FunctionDef))][:-1]:
        yield "main"


def check_downhill_python(report):
    text = ("def f(k):\n    g(k)\n\n\ndef g(h):\n    h(g)\n\n\nclass A:\n    def __init__(self):\n        self.c()\n\n"
            "    def b(self):\n        self.c()\n\n    def c(self):\n        B(self.b)\n\n\nclass B:\n    def a(self):\n        pass\n\n"
            "    def __init__(self):\n        pass\n\n\n"
            "def main():\n    f(TABLE)\n\n\nTABLE = [f]\n\n\ndef h():\n    pass\n\n\ndef k():\n    pass\n")
    report.equal(list(uphill(text)), ["B", "g", "A.c", "B.__init__", "main"],
                 "a use before the definition is found in Python; arguments, __init__ and a function's own name are none")
    paths = [path for path in sources("") if is_python(path)]
    report.ok(len(paths) > 200, "Python files are found", len(paths))
    found = {(path, name) for path in paths for name in uphill(read(path))}
    report.equal(sorted(found - set(CIRCULAR)), [], "Python files read downhill: what is used stands before its user, main() last",
                 "put the helper before its caller, or add it to CIRCULAR with the reason")
    report.equal(sorted(set(CIRCULAR) - found), [], "each recursion is still one")


INCLUDES = re.compile(r'^#include [<"].*\n(?:(?:#include [<"].*)?\n)*', re.MULTILINE)
TREE = re.compile(r"<(?:arch|boot|kernel|machine|uapi)/")
WITH_INCLUDE_ORDER = ("arch/", "boot/", "drivers/", "include/arch/", "include/kernel/", "kernel/")


def include_order_is_right(text, path):
    """Whether the first includes of TEXT, the file PATH, are in the order of docs/design.md."""
    match = INCLUDES.search(text)
    parts = [re.findall(r"^#include (\S+)", part, re.MULTILINE) for part in match[0].strip().split("\n\n")] if match else []
    folder, file = os.path.split(path)
    own = file[:-2] + ".h"
    places = {f'"{own}"', *(f"<{place}/{own}>" for place in ("arch", "machine", "kernel", "kernel/base", f"kernel/{os.path.basename(folder)}"))}
    owned = [name for part in parts for name in part if file.endswith(".c") and name in places]
    if len(parts) > 1 and len(parts[0]) == 1 and (parts[0][0].startswith('"') or TREE.match(parts[0][0])) and path.endswith(".c"):
        if owned and parts[0][0] not in owned:
            return False
        parts = parts[1:]
    elif owned and parts != [[owned[0]]]:
        return False
    kinds = [{3 if name.startswith('"') else 2 if TREE.match(name) else 1 for name in part} for part in parts]
    return all(len(kind) == 1 for kind in kinds) and [min(kind) for kind in kinds] == sorted({min(kind) for kind in kinds}) \
        and all(part == sorted(part, key=lambda name: name.strip('<>"')) for part in parts)


def check_includes(report):
    right = '#include "a.h"\n\n#include <string.h>\n\n#include <arch/b.h>\n#include <kernel/c.h>\n\n#include "d.h"\n'
    report.ok(include_order_is_right(right, "arch/a.c"), "the order of includes is right")
    wrong = [right.replace('"a.h"\n', '"a.h"'), right.replace('"d.h"', '<d.h>'), right.replace("c.h", "a.h").replace("<arch", "<uapi")]
    report.ok(not any(include_order_is_right(text, "arch/a.c") for text in wrong), "and these are wrong", *wrong)
    wrong = [path for path in sources(".c", ".h") if path.startswith(WITH_INCLUDE_ORDER) and not include_order_is_right(read(path), path)]
    report.equal(wrong, [], "includes have one order")


STRUCTURE = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
LETTER = re.compile(r"^ \*   ([A-Z])  \S", re.MULTILINE)
# A field with the comments before and after it, from the line where it begins to the one where it ends.
FIELD = re.compile(r"(?P<before>(?:^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n)*)^[ \t]*(?P<field>[^/;{}\s][^;{}]*);[ \t]*(?P<after>/\*(?:(?!\*/).)*\*/)?",
                   re.MULTILINE | re.DOTALL)
RULE = re.compile(r"/\* ([A-Z]{1,2})\b(?![a-z])")


def unruled_fields(text):
    """(structure, field) for each field of TEXT, a header, whose comment has no letter of the structure's legend."""
    structures = dict(STRUCTURE.findall(text))
    for match in STRUCTURE.finditer(text):
        name, body = match[1], match[2]
        if name in UNSHARED:
            continue
        legend = set(LETTER.findall(text[:match.start()]))
        for field in FIELD.finditer(body):
            typed = re.match(r"struct (\w+) \w", field["field"])
            if typed and (typed[1] in structures or typed[1] in {"perf_context", "perf_groups"}):
                continue
            comment = field["after"] or "/*" + field["before"].rpartition("/*")[2]
            rule = RULE.match(comment)
            if rule is None and name in WITH_DEFAULT:
                continue
            if rule is None or not set(rule[1]) <= legend:
                yield name, " ".join(field["field"].split())


def check_locks(report):
    text = ("/*\n *   K  none: constant\n */\nstruct a {\n\tint b; /* K */\n\t/* K: c */\n\tint c, d;\n\tint e;\n"
            "\tint f; /* L: f */\n\tunion {\n\t\tint g; /* Known */\n\t};\n};\n")
    report.equal([field for _, field in unruled_fields(text)], ["int e", "int f", "int g"], "a field without a rule is found")
    headers = [path for path in sources(".h") if path.startswith("include/kernel/perf/")]
    texts = {path: read(path) for path in headers}
    names = {name for text in texts.values() for name, _ in STRUCTURE.findall(text)}
    report.ok({"perf_event", "perf_context", "perf_ring", "perf_cpu", "perf_groups", "pmu"} <= names, "structures are found", names)
    unruled = [f"{path}: struct {name}: {field}" for path, text in sorted(texts.items()) for name, field in unruled_fields(text)]
    report.equal(unruled, [], "each shared field of the perf core has its lock beside it")
    report.equal(sorted((set(UNSHARED) | WITH_DEFAULT) - names), [], "each structure without locks exists")


DIRECTIVE = re.compile(r"^#(?:.*\\\n)*.*$", re.MULTILINE)
BODY = re.compile(r"\{[^{}]*\}")
# A statement of a header that declares a function or a variable.
DECLARED_NAME = re.compile(r"^(?!static\b|struct \w+$|enum\b|typedef\b)(?=.*\s).*?\b(\w+)(?:\[\w*\]|\(.*\))?$", re.DOTALL)


def declared_names(text):
    """The functions and variables that TEXT, a header, declares for other files."""
    text = DIRECTIVE.sub("", COMMENT_OR_STRING.sub(blank, text))
    while BODY.search(text):
        text = BODY.sub("", text)
    # A body without a semicolon ended an inline function, whose head now precedes the next statement.
    text = re.sub(r"^static inline[^;]*?\)\s*?\n(?=\s*\n|\Z)", "", text, flags=re.MULTILINE)
    for statement in text.split(";"):
        match = DECLARED_NAME.match(re.sub(r"__attribute__\(\(.*?\)\)+", "", statement).strip())
        if match and not match[1].isupper() and "_HEAD(" not in statement:
            yield match[1]


def defines(text, name):
    """Whether TEXT, a C file, defines the function or the variable NAME."""
    pattern = r"^(?!extern\b|static\b)[A-Za-z_][^;{}=]*?\b%s\s*(?:\([^;{}]*\)\s*\{|(?:\[\w*\])?\s*(?:;|=))" % name
    return re.search(pattern, COMMENT_OR_STRING.sub(blank, text), re.MULTILINE) is not None


def check_headers(report):
    text = ("struct a;\nextern _Atomic int b;\nenum c { D, E };\nlong *f(int a,\n\tint b);\nstruct g {\n\tint h;\n} "
            "__attribute__((aligned(8)));\nextern struct g i[MAX];\nstatic inline int j(void)\n{\n\tif (k)\n\t{\n\t\tl();\n\t}\n}\n\n"
            "struct m *n(void);\n#define O(p) \\\n\tint q(p);\ntypedef void (*r)(int s);\n")
    report.equal(list(declared_names(text)), ["b", "f", "i", "n"], "declarations are found, types and inline functions are none")
    text = "extern int a;\nstatic int b;\n_Atomic int c = 1;\nstruct d e[MAX];\nint f(void);\nint g(int a,\n\tint b)\n{\n}\n"
    report.equal([name for name in "abcdefg" if defines(text, name)], ["c", "e", "g"], "definitions are found")
    wrong, found = [], 0
    for path in sources(".h"):
        folder = os.path.dirname(path).removeprefix("include/")
        if folder not in {"arch/alpha/pmu", "arch/x86_64/pmu", "kernel/perf", "kernel/trace"}:
            continue
        source = f"{folder}/{os.path.basename(path)[:-2]}.c"
        text = read(source) if os.path.exists(os.path.join(ROOT, source)) else ""
        names = list(declared_names(read(path)))
        found += len(names)
        wrong += [f"{path}: {name}: not defined in {source}" for name in names if not defines(text, name)]
    report.ok(found > 250, "headers of kernel/perf, kernel/trace and arch/*/pmu declare functions", found)
    report.equal(wrong, [], "each header of kernel/perf, kernel/trace and arch/*/pmu belongs to one file")


def check_interpreters(report):
    """The PATH may lead to a version manager's script, which takes longer to start than Python itself."""
    wrong = []
    for path in sources(""):
        first = first_line(path)
        if first.startswith(b"#!") and b"python" in first and not re.fullmatch(rb"#!/usr/bin/python3( -S)?\n", first):
            wrong.append(f"{path}: {first.decode(errors='replace').strip()}")
    report.equal(wrong, [], "a program in Python asks for Debian's interpreter, /usr/bin/python3")


def check_versions(report):
    headings = re.findall(r"^## (v[\d.]+, .*)$", read("CHANGELOG.md"), re.MULTILINE)
    if in_git("rev-parse", "--is-shallow-repository").stdout != "false\n":
        report.skip("a version's heading names a commit of the history", "this clone has no whole history")
        return
    bad = []
    for heading in headings:
        place = re.search(r" \(\d{4}-\d\d-\d\d, ([0-9a-f]{7,})\)$", heading)
        if not place or in_git("merge-base", "--is-ancestor", place[1], "HEAD").returncode:
            bad.append(heading)
    report.ok(headings and not bad, "a version's heading has a date and names a commit of the history", *bad)


def overlong(texts):
    """A complaint about each observing program among TEXTS, {path: text}, that has too many lines."""
    for path, text in sorted(texts.items()):
        folder, file = os.path.split(path)
        lines = len(text.splitlines())
        if folder == "tests/conformance/programs" and file.startswith("observe_") and lines > PROGRAM_LINES:
            yield f"expected: at most {PROGRAM_LINES} lines, got: {lines}, file: {path}"


def check_lengths(report):
    place = "tests/conformance/programs/"
    texts = {f"{place}observe_b.c": "\n" * (PROGRAM_LINES + 1), f"{place}observe_a.c": "\n" * PROGRAM_LINES, f"{place}long.h": "\n" * 1000}
    report.equal(list(overlong(texts)), [f"expected: at most 400 lines, got: 401, file: {place}observe_b.c"],
                 "an observing program that is too long is found")
    texts = {path: read(path) for path in sources(".c") if path.startswith(f"{place}observe_")}
    report.ok(len(texts) > 100, "observing programs are found", len(texts))
    wrong = list(overlong(texts))
    report.ok(not wrong, f"no observing program has more than {PROGRAM_LINES} lines", *wrong, "split it by subject")


def main():
    report = tap.Report()
    check_downhill(report)
    check_downhill_python(report)
    check_includes(report)
    check_headers(report)
    check_locks(report)
    check_interpreters(report)
    check_versions(report)
    check_lengths(report)
    return report.done()


sys.exit(main())
