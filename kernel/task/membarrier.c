/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * membarrier: a memory barrier on every CPU that runs the caller's program, so that the program's other
 * threads need none of their own. Source: membarrier(2), Linux 6.12.
 *
 * A cross call is the barrier: the interrupted CPU's entry into the kernel and return (IRET) order its
 * memory accesses and synchronize its instruction stream. A CPU that runs the program only later has made
 * a context switch, which orders as well.
 *
 * Lock: none; a program's registrations are a set of bits in its space that only grows.
 */
#include <kernel/base/cpu.h>
#include <kernel/base/smp.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

enum membarrier_command {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_GLOBAL = 1 << 0,
	MEMBARRIER_GLOBAL_EXPEDITED = 1 << 1,
	MEMBARRIER_REGISTER_GLOBAL_EXPEDITED = 1 << 2,
	MEMBARRIER_PRIVATE_EXPEDITED = 1 << 3,
	MEMBARRIER_REGISTER_PRIVATE_EXPEDITED = 1 << 4,
	MEMBARRIER_PRIVATE_EXPEDITED_SYNC_CORE = 1 << 5,
	MEMBARRIER_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE = 1 << 6,
	MEMBARRIER_PRIVATE_EXPEDITED_RSEQ = 1 << 7,
	MEMBARRIER_REGISTER_PRIVATE_EXPEDITED_RSEQ = 1 << 8,
	MEMBARRIER_GET_REGISTRATIONS = 1 << 9,
};

#define ALL_COMMANDS ((1 << 10) - 1)
/* With PRIVATE_EXPEDITED_RSEQ: an argument names the only CPU. */
#define FLAG_CPU     1u

static void barrier(void *arg)
{
	atomic_thread_fence(memory_order_seq_cst);
}

/* Restarts the restartable sequence of the current task if it runs in space ARG. */
static void restart_sequence(void *arg)
{
	struct task *self = task_current();

	if (self->space == arg && self->rseq.address)
		self->signals.sequence = true;
}

/* Calls FUNCTION on the CPUs of MASK that run the caller's program. */
static void call_private(const cpumask_t *mask, void (*function)(void *arg))
{
	struct vm_space *space = task_current()->space;

	atomic_thread_fence(memory_order_seq_cst);
	cpumask_t active = cpumask_shared_read(&space->active_cpus);

	cpumask_keep(&active, mask);
	smp_call_mask(&active, function, space);
}

long sys_membarrier(const unsigned long arg[6])
{
	int command = (int)arg[0], cpu = (int)arg[2];
	unsigned int flags = (unsigned int)arg[1];
	_Atomic unsigned int *registered = &task_current()->space->membarrier_registered;
	cpumask_t mask = cpus_all();

	if (flags && (command != MEMBARRIER_PRIVATE_EXPEDITED_RSEQ || flags != FLAG_CPU))
		return -EINVAL;
	switch (command) {
	case MEMBARRIER_QUERY:
		return ALL_COMMANDS;
	case MEMBARRIER_GLOBAL:
	case MEMBARRIER_GLOBAL_EXPEDITED:
		smp_call_all(barrier, NULL);
		return 0;
	case MEMBARRIER_REGISTER_GLOBAL_EXPEDITED:
	case MEMBARRIER_REGISTER_PRIVATE_EXPEDITED:
	case MEMBARRIER_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE:
	case MEMBARRIER_REGISTER_PRIVATE_EXPEDITED_RSEQ:
		*registered |= (unsigned int)command;
		return 0;
	case MEMBARRIER_PRIVATE_EXPEDITED:
	case MEMBARRIER_PRIVATE_EXPEDITED_SYNC_CORE:
	case MEMBARRIER_PRIVATE_EXPEDITED_RSEQ:
		/* A command's registration is the next higher bit. */
		if (!(*registered & (unsigned int)command << 1))
			return -EPERM;
		if (flags)
			mask = cpu >= 0 && cpu < CPUS_MAX ? cpumask_of((unsigned int)cpu) :
							    CPUMASK_NONE;
		call_private(&mask, command == MEMBARRIER_PRIVATE_EXPEDITED_RSEQ ?
					    restart_sequence :
					    barrier);
		return 0;
	case MEMBARRIER_GET_REGISTRATIONS:
		return *registered;
	default:
		return -EINVAL;
	}
}
