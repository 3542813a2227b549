/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that only Linux/alpha has, or has in another way: OSF/1's conventions, and its questions about
 * floating-point control. Where they are in the table: <machine/calls.h>.
 *
 * Not here are OSF/1's calls with times and structures of 32 bits, which Linux keeps for OSF/1's own programs;
 * they are ENOSYS. Sources: Linux's arch/alpha/kernel/osf_sys.c and systbls as seen from user space.
 */
#include <machine/calls.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/signal.h>
#include <arch/task.h>
#include <kernel/entry.h>
#include <kernel/page.h>
#include <kernel/pipe.h>
#include <kernel/process.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <machine/cpu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>
#include <uapi/linux/stat.h>

#include "floating_control.h"
#include "signal_frame.h"
#include "switch.h"
#include "syscall.h"

/* What getdtablesize says: Linux's sysctl_nr_open. */
#define DESCRIPTORS_MAX 1048576
/* getpriority's result is that much above the nice value elsewhere. */
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

long alpha_send(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], arg[1], arg[2], arg[3] };

	return sys_sendto(others);
}

long alpha_recv(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], arg[1], arg[2], arg[3] };

	return sys_recvfrom(others);
}

long alpha_sigpending(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0], sizeof(uint64_t) };

	return sys_rt_sigpending(others);
}

/* The mask is an argument, and the one before is the result. */
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

/* What OSF/1's sigaction takes and tells. */
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

long alpha_getpagesize(const unsigned long arg[6])
{
	return (long)PAGE_SIZE;
}

long alpha_getdtablesize(const unsigned long arg[6])
{
	return DESCRIPTORS_MAX;
}

/* --- floating-point control --- */

/* getsysinfo's and setsysinfo's operations: uapi/asm/sysinfo.h. */
#define GET_FP_CONTROL	45
#define SET_FP_CONTROL	14
#define RAISE_EXCEPTION 1001

/* What has happened, and below it the same five as traps that are enabled. */
#define HAPPENED_SHIFT	17
#define ENABLED_SHIFT	1
#define EXCEPTIONS	0x1fu

/* Which code SIGFPE has for an exception, the gravest first. */
static const struct {
	unsigned int bit; /* of EXCEPTIONS */
	int code;
} exception_codes[] = {
	{ 4, FPE_FLTRES }, { 3, FPE_FLTUND }, { 2, FPE_FLTOVF },
	{ 1, FPE_FLTDIV }, { 0, FPE_FLTINV },
};

static uint64_t read_control(void)
{
	struct floating_state state;
	unsigned long interrupts = arch_irq_save();

	fpu_save(&state);
	arch_irq_restore(interrupts);
	return floating_control_of(state.control);
}

static void write_control(uint64_t control)
{
	struct floating_state state;
	unsigned long interrupts = arch_irq_save();

	fpu_save(&state);
	state.control = floating_control_set(state.control, control);
	fpu_load(&state);
	arch_irq_restore(interrupts);
}

/* EXCEPTIONS, in their places of what has happened, happen: a signal for those that are to trap. */
static void raise_exceptions(uint64_t exceptions)
{
	uint64_t control = read_control();
	uint64_t trapping = exceptions >> HAPPENED_SHIFT & control >> ENABLED_SHIFT & EXCEPTIONS;
	struct trap_frame *frame = arch_task_user_frame(task_current());
	int code = 0;

	write_control(control | (exceptions & EXCEPTIONS << HAPPENED_SHIFT));
	for (size_t i = 0; i < sizeof(exception_codes) / sizeof(exception_codes[0]); i++)
		if (trapping >> exception_codes[i].bit & 1)
			code = exception_codes[i].code;
	if (code)
		user_exception(frame, SIGFPE, code, frame->pc);
}

long alpha_osf_getsysinfo(const unsigned long arg[6])
{
	uint64_t control = read_control();

	if (arg[0] != GET_FP_CONTROL)
		return -EOPNOTSUPP;
	return copy_to_user((void *)arg[1], &control, sizeof(control));
}

long alpha_osf_setsysinfo(const unsigned long arg[6])
{
	uint64_t word;

	if (arg[0] != SET_FP_CONTROL && arg[0] != RAISE_EXCEPTION)
		return -EOPNOTSUPP;
	if (copy_from_user(&word, (const void *)arg[1], sizeof(word)))
		return -EFAULT;
	if (arg[0] == SET_FP_CONTROL)
		write_control(word);
	else
		raise_exceptions(word);
	return 0;
}

long arch_syscall(long number, struct trap_frame *frame)
{
	return -ENOSYS; /* all are in the table */
}
