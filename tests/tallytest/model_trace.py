# SPDX-License-Identifier: BSD-2-Clause
"""Random traces for the emulator's model of caches, TLBs and prediction, each from a seed: a program of blocks that branch, data in
pages of all kinds, and from time to time what an operating system does to a CPU."""

import random
from array import array

from tallytest.model_reference import (BLOCK, CALL, CONDITIONAL, FAR, FETCH, INDIRECT_CALL, INDIRECT_JUMP, JUMP, LOAD, NONE,
                                       RETURN, STORE)

RUN, CPU, MAP, FLUSH, FLUSH_PAGE, INTERRUPTED = range(0x80, 0x86)
FIRST, MODIFY = 1 << 16, 1 << 17

KINDS = [NONE, CONDITIONAL, CONDITIONAL, CONDITIONAL, CONDITIONAL, JUMP, CALL, CALL, INDIRECT_JUMP, INDIRECT_CALL, RETURN,
         RETURN, FAR]
CODE, CODE_PAGES = 0x400000, 8
DATA = 0x7fff0000
# One in so many instructions is followed by an event of the system.
SYSTEM_EVERY = 150
# Records between two changes of the CPU, at most.
SLICE = 400


class Program:
    """Blocks one after the other. A block: [pc, lengths of its instructions, branch, behaviour, targets]."""

    def __init__(self, rng):
        self.blocks = []
        pc = CODE
        while pc < CODE + CODE_PAGES * 4096:
            lengths = [rng.randint(1, 15) for _ in range(rng.randint(1, 8))]
            behaviour = rng.choice((0, 0, 1, 1, 0b0101, 0b0111, 0b110110, None))
            self.blocks.append([pc, lengths, rng.choice(KINDS), behaviour, rng.randrange(1 << 30)])
            pc += sum(lengths)
        for block in self.blocks:
            block[4] = [random.Random(block[4] + i).randrange(len(self.blocks) - 1) for i in range(3)]


class Walker:
    """One CPU's way through the program."""

    def __init__(self, rng, program):
        self.rng, self.program = rng, program
        self.block = 0
        self.passes = 0
        self.calls = []

    def next_block(self):
        blocks = self.program.blocks
        _, _, branch, behaviour, targets = blocks[self.block]
        after = (self.block + 1) % (len(blocks) - 1)
        self.passes += 1
        if branch == NONE:
            found = after
        elif branch == CONDITIONAL:
            taken = self.rng.getrandbits(1) if behaviour is None else behaviour >> self.passes % 4 & 1
            found = targets[0] if taken else after
        elif branch == RETURN:
            found = self.calls.pop() if self.calls else targets[0]
        else:
            found = targets[self.passes % 3 if branch in (INDIRECT_JUMP, INDIRECT_CALL) else 0]
        if branch in (CALL, INDIRECT_CALL):
            self.calls = self.calls[-40:] + [after]
        self.block = found


class Trace:
    """Words of model_replay, beginning with the CPUs and the shape."""

    def __init__(self, shape, cpus, records, seed, data_pages=60):
        self.words = array("Q", [cpus, *shape.words()])
        self.rng = random.Random(seed)
        self.line = shape.caches["l1d"][2]
        self.data_pages = data_pages
        self.records = 0
        program = Program(self.rng)
        walkers = [Walker(self.rng, program) for _ in range(cpus)]
        for cpu in range(cpus):
            self.add(cpu, CPU)
            for page in range(CODE_PAGES + 1):
                self.map(CODE + page * 4096)
            for page in range(data_pages + 1):
                self.map(DATA + page * 4096)
        self.pushed = 0
        while self.records < records:
            cpu = self.rng.randrange(cpus)
            self.add(cpu, CPU)
            until = self.records + self.rng.randrange(1, SLICE)
            while self.records < until:
                self.run_block(walkers[cpu])

    def add(self, address, info):
        self.words.append(address)
        self.words.append(info)

    def map(self, virt):
        """A translation like the one that any other CPU has of the page, but for those that change."""
        number = virt >> 12
        own = random.Random(number)
        bits = own.choice((12, 12, 12, 12, 21, 22, 30))
        memory = virt < DATA or own.random() < 0.95
        # Aliases: two pages of data out of eight are one.
        phys = number * 7919 % 100003 if number % 8 else (number + 1) * 7919 % 100003
        if self.records and self.rng.random() < 0.3:
            phys = self.rng.randrange(200000, 200050)
        steps = [0x10000000, 0x10001000 + (virt >> 30) * 8 % 4096, 0x10002000 + (virt >> 21) % 512 * 8,
                 0x10003000 + (virt >> 24) * 4096 + number % 512 * 8][:2 if bits == 30 else 3 if bits > 12 else 4]
        self.add(virt, MAP | bits << 8 | own.getrandbits(1) << 16 | memory << 17 | len(steps) << 24)
        self.words.append(phys << 12 | 0x123)
        self.words.extend(steps + [0] * (5 - len(steps)))

    def address(self, bits, size):
        """Near the last one, in a hot page, anywhere; rarely not aligned."""
        choice = bits & 15
        place = bits >> 8 & 0xffffff
        if choice < 8:
            found = DATA + place % 2048
        elif choice < 13:
            found = DATA + (place % 16) * 4096 + (place >> 5) % 1024
        else:
            found = DATA + place % (self.data_pages * 4096)
        return found if bits >> 4 & 15 == 0 else found - found % size

    def accesses(self):
        bits = self.rng.getrandbits(64)
        choice = bits & 15
        if choice < 5:
            return
        size = (1, 2, 4, 8, 8, 16, 32, 64)[bits >> 4 & 7]
        address = self.address(bits >> 8, size)
        info = size << 8 | FIRST
        if choice < 10:
            self.add(address, LOAD | info)
            self.records += 1
        elif choice < 13:
            self.add(address, STORE | info)
            self.records += 1
        elif choice == 13:
            self.add(address, LOAD | info)
            self.add(address, STORE | info | MODIFY)
            self.records += 2
        else:
            second = self.address(bits >> 40, size)
            self.add(address, LOAD | info)
            self.add(second, LOAD | info & ~FIRST)
            self.add(second, STORE | info)
            self.records += 3

    def system(self):
        choice = self.rng.randrange(12)
        page = DATA + self.rng.randrange(self.data_pages) * 4096
        if choice == 0:
            self.add(0, FLUSH | self.rng.getrandbits(1) << 16)
        elif choice < 4:
            self.add(page, FLUSH_PAGE)
        elif choice < 8:
            self.map(page)
        else:
            self.add(0, RUN)

    def run_block(self, walker):
        pc, lengths, branch, _, _ = walker.program.blocks[walker.block]
        self.add(pc, BLOCK | lengths[0] << 8 | branch << 16 | sum(lengths) << 32)
        self.records += 1
        line = self.line
        for i, length in enumerate(lengths):
            if i and (pc // line != (pc - 1) // line or (pc + length - 1) // line != pc // line):
                self.add(pc, FETCH | length << 8)
                self.records += 1
            self.accesses()
            pc += length
            if self.rng.random() * SYSTEM_EVERY < 1 and i < len(lengths) - 1:
                self.system()
        walker.next_block()
        if self.rng.random() * SYSTEM_EVERY < 1:
            self.add(walker.program.blocks[walker.block][0], INTERRUPTED)


def replay(machine, words):
    """Runs the words of a trace, without those of the shape, through a machine of model_reference."""
    cpu = machine.cpus[0]
    at, end = 0, len(words)
    while at < end:
        address, info = words[at], words[at + 1]
        at += 2
        kind = info & 255
        if kind < RUN:
            cpu.record(address, info)
            continue
        cpu.end_instruction()
        if kind == CPU:
            cpu = machine.cpus[address]
        elif kind == MAP:
            phys, steps = words[at], words[at + 1:at + 1 + (info >> 24 & 255)]
            at += 6
            if not machine.shape.virtual:
                cpu.map(address, phys, info >> 8 & 255, bool(info >> 16 & 1), bool(info >> 17 & 1), steps)
        elif kind == FLUSH:
            cpu.flush(bool(info >> 16 & 1))
        elif kind == FLUSH_PAGE:
            cpu.flush_page(address)
        elif kind == INTERRUPTED:
            cpu.resolve(address)
    cpu.end_instruction()
