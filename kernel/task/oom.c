/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When memory runs out: who is ended for it.
 *
 * Pages of programs come from what lies above a reserve, so that the kernel's own paths (exits, page
 * tables, signals) find memory when programs do not. A fault that finds none ends the process that
 * has most, by Linux's measure (oom_badness: resident pages and page tables, moved by oom_score_adj
 * thousandths of all memory), waits until that one's memory is free, and tries again. The first
 * process is taken only when there is no other. What a system call needs for itself is ENOMEM
 * instead.
 *
 * One victim at a time: while one is ending, those who need memory wait for it. A victim that is held
 * up (it may wait for what the waiting task holds) is given PATIENCE_NS, and then another one goes.
 *
 * Locks: task_table_lock while choosing; inside it, what vm_task_pages takes.
 */
#include <stdatomic.h>
#include <string.h>

#include <kernel/log.h>
#include <kernel/process.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>

/* Long enough to free all memory of a slow machine. */
#define PATIENCE_NS	(10 * NSEC_PER_SEC)
#define LOOK_AGAIN_NS	1000000
/* oom_score_adj of who is never taken. */
#define SCORE_ADJ_NEVER (-1000)

/* When the present victim was sentenced; 0: there has been none. */
static _Atomic uint64_t sentenced_ns;

struct candidate {
	struct process *process;
	long score;
	size_t pages;
};

/* Looks at every process; whether one that was sentenced before still holds memory. T held. */
static bool choose(struct candidate *best, bool first_too)
{
	bool ending = false;

	for (struct task *task = task_table_next(0); task; task = task_table_next(task->tid)) {
		struct process *process = task->process;
		size_t pages = process ? vm_task_pages(task) : 0;

		if (!pages)
			continue;
		ending |= process->exiting;
		if (process->exiting || process->oom_score_adj == SCORE_ADJ_NEVER ||
		    (process->pid == FIRST_PID && !first_too))
			continue;
		long score = (long)pages + process->oom_score_adj * (long)page_total_count() / 1000;

		if (!best->process || score > best->score)
			*best = (struct candidate){ process, score, pages };
	}
	/* Asked last: who had no pages above and is not leaving here has freed them. */
	return ending || vm_any_space_leaving();
}

/*
 * Ends the process that has most, unless one is ending already or has ended since memory was short;
 * says so.
 */
static void sentence(void)
{
	static const struct kernel_siginfo kill = { .si_signo = SIGKILL, .si_code = SI_KERNEL };
	uint64_t now = clock_ns(), last = sentenced_ns;
	struct candidate best = { 0 };
	char name[TASK_COMM_SIZE];
	pid_t pid = 0;

	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool ending = choose(&best, false);

	if (!best.process && !ending)
		ending = choose(&best, true);
	if (best.process && page_free_count() <= oom_reserve_pages() &&
	    (!ending || (last && now - last > PATIENCE_NS))) {
		pid = best.process->pid;
		memcpy(name, best.process->leader->comm, sizeof(name));
		signal_send_process_locked(best.process, &kill);
		sentenced_ns = now;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	if (pid)
		log_warning(
			"out of memory: killing %d (%s), which has %zu KiB; %zu of %zu KiB are free",
			pid, name, best.pages * (PAGE_SIZE / 1024),
			page_free_count() * (PAGE_SIZE / 1024),
			page_total_count() * (PAGE_SIZE / 1024));
}

bool oom_relieve(void)
{
	struct task *self = task_current();

	if (!signal_is_fatal_pending(self))
		sentence();
	if (signal_is_fatal_pending(self))
		return false;
	wait_sleep_killable(clock_ns() + LOOK_AGAIN_NS);
	return !signal_is_fatal_pending(self);
}
