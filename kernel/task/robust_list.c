/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Robust lists: releasing the locks that a thread holds at its exit.
 *
 * The C library keeps a list in user memory of the robust mutexes that a thread holds. At its exit the
 * kernel walks the list: FUTEX_OWNER_DIED replaces the thread's tid in a lock word, and a waiter is woken.
 * Layout and rules: Linux, Documentation/locking/robust-futex-ABI.rst.
 *
 * The list belongs to the program: it may be damaged, or a ring. So the walk is limited, and a fault
 * ends it.
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/pi.h>
#include <kernel/sched/task.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/futex.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/futex.h>

/* Most entries walked: Linux's ROBUST_LIST_LIMIT. */
#define ENTRIES_MAX 2048
/* Bit 0 of a pointer: a priority-inheritance futex. */
#define PI_BIT	    1ul

/* struct robust_list_head. */
struct list_head {
	uint64_t first;	      /* address of the first entry, whose first word is the next one's */
	int64_t futex_offset; /* from an entry to its lock word */
	uint64_t pending;     /* an entry being locked or unlocked just now; 0: none */
};

/* Marks the lock of ENTRY as left by its owner. False: the word cannot be accessed. */
static bool leave_lock(const struct task *task, const struct list_head *head, uint64_t entry)
{
	uint64_t address = (entry & ~PI_BIT) + (uint64_t)head->futex_offset;
	uint32_t word;

	if (address % sizeof(word) || copy_from_user(&word, (void *)address, sizeof(word)))
		return false;
	/* Other tasks may set FUTEX_WAITERS at the same time. */
	for (uint32_t before = word;; word = before) {
		if ((word & FUTEX_TID_MASK) != (uint32_t)task->tid)
			return true;
		if (user_compare_exchange((uint32_t *)address, &before,
					  (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED))
			return false;
		if (before == word)
			break;
	}
	if ((word & FUTEX_WAITERS) && !(entry & PI_BIT))
		futex_wake(address, 1);
	return true;
}

static void release_all(struct task *task)
{
	struct list_head head;
	uintptr_t list = task->robust_list;

	task->robust_list = 0;
	if (!list || copy_from_user(&head, (void *)list, sizeof(head)))
		return;
	uint64_t entry = head.first;

	for (unsigned int i = 0; i < ENTRIES_MAX && (entry & ~PI_BIT) != list; i++) {
		uint64_t next;

		/* Read the next entry before the woken waiter can change it. */
		if (copy_from_user(&next, (void *)(entry & ~PI_BIT), sizeof(next)))
			return;
		if (entry != head.pending && !leave_lock(task, &head, entry))
			return;
		entry = next;
	}
	if (head.pending)
		leave_lock(task, &head, head.pending);
}

void futex_exit(struct task *task, bool ends)
{
	/* Between these calls other tasks wait, since a word may be about to be marked. */
	pi_begin_end();
	release_all(task);
	pi_finish_end(ends);
}

long sys_set_robust_list(const unsigned long arg[6])
{
	if (arg[1] != sizeof(struct list_head))
		return -EINVAL;
	task_current()->robust_list = arg[0];
	return 0;
}

long sys_get_robust_list(const unsigned long arg[6])
{
	struct task *task = (pid_t)arg[0] ? task_find((pid_t)arg[0]) : task_current();
	uint64_t size = sizeof(struct list_head);

	if (!task)
		return -ESRCH;
	uint64_t list = 0;
	int error = exec_update_begin(task, PTRACE_AS_REAL);

	if (!error) {
		list = task->robust_list;
		exec_update_end(task);
	}
	if ((pid_t)arg[0])
		task_put(task);
	if (error)
		return error;
	if (copy_to_user((void *)arg[2], &size, sizeof(size)) ||
	    copy_to_user((void *)arg[1], &list, sizeof(list)))
		return -EFAULT;
	return 0;
}
