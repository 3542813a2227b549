/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Out of memory: choosing and killing a victim.
 *
 * Programs get only the pages above a reserve, so that the kernel's own paths (exits, page tables,
 * signals) find memory when programs do not. A fault that finds none kills the process that has most,
 * by Linux's measure (oom_badness: resident pages and page tables, moved by oom_score_adj thousandths
 * of all memory), waits until the victim's memory is free, and tries again. The first process is
 * killed only when there is no other. A system call that finds no memory for itself returns ENOMEM
 * instead.
 *
 * One victim at a time: while one exits, tasks that need memory wait for it. A victim may be blocked
 * (on a lock that the waiting task holds): after PATIENCE_NS another one is killed.
 *
 * Locks: task_table_lock while choosing; inside it, vm_task_pages's space_owner_lock.
 */
#include <stdatomic.h>
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* Enough time to free all memory of a slow machine. */
#define PATIENCE_NS	(10 * NSEC_PER_SEC)
#define LOOK_AGAIN_NS	1000000
/* The oom_score_adj of a process that is never killed. */
#define SCORE_ADJ_NEVER (-1000)

/* When the last victim was killed; 0: none yet. */
static _Atomic uint64_t sentenced_ns;

struct candidate {
	struct process *process;
	long score;
	size_t pages;
};

/* Finds the best candidate; returns whether an earlier victim still holds memory. task_table_lock held. */
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
	/* Last: a task that had no pages above and is not leaving its space here has freed them. */
	return ending || vm_any_space_leaving();
}

/*
 * Kills and logs the process that has most, unless one is exiting or memory was freed meanwhile.
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

/* Kills a process, and sleeps a little while the victim frees its pages. */
bool hook_memory_short(void)
{
	struct task *self = task_current();

	if (!signal_is_fatal_pending(self))
		sentence();
	if (signal_is_fatal_pending(self))
		return false;
	wait_sleep_killable(clock_ns() + LOOK_AGAIN_NS);
	return !signal_is_fatal_pending(self);
}
