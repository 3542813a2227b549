/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about receiving signals and about exit; signal.c and exit.c do the work. Sending:
 * send_calls.c. */
#include <arch/signal.h>
#include <kernel/base/entry.h>
#include <kernel/base/signal_stack.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* The ss_flags that sigaltstack accepts. */
#define STACK_MODES (SS_DISABLE | SS_ONSTACK | SS_AUTODISARM)

long sys_exit(const unsigned long arg[6])
{
	task_exit((int)(arg[0] & 0xff) << 8);
}

long sys_exit_group(const unsigned long arg[6])
{
	process_exit((int)(arg[0] & 0xff) << 8);
}

int signal_change_action(int signal, const struct kernel_sigaction *new,
			 struct kernel_sigaction *old)
{
	struct process *process = task_current()->process;

	if (signal < 1 || signal > SIGNALS_MAX || (new && (signal == SIGKILL || signal == SIGSTOP)))
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	spin_lock(&process->signal_lock);
	*old = signal_handlers_get(process->handlers, signal);
	if (new) {
		struct kernel_sigaction action = *new;

		/* Clear unknown flags, so that programs can probe for them. */
		action.flags &= SA_KNOWN;
		action.mask &= ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1));
		signal_handlers_set(process->handlers, signal, &action);
		signal_discard_ignored(process, signal);
	}
	spin_unlock(&process->signal_lock);
	spin_unlock_irqrestore(&task_table_lock, state);
	return 0;
}

long sys_rt_sigaction(const unsigned long arg[6])
{
	struct kernel_sigaction new, old;

	if (arg[3] != sizeof(uint64_t))
		return -EINVAL;
	if (arg[1] && copy_from_user(&new, (const void *)arg[1], SIGACTION_SIZE))
		return -EFAULT;
	if (SIGACTION_SIZE < sizeof(new))
		new.restorer = arg[4];
	int error = signal_change_action((int)arg[0], arg[1] ? &new : NULL, &old);

	if (error || !arg[2])
		return error;
	return copy_to_user((void *)arg[2], &old, SIGACTION_SIZE);
}

long sys_rt_sigprocmask(const unsigned long arg[6])
{
	uint64_t old = task_current()->signals.mask, set, new;

	if (arg[3] != sizeof(uint64_t))
		return -EINVAL;
	if (arg[1]) {
		if (copy_from_user(&set, (const void *)arg[1], sizeof(set)))
			return -EFAULT;
		switch ((int)arg[0]) {
		case SIG_BLOCK:
			new = old | set;
			break;
		case SIG_UNBLOCK:
			new = old & ~set;
			break;
		case SIG_SETMASK:
			new = set;
			break;
		default:
			return -EINVAL;
		}
		signal_set_mask(new);
	}
	return arg[2] ? copy_to_user((void *)arg[2], &old, sizeof(old)) : 0;
}

long sys_rt_sigpending(const unsigned long arg[6])
{
	struct task *self = task_current();

	if (arg[1] > sizeof(uint64_t))
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&self->process->signal_lock);
	uint64_t pending = (self->signals.queue.pending | self->process->signals.pending) &
			   self->signals.mask;

	spin_unlock_irqrestore(&self->process->signal_lock, state);
	return copy_to_user((void *)arg[0], &pending, arg[1]);
}

/* Sleeps until a signal is pending. */
static long wait_for_signal(void)
{
	int error;

	do {
		error = wait_sleep(UINT64_MAX);
	} while (!error);
	return error;
}

long signal_suspend(uint64_t mask)
{
	struct task *self = task_current();

	self->signals.saved_mask = self->signals.mask;
	signal_set_mask(mask);
	long result = wait_for_signal();

	self->signals.restore_mask = true;
	return result;
}

long sys_rt_sigsuspend(const unsigned long arg[6])
{
	uint64_t mask;

	if (arg[1] != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, (const void *)arg[0], sizeof(mask)))
		return -EFAULT;
	return signal_suspend(mask);
}

long sys_pause(const unsigned long arg[6])
{
	return wait_for_signal();
}

long sys_rt_sigtimedwait(const unsigned long arg[6])
{
	struct process *process = task_current()->process;
	uint64_t set, deadline_ns;
	struct kernel_siginfo info;
	struct wait_entry entry;
	int error, signal;

	if (arg[3] != sizeof(set))
		return -EINVAL;
	if (copy_from_user(&set, (const void *)arg[0], sizeof(set)))
		return -EFAULT;
	error = timespec_deadline_from_user(arg[2], &deadline_ns);
	if (error)
		return error;
	set &= ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1));
	wait_queue_add(&process->signal_event, &entry);
	while (!(signal = signal_take(set, &info)) && !error)
		error = wait_sleep(deadline_ns);
	wait_queue_remove(&process->signal_event, &entry);
	if (!signal)
		return error == -ETIMEDOUT ? -EAGAIN : error;
	if (arg[1] && copy_to_user((void *)arg[1], &info, sizeof(info)))
		return -EFAULT;
	return signal;
}

long sys_rt_sigreturn(const unsigned long arg[6])
{
	struct task *self = task_current();
	struct trap_frame *frame = arch_task_user_frame(self);
	uint64_t mask;

	if (arch_signal_return(frame, &mask, &self->signals.alternate) < 0) {
		user_exception(frame, SIGSEGV, SI_KERNEL, 0);
		return 0;
	}
	signal_set_mask(mask);
	/* Return the restored value of the result register. */
	return arch_syscall_result(frame);
}

bool signal_on_alternate_stack(void)
{
	struct task *self = task_current();
	const struct kernel_sigaltstack *stack = &self->signals.alternate;
	uintptr_t sp = arch_frame_sp(arch_task_user_frame(self));

	return signal_stack_is_used(stack, sp);
}

long sys_sigaltstack(const unsigned long arg[6])
{
	struct task *self = task_current();
	struct kernel_sigaltstack *stack = &self->signals.alternate, old = *stack, new;

	if (signal_on_alternate_stack())
		old.ss_flags |= SS_ONSTACK;
	if (arg[0]) {
		if (copy_from_user(&new, (const void *)arg[0], sizeof(new)))
			return -EFAULT;
		unsigned int mode = (unsigned int)new.ss_flags & ~SS_AUTODISARM;

		if (old.ss_flags & SS_ONSTACK)
			return -EPERM;
		if (((unsigned int)new.ss_flags & ~STACK_MODES) ||
		    mode == (SS_DISABLE | SS_ONSTACK))
			return -EINVAL;
		if (mode == SS_DISABLE)
			new.ss_sp = new.ss_size = 0;
		else if (new.ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		else
			new.ss_flags &= ~SS_ONSTACK;
		new.padding = 0;
		*stack = new;
	}
	return arg[1] ? copy_to_user((void *)arg[1], &old, sizeof(old)) : 0;
}
