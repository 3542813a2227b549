/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be done with futexes; the calls are in futex_calls.c. Task context, no lock held.
 */
#ifndef TASK_FUTEX_H
#define TASK_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* A word of user memory. */
struct futex {
	uintptr_t address;
	bool private; /* the program says that no other process has it */
};

/* What one wait is for: that the word is not VALUE, or that it is woken with one of BITS. */
struct futex_wait {
	struct futex futex;
	uint32_t value;
	uint32_t bits;
};

/* Most words of one wait. Linux's FUTEX_WAITV_MAX. */
#define FUTEX_WAITS_MAX 128

/* Waits for one of COUNT (1 … FUTEX_WAITS_MAX) words to be woken, until DEADLINE_NS of clock_ns(),
 * UINT64_MAX: for ever. Which, or -EAGAIN: a word is not its VALUE; -ETIMEDOUT; -EINTR; -EINVAL: an
 * address is not a multiple of 4; -EFAULT; -ENOMEM. */
int futex_wait(const struct futex_wait *waits, unsigned int count, uint64_t deadline_ns);

/* Wakes at most COUNT waiters of BITS: how many, or -EINVAL (address, no BITS), -EFAULT. */
int futex_wake_bits(const struct futex *futex, unsigned int count, uint32_t bits);

/* Wakes up to WAKE waiters of FROM and moves up to MOVE of the rest to TO, without waking them.
 * EXPECTED: only if the word of FROM is that; NULL: in any case. How many of both, or -EAGAIN,
 * -EINVAL, -EFAULT. */
long futex_requeue(const struct futex *from, const struct futex *to, unsigned int wake,
		   unsigned int move, const uint32_t *expected);

/* Changes the word of SECOND by OPERATION, as futex(2) encodes it for FUTEX_WAKE_OP, then wakes COUNT
 * waiters of FIRST, and if the word was as OPERATION compares it, SECOND_COUNT of SECOND. How many, or
 * -ENOSYS: no such operation or comparison; -EINVAL, -EFAULT. */
int futex_wake_and_change(const struct futex *first, const struct futex *second, unsigned int count,
			  unsigned int second_count, uint32_t operation);

/* --- locks with priority inheritance: futex_pi.c --- */

/* The word of FUTEX, a lock (0: free; else its owner's tid and FUTEX_WAITERS, FUTEX_OWNER_DIED), becomes the running
 * task's. Waits for that until DEADLINE_NS, or with TRY not at all. 0; -EAGAIN (TRY: it is not free); -ETIMEDOUT; -EINTR;
 * -EDEADLK: its owner waits for the task, or is the task; -ESRCH: there is no such owner; -EPERM: that is the
 * kernel's; -EINVAL: the word is no address of a lock, or does not fit who waits for it; -EFAULT; -ENOMEM. */
int futex_lock_pi(const struct futex *futex, uint64_t deadline_ns, bool try);
/* Gives it to the most urgent waiter, or back. 0; -EPERM: it is not the task's; -EAGAIN: the word has changed; -EINVAL,
 * -EFAULT as above. */
int futex_unlock_pi(const struct futex *futex);
/* Waits as WAIT says, to be moved to LOCK by futex_requeue_pi, and then for LOCK. 0: LOCK is the task's; -EAGAIN: the word is not
 * WAIT's value, or a signal came after the task was moved; other errors as above. */
int futex_wait_requeue_pi(const struct futex_wait *wait, const struct futex *lock,
			  uint64_t deadline_ns);
/* If the word of FROM is EXPECTED: gives LOCK to the first waiter of FROM if it is free, and moves up to MOVE of the others, and
 * the first if it was not, to LOCK. How many of both, or an error of those above. */
long futex_requeue_pi(const struct futex *from, const struct futex *lock, unsigned int move,
		      uint32_t expected);

#endif
