# SPDX-License-Identifier: BSD-2-Clause
"""gdb's view of a Tally that stands still: its tasks, its CPUs, its perf contexts.

    tools/tally run --gdb PROGRAM                       # in one terminal
    gdb build/tally.elf -ex 'source tools/gdb/tally.py' -ex 'target remote :1234'

    tally tasks       every thread: number, process, state, CPU, how often it was switched to, name
    tally stacks      where every thread stands in the kernel that does not run
    tally cpus        every CPU: what it runs
    tally contexts    every perf context with its events, and what they have counted

Nothing is called in the kernel and nothing is written: the commands only read memory, whatever the CPUs
did. A list in the middle of a change may show half of the change.
"""

import gdb  # pylint: disable=import-error

_STATES = ("runnable", "sleeping", "new", "traced", "zombie")
# More than can exist: the walk over a damaged list must end.
_MOST = 100000
# A kernel stack. arch/x86_64/switch.S leaves the registers of a task that does not run there: the last one is the
# frame pointer, with the return address above it.
_WORD = 8
_KERNEL_STACK_BYTES = 16384
_SAVED_FRAME_POINTER = 5 * _WORD
_MOST_FRAMES = 24


def _variable(name):
    """A variable of the kernel that is not static."""
    try:
        return gdb.parse_and_eval(name)
    except gdb.error as error:
        raise gdb.GdbError(f"{name}: {error}; is build/tally.elf loaded?") from None


def _tasks():
    """Every struct task of the tree by number, in its order."""
    stack, node, seen = [], _variable("tasks_by_tid")["rbh_root"], 0
    while (stack or node) and seen < _MOST:
        while node:
            stack.append(node)
            node = node["by_tid"]["rbe_left"]
        node = stack.pop()
        yield node.dereference()
        seen += 1
        node = node["by_tid"]["rbe_right"]


def _cpus():
    """(number, struct cpu_local) of every CPU that has started."""
    cpus = _variable("cpu_locals")
    for number in range(int(_variable("started_cpus"))):
        yield number, cpus[number]


def _queue(head, link):
    """The members of a TAILQ."""
    member, seen = head["tqh_first"], 0
    while member and seen < _MOST:
        yield member.dereference()
        seen += 1
        member = member[link]["tqe_next"]


def _where(address):
    """Function and offset of an address, as in "schedule+0x1c"."""
    text = gdb.execute(f"info symbol {int(address):#x}", to_string=True)
    return text.split(" in section")[0].replace(" + ", "+").strip()


def _frames(task):
    """The return addresses of a task that does not run, innermost first, by its chain of frame pointers."""
    word = gdb.lookup_type("unsigned long").pointer()
    base = int(task["arch"]["kernel_stack"])
    frame = int(task["arch"]["kernel_rsp"]) + _SAVED_FRAME_POINTER
    lowest, seen = base, 0
    while lowest <= frame and base <= frame < base + _KERNEL_STACK_BYTES - _WORD and seen < _MOST_FRAMES:
        pair = gdb.Value(frame).cast(word)
        lowest, frame, seen = frame + 1, int(pair[0]), seen + 1
        yield int(pair[1])


class Tally(gdb.Command):
    """The state of Tally: tally tasks, tally stacks, tally cpus, tally contexts."""

    def __init__(self):
        super().__init__("tally", gdb.COMMAND_STATUS, prefix=True)


class TallyTasks(gdb.Command):
    """Every thread: its number, its process, state, CPU (* if it runs), name."""

    def __init__(self):
        super().__init__("tally tasks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print("  TID  TGID  STATE     CPU  SWITCHES  NAME")
        for task in _tasks():
            state = _STATES[int(task["state"])]
            switches = int(task["switches_voluntary"]) + int(task["switches_forced"])
            print(f"{int(task['tid']):5} {int(task['tgid']):5}  {state:8}  {int(task['cpu']):3}"
                  f"{'*' if task['running'] else ' '} {switches:8}  {task['comm'].string()}")


class TallyStacks(gdb.Command):
    """Every thread that does not run: which function of the kernel it waits in, and who called that."""

    def __init__(self):
        super().__init__("tally stacks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for task in _tasks():
            if not task["running"] and task["arch"]["kernel_stack"]:
                places = " < ".join(_where(address) for address in _frames(task))
                print(f"{int(task['tid']):5}  {task['comm'].string():16}  {places}")


class TallyCpus(gdb.Command):
    """Every CPU: the task that it runs, and in what."""

    def __init__(self):
        super().__init__("tally cpus", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        # The emulator numbers its threads by APIC ids; the kernel numbers CPUs in the order of their start.
        threads = {thread.num - 1: thread for thread in gdb.selected_inferior().threads()}
        chosen = gdb.selected_thread()
        print("CPU  APIC  TID  NAME              AT")
        for number, cpu in _cpus():
            task = cpu["current"].dereference()
            place = "?"
            if int(cpu["apic_id"]) in threads:
                threads[int(cpu["apic_id"])].switch()
                place = _where(gdb.parse_and_eval("$pc"))
                place = "user mode" if place.startswith("No symbol") else place
            print(f"{number:3} {int(cpu['apic_id']):5} {int(task['tid']):4}  {task['comm'].string():16}  {place}")
        if chosen is not None:
            chosen.switch()


class TallyContexts(gdb.Command):
    """Every perf context that has events: whose it is, where it is active, its events and counts."""

    def __init__(self):
        super().__init__("tally contexts", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        contexts = [(f"CPU {number}", _variable("perf_cpus")[number]["context"]) for number, _ in _cpus()]
        contexts += [(f"task {int(task['tid'])} ({task['comm'].string()})", task["perf"].cast(
            gdb.lookup_type("struct perf_task").pointer())["context"]) for task in _tasks() if task["perf"]]
        for owner, context in contexts:
            members = list(_queue(context["members"], "member_link"))
            cpu = int(context["cpu"])
            if members:
                print(f"{owner}: {len(members)} events, {'inactive' if cpu < 0 else f'active on CPU {cpu}'}")
            for event in members:
                attr = event["attr"]
                print(f"    type {int(attr['type'])} config {int(attr['config']):#x}: {event['state']}, "
                      f"count {int(event['count'])}")


Tally()
TallyTasks()
TallyStacks()
TallyCpus()
TallyContexts()
