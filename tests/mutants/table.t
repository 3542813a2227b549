#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The table of faults fits the sources, and tests/mutants/mutants tells a fault that a test notices from one that survives.

Trying the whole table takes minutes: `make mutants`.
"""

import sys
import tempfile
from pathlib import Path

from tallytest.tap import Report, command

HERE = Path(__file__).resolve().parent

report = Report()

# One test, a quick one, links this source.
FILE = "kernel/random/chacha20.c"
FAULT = "- << bits\n+ << (bits ^ 1)\n"
COMMENT = "- SPDX-License-Identifier\n+ spdx-license-identifier\n"


def mutants(*words, table=None):
    """Runs the tool, on the text TABLE or on the real table; returns its status and all it printed."""
    with tempfile.TemporaryDirectory() as folder:
        if table is not None:
            path = Path(folder) / "table"
            path.write_text(table)
            words = ["--table", str(path), *words]
        status, output, errors = command([str(HERE / "mutants"), *words])
    return status, output.decode() + errors


status, said = mutants("--check")
report.equal(status, 0, "every fault's old text is in its source exactly once", said)
count = int(said.split()[0]) if status == 0 else 0
report.ok(count >= 80, "there are at least 80 faults", f"expected: 80 or more\ngot:      {count}")

status, listed = mutants("--list")
names = [line.split(": ")[1] for line in listed.splitlines()]
sources = [str(path.relative_to(HERE.parent.parent)) for folder in ("kernel/perf", "kernel/pmu", "kernel/perfctr", "arch/x86_64/pmu", "arch/alpha/pmu",
                                                                             "qemu/files/model", "qemu/files/functions",
                                                                             "qemu/files/sampling")
           for path in sorted((HERE.parent.parent / folder).glob("*.c"))]
# These only pass calls on: to the functions that make the PMUs, and from the hooks. No unit test links vperfctr.c.
without = {"kernel/perf/init.c", "kernel/perf/listeners.c", "arch/alpha/pmu/init.c", "kernel/perfctr/listeners.c",
           "kernel/perfctr/vperfctr.c"}
report.equal(sorted(set(sources) - set(names) - without), [], "every source of the core, of the drivers and of the emulator's model has a fault")

for text, what in ((f"file {FILE}\na: b.\n- no such text\n+ x\n", "a text that is not there"),
                   (f"file {FILE}\na: b.\n- the\n+ x\n", "a text that is there more than once"),
                   ("file kernel/no.c\na: b.\n- x\n+ y\n", "a source that is not there"),
                   (f"file {FILE}\na: b.\n- << bits\n+ << bits\n", "a fault that changes nothing"),
                   (f"file {FILE}\na: b.\n{FAULT}a: c.\n{FAULT}", "two faults of one name"),
                   ("a: b.\n", "a fault without a source")):
    status, said = mutants("--check", table=text)
    report.equal((status, said.startswith("mutants: ")), (2, True), f"{what} is refused", said)

status, said = mutants(table=f"file {FILE}\nfault: A fault.\n{FAULT}by chacha20_test\n")
report.ok(status == 0 and said.startswith("noticed") and "chacha20_test: not ok" in said, "a fault is noticed", said)
MODEL_FAULT = "file qemu/files/model/items.c\nfault: A fault.\n- \"LOADS\"\n+ \"STORES\"\n"
status, said = mutants(table=f"{MODEL_FAULT}by model_shape_test\n")
report.ok(status == 0 and "model_shape_test: not ok" in said, "a fault of the model is noticed by its tests", said)
status, said = mutants(table=f"{MODEL_FAULT}by chacha20_test\n")
report.ok(status == 1 and "is no test of the model" in said, "another part's test does not serve for it", said)
status, said = mutants(table=f"file {FILE}\ncomment: A comment.\n{COMMENT}")
report.ok(status == 1 and said.startswith("SURVIVES     comment"), "a change of a comment survives", said)
status, said = mutants(table=f"file {FILE}\ncomment: A comment.\n{COMMENT}equivalent it is a comment\n")
report.ok(status == 0 and said.startswith("equivalent"), "a survivor with a proof is no survivor", said)
status, said = mutants(table=f"file {FILE}\nfault: A fault.\n{FAULT}equivalent it is none\n")
report.ok(status == 1 and said.startswith("wrong proof"), "a wrong proof is found", said)

sys.exit(report.done())
