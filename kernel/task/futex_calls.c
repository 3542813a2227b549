/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls: futex, and the later futex_waitv, futex_wake, futex_wait, futex_requeue. futex.c does
 * the work.
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/signal.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/futex.h>

#include "futex.h"

/* Clocks of the later calls' time-outs: Linux's uapi/linux/time.h. */
#define CLOCK_REALTIME	0
#define CLOCK_MONOTONIC 1

/* Reads the time at USER_TIME into *DEADLINE_NS; REALTIME: it counts from Linux's epoch. NULL: unlimited. 0,
 * -EFAULT, -EINVAL. */
static int get_deadline(unsigned long user_time, bool relative, bool realtime,
			uint64_t *deadline_ns)
{
	uint64_t ns;

	if (relative || !user_time)
		return timespec_deadline_from_user(user_time, deadline_ns);
	int error = timespec_from_user(user_time, &ns);

	if (error)
		return error;
	if (realtime)
		ns = ns > clock_epoch_ns() ? ns - clock_epoch_ns() : 0;
	*deadline_ns = ns;
	return 0;
}

/* --- futex --- */

static long wait_old(const unsigned long arg[6], bool private, bool realtime, uint32_t bits,
		     bool relative)
{
	const struct futex_wait one = { { arg[0], private }, (uint32_t)arg[2], bits };
	uint64_t deadline_ns;
	int error = get_deadline(arg[3], relative, realtime, &deadline_ns);

	if (error)
		return error;
	error = (int)signal_call_ended(
		futex_wait(&one, 1, relative ? signal_call_deadline(deadline_ns) : deadline_ns));
	/* A wait with a time-out ends after a handler. */
	return error == -EINTR && arg[3] ? -EINTR_UNHANDLED : error;
}

static long requeue_old(const struct futex *from, const struct futex *to,
			const unsigned long arg[6], const uint32_t *expected)
{
	if ((int)arg[2] < 0 || (int)arg[3] < 0)
		return -EINVAL;
	return futex_requeue(from, to, (unsigned int)arg[2], (unsigned int)arg[3], expected);
}

/* A count below 1 means 1. */
static unsigned int wake_count(unsigned long argument)
{
	return (int)argument < 1 ? 1 : (unsigned int)argument;
}

/* A wait for a lock restarts after a handler: the deadline is absolute. */
static long unless_interrupted(int error)
{
	return error == -EINTR ? -EINTR_HANDLED : error;
}

static long lock_pi(const struct futex *futex, unsigned long user_time, bool realtime)
{
	uint64_t deadline_ns;
	int error = get_deadline(user_time, false, realtime, &deadline_ns);

	return error ? error : unless_interrupted(futex_lock_pi(futex, deadline_ns, false));
}

static long wait_requeue_pi(const unsigned long arg[6], bool private, bool realtime)
{
	const struct futex_wait one = { { arg[0], private },
					(uint32_t)arg[2],
					FUTEX_BITSET_MATCH_ANY };
	const struct futex lock = { arg[4], private };
	uint64_t deadline_ns;
	int error = get_deadline(arg[3], false, realtime, &deadline_ns);

	return error ? error : unless_interrupted(futex_wait_requeue_pi(&one, &lock, deadline_ns));
}

long sys_futex(const unsigned long arg[6])
{
	unsigned int operation = (unsigned int)arg[1];
	unsigned int command = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
	bool private = operation & FUTEX_PRIVATE_FLAG;
	bool realtime = operation & FUTEX_CLOCK_REALTIME;
	const struct futex first = { arg[0], private }, second = { arg[4], private };
	const uint32_t last = (uint32_t)arg[5];

	if (realtime && command != FUTEX_WAIT_BITSET && command != FUTEX_WAIT_REQUEUE_PI &&
	    command != FUTEX_LOCK_PI2)
		return -ENOSYS;
	switch (command) {
	case FUTEX_WAIT:
		return wait_old(arg, private, false, FUTEX_BITSET_MATCH_ANY, true);
	case FUTEX_WAIT_BITSET:
		return wait_old(arg, private, realtime, last, false);
	case FUTEX_WAKE:
		return futex_wake_bits(&first, wake_count(arg[2]), FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return futex_wake_bits(&first, wake_count(arg[2]), last);
	case FUTEX_REQUEUE:
		return requeue_old(&first, &second, arg, NULL);
	case FUTEX_CMP_REQUEUE:
		return requeue_old(&first, &second, arg, &last);
	case FUTEX_WAKE_OP:
		return futex_wake_and_change(&first, &second, wake_count(arg[2]),
					     wake_count(arg[3]), last);
	case FUTEX_LOCK_PI:
		return lock_pi(&first, arg[3], true);
	case FUTEX_LOCK_PI2:
		return lock_pi(&first, arg[3], realtime);
	case FUTEX_TRYLOCK_PI:
		return futex_lock_pi(&first, UINT64_MAX, true);
	case FUTEX_UNLOCK_PI:
		return futex_unlock_pi(&first);
	case FUTEX_WAIT_REQUEUE_PI:
		return wait_requeue_pi(arg, private, realtime);
	case FUTEX_CMP_REQUEUE_PI:
		if ((int)arg[2] != 1 || (int)arg[3] < 0)
			return -EINVAL;
		return futex_requeue_pi(&first, &second, (unsigned int)arg[3], last);
	default:
		return -ENOSYS;
	}
}

/* --- futex_waitv and its kin --- */

/* Returns whether FLAGS and VALUE are valid: only words of 32 bits are. */
static bool is_valid(unsigned int flags, unsigned long value)
{
	return (flags & ~FUTEX2_PRIVATE) == FUTEX2_SIZE_U32 && value <= UINT32_MAX;
}

/* Copies COUNT words at USER_WAITS into WAITS. 0, -EFAULT, -EINVAL. */
static int get_waits(unsigned long user_waits, unsigned int count, struct futex_wait *waits)
{
	const struct kernel_futex_waitv *user = (const struct kernel_futex_waitv *)user_waits;

	for (unsigned int i = 0; i < count; i++) {
		struct kernel_futex_waitv one;

		if (copy_from_user(&one, &user[i], sizeof(one)))
			return -EFAULT;
		if (!is_valid(one.flags, one.value) || one.reserved)
			return -EINVAL;
		waits[i] = (struct futex_wait){ { one.address, one.flags & FUTEX2_PRIVATE },
						(uint32_t)one.value,
						FUTEX_BITSET_MATCH_ANY };
	}
	return 0;
}

static int get_clock_deadline(unsigned long user_time, unsigned int clock, uint64_t *deadline_ns)
{
	if (user_time && clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return -EINVAL;
	return get_deadline(user_time, false, clock == CLOCK_REALTIME, deadline_ns);
}

long sys_futex_waitv(const unsigned long arg[6])
{
	unsigned int count = (unsigned int)arg[1];
	uint64_t deadline_ns;

	if ((unsigned int)arg[2] || !count || count > FUTEX_WAITS_MAX || !arg[0])
		return -EINVAL;
	long result = get_clock_deadline(arg[3], (unsigned int)arg[4], &deadline_ns);

	if (result)
		return result;
	struct futex_wait *waits = kzalloc(count * sizeof(*waits));

	if (!waits)
		return -ENOMEM;
	result = get_waits(arg[0], count, waits);
	if (!result)
		result = futex_wait(waits, count, deadline_ns);
	kfree(waits);
	return result;
}

long sys_futex_wake(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];
	const struct futex futex = { arg[0], flags & FUTEX2_PRIVATE };

	if (!is_valid(flags, arg[1]))
		return -EINVAL;
	/* In this call, a count of 0 means 0. */
	return futex_wake_bits(&futex, (int)arg[2] ? wake_count(arg[2]) : 0, (uint32_t)arg[1]);
}

long sys_futex_wait(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];
	const struct futex_wait one = { { arg[0], flags & FUTEX2_PRIVATE },
					(uint32_t)arg[1],
					(uint32_t)arg[2] };
	uint64_t deadline_ns;

	if (!is_valid(flags, arg[1]) || arg[2] > UINT32_MAX)
		return -EINVAL;
	int error = get_clock_deadline(arg[4], (unsigned int)arg[5], &deadline_ns);

	return error ? error : futex_wait(&one, 1, deadline_ns);
}

long sys_futex_requeue(const unsigned long arg[6])
{
	struct futex_wait pair[2];
	int wake = (int)arg[2], move = (int)arg[3];

	if ((unsigned int)arg[1] || !arg[0])
		return -EINVAL;
	int error = get_waits(arg[0], 2, pair);

	if (error)
		return error;
	if (wake < 0 || move < 0)
		return -EINVAL;
	return futex_requeue(&pair[0].futex, &pair[1].futex, (unsigned int)wake, (unsigned int)move,
			     &pair[0].value);
}
