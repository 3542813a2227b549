/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that only Linux/alpha has, or has with OSF/1's conventions. <machine/calls.h> has their
 * rows of the table.
 *
 * The calls with OSF/1's structures are in osf_time_calls.c, osf_file_calls.c, osf_name_calls.c and
 * stat_calls.c; queries about the machine are in osf_sysinfo_calls.c. Sources: Linux's
 * arch/alpha/kernel/osf_sys.c and systbls as seen from user space.
 */
#include <machine/calls.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/signal.h>
#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/fs/pipe.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <machine/cpu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>
#include <uapi/linux/stat.h>

#include "signal_frame.h"
#include "syscall.h"

/* The result of getdtablesize: Linux's sysctl_nr_open. */
#define DESCRIPTORS_MAX 1048576
/* getpriority returns this much more than the nice value elsewhere. */
#define NICE_BASE	20

/* --- two results: the second in a4 --- */

static long with_second(long first, long second)
{
	arch_task_user_frame(task_current())->r20 = (uint64_t)second;
	return first;
}

long alpha_getxpid(const unsigned long arg[6])
{
	return with_second(sys_getpid(arg), sys_getppid(arg));
}

long alpha_getxuid(const unsigned long arg[6])
{
	return with_second(sys_getuid(arg), sys_geteuid(arg));
}

long alpha_getxgid(const unsigned long arg[6])
{
	return with_second(sys_getgid(arg), sys_getegid(arg));
}

long alpha_pipe(const unsigned long arg[6])
{
	int ends[2];
	long error = pipe_open(ends, 0);

	return error ? error : with_second(ends[0], ends[1]);
}

/* --- the same with another result, or other arguments --- */

long alpha_brk(const unsigned long arg[6])
{
	unsigned long now = (unsigned long)sys_brk(arg);

	return arg[0] && now != arg[0] ? -ENOMEM : (long)now;
}

long alpha_getpriority(const unsigned long arg[6])
{
	long result = sys_getpriority(arg);

	if (result >= 0)
		syscall_succeed(arch_task_user_frame(task_current()),
				(uint64_t)(NICE_BASE - result));
	return result;
}

static long statfs64(syscall_function *describe, const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], arg[2] };

	return arg[1] == sizeof(struct kernel_statfs) ? describe(others) : -EINVAL;
}

long alpha_statfs64(const unsigned long arg[6])
{
	return statfs64(sys_statfs, arg);
}

long alpha_fstatfs64(const unsigned long arg[6])
{
	return statfs64(sys_fstatfs, arg);
}

/* WITHOUT=net leaves them out: see kernel.mk. */
extern __attribute__((weak)) syscall_function sys_sendto, sys_recvfrom;

long alpha_send(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], arg[1], arg[2], arg[3] };

	return sys_sendto ? sys_sendto(others) : -ENOSYS;
}

long alpha_recv(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], arg[1], arg[2], arg[3] };

	return sys_recvfrom ? sys_recvfrom(others) : -ENOSYS;
}

long alpha_sigpending(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], sizeof(uint64_t) };

	return sys_rt_sigpending(others);
}

/* The mask is an argument, and the previous mask is the result. */
long alpha_osf_sigprocmask(const unsigned long arg[6])
{
	uint64_t old = task_current()->signals.mask, new;

	switch ((int)arg[0]) {
	case SIG_BLOCK:
		new = old | arg[1];
		break;
	case SIG_UNBLOCK:
		new = old & ~arg[1];
		break;
	case SIG_SETMASK:
		new = arg[1];
		break;
	default:
		return -EINVAL;
	}
	signal_set_mask(new & ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1)));
	syscall_succeed(arch_task_user_frame(task_current()), old);
	return 0;
}

/* sigsuspend's mask is an argument, too. */
long alpha_sigsuspend(const unsigned long arg[6])
{
	return signal_suspend(arg[0]);
}

long alpha_sigreturn(const unsigned long arg[6])
{
	struct trap_frame *frame = arch_task_user_frame(task_current());
	uint64_t mask;

	if (signal_return_plain(frame, &mask)) {
		user_exception(frame, SIGSEGV, SI_KERNEL, 0);
		return 0;
	}
	signal_set_mask(mask);
	return arch_syscall_result(frame);
}

/* The structure of OSF/1's sigaction. */
struct osf_sigaction {
	uint64_t handler, mask;
	int32_t flags;
} __attribute__((packed));

long alpha_sigaction(const unsigned long arg[6])
{
	struct kernel_sigaction action = { 0 }, old;
	struct osf_sigaction osf;

	if (arg[1]) {
		if (copy_from_user(&osf, (const void *)arg[1], sizeof(osf)))
			return -EFAULT;
		action.handler = osf.handler;
		action.mask = osf.mask;
		action.flags = (uint64_t)(int64_t)osf.flags;
	}
	int error = signal_change_action((int)arg[0], arg[1] ? &action : NULL, &old);

	if (error || !arg[2])
		return error;
	osf = (struct osf_sigaction){ old.handler, old.mask, (int32_t)old.flags };
	return copy_to_user((void *)arg[2], &osf, sizeof(osf));
}

/* The end of the alternate stack, and whether it is in use. sigaltstack's structure also has a size;
 * here the kernel assumes one. */
struct osf_sigstack {
	uint64_t end;
	int32_t in_use;
} __attribute__((packed));

#define OSF_SIGSTACK_SIZE 16384 /* SIGSTKSZ of Linux's uapi/asm/signal.h for Alpha */

long alpha_osf_sigstack(const unsigned long arg[6])
{
	struct kernel_sigaltstack *stack = &task_current()->signals.alternate;
	const struct osf_sigstack old = { stack->ss_sp + stack->ss_size,
					  signal_on_alternate_stack() };
	uint64_t end;

	if (arg[0]) {
		if (copy_from_user(&end, (const void *)arg[0], sizeof(end)))
			return -EFAULT;
		if (old.in_use)
			return -EPERM;
		stack->ss_sp = end - OSF_SIGSTACK_SIZE;
		stack->ss_size = OSF_SIGSTACK_SIZE;
		stack->ss_flags &= ~SS_DISABLE;
	}
	return arg[1] ? copy_to_user((void *)arg[1], &old, sizeof(old)) : 0;
}

long alpha_getpagesize(const unsigned long arg[6])
{
	return (long)PAGE_SIZE;
}

long alpha_getdtablesize(const unsigned long arg[6])
{
	return DESCRIPTORS_MAX;
}

long arch_syscall(long number, struct trap_frame *frame)
{
	/* All numbers are in the table. -1 is a number like others here and gets ENOSYS: the frame
	 * still belongs to a call. */
	frame->cause[CAUSE_NUMBER] = (uint32_t)number;
	return -ENOSYS;
}
