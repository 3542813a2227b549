#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""perf record and what reads its files: report, script, annotate; top, list, sched, trace."""

import os
import re
import sys

from tallytest import inside, tap

PASSES, PERIOD = 1000000, 10000
# A sample at every so many instructions; the C library's own are fewer than one period.
SAMPLES = PASSES * inside.INSTRUCTIONS_EACH // PERIOD
# A busy program, and what ends it in time: perf itself goes on for a second.
BUSY = "$SPIN 1000000000000 &"
END = "bash -c \"sleep 0.1; kill $!\""


def script(add):
    add("period", f"perf record -o period -e instructions:u -c {PERIOD} $SPIN {PASSES}")
    add("period, report", "perf report -i period --stdio")
    add("period, script", "perf script -i period -F comm,period,event,ip,sym")
    add("period, annotate", "perf annotate -i period --stdio -s spin_loop")
    add("period, dump", "perf report -i period -D | grep -o 'PERF_RECORD_[A-Z0-9_]*' | sort | sed 's/$/ /' | tr -d '\\n'")
    add("frequency", "perf record -q -o frequency -F 1000 $SPIN 60000000; perf report -i frequency --stdio")
    add("several", f"perf record -q -o several -e instructions:u,branches:u -c 100000 $SPIN {PASSES};"
        "perf report -i several --stdio")
    add("group", f"perf record -q -o group -e '{{instructions:u,branches:u}}:S' -c 100000 $SPIN {PASSES};"
        "perf script -i group -F event,period")
    add("kernel", "perf record -q -o kernel -F 5000 -e cycles:k ls -lR /proc >/dev/null; perf report -i kernel --stdio")
    # By number of instructions: both take hundreds of samples however busy the host is.
    add("chains", "perf record -q -g -o chains -c 20000 -e instructions:k ls -lR /proc >/dev/null;"
        "perf report -i chains --stdio --no-children -G")
    add("chains, script", "perf script -i chains")
    add("chains of faults", "perf record -q -g -o faults -c 2000 -e instructions:k true; perf script -i faults")
    add("dwarf", "perf record -q --call-graph dwarf -o dwarf -F 2000 -e cycles:u true; perf script -i dwarf")
    add("all CPUs", f"{BUSY} perf record -q -a -o all -F 1000 {END}; perf report -i all --stdio --sort cpu,sym")
    add("a process", f"{BUSY} perf record -q -o process -F 1000 -p $! {END}; perf report -i process --stdio")
    add("switches", "perf record -q --switch-events -o switches -e instructions:u -c 10000000 sleep 0.1;"
        "perf script -i switches --show-switch-events --show-task-events --show-mmap-events")
    add("addresses", "perf record -q -d -o addresses -e page-faults -c 1 true; perf script -i addresses -F event,addr")
    add("registers", f"perf record -q --user-regs=ip,sp -o registers -e instructions:u -c 100000 $SPIN {PASSES};"
        "perf script -i registers -F uregs")
    add("top", f"{BUSY} {{ sleep 1.2; kill $!; sleep 1; }} | timeout -s INT 1.5 perf top --stdio -d 1 2>&1")
    add("list", "perf list 2>&1")
    add("mem", "perf mem record true")
    add("c2c", "perf c2c record true")
    add("sched", "perf sched -i sched record -o sched sleep 0.1 2>&1; perf sched -i sched latency")
    add("trace", "perf trace true")
    add("tracepoints", "perf trace -e 'sched:*' true; perf stat -x, -e raw_syscalls:sys_enter,raw_syscalls:sys_exit true")


def percent(text, symbol):
    """The share that a report gives a symbol; None: it is not there."""
    found = re.search(rf"^ +(\d+\.\d\d)% .*\] {re.escape(symbol)}\b", text, re.M)
    return float(found[1]) if found else None


def check_samples(report, cases):
    report.ok(f"({SAMPLES} samples)" in cases.text("period"), f"-c: {SAMPLES} samples exactly", cases.text("period"))
    text = cases.text("period, report")
    report.ok(f"# Samples: {SAMPLES}  of event 'instructions:u'" in text and
              f"# Event count (approx.): {SAMPLES * PERIOD}" in text, "report: their number and events", text)
    report.equal(percent(text, "spin_loop"), 100.0, "report: all in the loop", text)
    lines = [line.split() for line in cases.text("period, script").splitlines()]
    report.equal([line[:3] + line[4:] for line in lines], [["spin", str(PERIOD), "instructions:u:", "spin_loop"]] * SAMPLES,
                 "script: a line for each")
    text = cases.text("period, annotate")
    parts = {found[2]: float(found[1]) for found in re.finditer(r"^ +(\d+\.\d\d) : +\w+: +(\w+)", text, re.M)}
    report.ok(set(parts) == {"sub", "jne", "ret"} and parts["ret"] == 0 and parts["sub"] + parts["jne"] == 100,
              "annotate: the loop's instructions", text)
    kinds = cases.text("period, dump").split()
    report.equal(kinds.count("PERF_RECORD_SAMPLE"), SAMPLES, "dump: samples", kinds)
    report.ok({"PERF_RECORD_COMM", "PERF_RECORD_MMAP2", "PERF_RECORD_EXIT"} <= set(kinds), "dump: the records that explain the samples",
              kinds)
    share = percent(cases.text("frequency"), "spin_loop")
    report.ok(share and share > 90, "-F: nearly all in the loop", cases.text("frequency"))
    found = re.findall(r"# Samples: (\S+)  of event '(\S+)'", cases.text("several"))
    report.equal(found, [("20", "instructions:u"), ("10", "branches:u")], "several events", cases.text("several"))
    # With :S the leader samples, and each sample has the counts of both.
    events = [line.split()[-1] for line in cases.text("group").splitlines()]
    report.equal((events.count("instructions:u:"), events.count("branches:u:")), (20, 20), "a group's counts in each sample",
                 cases.text("group"))


def check_places(report, cases):
    text = cases.text("kernel")
    report.ok(re.search(r"\[kernel.kallsyms\]  \[k\] [a-z]\w+$", text, re.M) and not re.search(r"\[k\] 0x", text),
              "the kernel's functions have names", text)
    lines = cases.text("chains, script").splitlines()
    known = [line for line in lines if "([kernel.kallsyms])" in line]
    report.ok(known and all(re.match(r"\s+[0-9a-f]{16} [a-z][\w.]+\+0x", line) for line in known),
              "-g: the kernel's chains have names", *lines[:40])
    report.ok("syscall_entry" in cases.text("chains"), "-g: they go back to the system call", cases.text("chains")[:2000])
    text = cases.text("chains of faults")
    taken = re.findall(r" (trap_\w+)\+", text)
    report.equal(set(taken) & {"trap_entry", "trap_return"}, {"trap_entry"}, "-g: or to the entry of the trap", text[:2000])
    report.ok(re.search(r"\(/.*ld-linux-x86-64.so.2\)", cases.text("dwarf")), "--call-graph dwarf: in the loader",
              cases.text("dwarf")[:2000])
    report.ok(percent(cases.text("all CPUs"), "spin_loop") or "spin_loop" in cases.text("all CPUs"), "-a: the busy program",
              cases.text("all CPUs")[:2000])
    report.ok((percent(cases.text("a process"), "spin_loop") or 0) > 50, "-p: the busy program", cases.text("a process")[:2000])
    text = cases.text("switches")
    order = re.findall(r"PERF_RECORD_(COMM exec|SWITCH OUT|SWITCH IN|EXIT)", text)
    report.equal([order[0], order[-1]] if order else order, ["COMM exec", "EXIT"], "--switch-events: from exec to exit", text)
    report.ok(order.count("SWITCH OUT") >= 1 and order.count("SWITCH IN") == order.count("SWITCH OUT"),
              "--switch-events: out and in", text)
    files = re.findall(r"PERF_RECORD_MMAP2 .*: r-xp (\S+)", text)
    report.ok([os.path.basename(name) for name in files] == ["sleep", "ld-linux-x86-64.so.2", "[vdso]", "libc.so.6"],
              "the mappings of a program and its libraries", *files)
    faults = re.findall(r"page-faults: +([0-9a-f]+)", cases.text("addresses"))
    report.ok(faults and all(int(address, 16) for address in faults), "-d: where the faults were", cases.text("addresses")[:500])
    report.equal(len(re.findall(r"SP:0x7f\w+ +IP:0x4\w+", cases.text("registers"))), 20, "--user-regs",
                 cases.text("registers")[:500])


def check_others(report, cases):
    text = cases.text("top")
    report.ok(re.search(r"PerfTop: +[1-9]\d* irqs/sec", text) and re.search(r"\d+\.\d\d%  spin +\[\.\] spin_loop", text),
              "top: the busy program", text[-3000:])
    text = cases.text("list")
    for name in ("instructions", "page-faults", "cpu/instructions/", "msr/tsc/", "sched:sched_switch",
                 "syscalls:sys_enter_openat", "rNNN", "mem:<addr>"):
        report.ok(name in text, f"list: {name}")
    for command in ("mem", "c2c"):
        report.equal((cases.status(command), cases.text(command).strip()), (255, "failed: memory events not supported"),
                     f"{command}: refused for want of hardware")
    text = cases.text("sched")
    report.ok(re.search(r"^ +sleep:\d+ +\| +\d+\.\d+ ms \| +[1-9]", text, re.M), "sched latency: a line for the program", text)
    text = cases.text("trace")
    report.ok(re.search(r"openat\(.*\) += 3$", text, re.M) and re.search(r"exit_group\(\) += \?$", text, re.M),
              "trace: calls from start to end", text)
    text = cases.text("tracepoints")
    report.ok(re.search(r'sched:sched_process_exec\(filename: "\S*/bin/true", pid: (\d+) \(true\), old_pid: \1 ', text),
              "trace -e: tracepoints with their fields", text)
    rows = inside.counts(text)
    report.ok(rows.get("raw_syscalls:sys_enter", (0,))[0] and
              rows["raw_syscalls:sys_enter"][0] == rows["raw_syscalls:sys_exit"][0], "stat: tracepoints", rows)


def main():
    report = tap.Report()
    cases = inside.Cases()
    script(cases.add)
    cases.run(report, ("--add", "/usr/bin/tr"))
    check_samples(report, cases)
    check_places(report, cases)
    check_others(report, cases)
    return report.done()


sys.exit(main())
