# SPDX-License-Identifier: BSD-2-Clause
"""--under kvm: the machine is a guest of KVM, in a Linux that runs in our emulator.

L0 is the emulator that this command starts, L1 Debian's Linux in it with KVM's modules, L2 the guest. L1's initramfs
has the modules, our emulator with its libraries and firmware, L2's kernel and files, and tools/kvm/init.c as the only
program. L1 starts as a fetched kernel unpacked once (quick_linux), without firmware and decompression. L2 has the console and
the log of this command (COM1 and COM2 of L0), L1 has COM3; COM4 is for --get.
"""

import contextlib
import copy
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from . import emulator, libraries, paths, processor
from .failure import BOOT, MISSING, USAGE, Failure
from .layout import Layout
from .post_mortem import must_be_writable

# The model without --processor: it has SVM, and the PMU that most of KVM's AMD hosts have.
PROCESSOR = "zen3"
# No counter for Linux's own watchdog; nothing that only costs time at boot: tests of ciphers and of a
# source of random numbers, other addresses in each boot, pages cleared twice, clocks calibrated. Two timers are calibrated by
# reading a clock for 100 ms, the HPET and the APIC's timer: the PIT does their work.
_QUICK = "nmi_watchdog=0 audit=0 apparmor=0 selinux=0 no_timer_check " \
         "mitigations=off random.trust_cpu=on cryptomgr.notests nokaslr init_on_alloc=0 tsc=reliable lpj=4000000 " \
         "hpet=disable nolapic_timer initcall_blacklist="
# The steps of L1's start that nothing here needs: tests of ciphers and clocks, keys, and the preparation of Linux's tracing.
_LEFT_OUT = ("jent_mod_init", "crypto_kdf108_init", "init_acpi_pm_clocksource", "load_system_certificate_list", "init_kprobes",
             "trace_eval_init", "ftrace_check_for_weak_functions")
# Linux's words for a quick start, in any machine; those of L1, whose log is on COM3.
QUICK_WORDS = _QUICK + ",".join(_LEFT_OUT)
_WORDS = "console=ttyS2,115200 rdinit=/init panic=-1 " + QUICK_WORDS
_MODULES = ("irqbypass", "kvm", "kvm-amd")
# The first bytes of what zstd has compressed, and of the kernel's table of types for BPF (Linux, Documentation/bpf/btf.rst).
_ZSTD = b"\x28\xb5\x2f\xfd"
_TYPES = b"\x9f\xeb\x01\x00\x18\x00\x00\x00"
# Parts of a module for BPF, traces of functions and stacks, which Linux looks through when it loads one.
_NEEDLESS = (".BTF", "__mcount_loc", ".orc_unwind", ".orc_unwind_ip")
# L1's own need beside the guest's memory and two times its initramfs, which is there as archive and as files.
_L1_MIB = 160
_GUEST = "guest"
_MONITOR = ("-chardev", "socket,id=monitor,fd=3", "-mon", "chardev=monitor,mode=readline")
# The channel of --get (bring.py), which has COM4.
_FILES = "file,id=files,path="
_BEGIN, _END = "tally: the guest's state:", "tally: end of the guest's state"
# The time for the first line of the answer, and for all of it.
_BEGIN_S, _ANSWER_S = 10, 30
_RESET = "tally: the guest has reset itself"


def settle(options):
    """Checks the choices, and settles the PMU of L1. Returns a sentence."""
    if options.arch != "x86_64":
        raise Failure(USAGE, "--under kvm is for x86_64")
    if options.gdb:
        raise Failure(USAGE, "--under kvm: gdb has no line to the guest; leave out --gdb")
    if options.modelled:
        raise Failure(USAGE, "--under kvm: KVM's PMU counts no modelled caches; leave out --caches")
    options.bare = True
    if options.pmu == "emulated":
        raise Failure(USAGE, "--under kvm: the guest has KVM's PMU; leave out --pmu emulated")
    if options.processor == processor.DEFAULT:
        raise Failure(USAGE, "--under kvm needs a CPU with SVM: leave out --processor, or give an AMD one")
    emulator.check_properties(options)
    options.pmu = "none" if options.pmu == "none" else "emulated"
    return "PMU: KVM's, in Linux on " + ("a processor without one" if options.pmu == "none" else f"an emulated {options.processor}")


def _linux():
    """The path of L1's kernel; the modules are in a folder beside it. Fetching it shows its progress at a terminal only."""
    script = os.path.join(paths.ROOT, "tests", "conformance", "linux-kernel")
    if paths.IS_INSTALLED:
        raise Failure(MISSING, "--under kvm is for a clone of Tally's repository: the packages have no Linux")
    at_terminal = sys.stderr.isatty()
    found = subprocess.run([script], stdout=subprocess.PIPE, stderr=None if at_terminal else subprocess.PIPE, text=True,
                           check=False)
    if found.returncode:
        reason = "see above" if at_terminal else "; ".join(found.stderr.splitlines()[-2:])
        raise Failure(MISSING, f"--under kvm: there is no Linux with KVM's modules ({reason})")
    return found.stdout.strip()


def quick_linux(linux):
    """(kernel, folder of modules) that L1 starts with: what LINUX, a bzImage, and the modules beside it hold, without what only
    costs time at each start. An unpacked kernel starts by PVH, without decompressing itself; one whose table of types has another
    first byte does without the table; a module without debugging information and signature needs no check of them. They are made
    once, in a folder beside LINUX. If they cannot be made here, or of these files, the result is LINUX and its modules."""
    source = os.path.join(os.path.dirname(linux), "modules")
    folder = os.path.join(os.path.dirname(linux), "lean")
    kernel, modules = os.path.join(folder, "vmlinux"), os.path.join(folder, "modules")
    if os.path.exists(kernel):
        return kernel, modules
    with open(linux, "rb") as file:
        image = file.read()
    at = image.find(_ZSTD)
    if at < 0 or not paths.in_path("zstd") or not paths.in_path("objcopy"):
        return linux, source
    work = tempfile.mkdtemp(prefix="lean.", dir=os.path.dirname(linux))
    try:
        os.mkdir(os.path.join(work, "modules"))
        # The file goes on after the compressed kernel, which zstd reports after all of that.
        unpacked = subprocess.run(["zstd", "-dc"], input=image[at:], capture_output=True, check=False).stdout
        with open(os.path.join(work, "vmlinux"), "wb") as file:
            file.write(unpacked.replace(_TYPES, bytes(2) + _TYPES[2:]))
        done = [subprocess.run(["objcopy", "--strip-debug", *(f"--remove-section={part}" for part in _NEEDLESS),
                                os.path.join(source, f"{name}.ko"),
                                os.path.join(work, "modules", f"{name}.ko")], capture_output=True, check=False)
                for name in _MODULES]
        if not unpacked.startswith(b"\x7fELF") or any(one.returncode for one in done):
            return linux, source
        os.chmod(work, 0o755)
        # Another run may have been faster; its folder is the same.
        with contextlib.suppress(OSError):
            os.rename(work, folder)
        return kernel, modules
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _packed(layout, medium):
    """QEMU's words for the medium, with the files that they name in L1's initramfs."""
    words, option = [], None
    for word in medium:
        path = word if option in ("-kernel", "-initrd") else None
        if option == "-drive":
            path = word.removeprefix("file=").split(",format=")[0]
        if path:
            name = f"{_GUEST}/{option[1:]}"
            layout.add_file(name, path.replace(",,", ","), 0o644)
            word = word.replace(path, "/" + name, 1)
        elif word.startswith(_FILES):
            word = _FILES + "/dev/ttyS3"
        words.append(word)
        option = word
    return words


def _strings(words):
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _archive(guest, medium, folder):
    """L1's initramfs, with the modules in FOLDER."""
    layout = Layout()
    for directory in ("dev", "proc", "sys", "tmp", ".tally", "modules", _GUEST):
        layout.add_directory(directory, 0o755)
    layout.add_file("init", paths.built("tools/kvm-init", "make"), 0o755)
    for name in _MODULES:
        path = os.path.join(folder, f"{name}.ko")
        if not os.path.exists(path):
            raise Failure(MISSING, f"--under kvm: {path} is not there; remove its folder's parent, and run again")
        layout.add_file(f"modules/{name}.ko", path, 0o644)
    layout.add_file(".tally/modules", _strings(f"/modules/{name}.ko" for name in _MODULES), 0o644)
    qemu = paths.emulator(needs_model=True)
    needs = libraries.Needs()
    needs.add(qemu)
    for name, source in needs.files.items():
        layout.add_folder(os.path.dirname(name))
        layout.add_file(name, source, 0o755)
    firmware = os.path.join(os.path.dirname(os.path.dirname(qemu)), "share", "qemu")
    layout.add_folder(firmware)
    for name in sorted(os.listdir(firmware)):
        if name.endswith(".bin"):
            layout.add_file(os.path.join(firmware, name), os.path.join(firmware, name), 0o644)
    words = emulator.command(guest, "/dev/ttyS1", "stdio,id=console,signal=off") + list(_MONITOR)
    words += _packed(layout, medium)
    layout.add_file(".tally/argv", _strings(words), 0o644)
    return layout.finish()


def _ask(path):
    """L1's answer to the question for L2's state; what came of it until L1 was silent too long."""
    answer = ""
    deadline = time.monotonic() + _ANSWER_S
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_BEGIN_S)
            line.connect(path)
            line.sendall(b"?\n")
            while _END not in answer and time.monotonic() < deadline:
                limit = deadline if _BEGIN in answer else deadline - _ANSWER_S + _BEGIN_S
                line.settimeout(max(0.1, limit - time.monotonic()))
                data = line.recv(65536)
                if not data:
                    break
                answer += data.decode(errors="replace")
    except OSError:
        pass
    # The monitor's echo of its commands moves the cursor.
    return "".join(line + "\n" for line in answer.replace("\r", "").split("\n") if "\x1b" not in line)


def _symbol(kernel, address):
    """An address of the guest's kernel as function and offset, as far as nm knows."""
    if kernel is None or paths.in_path("nm") is None:
        return f"{address:#x}"
    done = subprocess.run(["nm", "-n", kernel], capture_output=True, text=True, check=False)
    best = None
    for line in done.stdout.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwW":
            start = int(fields[0], 16)
            if start > address:
                break
            best = f"{fields[2]}+{address - start:#x}"
    return best or f"{address:#x}"


class Machine:
    """L0's machine for the guest of `options`, an emulator.Options whose PMU is not settled. `medium`: QEMU's words for
    what the guest boots from. `log`: the machine.Log of L2. `cpus`, `memory_mib`: L1's, or None. `post_mortem`: the file for
    L2's state, or None.

    It is an examiner for machine.run too: it asks which machine hangs when the time is up.
    """

    def __init__(self, options, medium, log, folder, cpus=None, memory_mib=None, kernel=None, post_mortem=None):
        self._folder = folder
        self._kernel = kernel
        self._socket = os.path.join(folder, "host")
        self._log = log
        self.host_log = log.beside("host")
        self._report = post_mortem or log.beside("guest")
        if post_mortem:
            must_be_writable(post_mortem)
        guest = copy.copy(options)
        guest.pmu, guest.icount, guest.gdb, guest.processor = "kvm", False, False, processor.DEFAULT
        self._files = [word for word in medium if word.startswith(_FILES)]
        self._linux, modules = quick_linux(_linux())
        archive = _archive(guest, medium, modules)
        mib = (len(archive) + (1 << 20) - 1) >> 20
        least = guest.memory_mib + 2 * mib + _L1_MIB
        if memory_mib is not None and memory_mib < least:
            raise Failure(USAGE, f"--under-memory {memory_mib}: Linux with KVM and a guest of {guest.memory_mib} MiB needs "
                                 f"{least}; give it that, or the guest less by --memory")
        host = copy.copy(options)
        host.cpu, host.cpus, host.memory_mib = None, cpus or options.cpus, memory_mib or least
        self._archive = os.path.join(folder, "under.cpio")
        with open(self._archive, "wb") as file:
            file.write(archive)
        self._host = host

    def command(self, log_path, console):
        """QEMU's words for L0."""
        return [*emulator.command(self._host, log_path, console),
                "-chardev", f"socket,id=host,path={self._socket},server=on,wait=off,logfile={self.host_log.replace(',', ',,')}",
                "-serial", "chardev:host",
                *(word for files in self._files for word in ("-chardev", files, "-serial", "chardev:files")),
                "-kernel", self._linux, "-initrd", self._archive, "-append", _WORDS]

    def _host_text(self):
        """L1's log; empty if QEMU has not made it."""
        try:
            with open(self.host_log, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def write(self):
        """Asks L1 for L2's state when the time is up; returns a sentence about the machine that hangs."""
        text = _ask(self._socket)
        if _BEGIN not in text:
            lines = [line.strip() for line in self._host_text().splitlines() if line.strip()]
            said = f"its last line is '{lines[-1]}'" if lines else "it has said nothing"
            return f"L1 hangs, or is not up yet: the Linux with KVM does not answer; {said}; its log is in {self.host_log}"
        with open(self._report, "w", encoding="utf-8") as file:
            file.write(text)
        places = re.findall(r"^CPU#(\d+)$.*?^[ER]IP=([0-9a-f]+)", text, re.MULTILINE | re.DOTALL)
        if not places:
            return f"L2 hangs: Linux answers, and the guest's emulator does not; see {self._report}"
        where = ", ".join(f"CPU {number} at {_symbol(self._kernel, int(rip, 16))}"
                          for number, rip in places[:len(places) // 2])
        return f"L2 hangs: Linux answers, and the guest's state is in {self._report}: {where}"

    def settle(self):
        """The run was good: gives L1's log its lasting name."""
        self._log.settle_beside("host")

    def explain(self, problem):
        """The Failure of the whole machine, with L1's part in it."""
        if problem.status != BOOT:
            return problem
        text = self._host_text()
        panic = re.search(r"Kernel panic - not syncing: (.*)", text)
        if panic:
            return Failure(BOOT, f"L1, the Linux with KVM, panicked: {panic[1].strip()}; its log is in {self.host_log}")
        if _RESET in text:
            return Failure(BOOT, f"L2, the guest, reset itself (a triple fault?); its log is in {self._log.path}")
        return problem
