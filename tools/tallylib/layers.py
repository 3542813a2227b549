# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's layers: the table "Layers" of docs/design.md, which tests/tools/layers.t checks and tools/lines counts by.

A row names a layer, then its folders and files; rows stand from the lowest to the highest. A name that ends with a slash
is a folder. "(up to `X`)" after the names: the row is called as its place says, and calls as X's row does.
"""

import fnmatch
import os
import re

from . import paths

ROW = re.compile(r"\|\s*([^|`]*?)\s*\|([^|]*`[^|]*)\|")
CEILING = re.compile(r"\(up to `([^`]*)`\)")


class Layer:
    """One row: its name, its folders and files as patterns, its rank as it is called, and as it calls."""

    def __init__(self, name, patterns, rank):
        self.name, self.patterns, self.rank, self.top = name, patterns, rank, rank


def layer_of(layers, path):
    """The layer of a file, or None. The longest pattern decides."""
    matching = [(len(pattern), layer) for layer in layers for pattern in layer.patterns
                if fnmatch.fnmatch(path, pattern) or path + "*" == pattern]
    return max(matching, key=lambda match: match[0])[1] if matching else None


def table():
    """The rows, the lowest first."""
    with open(os.path.join(paths.ROOT, "docs", "design.md"), encoding="utf-8") as file:
        section = re.search(r"^### Layers$(.*?)^##", file.read(), re.MULTILINE | re.DOTALL)[1]
    rows = [match.groups() for match in map(ROW.match, section.splitlines()) if match]
    found = [Layer(name, [word + "*" if word.endswith("/") else word for word in re.findall(r"`([^`]*)`", CEILING.sub("", cell))],
                   rank) for rank, (name, cell) in enumerate(rows)]
    for layer, (_, cell) in zip(found, rows):
        ceiling = CEILING.search(cell)
        if ceiling:
            layer.top = layer_of(found, ceiling[1]).rank
    return found
