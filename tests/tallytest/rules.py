# SPDX-License-Identifier: BSD-2-Clause
"""What the program of the rules (tests/conformance/rules) printed."""

import re

from tallytest import tap

_POINT = re.compile(r"^(not )?ok \d+ - (.*)$")


def verdicts(kernel, status, output, error):
    """Of a run of the rules: {rule: what it printed, empty if it holds}, and what else is wrong."""
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
