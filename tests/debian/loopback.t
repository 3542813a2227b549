#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Servers and clients of Debian that talk to themselves over the loopback: loopback.sh on the host, by chroot, and on Tally."""

import os
import shlex
import subprocess
import sys

from tallytest import both, tap

HERE = os.path.dirname(os.path.abspath(__file__))

PACKAGES = ("bash", "coreutils", "curl", "diffutils", "grep", "nginx-light", "python3", "redis-server", "redis-tools")
ENVIRONMENT = {**both.ENVIRONMENT, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
# A user who is not root on the host is root in a name space.
CHROOT = ("chroot",) if os.geteuid() == 0 else ("unshare", "--map-root-user", "chroot")
TIMEOUT_S = 300


def script(cases):
    """Runs them one after the other; there may be no /dev on the host's side."""
    return "".join(f"bash -c {shlex.quote(text)} 2>&1\nprintf '\\036%d\\036' $?\n" for _, text in cases)


def main():
    report = tap.Report()
    tree = subprocess.run([os.path.join(HERE, "tree"), *PACKAGES], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()
    cases = both.cases_of(os.path.join(HERE, "loopback.sh"))
    words = ["bash", "-c", script(cases)]
    status, output, error = tap.command([*CHROOT, tree, *words], env=ENVIRONMENT)
    host, _ = both.results(output)
    report.equal((status, len(host)), (0, len(cases)), "the tree works on the host", error)
    variables = [word for name, value in ENVIRONMENT.items() for word in ("--env", f"{name}={value}")]
    status, output, error = tap.command(
        [both.TALLY, "run", "--cpus", "2", "--memory", "1024", "--root", tree, "--timeout", str(TIMEOUT_S), *variables, *words], timeout_s=TIMEOUT_S + 30,
        cwd="/")
    ours, rest = both.results(output)
    for number, (name, _) in enumerate(cases):
        if number < min(len(ours), len(host)):
            report.ok(ours[number] == host[number], name, *both.differences(host[number], ours[number]))
        else:
            report.ok(False, name, "did not end", rest)
    report.equal((status, rest), (0, ""), "the shell that ran the cases exits with status 0", error)
    return report.done()


sys.exit(main())
