#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's stress-ng: by its user's own command line, and then a hundred stressors on four CPUs.

Nothing that it tries fails, and memory is free again afterwards. Each stressor is one process (or what it
makes of itself), and those of a group run at the same time, all in one boot. Each does so much and
ends by itself, however slow the host is. The kernel keeps a reserve for the next time, which grows when more
stressors need something at the same time than ever before. So there is a pass after which the kernel has no more objects
and no less free memory than after the one before it, while a leak takes something in each. Stacks for as many tasks as there will be
at once are made first; pages of objects count as free, because which object is where decides how many those are; and a
pass has a shell of its own, so that the pages of the one that looks are nearly the same each time. So the third pass is usually the
last: the second may be the first to load a page of a program.
"""

import operator
import os
import re
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

TALLY = os.path.join(ROOT, "tools", "tally")
TIMEOUT_S = 3000
# mmapfork writes to half of it.
MEMORY_MIB = 512
# Whole command lines of their own, and how much memory their machine has. The last fills the file system at /, and goes on.
ALONE = (("stress-ng --cpu 2 --vm 1 --pipe 2 --timeout 1", None), ("stress-ng --forkheavy 1 --forkheavy-ops 20", 1024))
# A stressor that does not end by itself is ended after so many seconds, and then has no row of figures.
LIMIT_S = 1000
PASSES_MAX = 12
# No fewer than there are tasks at once in a pass.
TASKS = 300

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
    "memory": """fault; malloc --malloc-bytes 8M; memfd --memfd-bytes 8M;
        mincore; mlock; mmap --mmap-bytes 8M; mmapfork; mremap --mremap-bytes 4M;
        msync --msync-bytes 4M; munmap; stack""",
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

# Prints, for each pass: for each group its name, what stress-ng said and its status; then the kernel's state: free memory with the
# pages of objects, in kB, and the objects of each size. A line of $GROUP_WORDS: the group's name, then the words.
SCRIPT = """\
have_many_tasks() {
	for ((i = 0; i < TASKS; i++)); do
		( kill -STOP $BASHPID ) &
	done
	kill -KILL $(jobs -p)
	wait
}
state() {
	local free=0 objects=()
	{
		read -r _
		read -r _
		while read -r name used there _ in_slab pages _; do
			objects+=("$used")
			((free += there / in_slab * pages * 4))
		done
	} </proc/slabinfo
	while read -r name size _; do
		[ "$name" != MemFree: ] || ((free += size))
	done </proc/meminfo
	echo "$free ${objects[*]}"
}
is_kept() {
	local before=($1) after=($2)
	((after[0] >= before[0])) || return 1
	for ((i = 1; i < ${#before[*]}; i++)); do
		((after[i] <= before[i])) || return 1
	done
}
pass() {
	while IFS='|' read -r group words; do
		echo "== $group"
		stress-ng --temp-path /tmp --metrics-brief --verbose $words </dev/null 2>&1
		echo "== status $?"
	done <<<"$GROUP_WORDS"
	# A stressor that was killed leaves its files.
	rm -rf /tmp/tmp-stress-ng*
}
(have_many_tasks) 2>/dev/null
after=
for ((passes = 0; passes < PASSES_MAX; passes++)); do
	before=$after
	(pass)
	# The last tasks may still be exiting.
	for _ in {1..20}; do
		after=$(state)
		[ "$before" ] && is_kept "$before" "$after" && break
		sleep 0.1
	done
	echo "== state $after"
	[ ! "$before" ] || ! is_kept "$before" "$after" || break
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
    variables = {"PATH": "/usr/bin:/bin", "GROUP_WORDS": "\n".join(lines()), "PASSES_MAX": PASSES_MAX, "TASKS": TASKS}
    words = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
    words += [word for name in ("stress-ng", "sleep", "rm") for word in ("--add", f"/usr/bin/{name}")]
    status, output, error = tap.command(
        [TALLY, "run", "--cpus", "4", "--memory", str(MEMORY_MIB), "--timeout", str(TIMEOUT_S), *words, "--add", "/bin/sh",
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
    states = [[int(word) for word in mark.split()[1:]] for mark, _ in said if mark.startswith("state ")]
    for group, stressors in GROUPS.items():
        texts = [text for mark, text in said if mark == group]
        report.equal(len(texts), len(states), f"{group}: every pass ended", *texts[-1:])
        for name in names_of(stressors):
            # A row of figures from the first pass; a complaint names its stressor.
            rows = re.findall(rf"metrc: *\[\d+\] {re.escape(name)}(?: +[\d.]+){{6}}$", "".join(texts[:1]), re.MULTILINE)
            bad = [line for line in complaints("".join(texts)) if re.search(rf"[ (]{re.escape(name)}\b", line)]
            report.ok(len(rows) == 1 and not bad, f"{group}: {name}", *bad)
    ends = [(mark, before) for (_, before), (mark, _) in zip(said, said[1:]) if mark.startswith("status ")]
    discontent = [f"{mark}: {reasons(text)}" for mark, text in ends if mark != "status 0"]
    report.ok(len(ends) == len(GROUPS) * len(states) and not discontent, "stress-ng is content with every group", *discontent)
    kept = len(states) > 1 and states[-1][0] >= states[-2][0] and all(map(operator.le, states[-1][1:], states[-2][1:]))
    report.ok(kept, "one of the passes leaves no more objects and no less free memory than the one before",
              "free, in kB, and objects of each size:", *states)
    report.note(f"free after the passes, in kB: {[state[0] for state in states]}")
    report.equal(status, 0, "the shell that started them exits with status 0", error)
    return report.done()


sys.exit(main())
