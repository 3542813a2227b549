/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences: rseq(2), with the behaviour of Linux 6.12.
 *
 * A thread registers an area of its memory in which the kernel keeps the CPU's number, and the thread
 * its current sequence. The scheduler marks a task at a context switch to it (signals.sequence); the exit
 * path to user mode handles the mark here. A task that returns from a system call was in no sequence,
 * since a sequence must make no calls: if the task is still on its CPU, there is nothing to do.
 *
 * The concurrency id, mm_cid, is the CPU's number: as unique among the running threads, and below the
 * number of CPUs, but not always the least.
 *
 * Lock: none; a task's area is its own.
 */
#include <kernel/task/rseq.h>

#include <stddef.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/rseq.h>
#include <uapi/linux/signal.h>

#define AREA(rseq, field) ((void *)((rseq)->address + offsetof(struct rseq_area, field)))

/* Writes the area: on CPU (RSEQ_CPU_ID_UNINITIALIZED: unknown), of node 0. */
static int write_area(const struct rseq_state *rseq, uint32_t start, uint32_t cpu, uint32_t mm_cid)
{
	const uint32_t ids[2] = { start, cpu }, rest[2] = { 0, mm_cid };

	return copy_to_user(AREA(rseq, cpu_id_start), ids, sizeof(ids)) ||
			       copy_to_user(AREA(rseq, node_id), rest, sizeof(rest)) ?
		       -EFAULT :
		       0;
}

static int leave_section(const struct rseq_state *rseq)
{
	static const uint64_t none;

	return copy_to_user(AREA(rseq, rseq_cs), &none, sizeof(none)) ? -EFAULT : 0;
}

/* Reads the section at ADDRESS: 0, -EFAULT, or -EINVAL: it is invalid. */
static int read_section(const struct rseq_state *rseq, uint64_t address,
			struct rseq_section *section)
{
	uint64_t end;
	uint32_t signature;

	if (copy_from_user(section, (const void *)address, sizeof(*section)))
		return -EFAULT;
	if (section->version || section->start_ip >= USER_END ||
	    __builtin_add_overflow(section->start_ip, section->post_commit_offset, &end) ||
	    end >= USER_END || section->abort_ip >= USER_END ||
	    section->abort_ip - section->start_ip < section->post_commit_offset)
		return -EINVAL;
	/* The signature prevents jumps to arbitrary code. */
	if (copy_from_user(&signature, (const void *)(section->abort_ip - sizeof(signature)),
			   sizeof(signature)))
		return -EFAULT;
	return signature == rseq->signature ? 0 : -EINVAL;
}

/* If FRAME is in a section, moves it to the abort address. 0 or an error. */
static int abort_section(const struct rseq_state *rseq, struct trap_frame *frame)
{
	struct rseq_section section;
	uint64_t address;
	uint32_t flags;

	if (copy_from_user(&address, AREA(rseq, rseq_cs), sizeof(address)))
		return -EFAULT;
	if (!address)
		return 0;
	int error = read_section(rseq, address, &section);

	if (error)
		return error;
	if (arch_frame_ip(frame) - section.start_ip >= section.post_commit_offset)
		return leave_section(rseq);
	if (copy_from_user(&flags, AREA(rseq, flags), sizeof(flags)))
		return -EFAULT;
	/* No flag has a meaning any more. */
	if (flags || section.flags)
		return -EINVAL;
	error = leave_section(rseq);
	if (!error)
		arch_frame_set_ip(frame, section.abort_ip);
	return error;
}

int rseq_interrupt(struct trap_frame *frame)
{
	struct rseq_state *rseq = &task_current()->rseq;

	/* First: a preemption from here on sets the mark again. */
	task_current()->signals.sequence = false;
	unsigned int cpu = cpu_id();
	int error = abort_section(rseq, frame);

	if (!error && rseq->cpu != (int)cpu) {
		error = write_area(rseq, cpu, cpu, cpu);
		rseq->cpu = (int)cpu;
	}
	return error;
}

void rseq_return(struct trap_frame *frame)
{
	struct rseq_state *rseq = &task_current()->rseq;

	if (rseq->cpu == (int)cpu_id() && arch_frame_is_call(frame))
		task_current()->signals.sequence = false;
	else if (rseq_interrupt(frame) < 0)
		user_exception(frame, SIGSEGV, SI_KERNEL, 0);
}

/* Removes the area of TASK, the current one. */
static void forget(struct task *task)
{
	task->rseq = (struct rseq_state){ 0 };
	task->signals.sequence = false;
}

void rseq_fork(struct task *child, bool shares_memory)
{
	if (!shares_memory)
		child->rseq = task_current()->rseq;
}

void rseq_exec(void)
{
	forget(task_current());
}

/* Returns whether SIZE bytes at ADDRESS can be an area. */
static bool is_area(uintptr_t address, uint32_t size)
{
	return size >= RSEQ_ORIGINAL_SIZE && address % RSEQ_ALIGN == 0;
}

static long unregister(struct rseq_state *rseq, uintptr_t address, uint32_t size,
		       uint32_t signature)
{
	if (!rseq->address || rseq->address != address || rseq->size != size)
		return -EINVAL;
	if (rseq->signature != signature)
		return -EPERM;
	int error = write_area(rseq, 0, RSEQ_CPU_ID_UNINITIALIZED, 0);

	if (!error)
		forget(task_current());
	return error;
}

long sys_rseq(const unsigned long arg[6])
{
	struct rseq_state *rseq = &task_current()->rseq;
	uint32_t size = (uint32_t)arg[1], signature = (uint32_t)arg[3];
	struct user_range range;
	int flags = (int)arg[2];

	if (flags == RSEQ_FLAG_UNREGISTER)
		return unregister(rseq, arg[0], size, signature);
	if (flags)
		return -EINVAL;
	if (rseq->address) {
		if (rseq->address != arg[0] || rseq->size != size)
			return -EINVAL;
		return rseq->signature == signature ? -EBUSY : -EPERM;
	}
	if (!is_area(arg[0], size))
		return -EINVAL;
	if (!user_range_make(arg[0], size, &range))
		return -EFAULT;
	struct rseq_state new = {
		.address = arg[0], .size = size, .signature = signature, .cpu = -1
	};

	/* The area may name a section of an earlier registration. */
	if (leave_section(&new))
		return -EFAULT;
	*rseq = new;
	/* The exit path fills in the area. */
	task_current()->signals.sequence = true;
	return 0;
}
