// SPDX-License-Identifier: BSD-2-Clause
/*
 * /dev/cpu/N/cpuid: CPUID of CPU N, as cpuid(4) says. 16 bytes for each leaf, EAX to EDX; bits 31:0 of the position are
 * EAX and the others ECX of the instruction. The position moves by one for each leaf.
 */
#include <kernel/base/smp.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "nodes.h"

struct cpuid_call {
	uint32_t leaf, subleaf;
	int result; /* -ENXIO until the CPU has answered */
	struct cpuid registers;
};

static void ask(void *argument)
{
	struct cpuid_call *call = argument;

	call->registers = cpuid_read(call->leaf, call->subleaf);
	call->result = 0;
}

/* The CPU's number is in the file, since the node may be gone. */
static unsigned int cpu_of(const struct file *file)
{
	return (unsigned int)(uintptr_t)file->private;
}

static ssize_t read_cpuid(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	const size_t one = sizeof(struct cpuid);
	size_t done = 0;

	if (size % one)
		return -EINVAL;
	for (; done < size && node_may_continue(); done += one) {
		struct cpuid_call call = { .leaf = (uint32_t)*position,
					   .subleaf = (uint32_t)(*position >> 32),
					   .result = -ENXIO };

		smp_call(cpu_of(file), ask, &call);
		if (!call.result && copy_to_user((char *)user_buffer + done, &call.registers, one))
			call.result = -EFAULT;
		if (call.result)
			return done ? (ssize_t)done : call.result;
		++*position;
	}
	return (ssize_t)done;
}

static const struct file_ops cpuid_ops = { .read = read_cpuid,
					   .seek = node_seek,
					   .seekable = true };

int cpuid_open(struct inode *inode, struct file *file)
{
	unsigned int cpu;
	int error = node_cpu(inode, &cpu);

	if (error)
		return error;
	file->private = (void *)(uintptr_t)cpu;
	file->ops = &cpuid_ops;
	return 0;
}
