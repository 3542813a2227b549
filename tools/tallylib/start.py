# SPDX-License-Identifier: BSD-2-Clause
"""The start of a machine by the options of a command: the kernel and its words, the memory, the emulator, the log.

The commands (cli.py and the modules of single ones) call run_blob() with an initramfs, or start() with other boot words.
"""

import contextlib
import os
import sys

from . import architecture, command_line, device, emulator, machine, network, paths, processor, scratch, virtio
from .failure import MISSING, NOT_FOUND, USAGE, Failure
from .record import fresh, record

# Words for the kernel, docs/boot.md.
AS_PIPES = "console=raw log=com2"
NO_INPUT = "noinput"
_AT_TERMINAL = "console=cooked log=com2"
# Memory in MiB: the least beside the initramfs, which stays where the boot loader put it, below 4 GiB; the amount beside
# a large one.
_MEMORY_LEAST_MIB, _MEMORY_BESIDE_MIB = 12, 384
_INITRAMFS_MAX_MIB = 3072


@record
class Platform:
    """The kernel that runs a program, its words, and the host path of a /init that it needs. `files` are more files of
    the guest: by their path there, bytes or the host's path.

    The console is a terminal if interactive; else there is standard input to send to it, or none.
    """

    kernel: str
    words: str
    init: str | None = None
    files: dict = fresh(dict)
    interactive: bool = False
    has_input: bool = True
    make: str = "make"


def join(*words):
    """One text of words for the kernel; empty ones are left out."""
    return " ".join(word for word in words if word)


def _window():
    """The word that gives the guest's console the size of our terminal; none if that does not know it."""
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    return f"window={rows}x{columns}" if rows and columns else ""


def tally(arch=architecture.ARCHITECTURES[architecture.DEFAULT]):
    """Our kernel, which starts the program itself: the console is the program's, the log on COM2."""
    kernel = paths.build(os.path.join(arch.folder, "tally.elf"))
    if machine.at_terminal():
        return Platform(kernel, join(_AT_TERMINAL, _window()), interactive=True, make=arch.make)
    has_input = machine.has_input()
    return Platform(kernel, AS_PIPES if has_input else join(AS_PIPES, NO_INPUT), has_input=has_input,
                    make=arch.make)


def architecture_of(options):
    """The Architecture of the options: of --arch, where the command has it."""
    return architecture.ARCHITECTURES[getattr(options, "arch", architecture.DEFAULT)]


def platform_of(options):
    """The Platform; another kernel than ours is there for the default architecture only."""
    arch = architecture_of(options)
    return options.platform() if arch.option == architecture.DEFAULT else options.platform(arch)


def kernel_of(options):
    """The path of the kernel of the options."""
    return options.kernel or paths.build(os.path.join(architecture_of(options).folder, "tally.elf"))


def must_be_file(path):
    """Raises Failure(NOT_FOUND) unless PATH is a file."""
    if not os.path.isfile(path):
        raise Failure(NOT_FOUND, f"{path}: no such file")


@contextlib.contextmanager
def output_to(file):
    """The standard output of the meantime, QEMU's too, goes to FILE."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


def machine_of(options):
    """The machine of the options, as emulator.Options."""
    properties = {name: getattr(options, f"pmu_{name}") for name in processor.PMU_PROPERTIES}
    return emulator.Options(
        pmu=options.pmu, cpus=options.cpus, cpu=options.cpu, memory_mib=options.memory or command_line.MEMORY_MIB,
        icount=options.icount, gdb=options.gdb, arch=options.arch, processor=options.processor or processor.DEFAULT,
        devices=options.device, modelled=options.caches, bare=getattr(options, "bare", False),
        functions=getattr(options, "function_table", None), requests=getattr(options, "region_requests", False),
        pmu_properties={name: value for name, value in properties.items() if value is not None})


def _settle_memory(options, initramfs_bytes):
    """Sees to it that the initramfs fits into the machine's memory."""
    mib = (initramfs_bytes + (1 << 20) - 1) >> 20
    if mib > _INITRAMFS_MAX_MIB:
        raise Failure(USAGE, f"the initramfs has {mib} MiB, and {_INITRAMFS_MAX_MIB} can be loaded; leave out "
                             "what is not needed")
    if options.memory is None:
        options.memory = max(command_line.MEMORY_MIB, mib + _MEMORY_BESIDE_MIB)
        if options.memory > command_line.MEMORY_MIB:
            print(f"tally: memory: {options.memory} MiB, since the initramfs has {mib}", file=sys.stderr)
    elif options.memory < mib + _MEMORY_LEAST_MIB and not options.no_check:
        raise Failure(USAGE, f"the initramfs has {mib} MiB and does not fit into --memory {options.memory}; "
                             f"give it {mib + _MEMORY_BESIDE_MIB}")


@contextlib.contextmanager
def _log(options):
    """The machine's log; none is left where the options are refused."""
    log = machine.Log(options.log)
    try:
        yield log
    except Failure as problem:
        if problem.status in (USAGE, MISSING):
            log.discard()
        raise


def _say(options, sentence):
    if options.verbose or sys.stderr.isatty():
        print(f"tally: {sentence}", file=sys.stderr)


@contextlib.contextmanager
def _post_mortem(options):
    """The PostMortem that the options ask for, or None."""
    if options.post_mortem is None:
        yield None
        return
    if options.timeout is None or options.gdb or options.arch != architecture.DEFAULT:
        raise Failure(USAGE, "--post-mortem is for --timeout on x86_64, and not with --gdb, who has the machine then")
    # Other commands do not pay for loading them.
    import tempfile
    from . import post_mortem
    with tempfile.TemporaryDirectory(prefix="tally-") as folder:
        yield post_mortem.PostMortem(options.post_mortem, kernel_of(options), folder)


def _start_under(options, chosen, boot_words, interactive, feed):
    """As start, in a guest of KVM."""
    # Other commands do not pay for loading them.
    import tempfile
    from . import under
    if options.processor is None:
        chosen.processor = under.PROCESSOR
    _say(options, under.settle(chosen))
    if options.post_mortem and options.timeout is None:
        raise Failure(USAGE, "--post-mortem is for --timeout")
    with _log(options) as log, tempfile.TemporaryDirectory(prefix="tally-") as folder:
        whole = under.Machine(chosen, boot_words, log, folder, options.under_cpus, options.under_memory,
                              kernel_of(options), options.post_mortem)
        try:
            status = machine.run(whole.command(log.path, machine.CONSOLE), log, options.timeout, interactive, feed,
                                 examiner=whole)
        except Failure as problem:
            raise whole.explain(problem) from None
        whole.settle()
        return status


def start(options, boot_words, interactive, feed, streams=None):
    """Boots by `boot_words`, QEMU's words for where the kernel comes from, on the machine of the options. `streams`: the
    virtio.Streams of the program, if it has them."""
    chosen = machine_of(options)
    if options.under and options.device:
        raise Failure(USAGE, "--device is not for --under kvm: KVM's guest has no accelerator")
    if options.under:
        return _start_under(options, chosen, boot_words, interactive, feed)
    if options.under_cpus or options.under_memory:
        raise Failure(USAGE, "--under-cpus and --under-memory are for --under kvm")
    sentence = emulator.settle_pmu(chosen)
    _say(options, sentence)
    if options.gdb:
        print(f"tally: waiting for: gdb {kernel_of(options)} -ex 'target remote :{emulator.gdb_port()}' "
              f"-ex 'source {os.path.join(paths.ROOT, 'tools/gdb/tally.py')}'", file=sys.stderr)
    with _log(options) as log, _post_mortem(options) as examiner:
        kernel = boot_words[boot_words.index("-kernel") + 1] if "-kernel" in boot_words else None
        words = [*emulator.command(chosen, log.path, virtio.CONSOLE if streams else machine.CONSOLE),
                 *emulator.firmware(chosen, kernel), *boot_words]
        if streams:
            words += streams.words()
        return machine.run(words + (examiner.words() if examiner else []), log, options.timeout, interactive, feed,
                           architecture_of(options).by_console, examiner, streams)


def run_blob(options, platform, blob, words=(), devices=()):
    """Boots the platform's kernel with this initramfs, and these words of QEMU's for more devices."""
    trace = f"trace={options.trace}" if getattr(options, "trace", None) else ""
    if options.kernel:
        platform.kernel = options.kernel
        must_be_file(platform.kernel)
    elif not os.path.exists(platform.kernel):
        raise Failure(MISSING, f"{platform.kernel} is not there; {paths.remedy(platform.make)}")
    _settle_memory(options, len(blob))
    with scratch.named(".cpio") as file:
        file.write(blob)
        file.flush()
        streams = None
        if virtio.suits(options, platform.words):
            streams = virtio.Streams(platform.has_input)
            platform.words = platform.words.replace("console=raw", virtio.WORD)
        line = join(options.append, trace, device.kernel_words(options.device), network.kernel_words(options), platform.words, *words)
        longest = architecture_of(options).command_line_max
        if len(line) > longest and not options.no_check:
            raise Failure(USAGE, f"the kernel's command line has {len(line)} characters, and {longest} can be "
                                 "passed; shorten --append")
        return start(options, ["-kernel", platform.kernel, "-initrd", file.name, "-append", line, *devices,
                               *network.words(options)],
                     platform.interactive, platform.has_input, streams)
