#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's stress-ng on four CPUs: nothing that it tries fails, and memory is free again afterwards.

Each stressor is one process (or what it makes of itself), and those of a group run at the same time,
all in one boot. In the first pass each does a little and ends by itself, however slow the host is; in
the others all of a group go on for some seconds. What is kept for the next time is there after a pass, but
for what more of them needed at the same time than ever before: so free memory is no less after one of
the passes than after the pass before it, while a leak takes something in each.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(HERE, "..")]

import tap  # pylint: disable=wrong-import-position

TALLY = os.path.join(ROOT, "tools", "tally")
TIMEOUT_S = 240
ALONE = "stress-ng --cpu 2 --vm 1 --pipe 2 --timeout 5"
# What is said to stress-ng in each pass beside the group's words; the first one has NAME-ops for each.
PASSES = ("--timeout 100", "--timeout 2", "--timeout 1", "--timeout 1")

# Of each stressor in the first pass.
OPERATIONS = 2

# Stressors that run beside each other: name, options of its own.
GROUPS = {
    "computing": """atomic; branch; bsearch;  cpu; funccall; funcret; goto; hash; heapsort --heapsort-size 4096; hsearch; list --list-size 500;
        longjmp; lsearch --lsearch-size 1024; matrix; memcpy; mergesort --mergesort-size 4096; nop; opcode; qsort --qsort-size 4096; regs; skiplist; str; tree --tree-size 1000; vecmath""",
    "memory": """fault; malloc --malloc-bytes 32M; memfd --memfd-bytes 32M;
        mincore; mlock; mmap --mmap-bytes 32M; mmapfork; mremap --mremap-bytes 16M;
        msync --msync-bytes 16M; munmap; stack""",
    "processes": """affinity; clone --clone-max 64; context; daemon; exit-group; fork; get; kill; nice; prctl;
        pthread --pthread-max 64; resched; rlimit; set; vfork; wait; zombie --zombie-max 64""",
    "waiting": """alarm; clock; eventfd; fifo; futex; itimer; mutex; nanosleep; pipe; poll; ring-pipe;
        sigabrt; sigfd; sigpending; sigq; sigsegv; sigsuspend; sockpair; splice; switch; tee; timer; vm-splice""",
    "files": """access; chdir --chdir-dirs 100; chmod; chown; close; copy-file; dentry --dentries 200; dir --dir-dirs 100; dup;
        fallocate --fallocate-bytes 16M; fcntl; flock; fstat; getdent; hdd --hdd-bytes 8M; io; locka;
        lockf; lockofd; mknod; null; open --open-max 200; rename; seek; sendfile; touch; urandom; utime;
        zero""",
}

# Prints, for each pass: for each group its name, what stress-ng said and its status; then the free memory in kB.
# A line of PASSES: the group's name, then the words.
SCRIPT = """\
free_memory() {
	while read -r name size _; do
		[ "$name" != MemFree: ] || echo "$size"
	done </proc/meminfo
}
least=0
while IFS='|' read -r group words; do
	if [ -n "$words" ]; then
		echo "== $group"
		stress-ng --temp-path /tmp --metrics-brief $words </dev/null 2>&1
		echo "== status $?"
		continue
	fi
	# The end of a pass. A stressor that was killed leaves its files; what ended last may still be on its way out.
	rm -rf /tmp/tmp-stress-ng*
	for _ in {1..20}; do
		free=$(free_memory)
		[ "$free" -lt "$least" ] || break
		sleep 0.2
	done
	least=$free
	echo "== free $free"
done <<<"$LINES_OF_PASSES"
"""


def names_of(stressors):
    """{name: its words for stress-ng}."""
    words = [stressor.split() for stressor in stressors.split(";")]
    return {word[0]: [f"--{word[0]}", "1", *word[1:]] for word in words}


def lines_of_passes():
    for number, limit in enumerate(PASSES):
        for group, stressors in GROUPS.items():
            words = [limit]
            for name, own in names_of(stressors).items():
                words += own + ([f"--{name}-ops", str(OPERATIONS)] if number == 0 else [])
            yield f"{group}|{' '.join(words)}"
        yield "end|"


def complaints(text):
    found = re.findall(r"^stress-ng: (?:fail|error|warn): .*|^stress-ng: info: .*skipp.*", text, re.MULTILINE)
    return [line for line in found if "finished prematurely" not in line]


def boot(*words):
    """A run on four CPUs in a tree with stress-ng: what tap.command returns."""
    tree = subprocess.run([os.path.join(HERE, "tree"), "stress-ng"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()
    return tap.command([TALLY, "run", "--root", tree, "--cpus", "4", "--memory", "1536", "--timeout", str(TIMEOUT_S),
                        *words], timeout_s=TIMEOUT_S + 30)


def run():
    """Status, and what was said: a list of (mark, the lines up to the next mark)."""
    status, output, error = boot(
        "--env", "PATH=/usr/bin:/bin", "--env", "LINES_OF_PASSES=" + "\n".join(lines_of_passes()),
        "--add", "/usr/bin/sleep", "--add", "/usr/bin/rm", "--add", "/bin/sh", "/bin/bash", "-c", SCRIPT)
    parts = re.split(r"^== (.*)\n", output.decode(errors="replace"), flags=re.MULTILINE)
    return status, list(zip(parts[1::2], parts[2::2])), error


def main():
    report = tap.Report()
    status, output, error = boot("stress-ng", *ALONE.split()[1:])
    report.ok(status == 0 and b"successful run" in output, ALONE, output.decode(errors="replace"), error)
    status, said, error = run()
    free = [int(mark.split()[1]) for mark, _ in said if mark.startswith("free ")]
    for group, stressors in GROUPS.items():
        texts = [text for mark, text in said if mark == group]
        report.equal(len(texts), len(PASSES), f"{group}: every pass ended", *texts[-1:])
        for name in names_of(stressors):
            # A row of figures from the first pass; a complaint names its stressor.
            rows = re.findall(rf"metrc: *\[\d+\] {re.escape(name)}(?: +[\d.]+){{6}}$", "".join(texts[:1]), re.MULTILINE)
            bad = [line for line in complaints("".join(texts)) if re.search(rf"[ (]{re.escape(name)}\b", line)]
            report.ok(len(rows) == 1 and not bad, f"{group}: {name}", *bad)
    statuses = [mark for mark, _ in said if mark.startswith("status ")]
    report.equal(statuses, ["status 0"] * len(GROUPS) * len(PASSES), "stress-ng is content with every group",
                 *(line for _, text in said for line in complaints(text)))
    report.ok(len(free) == len(PASSES) and any(after >= before for before, after in zip(free, free[1:])),
              "not every pass leaves less free memory than the one before", f"free, in kB: {free}")
    report.note(f"free after the passes, in kB: {free}")
    report.equal(status, 0, "and the shell that started them ended", error)
    return report.done()


sys.exit(main())
