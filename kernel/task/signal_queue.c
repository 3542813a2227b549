/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is pending for a task or a process: a set of numbers, and an entry for each signal that
 * tells something. A number without an entry was sent when there was no memory, or no room, for
 * one.
 *
 * Entries count against RLIMIT_SIGPENDING of the user to whom they were sent.
 *
 * Locks: the process's signal lock; task_table_lock where something is added.
 */
#include "signal_queue.h"

#include <kernel/credentials.h>
#include <kernel/kmalloc.h>
#include <kernel/process.h>
#include <kernel/task.h>
#include <uapi/linux/errno.h>

/* Caused by the running instruction: acted on before others. */
#define SYNCHRONOUS                                                   \
	((uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1) | \
	 (uint64_t)1 << (SIGILL - 1) | (uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGFPE - 1))

void signal_queue_init(struct signal_queue *queue)
{
	queue->pending = 0;
	TAILQ_INIT(&queue->entries);
}

/* What carries INFO to TASK, or NULL: not enough memory, or as much as TASK's user may have
 * queued is (RLIMIT_SIGPENDING) and it is not one that the kernel or kill sends. T held. */
static struct signal_entry *make_entry(const struct task *task, const struct kernel_siginfo *info)
{
	struct user_account *account = credentials_of(task)->account;
	bool always = info->si_signo < FIRST_REAL_TIME && info->si_code >= 0;
	unsigned int others = atomic_fetch_add(&account->signals, 1);
	struct signal_entry *entry = NULL;

	if (always || others < task->process->limits[RLIMIT_SIGPENDING].rlim_cur)
		entry = kzalloc(sizeof(*entry));
	if (!entry) {
		atomic_fetch_sub(&account->signals, 1);
		return NULL;
	}
	entry->info = *info;
	entry->account = account;
	user_account_get(account);
	return entry;
}

static void free_entry(struct signal_entry *entry)
{
	atomic_fetch_sub(&entry->account->signals, 1);
	user_account_put(entry->account);
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

/* Whether the timer that sends INFO has a signal here already: then that is this one, too. S
 * held. */
static bool timer_is_queued(struct signal_queue *queue, const struct kernel_siginfo *info)
{
	struct signal_entry *entry;

	if (!(queue->pending & signal_bit(info->si_signo)))
		return false;
	TAILQ_FOREACH(entry, &queue->entries, link) {
		if (entry->info.si_code != SI_TIMER || entry->info.si_timerid != info->si_timerid)
			continue;
		/* Which setting it is of: see process_timers.c. */
		entry->info.padding = info->padding;
		entry->info.si_overrun++;
		return true;
	}
	return false;
}

int signal_queue_add(struct signal_queue *queue, const struct task *task,
		     const struct kernel_siginfo *info)
{
	int signal = info->si_signo;

	/* One of a kind, except for real-time signals; and of each timer one. */
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
