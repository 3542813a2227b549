/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about the registers of a task that a tracer looks at. All functions:
 * task context; the task is stopped and off its CPU, unless something else is said.
 */
#ifndef ARCH_PTRACE_H
#define ARCH_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;
struct trap_frame;

/* A register set as core files have it. */
struct register_set {
	unsigned int type; /* NT_* */
	size_t (*size)(void);
	/* Fills BUFFER, size() bytes, zeroed before. */
	void (*get)(struct task *task, void *buffer);
	/* Sets what the first SIZE bytes of BUFFER say. 0, -EIO, -EINVAL or -EFAULT. */
	int (*set)(struct task *task, void *buffer, size_t size);
};

/* The set of TYPE, NULL: there is none. Any context. */
const struct register_set *arch_register_set(unsigned int type);

/* The word at OFFSET of Linux's struct user. 0 or -EIO. */
int arch_ptrace_peek_user(struct task *task, unsigned long offset, unsigned long *value);
int arch_ptrace_poke_user(struct task *task, unsigned long offset, unsigned long value);

/* The result of the running task's PTRACE_PEEK*, which has found WORD: Linux writes it to the user's DATA (0 or
 * -EFAULT), or, on Alpha, gives it as the call's result. Task context. */
long arch_ptrace_give_word(unsigned long word, unsigned long data);

/* Whether TASK traps after its next instruction from now on. Also for the running task. */
void arch_ptrace_set_step(struct task *task, bool on);

/* The running task ends, or gets a new program: what its tracer has set for it to trap at is gone. Task
 * context, interrupts on. */
void arch_ptrace_end(struct task *task);

/* Whether a call that begins has a result by then, ENOSYS, which a tracer sees and may change; else it sees the
 * call's number where the result will be. Any context. */
bool arch_ptrace_call_begins_with_result(void);

/* Whether a task that is stepped, and gets a signal, stops before its handler's first instruction, or, as behind any other,
 * behind that. Any context. */
bool arch_ptrace_stops_at_handler(void);

/* The number of the system call FRAME comes from, as a tracer sees it, -1: from none. Any
 * context. */
long arch_ptrace_call(const struct trap_frame *frame);

/* How audit names the ISA (AUDIT_ARCH_*). Any context. */
uint32_t arch_ptrace_isa(void);

#endif
