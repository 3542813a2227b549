# SPDX-License-Identifier: BSD-2-Clause
"""From the words of a command to an initramfs: the program, its environment, the files beside it, the shared folders.

initramfs.py packs; share.py has the folders. run_packed() is a run of the program with all of it.
"""

import os

from . import architecture, bring, emulator, initramfs, machine, network, paths, share, start
from .failure import MISSING, USAGE, Failure


def words_of(options):
    """The words after the options, without a leading --."""
    return options.words[1:] if options.words[:1] == ["--"] else options.words


def _shell():
    """The host path of what runs where no program is named."""
    shell = paths.in_path("busybox")
    if shell is None:
        raise Failure(MISSING, "without a PROGRAM this runs busybox's shell, which is not installed; " +
                      paths.remedy("tools/deps tools/packages", "busybox-static"))
    return shell


def _environment(options):
    # Programs at the guest's terminal drive ours.
    kind = {"TERM": os.environ["TERM"]} if machine.at_terminal() and "TERM" in os.environ else {}
    return {"PATH": "/bin:/usr/bin", "HOME": "/", **kind, **dict(options.env)}


def programs_among(words):
    """The programs that the program may run in turn: executables of the host by their whole names."""
    return [word for word in words
            if word.startswith("/") and os.path.isfile(word) and os.access(word, os.X_OK)]


def packed(options, init=None, brought=(), files=None, shares=()):
    """The initramfs of the program of the options. INIT: the host's path of a /init; BROUGHT: files of the guest that come out at
    the end; FILES: {path in the guest: bytes or the host's path}; SHARES: share.Shares."""
    program, *words = words_of(options) or [_shell(), "sh"]
    added = options.add if options.root else options.add + programs_among(words)
    return initramfs.pack_program(program, words, _environment(options), root=options.root,
                                  init=init, check=not options.no_check, added=added,
                                  brought=brought, arch=start.architecture_of(options), folder=initramfs.working_folder(),
                                  files={**(files or {}), share.FILE: share.contents(shares)} if shares else files,
                                  folders=[one.guest for one in shares], absent=network.files(options))


def _shares(options, platform):
    """The folders of the host that the guest shows: `tally run` alone, with our kernel."""
    if platform.init or not hasattr(options, "share"):
        return []
    chosen = start.machine_of(options)
    try:
        if not options.under:
            emulator.settle_pmu(chosen)
        ours = emulator.is_ours(chosen)
    except Failure:
        # The start of the machine says so, after what is wrong with the program.
        return []
    return share.settle(options, ours, initramfs.working_folder())


def _share_words(shares):
    return [word for one in shares for word in one.words()]


def run_packed(options):
    """Runs the program of the options in the machine of the options; returns its status."""
    platform = start.platform_of(options)
    names = getattr(options, "get", None)
    shares = _shares(options, platform)
    if not names:
        return start.run_blob(options, platform, packed(options, platform.init, files=platform.files, shares=shares),
                              devices=_share_words(shares))
    if options.arch != architecture.DEFAULT:
        raise Failure(USAGE, f"--get: the machine of --arch {options.arch} has no port to bring files out")
    if platform.init:
        raise Failure(USAGE, "--get: this kernel does not bring files out")
    bringer = bring.Bringer(names, initramfs.working_folder())
    status = start.run_blob(options, platform, packed(options, brought=bringer.paths, shares=shares),
                            devices=[*bringer.words(), *_share_words(shares)])
    bringer.deliver()
    return status
