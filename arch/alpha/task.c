/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware side of tasks: the context switch, stacks of new tasks, and the meaning of a frame's
 * registers. See <arch/task.h>.
 *
 * A user task's registers are on its kernel stack, except for the floating-point registers and the
 * thread pointer. The thread pointer is in the task's context block while the task does not run, and in
 * PALcode's keeping while it does.
 */
#include <arch/task.h>

#include <string.h>

#include <kernel/base/log.h>
#include <kernel/mm/kernel_stacks.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <uapi/linux/errno.h>

#include "paging.h"
#include "space.h"
#include "switch.h"

extern void task_start_kernel(void);
extern void task_start_user(void);

/* The words that switch_contexts pops, lowest address first. */
struct switch_frame {
	uint64_t r26, r9, r10, r11, r12, r13, r14, r15;
};

/* A new program's floating-point control: rounding to nearest, and no exception traps (Architecture Handbook
 * 4.7.8, FPCR: DYN, and INED, UNFD, OVFD, DZED, INVD, DNOD). */
#define FPCR_INITIAL \
	(2ull << 58 | 1ull << 62 | 1ull << 61 | 1ull << 51 | 1ull << 50 | 1ull << 49 | 1ull << 47)

static struct context_block idle_contexts[CPUS_MAX] __attribute__((aligned(CONTEXT_BLOCK_BYTES)));

static uintptr_t stack_top(const struct task *task)
{
	return (uintptr_t)task->arch.kernel_stack + KERNEL_STACK_SIZE;
}

struct task *arch_context_switch(struct task *prev, struct task *next)
{
	struct context_block *context = next->arch.context;

	space_enter(context, next->space ? &next->space->arch : NULL);
	cpu_local()->current = next;
	return switch_contexts(page_paddr(context), prev, next->arch.fpu, prev->arch.fpu);
}

void arch_task_adopt(struct task *task)
{
	struct context_block *context = &idle_contexts[arch_cpu_id()];

	context->page_table = paging_kernel_root();
	task->arch.context = context;
	cpu_local()->current = task;
	switch_adopt(page_paddr(context), context);
}

void arch_task_destroy(struct task *task)
{
	if (task->arch.kernel_stack)
		kernel_stack_free(task->arch.kernel_stack);
	kfree(task->arch.context_memory);
	kfree(task->arch.fpu);
	task->arch.kernel_stack = NULL;
	task->arch.context = NULL;
	task->arch.context_memory = NULL;
	task->arch.fpu = NULL;
}

int arch_task_init(struct task *task)
{
	task->arch.kernel_stack = kernel_stack_alloc();
	/* kmalloc may align to less than a block: twice the size contains a whole aligned block. */
	task->arch.context_memory = kzalloc(2 * CONTEXT_BLOCK_BYTES);
	task->arch.fpu = kzalloc(sizeof(*task->arch.fpu));
	if (!task->arch.kernel_stack || !task->arch.context_memory || !task->arch.fpu) {
		arch_task_destroy(task);
		return -ENOMEM;
	}
	task->arch.context = (struct context_block *)(((uintptr_t)task->arch.context_memory +
						       CONTEXT_BLOCK_BYTES - 1) &
						      ~(uintptr_t)(CONTEXT_BLOCK_BYTES - 1));
	task->arch.fpu->control = FPCR_INITIAL;
	task->arch.context->flags = CONTEXT_FLOATING;
	return 0;
}

/* Puts START below TOP, so that the first switch to TASK returns to START's r26. */
static void set_start(struct task *task, uintptr_t top, const struct switch_frame *start)
{
	struct switch_frame *frame = (struct switch_frame *)top - 1;

	*frame = *start;
	task->arch.context->kernel_stack = (uintptr_t)frame;
}

void arch_task_set_kernel_entry(struct task *task, void (*function)(void *), void *arg)
{
	const struct switch_frame start = {
		.r26 = (uintptr_t)task_start_kernel,
		.r9 = (uintptr_t)function,
		.r10 = (uintptr_t)arg,
	};

	kfree(task->arch.fpu);
	task->arch.fpu = NULL;
	task->arch.context->flags = 0;
	set_start(task, stack_top(task), &start);
}

struct trap_frame *arch_task_user_frame(struct task *task)
{
	return (struct trap_frame *)stack_top(task) - 1;
}

void arch_task_set_user_entry(struct task *task, uintptr_t entry, uintptr_t stack)
{
	const struct switch_frame start = { .r26 = (uintptr_t)task_start_user };
	struct trap_frame *frame = arch_task_user_frame(task);

	memset(frame, 0, sizeof(*frame));
	frame->pc = entry;
	frame->sp = stack;
	frame->ps = PS_USER;
	frame->entry = ENTRY_CALL;
	frame->cause[0] = (uint64_t)-1; /* not a system call that could be restarted */
	set_start(task, (uintptr_t)frame, &start);
}

void arch_task_set_fork_return(struct task *task, const struct trap_frame *frame, uintptr_t stack,
			       bool set_tls, uintptr_t tls)
{
	const struct switch_frame start = { .r26 = (uintptr_t)task_start_user };
	struct trap_frame *child = arch_task_user_frame(task);
	unsigned long state = arch_irq_save();

	fpu_save(task_current()->arch.fpu);
	*task->arch.fpu = *task_current()->arch.fpu;
	arch_irq_restore(state);

	task->arch.unaligned_control = task_current()->arch.unaligned_control;
	*child = *frame;
	arch_syscall_set_result(child, 0);
	child->r20 = 1; /* fork's second result: this is the child */
	if (stack)
		child->sp = stack;
	task->arch.context->unique = set_tls ? tls : pal_read_unique();
	set_start(task, (uintptr_t)child, &start);
}

void arch_task_set_program(struct trap_frame *frame, uintptr_t entry, uintptr_t stack)
{
	struct task *task = task_current();
	uint64_t number = frame->cause[0];
	unsigned long state = arch_irq_save();

	memset(frame, 0, sizeof(*frame));
	frame->pc = entry;
	frame->sp = stack;
	frame->ps = PS_USER;
	frame->entry = ENTRY_CALL;
	frame->cause[0] = number; /* execve's number: a tracer sees its end */
	task->arch.stepped = false;
	pal_write_unique(0);
	memset(task->arch.fpu, 0, sizeof(*task->arch.fpu));
	task->arch.fpu->control = FPCR_INITIAL;
	fpu_load(task->arch.fpu);
	arch_irq_restore(state);
}

uintptr_t arch_frame_ip(const struct trap_frame *frame)
{
	return frame->pc;
}

void arch_frame_set_ip(struct trap_frame *frame, uintptr_t ip)
{
	frame->pc = ip;
}

bool arch_frame_is_call(const struct trap_frame *frame)
{
	return frame->entry == ENTRY_CALL;
}

uintptr_t arch_frame_sp(const struct trap_frame *frame)
{
	return frame->sp;
}

bool arch_frame_is_user(const struct trap_frame *frame)
{
	return frame->ps & PS_USER;
}

/* A walk of the kernel's stack starts at the stack pointer (backtrace.c). */
uintptr_t arch_frame_pointer(const struct trap_frame *frame)
{
	return frame->sp;
}

void arch_frame_log(const struct trap_frame *frame)
{
	static const struct {
		const char *name;
		size_t offset;
	} registers[] = {
#define REGISTER(name, member) { name, offsetof(struct trap_frame, member) }
		REGISTER("pc", pc),   REGISTER("sp", sp),  REGISTER("ps", ps),
		REGISTER("ra", r26),  REGISTER("pv", r27), REGISTER("gp", r29),
		REGISTER("v0", r0),   REGISTER("a0", r16), REGISTER("a1", r17),
		REGISTER("a2", r18),  REGISTER("a3", r19), REGISTER("a4", r20),
		REGISTER("a5", r21),  REGISTER("t0", r1),  REGISTER("t1", r2),
		REGISTER("t2", r3),   REGISTER("t3", r4),  REGISTER("t4", r5),
		REGISTER("t5", r6),   REGISTER("t6", r7),  REGISTER("t7", r8),
		REGISTER("t8", r22),  REGISTER("t9", r23), REGISTER("t10", r24),
		REGISTER("t11", r25), REGISTER("at", r28), REGISTER("s0", r9),
		REGISTER("s1", r10),  REGISTER("s2", r11), REGISTER("s3", r12),
		REGISTER("s4", r13),  REGISTER("s5", r14), REGISTER("fp", r15),
#undef REGISTER
	};
	const char *bytes = (const char *)frame;

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i += 3)
		log_error("  %6s %016lx  %6s %016lx  %6s %016lx", registers[i].name,
			  *(const uint64_t *)(bytes + registers[i].offset), registers[i + 1].name,
			  *(const uint64_t *)(bytes + registers[i + 1].offset),
			  registers[i + 2].name,
			  *(const uint64_t *)(bytes + registers[i + 2].offset));
	log_error("  entry %lu: %lx %lx %lx", frame->entry, frame->cause[0], frame->cause[1],
		  frame->cause[2]);
}
