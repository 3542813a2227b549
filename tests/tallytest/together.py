# SPDX-License-Identifier: BSD-2-Clause
"""Programs that share a machine: userland/programs/each runs them one after the other."""

import os
import re
import shutil
import tempfile

from tallytest import kernels, tap

# The output of `each`: a command, its output, its status.
_PART = re.compile(r"^### (/.*)\n((?s:.*?))^### status (\d+)\n", re.MULTILINE)


def parts(output):
    """Divides the output of `each`: [(command, its output, its status)], and the rest, which is what a command printed that did
    not end."""
    rest, *found = _PART.split(output)
    rest += "".join(found[3::4])
    return [(command, text, int(status)) for command, text, status in zip(found[0::4], found[1::4], found[2::4])], rest


def run_at_root(words, arch, commands, timeout_s):
    """Runs COMMANDS, each a file and its arguments with single spaces between them, on one machine that the command WORDS starts.
    The files lie in its root, as a program does that has a machine of its own. Returns the status, the output as text, and what
    went to standard error."""
    with tempfile.TemporaryDirectory(prefix="together-", dir=kernels.folder(arch)) as root:
        os.chmod(root, 0o755)
        here = []
        for file, *arguments in map(str.split, commands):
            shutil.copy(file, root)
            here.append(" ".join(["/" + os.path.basename(file), *arguments]))
        status, output, error = tap.command([*words, "--timeout", str(timeout_s), "--root", root,
                                             os.path.join(kernels.folder(arch), "user", "bin", "each"), *here],
                                            timeout_s=timeout_s + 30, cwd="/")
    return status, output.decode(errors="replace"), error
