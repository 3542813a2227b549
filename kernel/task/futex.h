/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations on futexes; the system calls are in futex_calls.c. Task context, no lock held.
 */
#ifndef TASK_FUTEX_H
#define TASK_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* A word of user memory. */
struct futex {
	uintptr_t address;
	bool private; /* by the program: no other process uses it */
};

/* The conditions of one wait: the word is VALUE; a wake-up with one of BITS ends it. */
struct futex_wait {
	struct futex futex;
	uint32_t value;
	uint32_t bits;
};

/* Most words of one wait. Linux's FUTEX_WAITV_MAX. */
#define FUTEX_WAITS_MAX 128

/* Waits until one of COUNT (1 … FUTEX_WAITS_MAX) words is woken, until DEADLINE_NS of clock_ns(),
 * UINT64_MAX: unlimited. Returns its index, or -EAGAIN: a word is not its VALUE; -ETIMEDOUT; -EINTR; -EINVAL:
 * an address is not a multiple of 4; -EFAULT; -ENOMEM. */
int futex_wait(const struct futex_wait *waits, unsigned int count, uint64_t deadline_ns);

/* Wakes at most COUNT waiters of BITS: returns how many, or -EINVAL (address, no BITS), -EFAULT. */
int futex_wake_bits(const struct futex *futex, unsigned int count, uint32_t bits);

/* Wakes up to WAKE waiters of FROM and moves up to MOVE of the rest to TO, without waking them.
 * EXPECTED: only if FROM's word is that; NULL: in any case. Returns the number of both, or -EAGAIN,
 * -EINVAL, -EFAULT. */
long futex_requeue(const struct futex *from, const struct futex *to, unsigned int wake,
		   unsigned int move, const uint32_t *expected);

/* Changes the word of SECOND by OPERATION, as futex(2) encodes it for FUTEX_WAKE_OP, then wakes COUNT waiters
 * of FIRST, and SECOND_COUNT of SECOND if OPERATION's comparison with the old word is true. Returns how many,
 * or -ENOSYS: no such operation or comparison; -EINVAL, -EFAULT. */
int futex_wake_and_change(const struct futex *first, const struct futex *second, unsigned int count,
			  unsigned int second_count, uint32_t operation);

/* --- locks with priority inheritance: futex_pi.c --- */

/* Makes the current task the owner of FUTEX, a lock whose word is 0 (free) or its owner's tid with
 * FUTEX_WAITERS and FUTEX_OWNER_DIED. Waits until DEADLINE_NS, or with TRY not at all. 0; -EAGAIN (TRY: it is
 * not free); -ETIMEDOUT; -EINTR; -EDEADLK: its owner waits for the task, or is the task; -ESRCH: its owner
 * does not exist; -EPERM: its owner is a kernel task; -EINVAL: the word is no lock's, or disagrees with its
 * waiters; -EFAULT; -ENOMEM. */
int futex_lock_pi(const struct futex *futex, uint64_t deadline_ns, bool try);
/* Releases FUTEX, to the most urgent waiter if any. 0; -EPERM: the current task does not own it; -EAGAIN: the
 * word has changed; -EINVAL, -EFAULT as above. */
int futex_unlock_pi(const struct futex *futex);
/* Waits as WAIT says, to be moved to LOCK by futex_requeue_pi, and then for LOCK. 0: the task owns LOCK;
 * -EAGAIN: the word is not WAIT's value, or a signal came after the move; other errors as above. */
int futex_wait_requeue_pi(const struct futex_wait *wait, const struct futex *lock,
			  uint64_t deadline_ns);
/* If the word of FROM is EXPECTED: gives LOCK, if it is free, to the first waiter of FROM, and moves up to
 * MOVE others (and the first if LOCK was not free) to LOCK. Returns the number of both, or an error of those
 * above. */
long futex_requeue_pi(const struct futex *from, const struct futex *lock, unsigned int move,
		      uint32_t expected);

#endif
