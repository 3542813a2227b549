// SPDX-License-Identifier: BSD-2-Clause
/*
 * /dev/cpu/N/msr: the model-specific registers of CPU N, as msr(4) says: 8 bytes at the position that is the register's
 * number, which does not move; more bytes are the same register again. An access that faults is EIO.
 *
 * Rules and errors are those of Linux 6.12's driver with its default of `allow_writes`: a program that may open the file may
 * write any register, and at most one write in 30 s is a line of the log.
 */
#include <stdatomic.h>
#include <string.h>

#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/credentials.h>
#include <kernel/sched/task.h>
#include <machine/msr.h>
#include <uapi/asm-x86_64/msr.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "nodes.h"

#define LOG_INTERVAL_NS (30 * NSEC_PER_SEC)

/* The registers of an ioctl, in its order. */
enum { REGISTER_EAX, REGISTER_ECX, REGISTER_EDX, REGISTERS = 8 };

struct msr_call {
	uint32_t number;
	bool writes;
	uint64_t value;
	int result; /* -ENXIO until the CPU has answered */
};

static void access(void *argument)
{
	struct msr_call *call = argument;
	bool ok = call->writes ? msr_write_try(call->number, call->value) :
				 msr_read_try(call->number, &call->value);

	call->result = ok ? 0 : -EIO;
}

/* Reads or writes register NUMBER on the CPU of FILE: 0, -EIO, -ENXIO. */
static int access_there(struct file *file, uint32_t number, bool writes, uint64_t *value)
{
	struct msr_call call = {
		.number = number, .writes = writes, .value = *value, .result = -ENXIO
	};

	smp_call((unsigned int)(uintptr_t)file->private, access, &call);
	*value = call.value;
	return call.result;
}

static void report_write(uint32_t number)
{
	static _Atomic uint64_t next_ns;
	uint64_t now_ns = clock_ns(), at_ns = atomic_load(&next_ns);

	if (now_ns >= at_ns &&
	    atomic_compare_exchange_strong(&next_ns, &at_ns, now_ns + LOG_INTERVAL_NS))
		log_warning("msr: process %d writes MSR 0x%x", task_current()->tgid, number);
}

static ssize_t read_msr(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	size_t done = 0;
	uint64_t value;

	if (size % sizeof(value))
		return -EINVAL;
	for (; done < size && node_may_continue(); done += sizeof(value)) {
		int error = access_there(file, (uint32_t)*position, false, &value);

		if (!error && copy_to_user((char *)user_buffer + done, &value, sizeof(value)))
			error = -EFAULT;
		if (error)
			return done ? (ssize_t)done : error;
	}
	return (ssize_t)done;
}

static ssize_t write_msr(struct file *file, const void *user_buffer, size_t size,
			 uint64_t *position)
{
	size_t done = 0;
	uint64_t value;

	report_write((uint32_t)*position);
	if (size % sizeof(value))
		return -EINVAL;
	for (; done < size && node_may_continue(); done += sizeof(value)) {
		int error =
			copy_from_user(&value, (const char *)user_buffer + done, sizeof(value)) ?
				-EFAULT :
				access_there(file, (uint32_t)*position, true, &value);

		if (error)
			return done ? (ssize_t)done : error;
	}
	return (ssize_t)done;
}

static long control(struct file *file, unsigned int command, unsigned long argument)
{
	const bool writes = command == (unsigned int)X86_IOC_WRMSR_REGS;
	const unsigned int mode = file->flags & O_ACCMODE;
	uint32_t registers[REGISTERS];
	uint64_t value;
	int error;

	if (!writes && command != (unsigned int)X86_IOC_RDMSR_REGS)
		return -ENOTTY;
	if (mode == (writes ? O_RDONLY : O_WRONLY))
		return -EBADF;
	if (copy_from_user(registers, (const void *)argument, sizeof(registers)))
		return -EFAULT;
	if (writes)
		report_write(registers[REGISTER_ECX]);
	value = (uint64_t)registers[REGISTER_EDX] << 32 | registers[REGISTER_EAX];
	error = access_there(file, registers[REGISTER_ECX], writes, &value);
	if (error)
		return error;
	registers[REGISTER_EAX] = (uint32_t)value;
	registers[REGISTER_EDX] = (uint32_t)(value >> 32);
	return copy_to_user((void *)argument, registers, sizeof(registers)) ? -EFAULT : 0;
}

static const struct file_ops msr_ops = { .read = read_msr,
					 .write = write_msr,
					 .ioctl = control,
					 .seek = node_seek,
					 .seekable = true };

int msr_open(struct inode *inode, struct file *file)
{
	unsigned int cpu;
	int error = capable(CAP_SYS_RAWIO) ? node_cpu(inode, &cpu) : -EPERM;

	if (error)
		return error;
	file->private = (void *)(uintptr_t)cpu;
	file->ops = &msr_ops;
	return 0;
}
