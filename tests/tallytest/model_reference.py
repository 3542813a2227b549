# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's model of caches, TLBs and prediction once more, slow and plain, by docs/model.md and not by its C.

A cache is a list of lines for each set, from the oldest use on, and a dictionary of states by line; a TLB is the same with
pages; tables of the predictor are dictionaries. Tests compare its counts with the model's on random traces.
"""

from collections import defaultdict
from dataclasses import dataclass

MASK = (1 << 64) - 1
BLOCK, FETCH, LOAD, STORE = 1, 2, 3, 4
NONE, CONDITIONAL, JUMP, CALL, INDIRECT_JUMP, INDIRECT_CALL, RETURN, FAR = range(8)


@dataclass
class Shape:
    """The shape of a model, as numbers in the order of model_replay."""
    caches: dict        # name: (size, ways, line)
    virtual: int
    l2_inclusive: int
    llc_inclusive: int
    tlbs: dict          # name: (entries, ways)
    predictor: tuple    # table bits, history bits, returns, BTB entries, BTB ways
    costs: tuple        # L2, LLC, HITM, memory, STLB, walk step, mispredict, BTB miss

    @classmethod
    def of_words(cls, words):
        caches = {name: tuple(words[3 * i:3 * i + 3]) for i, name in enumerate(("l1i", "l1d", "l2", "llc"))}
        tlbs = {name: tuple(words[15 + 2 * i:17 + 2 * i]) for i, name in enumerate(("itlb", "dtlb", "stlb", "istlb"))}
        return cls(caches, *words[12:15], tlbs, tuple(words[23:28]), tuple(words[28:36]))

    def words(self):
        found = [number for cache in self.caches.values() for number in cache]
        found += [self.virtual, self.l2_inclusive, self.llc_inclusive]
        return found + [number for tlb in self.tlbs.values() for number in tlb] + [*self.predictor, *self.costs]


class Sets:
    """Keys in sets of WAYS, least recently used first. SETS 0: nothing is ever in it."""

    def __init__(self, sets, ways):
        self.sets, self.ways = sets, ways
        self.lists = [[] for _ in range(sets)]
        self.state = {}

    def __contains__(self, key):
        return key in self.state

    def use(self, key, place):
        if key not in self.state:
            return False
        members = self.lists[place % self.sets]
        if members[-1] != key:
            members.remove(key)
            members.append(key)
        return True

    def add(self, key, place, state):
        """Returns the pair of key and state that goes, or None."""
        members = self.lists[place % self.sets]
        members.append(key)
        self.state[key] = state
        if len(members) <= self.ways:
            return None
        old = members.pop(0)
        return old, self.state.pop(old)

    def drop(self, key, place):
        if key not in self.state:
            return None
        self.lists[place % self.sets].remove(key)
        return self.state.pop(key)


def cache_of(size, ways, line):
    return Sets(size // ways // line, ways) if size else Sets(0, 0)


def tlb_of(entries, ways):
    return Sets(entries // ways, ways) if entries else Sets(0, 0)


class Predictor:
    """Tables by dictionaries. TAGGED: (table, index): [tag, counter, useful]."""

    def __init__(self, bits, history_bits, returns, btb_entries, btb_ways):
        self.bits, self.nr_returns = bits, returns
        self.lengths = [history_bits // 9, history_bits // 3, history_bits]
        self.history = 0
        self.base = defaultdict(lambda: 1)
        self.tagged = {}
        self.targets = {}
        self.btb = tlb_of(btb_entries, btb_ways)
        self.returns = []

    def place(self, identity, table):
        history = self.history & ((1 << self.lengths[table]) - 1)
        mixed = (identity * 0x9e3779b97f4a7c15 ^ history * 0xc2b2ae3d27d4eb4f) & MASK
        mixed = (mixed ^ mixed >> 29) * 0xd6e8feb86659fd93 & MASK
        return mixed >> 64 - self.bits, mixed >> 16 & 0xffff or 1

    def base_place(self, identity):
        return (identity * 0x9e3779b97f4a7c15 & MASK) >> 64 - self.bits

    def direction(self, identity, taken):
        """Whether TAKEN was predicted."""
        places = [self.place(identity, table) for table in range(3)]
        slot = self.base_place(identity)
        says = [(-1, self.base[slot] >= 2)]
        for table, (index, tag) in enumerate(places):
            entry = self.tagged.get((table, index))
            if entry and entry[0] == tag:
                says.append((table, entry[1] >= 4))
        provider, provided = says[-1]
        predicted = provided
        if provider >= 0:
            entry = self.tagged[provider, places[provider][0]]
            other = says[-2][1]
            if entry[2] == 0 and entry[1] in (3, 4):
                predicted = other
            if provided != other:
                entry[2] = min(entry[2] + 1, 3) if provided == taken else max(entry[2] - 1, 0)
            entry[1] = min(entry[1] + 1, 7) if taken else max(entry[1] - 1, 0)
        else:
            self.base[slot] = min(self.base[slot] + 1, 3) if taken else max(self.base[slot] - 1, 0)
        if taken not in (provided, predicted):
            longer = [(table, places[table][0]) for table in range(provider + 1, 3)]
            free = [key for key in longer if key not in self.tagged or self.tagged[key][2] == 0]
            if free:
                self.tagged[free[0]] = [places[free[0][0]][1], 4 if taken else 3, 0]
            else:
                for key in longer:
                    self.tagged[key][2] -= 1
        self.history = (self.history << 1 | taken) & MASK
        return predicted == taken

    @staticmethod
    def base_hash(identity):
        return (identity * 0x9e3779b97f4a7c15 & MASK) >> 32

    def in_btb(self, identity, target):
        """The target that the BTB had for the branch, or None; now it is TARGET."""
        place = self.base_hash(identity)
        had = self.btb.state.get(identity)
        if self.btb.use(identity, place):
            self.btb.state[identity] = target
        else:
            self.btb.add(identity, place, target)
        return had

    def indirect(self, identity, target):
        index, tag = self.place(identity, 1)
        entry = self.targets.get(index)
        last = self.in_btb(identity, target)
        if entry and entry[0] == tag:
            right = entry[1] == target
            self.targets[index] = (tag, target)
        else:
            right = last == target
            if last is not None and not right:
                self.targets[index] = (tag, target)
        self.history = (self.history << 2 | (target * 0x9e3779b97f4a7c15 & MASK) >> 62) & MASK
        return right

    def call(self, address):
        self.returns = (self.returns + [address])[-self.nr_returns:]

    def ret(self, target):
        return bool(self.returns) and self.returns.pop() == target


class CPU:
    def __init__(self, machine):
        shape = machine.shape
        self.machine = machine
        self.counts = defaultdict(int)
        self.l1i, self.l1d, self.l2 = (cache_of(*shape.caches[name]) for name in ("l1i", "l1d", "l2"))
        self.tlb = {"code": tlb_of(*shape.tlbs["itlb"]), "data": tlb_of(*shape.tlbs["dtlb"])}
        stlb, istlb = tlb_of(*shape.tlbs["stlb"]), tlb_of(*shape.tlbs["istlb"])
        self.second = {"code": istlb if istlb.sets else stlb, "data": stlb}
        self.pages = {}
        self.fetched = self.fetched_line = None
        self.worst = None               # of the loads of an instruction that is still being seen
        self.pending = None
        self.predictor = Predictor(*shape.predictor) if shape.predictor[0] else None

    # Caches

    def lose(self, line):
        """Another CPU, or an inclusive cache, takes LINE away. Returns whether it was here, and whether it was modified."""
        states = [self.l1i.drop(line, line), self.l1d.drop(line, line), self.l2.drop(line, line)]
        if line == self.fetched_line:
            self.fetched = self.fetched_line = None
        return any(states), "M" in states

    def share(self, line):
        here, modified = False, False
        for cache in (self.l1i, self.l1d, self.l2):
            if line in cache:
                here, modified = True, modified or cache.state[line] == "M"
                cache.state[line] = "S"
        return here, modified

    def fill_l2(self, line, state):
        gone = self.l2.add(line, line, state)
        if gone:
            if self.machine.shape.l2_inclusive:
                self.l1d.drop(gone[0], gone[0])
                self.l1i.drop(gone[0], gone[0])
                if gone[0] == self.fetched_line:
                    self.fetched = self.fetched_line = None
            self.machine.victim(gone[0])

    def ask(self, line, kind):
        """The line comes from L2 or beyond: (where it was, its state here)."""
        if self.l2.use(line, line):
            state = self.l2.state[line]
            if kind == "STORE" and state == "S":
                self.machine.own(self, line)
                return "LLC", "M"
            self.counts[f"L2_{kind}_HIT"] += 1
            return "L2", "M" if kind == "STORE" else state
        if self.l2.sets:
            self.counts[f"L2_{kind}_MISS"] += 1
        where, state = self.machine.request(self, line, kind)
        if self.l2.sets:
            self.fill_l2(line, state)
        return where, state

    def access(self, line, kind):
        """Where the line was; the caches have it now."""
        l1 = self.l1i if kind == "FETCH" else self.l1d
        if l1.use(line, line):
            if kind != "STORE":
                return "L1"
            was = l1.state[line]
            l1.state[line] = "M"
            if was != "S":
                return "L1"
            if self.l2.use(line, line):
                self.l2.state[line] = "M"
            self.machine.own(self, line)
            return "OWN"
        where, state = self.ask(line, kind)
        if kind == "FETCH":
            l1.add(line, line, "S")
            return where
        self.counts["L1D_FILL"] += 1
        gone = l1.add(line, line, state)
        if gone and not self.l2.sets:
            self.machine.victim(gone[0])
        elif gone and gone[1] == "M":
            if gone[0] in self.l2:
                self.l2.state[gone[0]] = "M"
            else:
                self.fill_l2(gone[0], "M")
        return where

    # Translations

    def tlbs(self):
        return [*self.tlb.values(), self.second["code"], self.second["data"]]

    def map(self, virt, phys, bits, is_global, memory, steps):
        new = (phys >> 12, bits, is_global, memory, tuple(steps))
        if self.pages.get(virt >> 12) == new:
            return
        self.pages[virt >> 12] = new
        if self.fetched is not None and self.fetched * self.machine.line >> 12 == virt >> 12:
            self.fetched = None

    def flush(self, global_too):
        for tlb in self.tlbs():
            for key in [key for key, is_global in tlb.state.items() if global_too or not is_global]:
                tlb.drop(key, key[0])
        self.fetched = None

    def flush_page(self, virt):
        for tlb in self.tlbs():
            for bits in (12, 21, 22, 30):
                tlb.drop((virt >> bits, bits), virt >> bits)
        self.fetched = None

    def translate(self, virt, kind):
        """The model's physical address, or None for what is not cached."""
        page = self.pages.get(virt >> 12)
        if not page:
            self.counts["UNMAPPED"] += 1
            return virt
        phys, bits, is_global, memory, steps = page
        side = "code" if kind == "FETCH" else "data"
        tlb, second = self.tlb[side], self.second[side]
        number = virt >> bits
        key = (number, bits)
        if tlb.sets and not tlb.use(key, number):
            name = "ITLB" if kind == "FETCH" else f"DTLB_{kind}"
            stall = "STALL_FETCH" if kind == "FETCH" else "STALL_DATA"
            costs = self.machine.shape.costs
            if second.use(key, number):
                self.counts[name + "_STLB_HIT"] += 1
                cycles = costs[4]
            else:
                cycles = 0
                for step in steps:
                    where = self.access(self.machine.physical(step) // self.machine.line, "WALK")
                    cycles += costs[5] + self.machine.cost[where]
                self.counts[name + "_WALK"] += 1
                self.counts[name + "_WALK_CYCLES"] += cycles
                if second.sets:
                    second.add(key, number, is_global)
            self.counts[stall] += cycles
            tlb.add(key, number, is_global)
        return self.machine.physical(phys << 12 | virt & 4095) if memory else None

    # Records

    def lines_of(self, address, size):
        line = self.machine.line
        return range(address // line, (address + size - 1) // line + 1)

    def touch(self, address, size, kind):
        """The levels of the lines of an access."""
        levels = []
        stall = "STALL_FETCH" if kind == "FETCH" else "STALL_DATA"
        if self.machine.shape.virtual:
            levels = [self.machine.access_virtual(self, list(self.lines_of(address, size)), kind)]
        else:
            for line in self.lines_of(address, size):
                physical = self.translate(max(address, line * self.machine.line), kind)
                if physical is None:
                    self.counts["UNCACHED"] += 1
                    levels.append("NO")
                else:
                    levels.append(self.access(physical // self.machine.line, kind))
                if kind == "FETCH":
                    self.fetched_line = None if physical is None else physical // self.machine.line
        for level in levels:
            self.counts[stall] += self.machine.cost[level]
        return levels

    def fetch(self, address, size):
        lines = list(self.lines_of(address, size))
        if lines == [self.fetched]:
            return
        self.counts["FETCHES"] += len(lines) - (lines[0] == self.fetched)
        levels = self.touch(address, size, "FETCH")
        self.counts["L1I_MISS"] += any(level in ("L2", "LLC", "HITM", "MEMORY") for level in levels)
        self.fetched = lines[-1]

    def data(self, address, size, kind):
        levels = self.touch(address, size, kind)
        self.counts[f"L1D_{kind}_MISS"] += any(level in ("L2", "LLC", "HITM", "MEMORY") for level in levels)
        self.counts[f"SPLIT_{kind}S"] += len(self.lines_of(address, size)) > 1
        return levels

    def end_instruction(self):
        """The loads of an instruction are known: its level is the worst of theirs."""
        if self.worst is not None:
            worst = max(self.worst, key=("L1", "NO", "L2", "LLC", "HITM", "MEMORY").index)
            for item in {"L1": ("L1_HIT",), "NO": (), "L2": ("L2_HIT",), "LLC": ("L2_MISS", "LLC_HIT"),
                         "HITM": ("L2_MISS", "LLC_HIT", "HITM"), "MEMORY": ("L2_MISS", "LLC_MISS")}[worst]:
                self.counts["LOAD_" + item] += 1
        self.worst = None

    def mispredict(self, kind, taken):
        self.counts["MISPREDICT"] += 1
        self.counts["MISPREDICT_" + kind] += 1
        self.counts["MISPREDICT_NEAR_TAKEN"] += taken
        self.counts["STALL_BRANCH"] += self.machine.shape.costs[6]

    def resolve(self, target):
        if self.pending is None:
            return
        branch, end = self.pending
        self.pending = None
        if branch in (NONE, FAR):
            return
        taken = target != end if branch == CONDITIONAL else True
        self.counts["BRANCH_NEAR_TAKEN"] += taken
        if branch == CONDITIONAL:
            self.counts["BRANCH_CONDITIONAL_TAKEN" if taken else "BRANCH_CONDITIONAL_NOT_TAKEN"] += 1
        self.counts["BRANCH_NEAR_CALL"] += branch in (CALL, INDIRECT_CALL)
        self.counts["BRANCH_NEAR_RETURN"] += branch == RETURN
        self.counts["BRANCH_INDIRECT"] += branch in (INDIRECT_JUMP, INDIRECT_CALL)
        if not self.predictor:
            return
        right = True
        if branch == CONDITIONAL:
            right = self.predictor.direction(end, taken)
            if not right:
                self.mispredict("CONDITIONAL", taken)
        if branch in (INDIRECT_JUMP, INDIRECT_CALL) and not self.predictor.indirect(end, target):
            self.mispredict("INDIRECT", True)
        if branch == RETURN and not self.predictor.ret(target):
            self.mispredict("RETURN", True)
        if branch in (CALL, INDIRECT_CALL):
            self.predictor.call(end)
        if branch in (JUMP, CALL) or branch == CONDITIONAL and taken:
            if self.predictor.in_btb(end, 0) is None and right:
                self.counts["BTB_MISS"] += 1
                self.counts["STALL_BRANCH"] += self.machine.shape.costs[7]

    def record(self, address, info):
        kind, size = info & 255, info >> 8 & 255
        if kind == LOAD:
            self.counts["LOADS"] += 1
            if info >> 16 & 1:
                self.end_instruction()
                self.counts["LOAD_INSNS"] += 1
                self.worst = []
            levels = self.data(address, size, "LOAD")
            if self.worst is not None:
                self.worst += levels
        elif kind == STORE:
            self.counts["STORES"] += 1
            self.counts["STORE_INSNS"] += info >> 16 & 1
            self.counts["WRITES"] += not info >> 17 & 1
            self.data(address, size, "STORE")
        else:
            if kind == BLOCK:
                self.resolve(address)
                self.pending = (info >> 16 & 255, address + (info >> 32))
            self.fetch(address, size)


class Machine:
    """All CPUs, and the LLC that they share."""

    def __init__(self, shape, cpus):
        self.shape = shape
        self.line = shape.caches["l1d"][2]
        self.llc = cache_of(*shape.caches["llc"])
        self.frames = {}
        self.cost = dict(zip(("L2", "LLC", "HITM", "MEMORY"), shape.costs), L1=0, NO=0, OWN=shape.costs[1])
        self.cpus = [CPU(self) for _ in range(cpus)]

    def physical(self, address):
        return self.frames.setdefault(address >> 12, len(self.frames)) << 12 | address & 4095

    def victim(self, line):
        """A CPU has lost LINE from its last own cache."""
        if self.llc.sets and not self.shape.llc_inclusive and not self.llc.use(line, line):
            self.llc.add(line, line, True)

    def others(self, cpu, line, take):
        found = [other.lose(line) if take else other.share(line) for other in self.cpus if other is not cpu]
        return any(here for here, _ in found), any(modified for _, modified in found)

    def count(self, cpu, kind, hit):
        if self.llc.sets:
            for name in ("LLC_REFERENCE",) + (() if kind == "WALK" else ("LLC_" + kind,)):
                cpu.counts[name] += 1
            if not hit:
                cpu.counts["LLC_MISS"] += 1
                if kind != "WALK":
                    cpu.counts[f"LLC_{kind}_MISS"] += 1

    def look(self, line):
        """Whether the LLC has LINE. An exclusive one gives it away."""
        if self.shape.llc_inclusive:
            return self.llc.use(line, line)
        return bool(self.llc.drop(line, line))

    def own(self, cpu, line):
        self.others(cpu, line, True)
        self.look(line)
        if cpu.l2.sets:
            cpu.counts["L2_STORE_MISS"] += 1
        self.count(cpu, "STORE", True)

    def request(self, cpu, line, kind):
        here, modified = self.others(cpu, line, kind == "STORE")
        in_llc = self.look(line)
        self.count(cpu, kind, here or in_llc)
        if self.llc.sets and self.shape.llc_inclusive and not in_llc:
            gone = self.llc.add(line, line, True)
            if gone:
                for each in self.cpus:
                    each.lose(gone[0])
        state = "M" if kind == "STORE" else "S" if here else "E"
        return "HITM" if modified else "LLC" if here or in_llc else "MEMORY", state

    def access_virtual(self, cpu, lines, kind):
        """Cachegrind's way: a cache is asked for all lines of an access, and misses once."""
        for name, cache in ("L1", cpu.l1i if kind == "FETCH" else cpu.l1d), ("L2", cpu.l2), ("LLC", self.llc):
            if not cache.sets:
                continue
            missing = 0
            for line in lines:
                if not cache.use(line, line):
                    missing += 1
                    cache.add(line, line, "E")
            if name == "L2":
                cpu.counts[f"L2_{kind}_{'MISS' if missing else 'HIT'}"] += 1
            elif name == "LLC":
                self.count(cpu, kind, not missing)
            if not missing:
                return name
        return "MEMORY"

    def counts(self, cpu):
        found = self.cpus[cpu].counts
        found["CYCLES_STALLED"] = found["STALL_FETCH"] + found["STALL_DATA"] + found["STALL_BRANCH"]
        return found
