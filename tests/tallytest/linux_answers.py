# SPDX-License-Identifier: BSD-2-Clause
"""Linux's answers: what programs printed on Debian's Linux 6.12 in our emulator, committed as text.

tests/conformance/linux-6.12/ has a file for each question: a program with the options of its machine. The file begins
with lines "key: value" up to an empty line; the program's output follows. `make linux-answers` asks Linux and writes
the files, `git diff` shows what changed. Tests read the files and boot no Linux.

An answer is older than its program when the digest in the file is not the one of the sources. The digest is of the
code: comments, white space and the names of headers do not count. Counts and costs depend on the emulator's counters
too; these answers have the digest of qemu/files and qemu/patches beside them.
"""

import functools
import glob
import hashlib
import os
import re
from dataclasses import dataclass

from tallytest import shared, transcripts

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
FOLDER = os.path.join(TESTS, "conformance", "linux-6.12")
BUILD = os.environ.get("TALLY_BUILD") or os.path.join(ROOT, "build")
# A run that is not over by then hangs.
LIMIT_S = 430

EMULATED = ("--pmu", "emulated")
RULES_OPTIONS = (*EMULATED, "--timeout", "400")
BENCH_OPTIONS = (*EMULATED, "--icount", "--pmu-counters", "8", "--timeout", "200")
BENCH_AMD = ("zen3", "zen4")
C_LIBRARY_OPTIONS = (*EMULATED, "--cpus", "2", "--timeout", "400")
# The folder below build/user, and what the C library is called.
C_LIBRARIES = {"bin": "newlib", "glibc": "glibc", "musl": "musl"}
C_LIBRARY_PROGRAMS = ("libc", "paths", "self", "selfmon --tap", "profile --tap")
# CPUs, general counters, bits of each. Linux leaves a PMU with fewer than two general counters alone.
COUNTS_MACHINES = ((1, 4, 48), (2, 2, 32), (4, 8, 40))
# Version, general counters, bits of each, CPUs.
PMU_MACHINES = ((5, 4, 48, 1), (2, 2, 32, 2), (4, 8, 40, 4))
# AMD's models, of `tally run`, their counters, and CPUs.
AMD_MACHINES = (("k8", 4, 1), ("zen3", 6, 4), ("zen4", 6, 2))
# The observing programs whose answers depend on the CPU, and the models that they are run on: those that differ.
INTEL_MODELS = ("skylake",)
# Those that count what the model of the CPU counts.
COUNTING = ("observe_model",)
MODEL_PROGRAMS = {
    "observe_encodings": ("skylake", "zen3", "zen4"),
    "observe_event_errors": ("zen3",),
    "observe_event_source": ("skylake", "k8", "zen3", "zen4"),
    "observe_faults": ("zen3",),
    "observe_model": ("skylake", "zen3", "zen4"),
    "observe_open": ("skylake", "k8", "zen3", "zen4"),
    "observe_proc_system": ("zen3",),
    "observe_read": ("zen3",),
    "observe_software": ("k8", "zen3"),
    "observe_sys": ("zen3",),
}
# Counts of cycles are derived without stalls.
BARE = ("--caches", "none")
# The rules ask for exactly this many general counters.
RULES_AMD = ("--processor", "zen4", *BARE, "--pmu-counters", "4")
# The machines whose PMU the report judges by Linux's module msr, and the words that load it.
REPORT_MACHINES = {"report": (*EMULATED, "--cpus", "2"), "report.zen4": (*EMULATED, "--cpus", "2", "--processor", "zen4", *BARE)}
LOAD_MSR = ("--load", "msr")
LOAD_9P = ("--load", "9p")
# The lines of Linux's log that describe the PMU.
PMU_LOG = r"Performance Events: .*|\.\.\. [\w -]+: +\w+"

# Scripts that run with Debian's programs on a machine with devices: the script, more sources of the answer, the devices,
# and the programs.
SCRIPT_OPTIONS = (*EMULATED, "--icount", "--timeout", "300")
SCRIPTS = {
    "accel-config": ("tests/debian/accel-config.sh", (), ("dsa,queue=none",) * 2, ("accel-config", "cat", "grep", "ls", "perf", "sed")),
    "dsa-moves": ("tests/qemu/idxd/moves.sh", ("tests/qemu/idxd/moves.c",), ("dsa,queue=none", "iax,queue=none"),
                  ("accel-config", "busybox", "grep", "perf")),
}

LIBRARIES = ("userland/libperf", "userland/libspin")
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">][ \t]*$', re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """PROGRAM (below the build folder or a whole path, made of SOURCES) with the arguments WORDS, on a machine with OPTIONS."""

    name: str
    program: str
    sources: tuple
    options: tuple
    words: tuple = ()
    log: str = ""  # the pattern of the lines of Linux's log that belong to the answer
    counts: bool = False  # the answer depends on the emulator's counters or devices
    is_shared: bool = False  # it works in a folder of the host (shared.py)


def _files(*patterns):
    return tuple(sorted(path for pattern in patterns for path in glob.glob(pattern, root_dir=ROOT)))


def _user_sources(program):
    """The sources that userland/userland.mk links into a program for x86_64."""
    return _files(f"userland/programs/{program}/*.[cS]", f"userland/programs/{program}/x86_64/*.[cS]",
                  f"tests/boot/{program}.c", "userland/libperf/perf_*.c", "userland/libspin/*.c",
                  "userland/libspin/x86_64/*.[cS]")


def _user(name, program, folder, options, **more):
    return Question(name, f"user/{folder}/{program}", _user_sources(program), options, **more)


def _script(name):
    script, more, devices, programs = SCRIPTS[name]
    options = [*SCRIPT_OPTIONS, "--append", "idxd.tc_override", *(word for device in devices for word in ("--device", device)),
               *(word for program in programs for word in ("--add", f"/usr/bin/{program}"))]
    return Question(name, os.path.join(ROOT, script), (script, *more), tuple(options), counts=True)


def in_shared(program):
    """The name of the question for a program of shared.PLACES in a folder of the host."""
    return f"{program}.9p"


def on_processor(program, processor):
    """The name of the question for a program on a model of MODEL_PROGRAMS or BENCH_AMD."""
    return f"{program}.{processor}"


def model_options(processor, program=None):
    """The options of a CPU model; AMD's have no caches, so that their cycles have no stalls, but for COUNTING."""
    return ("--processor", processor, *(() if processor in INTEL_MODELS or program in COUNTING else BARE))


def bench_options(processor):
    """The options of the program bench on a model of BENCH_AMD."""
    return (*EMULATED, "--icount", *model_options(processor), "--timeout", "200")


def counts_on(machine):
    """The name of the question for the program counts on a machine of COUNTS_MACHINES."""
    return "counts.{}-cpus-{}-counters-{}-bits".format(*machine)


def selfmon_on(machine):
    """The name of the question for the program selfmon on a machine of PMU_MACHINES."""
    return "selfmon.version-{}-{}-counters-{}-bits-{}-cpus".format(*machine)


def pmu_options(machine):
    """The options of a machine of PMU_MACHINES."""
    version, counters, width, cpus = (str(number) for number in machine)
    return (*EMULATED, "--pmu-version", version, "--pmu-counters", counters, "--pmu-width", width,
            *(("--cpus", cpus) if cpus != "1" else ()))


def selfmon_on_amd(machine):
    """The name of the question for the program selfmon on a machine of AMD_MACHINES."""
    processor, _, cpus = machine
    return f"selfmon.{processor}-{cpus}-cpus"


def amd_options(machine):
    """The options of a machine of AMD_MACHINES."""
    processor, _, cpus = machine
    return (*EMULATED, *model_options(processor), *(("--cpus", str(cpus)) if cpus != 1 else ()))


def with_c_library(command, folder):
    """The name of the question for a command of C_LIBRARY_PROGRAMS, built in a folder of C_LIBRARIES."""
    return f"{command.replace(' --', '-')}.{C_LIBRARIES[folder]}"


def _all():
    for program in transcripts.programs():
        yield Question(program, f"tests/{program}", (f"tests/conformance/programs/{program}.c",),
                       transcripts.options_of(program), counts=program in transcripts.DEVICES or program in COUNTING)
        for processor in MODEL_PROGRAMS.get(program, ()):
            yield Question(on_processor(program, processor), f"tests/{program}", (f"tests/conformance/programs/{program}.c",),
                           (*transcripts.options_of(program), *model_options(processor, program)),
                           counts=program in COUNTING)
    yield Question("rules", "tests/rules", _files("tests/conformance/rules/*.c"), RULES_OPTIONS)
    yield Question("rules.zen4", "tests/rules", _files("tests/conformance/rules/*.c"), (*RULES_AMD, *RULES_OPTIONS))
    for machine in COUNTS_MACHINES:
        cpus, counters, width = machine
        yield _user(counts_on(machine), "counts", "bin", (*EMULATED, "--cpus", str(cpus), "--pmu-counters", str(counters),
                                                          "--pmu-width", str(width), "--timeout", "400"), counts=True)
    for machine in PMU_MACHINES:
        yield _user(selfmon_on(machine), "selfmon", "bin", (*pmu_options(machine), "--timeout", "300"), log=PMU_LOG,
                    counts=True)
    for machine in AMD_MACHINES:
        yield _user(selfmon_on_amd(machine), "selfmon", "bin", (*amd_options(machine), "--timeout", "300"), log=PMU_LOG,
                    counts=True)
    for name, options in REPORT_MACHINES.items():
        yield _user(name, "report", "bin", (*LOAD_MSR, *options, "--timeout", "200"), words=("--msr",), counts=True)
    yield _user("profile", "profile", "bin", (*EMULATED, "--timeout", "300"), counts=True)
    yield _user("bench", "bench", "bin", BENCH_OPTIONS, counts=True)
    for processor in BENCH_AMD:
        yield _user(on_processor("bench", processor), "bench", "bin", bench_options(processor), counts=True)
    for command in C_LIBRARY_PROGRAMS:
        program, *words = command.split()
        for folder in C_LIBRARIES:
            yield _user(with_c_library(command, folder), program, folder, C_LIBRARY_OPTIONS, words=tuple(words))
    for name in SCRIPTS:
        yield _script(name)
    for program in shared.PLACES:
        yield Question(in_shared(program), f"tests/{program}", (f"tests/conformance/programs/{program}.c", shared.MOUNTED),
                       (*LOAD_9P, *transcripts.options_of(program)), is_shared=True)


@functools.cache
def questions():
    """All of them, by name."""
    return {question.name: question for question in _all()}


@functools.cache
def _text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return _COMMENT.sub(lambda match: match[1] or " ", file.read())


def _code(path, seen):
    """The code of a source file, with that of the headers of ours in place of the lines that include them."""
    seen.add(path)

    def header(match):
        for folder in (os.path.dirname(path), *LIBRARIES):
            found = os.path.normpath(os.path.join(folder, match[1]))
            if os.path.exists(os.path.join(ROOT, found)):
                return "" if found in seen else _code(found, seen)
        return match[0]

    return _INCLUDE.sub(header, _text(path))


def _short(text):
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def source_digest(question):
    seen = set()
    return _short("\n".join(_code(path, seen) for path in question.sources))


@functools.cache
def emulator_digest():
    """The digest of the emulated PMU: our files of QEMU and our patches."""
    paths = sorted(path for folder in ("files", "patches") for path in
                   glob.glob(os.path.join("qemu", folder, "**"), root_dir=ROOT, recursive=True)
                   if os.path.isfile(os.path.join(ROOT, path)))
    return _short("\n".join(path + "\n" + _text(path) for path in paths))


def path_of(name):
    return os.path.join(FOLDER, name + ".txt")


def _first_line(question, status):
    words, place = [os.path.basename(question.program), *question.words], ""
    if question.is_shared:
        place = f"in {shared.PLACES[words[0]]} with {shared.options_of(words[0])} of a server with {shared.SERVER}, "
    return f"{' '.join(words)}, {place}options {' '.join(question.options)}, status {status}"


class Answer:
    """Linux's answer to the question NAME: status, output (bytes), log_text (the lines of Linux's log that were kept).

    `problem` says why the answer is not to be trusted, and what to do; it is empty if all is well. An answer that is
    not there has status None.
    """

    def __init__(self, name):
        question = questions()[name]
        self.status, self.output, self.log_text, self.problem = None, b"", "", ""
        remedy = f"run: make linux-answers PROGRAMS={name}"
        if not os.path.exists(path_of(name)):
            self.problem = f"Linux has not been asked for {name}; {remedy}"
            return
        with open(path_of(name), encoding="utf-8", newline="") as file:
            head, _, output = file.read().partition("\n\n")
        values = {}
        for line in head.splitlines():
            key, _, value = line.partition(": ")
            values.setdefault(key, []).append(value)
        self.output = output.encode()
        self.log_text = "".join(line + "\n" for line in values.get("log", []))
        self.status = int(values["program"][0].rpartition(", status ")[2])
        if values["program"] != [_first_line(question, self.status)]:
            self.problem = f"the answer to {name} is for other options; {remedy}"
        elif values["source"] != [source_digest(question)]:
            self.problem = f"the answer to {name} is older than the program; {remedy}"
        elif question.counts and values.get("emulator") != [emulator_digest()]:
            self.problem = f"the answer to {name} was given on another emulated PMU; {remedy}"


def by_chosen_attackers(program):
    """The program with arguments: an observe_attack program (attackers.h) tries as the plain user and as those whose results differ
    from the user's on Linux; the others' results are the user's then."""
    if not program.startswith("observe_attack_"):
        return program
    named = re.findall(r", (with [A-Z_]+|as another|bare root|root) ", Answer(program).output.decode())
    return " ".join([program, ",".join(dict.fromkeys(name.replace(" ", "-") for name in named))]).strip()


def text_of(question, kernel, status, output, log_text):
    """The text of an answer's file; KERNEL is Linux's version."""
    head = [f"program: {_first_line(question, status)}", f"source: {source_digest(question)}"]
    if question.counts:
        head.append(f"emulator: {emulator_digest()}")
    head.append(f"kernel: Linux {kernel}")
    if question.log:
        head += [f"log: {line}" for line in re.findall(question.log, log_text)]
    return "\n".join(head) + "\n\n" + output.decode(errors="replace")
