/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: the registers of a traced task. All functions: task context; the
 * task is stopped and off its CPU, unless stated otherwise.
 */
#ifndef ARCH_PTRACE_H
#define ARCH_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;
struct trap_frame;

/* A register set in the layout of core files. */
struct register_set {
	unsigned int type; /* NT_* */
	size_t (*size)(void);
	/* Fills BUFFER of size() bytes, which is zeroed. */
	void (*get)(struct task *task, void *buffer);
	/* Sets the registers from the first SIZE bytes of BUFFER. 0, -EIO, -EINVAL or -EFAULT. */
	int (*set)(struct task *task, void *buffer, size_t size);
};

/* Returns the set of TYPE, NULL: no such set. Any context. */
const struct register_set *arch_register_set(unsigned int type);

/* Read and write the word at OFFSET of Linux's struct user. 0 or -EIO. */
int arch_ptrace_peek_user(struct task *task, unsigned long offset, unsigned long *value);
int arch_ptrace_poke_user(struct task *task, unsigned long offset, unsigned long value);

/* Delivers WORD, the result of the running task's PTRACE_PEEK*: Linux writes it to the user's DATA (0
 * or -EFAULT), or, on Alpha, returns it as the call's result. Task context. */
long arch_ptrace_give_word(unsigned long word, unsigned long data);

/* Makes TASK trap after its next instruction, or stops that. Also for the running task. */
void arch_ptrace_set_step(struct task *task, bool on);

/* The running task exits, or gets a new program: removes the traps that its tracer has set. Task
 * context, interrupts on. */
void arch_ptrace_end(struct task *task);

/* Returns whether a call has a result, ENOSYS, when it starts, which a tracer sees and may change.
 * Otherwise the tracer sees the call's number in the register of the result. Any context. */
bool arch_ptrace_call_begins_with_result(void);

/* Returns whether a task that is being stepped and gets a signal stops before its handler's first
 * instruction; otherwise it stops after that instruction, as after any other. Any context. */
bool arch_ptrace_stops_at_handler(void);

/* Returns the number of the system call that FRAME belongs to, as a tracer sees it, -1: none. Any
 * context. */
long arch_ptrace_call(const struct trap_frame *frame);

/* Returns audit's number of the ISA (AUDIT_ARCH_*). Any context. */
uint32_t arch_ptrace_isa(void);

#endif
