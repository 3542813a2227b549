#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's stress-ng: by its user's own command line, and then a hundred stressors on four CPUs.

Nothing that it tries fails, and memory is free again afterwards. Each stressor is one process (or what it
makes of itself), and those of a group run at the same time, all in one boot. Each does so much and
ends by itself, however slow the host is. The reserve for the next time is there after a pass, but for
what more of them needed at the same time than ever before: so there is a pass after which free memory
is no less than after the one before it, while a leak takes something in each.
"""

import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
TIMEOUT_S = 3000
# Whole command lines of their own, and how much memory their machine has. The last fills the file system at /, and goes on.
ALONE = (("stress-ng --cpu 2 --vm 1 --pipe 2 --timeout 2", None), ("stress-ng --forkheavy 1 --forkheavy-ops 20", 1024))
# A stressor that does not end by itself is ended after so many seconds, and then has no row of figures.
LIMIT_S = 1000
PASSES_MAX = 12

# Operations of each stressor in a pass. One operation of some is much work.
OPERATIONS = {"memfd": 1, "mmap": 1, "mmapfork": 1, "mremap": 1, "stack": 1}
OPERATIONS_ELSE = 2

# Stressors that run beside each other: name, options of its own. Three are left out that fail by themselves now and
# then when the host is busy, on Linux, too: pthread does not wait for its last thread, which may then start when the
# stack with its arguments is gone (SIGSEGV); the processes of resched count in one place without a lock; mutex
# reports that it could make no thread when its threads have done everything before it looks.
GROUPS = {
    "computing": """atomic; branch; bsearch;  cpu; funccall; funcret; goto; hash; heapsort --heapsort-size 4096; hsearch; list --list-size 500;
        longjmp; lsearch --lsearch-size 1024; matrix; memcpy; mergesort --mergesort-size 4096; nop; opcode; qsort --qsort-size 4096; regs; skiplist; str; tree --tree-size 1000; vecmath""",
    "memory": """fault; malloc --malloc-bytes 32M; memfd --memfd-bytes 32M;
        mincore; mlock; mmap --mmap-bytes 32M; mmapfork; mremap --mremap-bytes 16M;
        msync --msync-bytes 16M; munmap; stack""",
    "processes": """affinity; clone --clone-max 64; context; daemon; exit-group; fork; get; kill; nice; prctl;
        race-sched; rlimit; schedpolicy; session; set; sleep --sleep-max 64; vfork; wait; zombie --zombie-max 64""",
    # Not beside sigq: its signals may fill RLIMIT_SIGPENDING, and then timer_create() fails with EAGAIN.
    "timing": """alarm; clock; itimer; nanosleep; timer""",
    "waiting": """eventfd; fifo; futex; pipe; poll; ring-pipe;
        sigabrt; sigchld; sigfd; sigpending; sigq; sigsegv; sigsuspend; sockpair; splice; switch; tee; vm-splice""",
    "files": """access; chdir --chdir-dirs 100; chmod; chown; close; copy-file; dentry --dentries 200; dir --dir-dirs 100; dup;
        fallocate --fallocate-bytes 16M; fcntl; flock; fstat; getdent; hdd --hdd-bytes 8M; io; locka;
        lockf; lockofd; mknod; null; open --open-max 200; rename; seek; sendfile; touch; urandom; utime;
        zero""",
}

# Prints, for each pass: for each group its name, what stress-ng said and its status; then the free memory in kB. A line of
# $GROUP_WORDS: the group's name, then the words.
SCRIPT = """\
free_memory() {
	while read -r name size _; do
		[ "$name" != MemFree: ] || echo "$size"
	done </proc/meminfo
}
pass() {
	while IFS='|' read -r group words; do
		echo "== $group"
		stress-ng --temp-path /tmp --metrics-brief --verbose $words </dev/null 2>&1
		echo "== status $?"
	done <<<"$GROUP_WORDS"
	# A stressor that was killed leaves its files; the last ones may still be exiting.
	rm -rf /tmp/tmp-stress-ng*
	for _ in {1..20}; do
		free=$(free_memory)
		[ "$free" -lt "$least" ] || break
		sleep 0.2
	done
	echo "== free $free"
}
free=0
for ((passes = 0; passes < PASSES_MAX; passes++)); do
	least=$free
	pass
	[ "$least" = 0 ] || [ "$free" -lt "$least" ] || break
done
"""


def names_of(stressors):
    """{name: its words for stress-ng}."""
    words = [stressor.split() for stressor in stressors.split(";")]
    return {word[0]: [f"--{word[0]}", "1", *word[1:]] for word in words}


def lines():
    """A pass: a line for each group."""
    for group, stressors in GROUPS.items():
        words = [f"--timeout {LIMIT_S}"]
        for name, own in names_of(stressors).items():
            words += own + [f"--{name}-ops", str(OPERATIONS.get(name, OPERATIONS_ELSE))]
        yield f"{group}|{' '.join(words)}"


def complaints(text):
    found = re.findall(r"^stress-ng: (?:fail|error|warn): .*|^stress-ng: info: .*skipp.*", text, re.MULTILINE)
    return [line for line in found if "finished prematurely" not in line]


def reasons(text):
    """The lines of stress-ng's output with its complaints."""
    return "\n".join(re.findall(r"^stress-ng: (?:(?:fail|error|warn): .*|.* on signal: .*|.*unsuccessful run.*)", text, re.MULTILINE))


def run():
    """Status and output: a list of (mark, the lines up to the next mark)."""
    variables = {"PATH": "/usr/bin:/bin", "GROUP_WORDS": "\n".join(lines()), "PASSES_MAX": PASSES_MAX}
    words = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
    words += [word for name in ("stress-ng", "sleep", "rm") for word in ("--add", f"/usr/bin/{name}")]
    status, output, error = tap.command(
        [TALLY, "run", "--cpus", "4", "--memory", "1536", "--timeout", str(TIMEOUT_S), *words, "--add", "/bin/sh",
         "/bin/bash", "-c", SCRIPT], timeout_s=TIMEOUT_S + 30)
    parts = re.split(r"^== (.*)\n", output.decode(errors="replace"), flags=re.MULTILINE)
    return status, list(zip(parts[1::2], parts[2::2])), error


def main():
    report = tap.Report()
    for words, memory in ALONE:
        options = ["--memory", str(memory)] if memory else []
        status, output, error = tap.command([TALLY, "run", *options, *words.split()])
        report.ok(status == 0 and b"successful run" in output, words, output.decode(errors="replace"), error)
    status, said, error = run()
    free = [int(mark.split()[1]) for mark, _ in said if mark.startswith("free ")]
    for group, stressors in GROUPS.items():
        texts = [text for mark, text in said if mark == group]
        report.equal(len(texts), len(free), f"{group}: every pass ended", *texts[-1:])
        for name in names_of(stressors):
            # A row of figures from the first pass; a complaint names its stressor.
            rows = re.findall(rf"metrc: *\[\d+\] {re.escape(name)}(?: +[\d.]+){{6}}$", "".join(texts[:1]), re.MULTILINE)
            bad = [line for line in complaints("".join(texts)) if re.search(rf"[ (]{re.escape(name)}\b", line)]
            report.ok(len(rows) == 1 and not bad, f"{group}: {name}", *bad)
    ends = [(mark, before) for (_, before), (mark, _) in zip(said, said[1:]) if mark.startswith("status ")]
    discontent = [f"{mark}: {reasons(text)}" for mark, text in ends if mark != "status 0"]
    report.ok(len(ends) == len(GROUPS) * len(free) and not discontent, "stress-ng is content with every group", *discontent)
    report.ok(len(free) > 1 and free[-1] >= free[-2],
              "one of the passes leaves no less free memory than the one before", f"free, in kB: {free}")
    report.note(f"free after the passes, in kB: {free}")
    report.equal(status, 0, "the shell that started them exits with status 0", error)
    return report.done()


sys.exit(main())
