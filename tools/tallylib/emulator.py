# SPDX-License-Identifier: BSD-2-Clause
"""How QEMU is called for one machine: which PMU, which CPUs, which devices.

The machine has two serial ports (the program's, and the kernel log's), the exit device, and nothing
else that would cost time at boot: no screen, no network card, no default drives.
"""

import os
import re

from . import caches, device, kernel_file, paths, processor
from .failure import NO_PMU, USAGE, Failure
from .record import fresh, record

_EXIT_PORT = "isa-debug-exit,iobase=0xf4,iosize=4"
# The Alpha's machine ends through its console.
_MACHINES = {"x86_64": ("-machine", "pc", "-device", _EXIT_PORT), "alpha": ("-machine", "clipper", "-nic", "none")}
# A message of drivers/pci/assign.c.
_NO_ADDRESS = b"firmware gave it no address, and none is free"
# The warnings of our PMUs about a selection that no event models, and a request that they do not obey (qemu/files/target/*/).
_UNMODELLED = re.compile(r"^\S+: warning: (the PMU does not model .*|the program asks Callgrind .*)$")
_ALPHA_CPU = "ev67"
_ALPHA_CPUS_MAX = 4


@record
class Options:
    """The user's choices about a machine. `pmu`: auto, emulated, kvm or none."""

    pmu: str = "auto"
    pmu_properties: dict | None = None
    cpus: int = 1
    cpu: str | None = None
    memory_mib: int = 512
    icount: bool = False
    gdb: bool = False
    arch: str = "x86_64"
    processor: str = processor.DEFAULT
    modelled: caches.Caches | None = None  # --caches; None: the CPU's own, or none if the machine is `bare`
    bare: bool = False
    requests: bool = False  # client requests of Valgrind's headers pause and start the counters
    functions: str | None = None  # the table of functions by which instructions are counted
    devices: list = fresh(list)


def check_properties(options):
    """A PMU that is not there has no properties."""
    if options.pmu == "none" and options.pmu_properties:
        raise Failure(USAGE, "--pmu none has no properties; leave out the --pmu-... options")
    if options.pmu == "none" and options.modelled and options.modelled.text != caches.NONE:
        raise Failure(USAGE, "--pmu none has nothing to count caches with; leave out --caches")


def settle_pmu(options):
    """Replaces `auto` by what this host has. Returns a sentence that says what was taken and why."""
    if options.arch == "alpha":
        if options.devices:
            raise Failure(USAGE, "--device is for x86_64; the Alpha's machine has none")
        if options.pmu == "kvm":
            raise Failure(NO_PMU, "--pmu kvm: there is no KVM for Alpha; use --pmu emulated")
        if options.pmu_properties:
            raise Failure(USAGE, "the Alpha's counters have no properties; leave out the --pmu-... options")
        if options.processor != processor.DEFAULT:
            raise Failure(USAGE, "--processor is for x86_64; the Alpha's is the EV67")
        if options.modelled:
            raise Failure(USAGE, "--caches is for x86_64; the Alpha has the Bcache that qemu/README.md describes")
        if options.cpus > _ALPHA_CPUS_MAX:
            raise Failure(USAGE, f"--cpus {options.cpus}: the Alpha's machine has at most {_ALPHA_CPUS_MAX}")
        options.pmu = "none" if options.pmu == "none" else "emulated"
        return f"PMU: {options.pmu}"
    if options.processor != processor.DEFAULT and options.cpu:
        raise Failure(USAGE, f"--processor {options.processor} is a CPU model too; leave out --cpu")
    if options.pmu in ("auto", "kvm"):
        if (options.icount or options.pmu_properties or options.processor != processor.DEFAULT or options.devices or
                options.modelled):
            reason = "--icount, --processor, --caches, --device and --pmu-... are the emulator's"
        else:
            # Loads ctypes, which a run that does not ask should not pay for.
            from . import kvm
            reason = kvm.why_not()
        if options.pmu == "kvm" and reason:
            raise Failure(NO_PMU, f"--pmu kvm: {reason}; use --pmu emulated")
        options.pmu = "emulated" if reason else "kvm"
        return f"PMU: {options.pmu}" + (f" ({reason})" if reason else "")
    check_properties(options)
    return f"PMU: {options.pmu}"


def path(options):
    """The emulator of a machine whose PMU is settled."""
    return paths.emulator(options.pmu == "emulated" or bool(options.devices), options.arch)


def is_ours(options):
    """Whether that is our emulator, not the system's."""
    return path(options) != paths.in_path("qemu-system-" + options.arch)


def _gives_addresses(kernel):
    """Whether this kernel, a file, is one of Tally's that gives PCI functions their addresses: such a kernel has its
    complaint in it."""
    try:
        return kernel_file.has_text(kernel, _NO_ADDRESS)
    except OSError:
        return False


def firmware(options, kernel):
    """QEMU's words for the firmware of a machine whose PMU is settled. `kernel`: the file that -kernel names, or None.

    qboot takes 40 ms of CPU time less than SeaBIOS, QEMU's own choice, and does less. It starts a kernel and no other medium,
    and gives PCI functions no addresses: Tally's kernel does that itself, on the machine "pc" (drivers/pci/assign.c). It
    is used where tests compare the two: in our emulator, not in the system's, and not under KVM.
    """
    if (kernel is None or options.arch != "x86_64" or options.pmu == "kvm" or device.machine(options.devices) or
            not is_ours(options)):
        return []
    qboot = os.path.join(os.path.dirname(os.path.dirname(path(options))), "share", "qemu", "qboot.rom")
    return ["-bios", qboot] if os.path.exists(qboot) and _gives_addresses(kernel) else []


def _machine(options):
    words = device.machine(options.devices)
    return _MACHINES[options.arch] if words is None else (*words, "-device", _EXIT_PORT)


def gdb_port():
    """The TCP port on which the machine waits for gdb, as text."""
    return os.environ.get("TALLY_GDB_PORT") or "1234"


def _cache_words(options, chosen):
    """The properties for the caches."""
    if options.cpu:
        return options.modelled.properties(None) if options.modelled else []
    own = caches.NONE if options.bare else chosen.preset or caches.NONE
    return (options.modelled or caches.parse(own)).properties(chosen.vendor)


def _cpu(options):
    if options.arch == "alpha":
        return (options.cpu or _ALPHA_CPU) + (",pmu=on" if options.pmu == "emulated" else "")
    if options.pmu == "kvm":
        return (options.cpu or "host") + ",pmu=on"
    chosen = processor.PROCESSORS[options.processor]
    model = ",".join([options.cpu or chosen.model, *(device.CPU_PROPERTIES if options.devices else ())])
    if options.pmu == "none":
        return model
    # The user's own model decides which properties its PMU takes: the emulator checks them.
    name = None if options.cpu else options.processor
    more = ["x-pmu-functions=" + options.functions.replace(",", ",,")] if options.functions else []
    more += ["x-pmu-requests=on"] if options.requests else []
    return ",".join([model, *chosen.properties(options.pmu_properties or {}, name), *_cache_words(options, chosen), *more])


def command(options, log, console):
    """QEMU's words for a machine whose PMU is settled; the boot medium is for the caller to add.

    `log`: the file that receives COM2. `console`: QEMU's words for the character device of COM1,
    which must have the id "console".
    """
    words = [path(options),
             *_machine(options), "-m", f"{options.memory_mib}M", "-smp", str(options.cpus),
             "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none",
             "-no-reboot", "-chardev", console, "-serial", "chardev:console",
             "-serial", "file:" + log,
             "-accel", "kvm" if options.pmu == "kvm" else "tcg",
             "-cpu", _cpu(options)]
    for one in options.devices:
        words += one.words()
    if options.icount:
        # The same each time: also the date, and the CPU's random numbers.
        words += ["-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2025-01-01,clock=vm"]
    if options.gdb:
        words += ["-S", "-gdb", "tcp:localhost:" + gdb_port()]
    return words


def divide_complaints(text):
    """Divides what QEMU wrote on standard error: lines for the user, in our form, and all others."""
    for_user, others = [], []
    for line in text.splitlines():
        match = _UNMODELLED.match(line)
        if match:
            for_user.append(f"tally: {match[1]}")
        else:
            others.append(line)
    return for_user, others
