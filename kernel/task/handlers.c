/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of a process for all signals, which processes cloned with CLONE_SIGHAND share.
 *
 * Only execve replaces a process's pointer, under task_table_lock and its signal_lock.
 *
 * Lock: handlers->lock, inside the signal_lock of the accessing process: only handlers->lock excludes other
 * processes that share them. A handler's address alone may be read without it.
 */
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>

struct signal_handlers *signal_handlers_copy(struct signal_handlers *old)
{
	struct signal_handlers *handlers = kzalloc(sizeof(*handlers));

	if (!handlers)
		return NULL;
	handlers->references = 1;
	spin_init(&handlers->lock);
	if (!old)
		return handlers;
	unsigned long state = spin_lock_irqsave(&old->lock);

	memcpy(handlers->actions, old->actions, sizeof(handlers->actions));
	spin_unlock_irqrestore(&old->lock, state);
	return handlers;
}

struct signal_handlers *signal_handlers_share(struct signal_handlers *handlers)
{
	atomic_fetch_add(&handlers->references, 1);
	return handlers;
}

void signal_handlers_put(struct signal_handlers *handlers)
{
	if (atomic_fetch_sub(&handlers->references, 1) == 1)
		kfree(handlers);
}

void signal_handlers_clear(struct signal_handlers *handlers, bool all)
{
	unsigned long state = spin_lock_irqsave(&handlers->lock);

	for (size_t i = 0; i < SIGNALS_MAX; i++) {
		struct kernel_sigaction *action = &handlers->actions[i];
		bool ignored = action->handler == SIG_IGN_ADDRESS;

		/* Without a handler, its flags and mask mean nothing. */
		if (all || !ignored)
			*action = (struct kernel_sigaction){ 0 };
		if (ignored)
			action->handler = SIG_IGN_ADDRESS;
	}
	spin_unlock_irqrestore(&handlers->lock, state);
}

struct kernel_sigaction signal_handlers_get(struct signal_handlers *handlers, int signal)
{
	unsigned long state = spin_lock_irqsave(&handlers->lock);
	struct kernel_sigaction action = handlers->actions[signal - 1];

	spin_unlock_irqrestore(&handlers->lock, state);
	return action;
}

void signal_handlers_take(struct signal_handlers *handlers, int signal,
			  struct kernel_sigaction *action)
{
	unsigned long state = spin_lock_irqsave(&handlers->lock);
	struct kernel_sigaction *now = &handlers->actions[signal - 1];

	*action = *now;
	if ((action->flags & SA_RESETHAND) && action->handler > SIG_IGN_ADDRESS)
		now->handler = SIG_DFL_ADDRESS;
	spin_unlock_irqrestore(&handlers->lock, state);
}

void signal_handlers_set(struct signal_handlers *handlers, int signal,
			 const struct kernel_sigaction *action)
{
	unsigned long state = spin_lock_irqsave(&handlers->lock);

	handlers->actions[signal - 1] = *action;
	spin_unlock_irqrestore(&handlers->lock, state);
}

void signal_handlers_reset(struct signal_handlers *handlers, int signal, bool unless_handled)
{
	unsigned long state = spin_lock_irqsave(&handlers->lock);
	struct kernel_sigaction *action = &handlers->actions[signal - 1];

	if (!unless_handled || action->handler == SIG_IGN_ADDRESS)
		action->handler = SIG_DFL_ADDRESS;
	spin_unlock_irqrestore(&handlers->lock, state);
}

int signal_reset_for_exec(struct process *process)
{
	struct signal_handlers *old = process->handlers, *own = old;

	if (old->references > 1) {
		own = signal_handlers_copy(old);
		if (!own)
			return -1;
		unsigned long state = spin_lock_irqsave(&task_table_lock);

		spin_lock(&process->signal_lock);
		process->handlers = own;
		spin_unlock(&process->signal_lock);
		spin_unlock_irqrestore(&task_table_lock, state);
		signal_handlers_put(old);
	}
	signal_handlers_clear(own, true);
	return 0;
}
