/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pending signals of a task or a process: a set of numbers, and an entry for each signal that
 * carries information. A number without an entry was sent when there was no memory, or no room, for
 * one.
 *
 * Entries count against RLIMIT_SIGPENDING of the receiving user; a timer's signal was charged at the
 * timer's creation.
 *
 * Locks: process->signal_lock; task_table_lock for additions.
 */
#include "signal_queue.h"

#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

/* Caused by the interrupted instruction: delivered before others. */
#define SYNCHRONOUS                                                   \
	((uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1) | \
	 (uint64_t)1 << (SIGILL - 1) | (uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGFPE - 1))

void signal_queue_init(struct signal_queue *queue)
{
	queue->pending = 0;
	TAILQ_INIT(&queue->entries);
}

/* Charges one more signal to TASK's user; returns the account, referenced, or NULL: the limit is reached, and
 * it is not ALWAYS charged. */
static struct user_account *charge(const struct task *task, bool always)
{
	struct user_account *account = credentials_of(task)->account;
	unsigned int others = atomic_fetch_add(&account->signals, 1);

	if (!always && others >= task->process->limits[RLIMIT_SIGPENDING].rlim_cur) {
		atomic_fetch_sub(&account->signals, 1);
		return NULL;
	}
	user_account_get(account);
	return account;
}

struct user_account *signal_charge(const struct task *task)
{
	return charge(task, false);
}

void signal_uncharge(struct user_account *account)
{
	atomic_fetch_sub(&account->signals, 1);
	user_account_put(account);
}

/* Returns whether INFO comes from a timer of the process, which numbers its settings: see
 * process_timers.c. */
static bool is_of_timer(const struct kernel_siginfo *info)
{
	return info->si_code == SI_TIMER && info->padding;
}

/* Makes an entry for INFO to TASK. NULL: no memory, or RLIMIT_SIGPENDING of TASK's user is reached and
 * neither the kernel nor kill sends INFO. T held. */
static struct signal_entry *make_entry(const struct task *task, const struct kernel_siginfo *info)
{
	bool always = info->si_signo < FIRST_REAL_TIME && info->si_code >= 0;
	struct user_account *account = is_of_timer(info) ? NULL : charge(task, always);
	struct signal_entry *entry = account || is_of_timer(info) ? kzalloc(sizeof(*entry)) : NULL;

	if (entry) {
		entry->info = *info;
		entry->account = account;
	} else if (account) {
		signal_uncharge(account);
	}
	return entry;
}

static void free_entry(struct signal_entry *entry)
{
	if (entry->account)
		signal_uncharge(entry->account);
	kfree(entry);
}

void signal_queue_discard(struct signal_queue *queue, uint64_t mask)
{
	struct signal_entry *entry, *next;

	queue->pending &= ~mask;
	for (entry = TAILQ_FIRST(&queue->entries); entry; entry = next) {
		next = TAILQ_NEXT(entry, link);
		if (!(mask & signal_bit(entry->info.si_signo)))
			continue;
		TAILQ_REMOVE(&queue->entries, entry, link);
		free_entry(entry);
	}
}

void signal_queue_flush(struct signal_queue *queue)
{
	signal_queue_discard(queue, ~(uint64_t)0);
}

/* Returns whether the timer that sends INFO has a signal here already; then adds INFO to that as an overrun.
 * S held. */
static bool timer_is_queued(struct signal_queue *queue, const struct kernel_siginfo *info)
{
	struct signal_entry *entry;

	if (!(queue->pending & signal_bit(info->si_signo)))
		return false;
	TAILQ_FOREACH(entry, &queue->entries, link) {
		if (entry->info.si_code != SI_TIMER || entry->info.si_timerid != info->si_timerid)
			continue;
		/* The number of the timer's setting: see process_timers.c. */
		entry->info.padding = info->padding;
		entry->info.si_overrun++;
		return true;
	}
	return false;
}

/* Moves ACCOUNT's charge to the entry of timer ID in QUEUE; returns whether there is one. S held. */
static bool keep_charge(struct signal_queue *queue, int id, struct user_account *account)
{
	struct signal_entry *entry;

	TAILQ_FOREACH(entry, &queue->entries, link) {
		if (entry->account || entry->info.si_timerid != id)
			continue;
		entry->account = account;
		return true;
	}
	return false;
}

void signal_timer_ended(struct task *task, int id, struct user_account *account)
{
	struct process *process = task->process;
	unsigned long state = spin_lock_irqsave(&process->signal_lock);
	bool kept = keep_charge(&process->signals, id, account) ||
		    keep_charge(&task->signals.queue, id, account);

	spin_unlock_irqrestore(&process->signal_lock, state);
	if (!kept)
		signal_uncharge(account);
}

int signal_queue_add(struct signal_queue *queue, const struct task *task,
		     const struct kernel_siginfo *info)
{
	int signal = info->si_signo;

	/* At most one of a standard signal, and one of each timer. */
	if (info->si_code == SI_TIMER ?
		    timer_is_queued(queue, info) :
		    signal < FIRST_REAL_TIME && (queue->pending & signal_bit(signal)))
		return 0;
	struct signal_entry *entry = make_entry(task, info);

	if (entry) {
		TAILQ_INSERT_TAIL(&queue->entries, entry, link);
	} else if ((signal >= FIRST_REAL_TIME && info->si_code != SI_USER) ||
		   info->si_code == SI_TIMER) {
		return -EAGAIN;
	}
	queue->pending |= signal_bit(signal);
	return 0;
}

int signal_queue_take(struct signal_queue *queue, uint64_t mask, struct kernel_siginfo *info)
{
	uint64_t ready = queue->pending & ~mask;

	if (!ready)
		return 0;
	if (ready & SYNCHRONOUS)
		ready &= SYNCHRONOUS;
	int signal = __builtin_ctzll(ready) + 1;
	struct signal_entry *entry, *found = NULL;
	bool more = false;

	TAILQ_FOREACH(entry, &queue->entries, link) {
		if (entry->info.si_signo != signal)
			continue;
		if (found) {
			more = true;
			break;
		}
		found = entry;
	}
	if (!more)
		queue->pending &= ~signal_bit(signal);
	if (!found) {
		*info = (struct kernel_siginfo){ .si_signo = signal, .si_code = SI_USER };
		return signal;
	}
	*info = found->info;
	TAILQ_REMOVE(&queue->entries, found, link);
	free_entry(found);
	return signal;
}
