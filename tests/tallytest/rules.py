# SPDX-License-Identifier: BSD-2-Clause
"""The output of the program of the rules (tests/conformance/rules)."""

import re

from tallytest import tap

_POINT = re.compile(r"^(not )?ok \d+ - (.*)$")


def verdicts(kernel, status, output, error):
    """The verdicts of a run of the rules: {rule: its output, empty if it holds}, and a list of other faults."""
    text = output.decode(errors="replace")
    found, notes = {}, []
    for line in text.splitlines():
        point = _POINT.match(line)
        if not point:
            notes.append(line)
            continue
        found[point[2]] = [f"on {kernel}:", *notes] if point[1] else []
        notes = []
    wrong = [line for line in tap.complaints(text) if not line.startswith("not ok")]
    if status not in (0, 1):
        wrong += [f"status {status}", error]
    return found, wrong
