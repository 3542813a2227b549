#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The packages of `make deb`: they install, work and go on a clean Debian 12 and 13.

The counts there are those of the clone.
"""

import os
import re
import subprocess
import sys
import tempfile

from tallytest import packages, tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
SPIN = "/usr/lib/tally/build/user/bin/spin"
FEW, MORE, EACH = 100000, 300000, 2
COUNTS = r"^instructions +([\d,]+) +([\d,]+) "
# Everything but what dpkg and apt keep about their own work, and what is not on the disk.
FILES = "find / -xdev \\( -path /mnt -o -path /tmp -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /root/.cache \\) -prune -o -print | sort"
USER = "setpriv --reuid=65534 --regid=65534 --clear-groups"
COMPLETE = """bash -c '. /usr/share/bash-completion/completions/tally
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tally 2>/dev/null; echo "${COMPREPLY[*]}"; }
complete_words tally co; complete_words tally count --sa; complete_words tally run --pmu k; complete_words tally run --pmu kvm -- "" | wc -w'"""

CASES = (
    ("no compiler", "! command -v gcc && ! command -v make"),
    # They are there already (packages.clean), and stay: a user may want them by now.
    ("depends", "apt-get -y -q --no-download --no-install-recommends install python3 busybox-static zlib1g libfdt1 libslirp0 libglib2.0-0*"),
    ("before", FILES),
    ("tally alone", "apt-get -y -q --no-install-recommends install ./tally_*.deb"),
    ("no emulator", "tally count /bin/true"),
    ("emulator", "apt-get -y -q --no-install-recommends install ./tally-qemu_*.deb"),
    ("owned", "dpkg --verify tally tally-qemu; dpkg --audit"),
    ("few", f"tally count {SPIN} {FEW}"),
    ("more", f"{USER} tally count {SPIN} {MORE}"),
    ("dynamic", "tally count /bin/true"),
    ("run", "tally run /bin/sh -c 'echo $((6 * 7)); exit 3'"),
    ("shell", "tally run busybox echo hello"),
    ("user", f"cd / && {USER} tally run /bin/echo hello"),
    ("report", "tally report --format tap"),
    ("alpha", "tally report --arch alpha"),
    ("abi", "tally abi perf_event_open"),
    ("image", "tally image -o x /bin/true"),
    ("under", "tally run --under kvm /bin/true"),
    ("completion", COMPLETE),
    ("man", "ls /usr/share/man/man1/tally.1.gz /usr/share/man/man3/perf_self.3.gz /usr/share/man/man4/perfctr.4.gz"),
    ("half", f"rm {SPIN.replace('spin', 'count')}; tally count /bin/true"),
    ("elsewhere", "dpkg -i ./other.deb"),
    ("purge emulator", "dpkg --purge tally-qemu"),
    ("without", "tally run /bin/true"),
    ("purge", "dpkg --purge tally"),
    ("after", FILES),
)


def other_architecture(deb, path):
    """The package for another architecture, without its files."""
    with tempfile.TemporaryDirectory() as folder:
        control = os.path.join(folder, "DEBIAN", "control")
        os.makedirs(os.path.dirname(control))
        text = subprocess.run(["dpkg-deb", "-f", deb], stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(control, "w", encoding="utf-8") as file:
            file.write(text.replace("Architecture: amd64", "Architecture: arm64"))
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", folder, path], stdout=subprocess.DEVNULL, check=True)


def counts(text):
    """User's and kernel's instructions, of the table."""
    found = re.search(COUNTS, text, re.M)
    return tuple(int(number.replace(",", "")) for number in found.groups()) if found else (0, 0)


def judge(report, suite, got, ours):
    def done(name, title):
        status, text = got.get(name, (None, ""))
        report.equal(status, 0, f"{suite}: {title}", text)
        return text

    def said(name, expected, title):
        status, text = got.get(name, (None, ""))
        report.equal((status, text), expected, f"{suite}: {title}")
    done("no compiler", "no compiler is there")
    done("depends", "what the packages depend on is Debian's")
    done("tally alone", "tally installs")
    said("no emulator", (121, "tally: the emulator is not installed; it is in the package tally-qemu, beside the package tally\n"),
         "without the emulator, its package is named")
    done("emulator", "tally-qemu installs")
    said("owned", (0, ""), "dpkg finds nothing wrong")
    few, more = (counts(done(name, f"tally count, {name} passes")) for name in ("few", "more"))
    report.equal(more[0] - few[0], (MORE - FEW) * EACH, f"{suite}: {EACH} instructions for each pass")
    report.equal((few, more), ours, f"{suite}: the counts are the clone's, also for a user who is not root")
    report.ok(counts(done("dynamic", "tally count of a program with libraries"))[0] > 10000, f"{suite}: it has counts")
    said("run", (3, "42\n"), "tally run: output and status")
    said("shell", (0, "hello\n"), "tally run: a program of the PATH")
    said("user", (0, "hello\n"), "tally run by a user who is not root, in a folder that is not his")
    text = done("report", "tally report")
    report.ok(re.search(r"^# report: \d+ rules: \d+ ok, 0 not ok", text, re.M), f"{suite}: no rule is broken", text[-500:])
    report.ok("24 of 24 counts are exact." in done("alpha", "tally report --arch alpha"), f"{suite}: Alpha's counts are exact")
    report.ok("perf_event_open" in done("abi", "tally abi"), f"{suite}: it finds an interface")
    said("image", (121, "tally: ld is not installed; run: apt-get install binutils grub-common grub-pc-bin grub-efi-amd64-bin mtools "
                   "xorriso\n"), "what an image needs is named")
    said("under", (121, "tally: --under kvm is for a clone of Tally's repository: the packages have no Linux\n"), "so is what no package has")
    report.equal(done("completion", "bash completes").splitlines(), ["count", "--save", "kvm", got.get("completion", (0, ""))[1].split("\n")[-2]],
                 f"{suite}: commands, options and their values")
    done("man", "the manual pages are there")
    said("half", (121, "tally: /usr/lib/tally/build/user/bin/count is not there; install tally again\n"), "a lost file is named")
    status, text = got.get("elsewhere", (None, ""))
    report.ok(status == 1 and "package architecture (arm64) does not match system (amd64)" in text,
              f"{suite}: dpkg refuses a package for another architecture", status, text)
    done("purge emulator", "tally-qemu goes")
    report.equal(got.get("without", (None,))[0], 121, f"{suite}: tally says again what is missing")
    done("purge", "tally goes")
    before, after = (set(got.get(name, (0, ""))[1].splitlines()) for name in ("before", "after"))
    report.equal((after - before, before - after), (set(), set()), f"{suite}: nothing is left, and nothing else is gone")
    report.equal(got[""][0], 0, f"{suite}: every command ended", got[""][1])


def library(report, deb, folder):
    """Header and library of the package, with the host's compiler."""
    root, source, program = (os.path.join(folder, name) for name in ("root", "prog.c", "prog"))
    subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
    with open(source, "w", encoding="utf-8") as file:
        file.write("""\
#include <perf_self.h>
#include <stdio.h>

int main(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1};
	struct perf_self self;
	uint64_t count = 0;

	if (perf_self_open(&self, &attr, NULL) != 0 || perf_self_read_value(&self, &count) != 0)
		return 1;
	printf("%d\\n", count > 0);
	return 0;
}
""")
    paths = subprocess.run(["gcc", "-print-multiarch"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    status, _, error = tap.command(["gcc", "-Wall", "-Werror", f"-I{root}/usr/include/tally", source, f"-L{root}/usr/lib/{paths}",
                                    "-ltallyperf", "-o", program])
    report.equal((status, error), (0, ""), "a program compiles with the package's header and library")
    report.equal(tap.command([TALLY, "run", program]), (0, b"1\n", ""), "it counts itself")


def main():
    report = tap.Report()
    tally, emulator = packages.build()
    report.equal(packages.complaint((tally, emulator)), None, "lintian finds no error")
    with tempfile.TemporaryDirectory(prefix="tally-packages-") as folder:
        library(report, tally, folder)
        spin = os.path.join(folder, "root", SPIN.lstrip("/"))
        ours = tuple(counts(tap.command([TALLY, "count", spin, str(number)])[2]) for number in (FEW, MORE))
        other = os.path.join(folder, "other.deb")
        other_architecture(tally, other)
        for suite in packages.SUITES:
            tree, reason = packages.clean(suite, ready=True)
            if tree is None:
                report.skip(f"{suite}: install, work, go", reason)
                continue
            judge(report, suite, packages.run(tree, CASES, (tally, emulator, other), os.path.join(folder, suite)), ours)
    return report.done()


sys.exit(main())
