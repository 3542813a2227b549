/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracer's view of a stopped task's registers: by number, one at a time, as in Linux/alpha, which has
 * no register sets. See <arch/ptrace.h>. Source: Linux's arch/alpha/kernel/ptrace.c.
 *
 * Numbers 0 … 31 are the integer registers, 32 … 63 the floating-point ones with FPCR as the last, 64
 * is the program counter, 65 the thread pointer. Other numbers read as 0, and writing them does
 * nothing; there is no error.
 */
#include <arch/ptrace.h>

#include <arch/task.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>

#include "floating_control.h"
#include "syscall.h"

#define NUMBER_SP	30
#define NUMBER_FLOATING 32
#define NUMBER_FPCR	63
#define NUMBER_PC	64
#define NUMBER_UNIQUE	65

#define WORD(name)	(offsetof(struct trap_frame, name) / sizeof(uint64_t))

/* Offsets of the integer registers in the frame; the last reads as 0 and has no place. */
static const uint8_t integer_words[NUMBER_FLOATING - 1] = {
	WORD(r0),  WORD(r1),  WORD(r2),	 WORD(r3),  WORD(r4),  WORD(r5),  WORD(r6),  WORD(r7),
	WORD(r8),  WORD(r9),  WORD(r10), WORD(r11), WORD(r12), WORD(r13), WORD(r14), WORD(r15),
	WORD(r16), WORD(r17), WORD(r18), WORD(r19), WORD(r20), WORD(r21), WORD(r22), WORD(r23),
	WORD(r24), WORD(r25), WORD(r26), WORD(r27), WORD(r28), WORD(r29), WORD(sp),
};

/* Returns the place of register NUMBER of TASK, NULL: it has none. */
static uint64_t *place_of(struct task *task, unsigned long number)
{
	struct trap_frame *frame = arch_task_user_frame(task);

	if (number < sizeof(integer_words))
		return (uint64_t *)frame + integer_words[number];
	if (number >= NUMBER_FLOATING && number < NUMBER_FPCR)
		return &task->arch.fpu->f[number - NUMBER_FLOATING];
	switch (number) {
	case NUMBER_FPCR:
		return &task->arch.fpu->control;
	case NUMBER_PC:
		return &frame->pc;
	case NUMBER_UNIQUE:
		return &task->arch.context->unique;
	default:
		return NULL;
	}
}

int arch_ptrace_peek_user(struct task *task, unsigned long offset, unsigned long *value)
{
	const uint64_t *place = place_of(task, offset);

	*value = place ? *place : 0;
	/* Combines the CPU's word and the software's. */
	if (offset == NUMBER_FPCR)
		*value |= floating_control_of(*place);
	return 0;
}

int arch_ptrace_poke_user(struct task *task, unsigned long offset, unsigned long value)
{
	struct trap_frame *frame = arch_task_user_frame(task);
	uint64_t *place = place_of(task, offset);

	if (offset == NUMBER_FPCR)
		value = floating_control_set(value, value);
	if (offset == NUMBER_PC)
		value &= ~3ul;
	if (place)
		*place = value;
	/* Before a call, v0 is the call's number. */
	if (offset == 0 && frame->entry == ENTRY_CALL &&
	    task->ptrace.message == PTRACE_EVENTMSG_SYSCALL_ENTRY)
		frame->cause[CAUSE_NUMBER] = (uint32_t)value;
	return 0;
}

long arch_ptrace_give_word(unsigned long word, unsigned long data)
{
	syscall_succeed(arch_task_user_frame(task_current()), word);
	return 0;
}

const struct register_set *arch_register_set(unsigned int type)
{
	return NULL;
}

/* v0 and a3 hold the number and an argument until there is a result. */
bool arch_ptrace_call_begins_with_result(void)
{
	return false;
}

bool arch_ptrace_stops_at_handler(void)
{
	return false;
}

long arch_ptrace_call(const struct trap_frame *frame)
{
	return frame->entry == ENTRY_CALL ? (long)frame->cause[CAUSE_NUMBER] : -1;
}

uint32_t arch_ptrace_isa(void)
{
	return AUDIT_ARCH_ALPHA;
}
