/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware side of tasks: the context switch, stacks of new tasks, and the meaning of a frame's
 * registers. See <arch/task.h>.
 *
 * A user task's registers are on its kernel stack, except for three, which are in struct arch_task: the
 * floating-point state (fpu.c) and the bases of FS and GS.
 */
#include <arch/task.h>

#include <string.h>

#include <kernel/base/log.h>
#include <kernel/mm/kernel_stacks.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/msr.h>
#include <machine/trap.h>
#include <uapi/linux/errno.h>

#include "fpu.h"
#include "page_table.h"

struct task *switch_stacks(struct task *prev, uintptr_t *prev_rsp, uintptr_t next_rsp);
extern void task_start_kernel(void);
extern void task_start_user(void);

/* The words that switch_stacks pops, lowest address first. */
struct switch_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp, rip;
};

static uintptr_t stack_top(const struct task *task)
{
	return (uintptr_t)task->arch.kernel_stack + KERNEL_STACK_SIZE;
}

struct task *arch_context_switch(struct task *prev, struct task *next)
{
	struct cpu_local *local = &cpu_locals[arch_cpu_id()];

	if (prev->arch.fpu)
		fpu_save(prev->arch.fpu);
	if (prev->space != next->space)
		arch_space_load(next->space ? &next->space->arch : NULL);
	if (next->arch.fpu) {
		fpu_load(next->arch.fpu);
		msr_write(MSR_FS_BASE, next->arch.fs_base);
		msr_write(MSR_KERNEL_GS_BASE, next->arch.gs_base);
	}
	if (next->arch.kernel_stack)
		descriptors_set_kernel_stack(stack_top(next));
	local->current = next;
	return switch_stacks(prev, &prev->arch.kernel_rsp, next->arch.kernel_rsp);
}

void arch_task_adopt(struct task *task)
{
	cpu_locals[arch_cpu_id()].current = task;
}

void arch_task_destroy(struct task *task)
{
	if (task->arch.kernel_stack)
		kernel_stack_free(task->arch.kernel_stack);
	kfree(task->arch.fpu);
	task->arch.kernel_stack = NULL;
	task->arch.fpu = NULL;
}

int arch_task_init(struct task *task)
{
	task->arch.kernel_stack = kernel_stack_alloc();
	task->arch.fpu = kzalloc(fpu_size());
	if (!task->arch.kernel_stack || !task->arch.fpu) {
		arch_task_destroy(task);
		return -ENOMEM;
	}
	fpu_init_legacy(task->arch.fpu);
	return 0;
}

/* Puts START below TOP, so that the first switch to TASK returns to START's rip. */
static void set_start(struct task *task, uintptr_t top, const struct switch_frame *start)
{
	struct switch_frame *frame = (struct switch_frame *)top - 1;

	*frame = *start;
	task->arch.kernel_rsp = (uintptr_t)frame;
}

void arch_task_set_kernel_entry(struct task *task, void (*function)(void *), void *arg)
{
	struct switch_frame start = {
		.rip = (uintptr_t)task_start_kernel,
		.rbx = (uintptr_t)function,
		.r12 = (uintptr_t)arg,
	};

	kfree(task->arch.fpu);
	task->arch.fpu = NULL;
	/* The zero words end a backtrace: there is no caller above. */
	set_start(task, stack_top(task) - 16, &start);
	memset((void *)(stack_top(task) - 16), 0, 16);
}

struct trap_frame *arch_task_user_frame(struct task *task)
{
	return (struct trap_frame *)stack_top(task) - 1;
}

void arch_task_set_user_entry(struct task *task, uintptr_t entry, uintptr_t stack)
{
	const struct switch_frame start = { .rip = (uintptr_t)task_start_user };
	struct trap_frame *frame = arch_task_user_frame(task);

	memset(frame, 0, sizeof *frame);
	frame->rip = entry;
	frame->rsp = stack;
	frame->vector = VECTOR_SYSCALL;
	frame->error = (uint64_t)-1; /* not a system call that could be restarted */
	set_start(task, (uintptr_t)frame, &start);
}

void arch_task_set_fork_return(struct task *task, const struct trap_frame *frame, uintptr_t stack,
			       bool set_tls, uintptr_t tls)
{
	const struct switch_frame start = { .rip = (uintptr_t)task_start_user };
	struct task *parent = task_current();
	struct trap_frame *child = arch_task_user_frame(task);
	unsigned long state = arch_irq_save();

	fpu_save(parent->arch.fpu);
	memcpy(task->arch.fpu, parent->arch.fpu, fpu_size());
	arch_irq_restore(state);

	*child = *frame;
	child->rax = 0;
	if (parent->arch.stepped)
		child->rflags &= ~X86_FLAGS_TRAP;
	if (stack)
		child->rsp = stack;
	task->arch.fs_base = set_tls ? tls : parent->arch.fs_base;
	task->arch.gs_base = parent->arch.gs_base;
	set_start(task, (uintptr_t)child, &start);
}

void arch_task_set_program(struct trap_frame *frame, uintptr_t entry, uintptr_t stack)
{
	struct task *task = task_current();
	uint64_t number = frame->error;
	unsigned long state = arch_irq_save();

	memset(frame, 0, sizeof *frame);
	frame->rip = entry;
	frame->rsp = stack;
	frame->vector = VECTOR_SYSCALL;
	frame->error = number; /* execve's number: a tracer sees its end */
	task->arch.stepped = false;
	task->arch.fs_base = 0;
	task->arch.gs_base = 0;
	msr_write(MSR_FS_BASE, 0);
	msr_write(MSR_KERNEL_GS_BASE, 0);
	fpu_load_initial();
	arch_irq_restore(state);
}

uintptr_t arch_frame_ip(const struct trap_frame *frame)
{
	return frame->rip;
}

void arch_frame_set_ip(struct trap_frame *frame, uintptr_t ip)
{
	frame->rip = ip;
}

bool arch_frame_is_call(const struct trap_frame *frame)
{
	return frame->vector == VECTOR_SYSCALL;
}

uintptr_t arch_frame_sp(const struct trap_frame *frame)
{
	return frame->rsp;
}

bool arch_frame_is_user(const struct trap_frame *frame)
{
	return frame->cs & 3;
}

uintptr_t arch_frame_pointer(const struct trap_frame *frame)
{
	return frame->rbp;
}

void arch_frame_log(const struct trap_frame *frame)
{
	static const struct {
		const char *name;
		size_t offset;
	} registers[] = {
#define REGISTER(r) { #r, offsetof(struct trap_frame, r) }
		REGISTER(rip), REGISTER(rsp), REGISTER(rflags), REGISTER(rax), REGISTER(rbx),
		REGISTER(rcx), REGISTER(rdx), REGISTER(rsi),	REGISTER(rdi), REGISTER(rbp),
		REGISTER(r8),  REGISTER(r9),  REGISTER(r10),	REGISTER(r11), REGISTER(r12),
		REGISTER(r13), REGISTER(r14), REGISTER(r15),
#undef REGISTER
	};
	const char *bytes = (const char *)frame;

	for (size_t i = 0; i < sizeof registers / sizeof *registers; i += 3)
		log_error("  %6s %016lx  %6s %016lx  %6s %016lx", registers[i].name,
			  *(const uint64_t *)(bytes + registers[i].offset), registers[i + 1].name,
			  *(const uint64_t *)(bytes + registers[i + 1].offset),
			  registers[i + 2].name,
			  *(const uint64_t *)(bytes + registers[i + 2].offset));
	log_error("  vector %lu, error code 0x%lx, cr2 %016lx, cr3 %016lx", frame->vector,
		  frame->error, cr2_read(), cr3_read());
}
