/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single-stepping a traced task: the CPU has no trace flag, so the kernel puts a breakpoint at the next
 * instruction, or two breakpoints, at both targets of a conditional branch.
 *
 * They are in the program's memory only while it runs: the kernel inserts them on the exit path, and
 * removes them before it does anything for the task that others could notice (a system call, an
 * exception, signals, a stop). An interrupt alone leaves them. After a system call the task stops
 * without one: see ptrace_call_exit.
 *
 * Source: Alpha Architecture Handbook version 4, I section 4.3 "Control instructions"; Linux/alpha's
 * arch/alpha/kernel/ptrace.c as seen from a tracer.
 */
#include "step.h"

#include <arch/ptrace.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/pal.h>
#include <machine/task.h>

#include "unaligned.h"

#define INSTRUCTION_BYTES 4
#define INSTRUCTION_BPT	  0x00000080u

/* Opcodes of the branch formats. */
#define OPCODE_JUMP	  0x1a
#define OPCODE_BR	  0x30
#define OPCODE_BSR	  0x34
#define IS_BRANCH(opcode) ((opcode) >= OPCODE_BR)

static bool access_code(uintptr_t address, uint32_t *instruction, unsigned int how)
{
	return vm_access(task_current()->space, user_range_clip(address, INSTRUCTION_BYTES),
			 instruction, how | VM_ACCESS_FORCE) == INSTRUCTION_BYTES;
}

static void put_breakpoint(struct arch_task *arch, uintptr_t address)
{
	uint32_t breakpoint = INSTRUCTION_BPT;
	struct step_breakpoint *step = &arch->step[arch->step_count];

	step->address = address;
	if (access_code(address, &step->instruction, VM_ACCESS_READ) &&
	    access_code(address, &breakpoint, VM_ACCESS_WRITE))
		arch->step_count++;
}

void step_insert(struct trap_frame *frame)
{
	struct arch_task *arch = &task_current()->arch;
	uintptr_t next = frame->pc + INSTRUCTION_BYTES;
	uint32_t instruction;

	if (arch->step_count || !access_code(frame->pc, &instruction, VM_ACCESS_READ))
		return;

	unsigned int opcode = instruction >> 26;

	if (opcode == OPCODE_JUMP) {
		const uint64_t *target = frame_register(frame, instruction >> 16 & 31);

		put_breakpoint(arch, (target ? *target : 0) & ~(uintptr_t)3);
	} else if (IS_BRANCH(opcode)) {
		/* 21 bits, signed, in instructions. */
		int32_t displacement = (int32_t)(instruction << 11) >> 11;
		uintptr_t target = next + (uintptr_t)((int64_t)displacement * INSTRUCTION_BYTES);

		put_breakpoint(arch, target);
		if (opcode != OPCODE_BR && opcode != OPCODE_BSR && target != next)
			put_breakpoint(arch, next);
	} else {
		put_breakpoint(arch, next);
	}
	pal_instruction_barrier();
}

bool step_remove(uintptr_t address)
{
	struct arch_task *arch = &task_current()->arch;
	bool any = arch->step_count, found = false;

	while (arch->step_count > 0) {
		struct step_breakpoint *step = &arch->step[--arch->step_count];

		found |= step->address == address;
		access_code(step->address, &step->instruction, VM_ACCESS_WRITE);
	}
	if (any)
		pal_instruction_barrier();
	return found;
}

void arch_ptrace_set_step(struct task *task, bool on)
{
	task->arch.stepped = on;
}

/* No breakpoint is in memory: the task is in a system call. */
void arch_ptrace_end(struct task *task)
{
	task->arch.stepped = false;
}
