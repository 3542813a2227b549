# SPDX-License-Identifier: BSD-2-Clause
"""The commands of tools/tally: words in, exit status out.

Each subcommand is a function that takes the parsed words (command_line.py) and returns the exit status.
"""

import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile

from . import (architecture, bring, command_line, device, emulator, failure, image_form, initramfs, machine, medium, paths,
               processor, share, virtio)
from .failure import MISSING, NOT_FOUND, USAGE, Failure
from .record import fresh, record

# Words for the kernel, docs/boot.md.
_AS_PIPES = "console=raw log=com2"
_NO_INPUT = "noinput"
_AT_TERMINAL = "console=cooked log=com2"
# The report on media: all of it on the screen and on both lines, since any of them may be the only one. Where the
# emulator's exit port is missing, the machine stands still, so that the screen can be read.
_AS_REPORT = "console=cooked log=both end=exit"
# Memory in MiB: the least beside the initramfs, which stays where the boot loader put it, below 4 GiB; the amount beside
# a large one.
_MEMORY_LEAST_MIB, _MEMORY_BESIDE_MIB = 12, 384
_INITRAMFS_MAX_MIB = 3072
# The programs that `tally report` runs after the judge, in this order, on one machine. The judge has the counters to itself.
_REPORT = ("selfmon", "profile")
_ONE_AFTER_THE_OTHER = ("each", "-e")
# It alone is on the media of `tally image --report`.
_JUDGE, _JUDGE_WORDS = "report", "pmu=off init-check"
# The characters of its console that are shown if the machine does not end well.
_CONSOLE_SHOWN = 2000

# `tally abi`: no entry matches, or some have faults.
NO_ENTRY = 1


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


def tally(arch=architecture.ARCHITECTURES[architecture.DEFAULT]):
    """Our kernel, which starts the program itself: the console is the program's, the log on COM2."""
    kernel = paths.build(os.path.join(arch.folder, "tally.elf"))
    if machine.at_terminal():
        return Platform(kernel, _join(_AT_TERMINAL, _window()), interactive=True, make=arch.make)
    has_input = machine.has_input()
    return Platform(kernel, _AS_PIPES if has_input else _join(_AS_PIPES, _NO_INPUT), has_input=has_input,
                    make=arch.make)


def _architecture(options):
    return architecture.ARCHITECTURES[getattr(options, "arch", architecture.DEFAULT)]


def _platform(options):
    """The Platform; another kernel than ours is there for the default architecture only."""
    arch = _architecture(options)
    return options.platform() if arch.option == architecture.DEFAULT else options.platform(arch)


def _window():
    """The word that gives the guest's console the size of our terminal; none if that does not know it."""
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    return f"window={rows}x{columns}" if rows and columns else ""


def main(words, platform=tally):
    """Runs the command; returns its exit status and prints at most one line about a failure.

    `platform` returns the Platform, and is called only by commands that boot one.
    """
    try:
        _end_by_exception()
        options = command_line.parser().parse_args(words)
        options.platform = platform
        return _ACTIONS[options.command](options)
    except Failure as problem:
        print(f"tally: {problem.message}", file=sys.stderr)
        return problem.status
    except KeyboardInterrupt:
        print("tally: interrupted; the machine is off", file=sys.stderr)
        return failure.INTERRUPTED


def _end_by_exception():
    """A signal that ends this command ends the machine too, and removes what was made for it."""
    def end(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def _words(options):
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


def _programs_among(words):
    """The programs that the program may run in turn: executables of the host by their whole names."""
    return [word for word in words
            if word.startswith("/") and os.path.isfile(word) and os.access(word, os.X_OK)]


def _packed(options, init=None, brought=(), files=None, shares=()):
    program, *words = _words(options) or [_shell(), "sh"]
    added = options.add if options.root else options.add + _programs_among(words)
    return initramfs.pack_program(program, words, _environment(options), root=options.root,
                                  init=init, check=not options.no_check, added=added,
                                  brought=brought, arch=_architecture(options), folder=initramfs.working_folder(),
                                  files={**(files or {}), share.FILE: share.contents(shares)} if shares else files,
                                  folders=[one.guest for one in shares])


def _run(options):
    if options.initrd is None:
        return _run_packed(options)
    if options.root or options.env or options.add or options.get or options.share:
        raise Failure(USAGE, "--initrd is booted as it is: it cannot be had with --root, --add, --env, --get or --share")
    words = _words(options)
    if any(word.split() != [word] for word in words):
        raise Failure(USAGE, "words for the /init of an --initrd cannot have spaces in them")
    blob = initramfs.read_ready_made(options.initrd, check=not options.no_check)
    return _run_blob(options, _platform(options), blob, ["--", *words] if words else [])


def _run_packed(options):
    platform = _platform(options)
    names = getattr(options, "get", None)
    shares = _shares(options, platform)
    if not names:
        return _run_blob(options, platform, _packed(options, platform.init, files=platform.files, shares=shares),
                         devices=_share_words(shares))
    if options.arch != architecture.DEFAULT:
        raise Failure(USAGE, f"--get: the machine of --arch {options.arch} has no port to bring files out")
    if platform.init:
        raise Failure(USAGE, "--get: this kernel does not bring files out")
    bringer = bring.Bringer(names, initramfs.working_folder())
    status = _run_blob(options, platform, _packed(options, brought=bringer.paths, shares=shares),
                       devices=[*bringer.words(), *_share_words(shares)])
    bringer.deliver()
    return status


def _shares(options, platform):
    """The folders of the host that the guest shows: `tally run` alone, with our kernel."""
    if platform.init or not hasattr(options, "share"):
        return []
    chosen = _chosen(options)
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


def _count(options):
    # Nothing else counts.
    from . import count
    count.refuse(options)
    words = _words(options)
    if not words:
        raise Failure(USAGE, "count needs a PROGRAM")
    free = set(options.free)
    before = count.load(options.compare) if options.compare is not None else None
    data = b"" if "input" in free else count.read_input()
    events = count.events_for(options.processor or processor.DEFAULT, options.pmu_counters, options.caches)
    files = {count.COUNTER: count.counter()}
    if "input" not in free:
        files[count.INPUT] = data
    conditions = {}
    if before is not None or options.save:
        conditions = count.conditions(options, data, _kernel(options))
    if before is not None:
        count.check_baseline(options.compare, before, os.path.basename(words[0]), words[1:], conditions)
    by_function = None
    if options.functions or options.format == "callgrind":
        # Nothing else reads symbols.
        from . import functions
        with tempfile.TemporaryDirectory(prefix="tally-") as place:
            table = functions.Table(_kernel(options))
            options.function_table = os.path.join(place, "functions")
            result = _count_in_machine(options, count, free, events, files, table)
            by_function = table.read(options.function_table + ".counts")
    else:
        result = _count_in_machine(options, count, free, events, files)
    counts, status, killer = count.parse(result, events, words[0])
    return _show_counts(options, count, before, killer,
                        count.record(os.path.basename(words[0]), words[1:], conditions, counts, status), by_function)


def _count_in_machine(options, count, free, events, files, table=None):
    """Runs the program and returns the guest's result. TABLE: of the functions by which the emulator counts."""
    options.pmu, options.icount = "emulated", "time" not in free
    folder = initramfs.working_folder()
    program, *words = _words(options)
    bringer = bring.Bringer((), "/", count.RESULT)
    listed = {}
    blob = initramfs.pack_program(
        program, words, count.environment(free, options.env), root=options.root, check=not options.no_check,
        added=options.add if options.root else options.add + _programs_among(words), brought=bringer.paths,
        folder=folder if "place" in free else count.FOLDER, moved=None if "place" in free else folder, files=files, listed=listed,
        starter=count.words(events, free, count.INPUT in files, options.control, options.region_requests))
    if table:
        table.add_files(listed)
        table.save(options.function_table)
    platform = tally()
    if count.INPUT in files:
        platform = Platform(platform.kernel, _join(_AS_PIPES, _NO_INPUT), has_input=False)
    if "random" not in free:
        platform.words = _join(platform.words, count.RANDOM_WORD)
    if count.INPUT not in files:
        _run_blob(options, platform, blob, devices=bringer.words())
        return bringer.deliver()
    # The guest waits for a reader that is slower than the line. No reader of a file is.
    with tempfile.TemporaryFile() as console:
        try:
            with _output_to(console):
                _run_blob(options, platform, blob, devices=bringer.words())
        finally:
            console.seek(0)
            with open(1, "wb", closefd=False) as output, contextlib.suppress(BrokenPipeError):
                shutil.copyfileobj(console, output)
    return bringer.deliver()


def _show_counts(options, count, before, killer, found, by_function):
    """Prints and saves the counts, and returns the status: the program's, or whether a count has grown."""
    if by_function:
        found.update(by_function.json())
    changes = None if before is None else count.compare(before["counts"], found["counts"])
    text = count.write(found, before, changes, options.format, by_function)
    if options.output is None:
        sys.stderr.write(text)
    else:
        count.save(options.output, text)
    if options.save:
        count.save(options.save, count.write(found, None, None, "json", None))
    if killer:
        print(count.killed(killer), file=sys.stderr)
    if found["status"]:
        return found["status"]
    grown = [change for change in changes or () if change.grew_beyond(options.limit or 0)]
    if grown:
        raise Failure(count.GREW, f"{len(grown)} of the counts have grown by more than {float(options.limit or 0):g} %: "
                                  f"{grown[0].line()}")
    return 0


def _run_blob(options, platform, blob, words=(), devices=()):
    """Boots the platform's kernel with this initramfs, and these words of QEMU's for more devices."""
    trace = f"trace={options.trace}" if getattr(options, "trace", None) else ""
    if options.kernel:
        platform.kernel = options.kernel
        _must_be_file(platform.kernel)
    elif not os.path.exists(platform.kernel):
        raise Failure(MISSING, f"{platform.kernel} is not there; {paths.remedy(platform.make)}")
    _settle_memory(options, len(blob))
    with tempfile.NamedTemporaryFile(prefix="tally-", suffix=".cpio") as file:
        file.write(blob)
        file.flush()
        streams = None
        if virtio.suits(options, platform.words):
            streams = virtio.Streams(platform.has_input)
            platform.words = platform.words.replace("console=raw", virtio.WORD)
        line = _join(options.append, trace, device.kernel_words(options.device), platform.words, *words)
        longest = _architecture(options).command_line_max
        if len(line) > longest and not options.no_check:
            raise Failure(USAGE, f"the kernel's command line has {len(line)} characters, and {longest} can be "
                                 "passed; shorten --append")
        return _start(options, ["-kernel", platform.kernel, "-initrd", file.name, "-append", line,
                                *devices], platform.interactive, platform.has_input, streams)


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


def _join(*words):
    return " ".join(word for word in words if word)


def _boot(options):
    if options.kernel:
        raise Failure(USAGE, "an image has its own kernel; leave out --kernel")
    _must_be_file(options.image)
    with open(options.image, "rb") as file:
        is_elf = file.read(4) == b"\x7fELF"
    interactive, feed = False, True
    if is_elf:
        if options.usb or options.firmware != "bios":
            raise Failure(USAGE, "an ELF is started without firmware; --usb and --firmware are for disk and ISO images")
        platform = _platform(options)
        interactive, feed = platform.interactive, platform.has_input
        words = ["-kernel", options.image, "-append", _join(options.append, platform.words)]
    elif options.append:
        raise Failure(USAGE, "an image has its own command line; give --append to `tally image`")
    else:
        words = medium.words(options.image, options.firmware, options.usb)
        if medium.is_terminal(options.image):
            # It has no end of input, and no escape for it.
            interactive = feed = machine.at_terminal()
    return _start(options, words, interactive, feed)


def _report(options):
    # Nothing else reads reports.
    from . import report
    if options.console is not None:
        return _report_of_console(options, report)
    is_text = options.format == "text"
    has_judge = options.arch == architecture.DEFAULT
    # The judge derives the counts of cycles, to which stalls would add.
    options.bare = True
    if not has_judge and not is_text:
        raise Failure(USAGE, f"--format {options.format}: the rules are for x86_64, not for {options.arch}")
    broken = _judge(options, report) if has_judge else 0
    if is_text:
        name, *words = _ONE_AFTER_THE_OTHER
        status = _run_own(options, name, *words, *(_own(options, program) for program in _REPORT))
        if status:
            return status
    return broken


def _own(options, name):
    """The path of a program of this tree."""
    arch = _architecture(options)
    return paths.built(os.path.join(arch.folder, f"user/bin/{name}"), arch.make)


def _run_own(options, name, *words):
    """Runs a program of this tree, alone in the initramfs but for those that its words name."""
    options.words = [_own(options, name), *words]
    options.root, options.env, options.add, options.no_check = None, [], [], False
    return _run_packed(options)


def _text_of(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _judge(options, report):
    """Boots the judge and prints its report; returns the status that it asks for. As TAP it goes out line by line."""
    words = options.append
    options.append = _join(words, _JUDGE_WORDS)
    try:
        if options.format == "tap":
            return _run_own(options, _JUDGE)
        with tempfile.TemporaryFile() as console:
            try:
                with _output_to(console):
                    _run_own(options, _JUDGE)
            except Failure:
                # The last lines of the console show how far the judge came.
                sys.stderr.write(_text_of(console)[-_CONSOLE_SHOWN:])
                raise
            text = _text_of(console)
    finally:
        options.append = words
    found = report.parse(text, "the machine's console")
    print(report.write(found, options.format), end="\n" if options.format == "text" else "", flush=True)
    return found.status


@contextlib.contextmanager
def _output_to(file):
    """The standard output of the meantime, QEMU's too, goes to FILE."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


def _report_of_console(options, report):
    try:
        with open(options.console, "rb") as file:
            data = file.read(report.CONSOLE_MAX + 1)
    except OSError as error:
        raise Failure(NOT_FOUND, f"{options.console}: {error.strerror}") from None
    if len(data) > report.CONSOLE_MAX:
        raise Failure(report.NO_REPORT, f"{options.console}: longer than {report.CONSOLE_MAX >> 20} MiB; keep its end, "
                                        f"with the last report: tail -c {report.CONSOLE_MAX >> 20}M")
    text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    found = report.parse(text, options.console)
    print(report.write(found, options.format), end="")
    return found.status


def _image(options):
    # Linking and GRUB are of no use to a run, which should not pay for loading them.
    from . import image
    if options.output is None and options.words and not options.pxe:
        # PROGRAM may also come before the options: then its own arguments come after them.
        program, *rest = _words(options)
        options = options.parser.parse_args(rest, options)
        options.words = [program] + _words(options)
    form = image_form.settle(options)
    words = _AS_PIPES
    if options.report:
        if options.words:
            raise Failure(USAGE, "--report is the program; leave out PROGRAM")
        options.words = [paths.built(os.path.join("user", "bin", _JUDGE), "make")]
        words = _join(_AS_REPORT, _JUDGE_WORDS)
    blob = _packed(options)
    words = _join(options.append, words)
    image_form.make(image, form, options, blob, words)
    return 0


def _flamegraph(options):
    # Nothing else draws.
    from . import flamegraph
    for path in filter(None, (options.file, options.kernel)):
        _must_be_file(path)
    flamegraph.make(options.file, options.output or options.file + ".svg", options.kernel)
    return 0


def _abi(options):
    # Nothing else reads it.
    from . import abi
    if options.validate == (options.pattern is not None):
        raise Failure(USAGE, "give a PATTERN or --validate; see: tally abi --help")
    entries, faults = abi.read(os.path.join(paths.ROOT, "docs", "ABI"))
    if options.validate:
        faults += abi.check(entries)
        for fault in faults:
            print(fault)
        return NO_ENTRY if faults else 0
    try:
        expression = re.compile(options.pattern, re.IGNORECASE)
    except re.error as problem:
        raise Failure(USAGE, f"{options.pattern!r} is no regular expression: {problem}") from None
    found = abi.search(entries, expression)
    if not found:
        raise Failure(NO_ENTRY, f"no entry of docs/ABI matches {options.pattern!r}")
    print("\n".join(map(abi.describe, found)), end="")
    return 0


def _chosen(options):
    """The machine of the options."""
    properties = {name: getattr(options, f"pmu_{name}") for name in processor.PMU_PROPERTIES}
    return emulator.Options(
        pmu=options.pmu, cpus=options.cpus, cpu=options.cpu, memory_mib=options.memory or command_line.MEMORY_MIB,
        icount=options.icount, gdb=options.gdb, arch=options.arch, processor=options.processor or processor.DEFAULT,
        devices=options.device, modelled=options.caches, bare=getattr(options, "bare", False),
        functions=getattr(options, "function_table", None), requests=getattr(options, "region_requests", False),
        pmu_properties={name: value for name, value in properties.items() if value is not None})


def _start(options, boot_words, interactive, feed, streams=None):
    """Boots by `boot_words`, QEMU's words for where the kernel comes from, on the machine of the options. `streams`: the
    virtio.Streams of the program, if it has them."""
    chosen = _chosen(options)
    if options.under and options.device:
        raise Failure(USAGE, "--device is not for --under kvm: KVM's guest has no accelerator")
    if options.under:
        return _start_under(options, chosen, boot_words, interactive, feed)
    if options.under_cpus or options.under_memory:
        raise Failure(USAGE, "--under-cpus and --under-memory are for --under kvm")
    sentence = emulator.settle_pmu(chosen)
    _say(options, sentence)
    if options.gdb:
        print(f"tally: waiting for: gdb {_kernel(options)} -ex 'target remote :{emulator.gdb_port()}' "
              f"-ex 'source {os.path.join(paths.ROOT, 'tools/gdb/tally.py')}'", file=sys.stderr)
    with _log(options) as log, tempfile.TemporaryDirectory(prefix="tally-") as folder:
        words = emulator.command(chosen, log.path, virtio.CONSOLE if streams else machine.CONSOLE) + boot_words
        if streams:
            words += streams.words()
        examiner = _post_mortem(options, folder)
        return machine.run(words + (examiner.words() if examiner else []), log, options.timeout, interactive, feed,
                           _architecture(options).by_console, examiner, streams)


def _start_under(options, chosen, boot_words, interactive, feed):
    """As _start, in a guest of KVM."""
    # Other commands do not pay for loading it.
    from . import under
    if options.processor is None:
        chosen.processor = under.PROCESSOR
    _say(options, under.settle(chosen))
    if options.post_mortem and options.timeout is None:
        raise Failure(USAGE, "--post-mortem is for --timeout")
    with _log(options) as log, tempfile.TemporaryDirectory(prefix="tally-") as folder:
        whole = under.Machine(chosen, boot_words, log, folder, options.under_cpus, options.under_memory,
                              _kernel(options), options.post_mortem)
        try:
            status = machine.run(whole.command(log.path, machine.CONSOLE), log, options.timeout, interactive, feed,
                                 examiner=whole)
        except Failure as problem:
            raise whole.explain(problem) from None
        whole.settle()
        return status


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


def _post_mortem(options, folder):
    if options.post_mortem is None:
        return None
    if options.timeout is None or options.gdb or options.arch != architecture.DEFAULT:
        raise Failure(USAGE, "--post-mortem is for --timeout on x86_64, and not with --gdb, who has the machine then")
    # Other commands do not pay for loading it.
    from . import post_mortem
    return post_mortem.PostMortem(options.post_mortem, _kernel(options), folder)


def _kernel(options):
    return options.kernel or paths.build(os.path.join(_architecture(options).folder, "tally.elf"))


def _must_be_file(path):
    if not os.path.isfile(path):
        raise Failure(NOT_FOUND, f"{path}: no such file")


_ACTIONS = {"run": _run, "count": _count, "image": _image, "boot": _boot, "report": _report, "flamegraph": _flamegraph, "abi": _abi}
