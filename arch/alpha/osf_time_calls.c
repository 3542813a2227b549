/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OSF/1's calls with times of 32 bits, which Linux/alpha has under OSF/1's numbers beside the calls
 * with 64 bits. Each call reads its structures (osf_time.h), calls the function of the 64-bit call, and
 * writes the structures back.
 *
 * The range check of seconds and microseconds differs from call to call, as in Linux's
 * arch/alpha/kernel/osf_sys.c; a comment at each call says how. <machine/calls.h> has their rows of the
 * table.
 */
#include <machine/calls.h>

#include <stddef.h>
#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/clock.h>
#include <kernel/task/process.h>
#include <kernel/task/process_timers.h>
#include <kernel/task/wall_clock.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/resource.h>
#include <uapi/linux/timex.h>

#include "osf_time.h"

/* --- the time of day --- */

long alpha_osf_gettimeofday(const unsigned long arg[6])
{
	const struct kernel_timespec now = wall_clock_now();
	const struct wall_clock_zone zone = wall_clock_get_zone();

	if (arg[0] && osf_timespec_put(arg[0], &now))
		return -EFAULT;
	return arg[1] ? copy_to_user((void *)arg[1], &zone, sizeof(zone)) : 0;
}

long alpha_osf_settimeofday(const unsigned long arg[6])
{
	struct kernel_timespec time;
	struct wall_clock_zone zone;

	if (arg[0] && osf_timespec_get(arg[0], &time))
		return -EFAULT;
	if (arg[1] && copy_from_user(&zone, (const void *)arg[1], sizeof(zone)))
		return -EFAULT;
	return wall_clock_set(arg[0] ? &time : NULL, arg[1] ? &zone : NULL);
}

/* Linux's first struct timex for Alpha: today's, but for the time. */
struct osf_timex {
	char before_time[offsetof(struct kernel_timex, time)];
	struct osf_timeval time;
	char after_time[sizeof(struct kernel_timex) - offsetof(struct kernel_timex, tick)];
};

_Static_assert(sizeof(struct osf_timex) == 200, "Linux's struct timex32 for Alpha");

/* The time is only written: ADJ_SETOFFSET adds nothing. */
long alpha_old_adjtimex(const unsigned long arg[6])
{
	struct osf_timex osf;
	struct kernel_timex state = { 0 };

	if (copy_from_user(&osf, (const void *)arg[0], sizeof(osf)))
		return -EFAULT;
	memcpy(&state, osf.before_time, sizeof(osf.before_time));
	memcpy(&state.tick, osf.after_time, sizeof(osf.after_time));
	int result = wall_clock_adjust(&state);

	if (result < 0)
		return result;
	memcpy(osf.before_time, &state, sizeof(osf.before_time));
	memcpy(osf.after_time, &state.tick, sizeof(osf.after_time));
	osf.time = osf_timeval_of(&state.time);
	return copy_to_user((void *)arg[0], &osf, sizeof(osf)) ? -EFAULT : result;
}

/* --- timers --- */

long alpha_osf_getitimer(const unsigned long arg[6])
{
	struct kernel_itimerval value;
	int error = itimer_get((unsigned int)arg[0], &value);

	return error ? error : osf_itimerval_put(arg[1], &value);
}

long alpha_osf_setitimer(const unsigned long arg[6])
{
	struct kernel_itimerval value = { 0 }, old;

	/* Without a new value the timer gets zeros, as in setitimer. */
	if (arg[1] && osf_itimerval_get(arg[1], &value))
		return -EFAULT;
	int error = itimer_set((unsigned int)arg[0], &value, &old);

	return error || !arg[2] ? error : osf_itimerval_put(arg[2], &old);
}

/* --- waiting --- */

/* Unlike select, refuses more than a second of microseconds, and does not report the time left. */
long alpha_osf_select(const unsigned long arg[6])
{
	const unsigned long user_sets[3] = { arg[1], arg[2], arg[3] };
	uint64_t deadline_ns = UINT64_MAX;
	struct kernel_timespec timeout;

	if (arg[4]) {
		if (osf_timespec_get(arg[4], &timeout))
			return -EFAULT;
		if (!timespec_is_valid(&timeout))
			return -EINVAL;
		deadline_ns = timespec_to_ns(&timeout);
		if (deadline_ns)
			deadline_ns = clock_deadline(deadline_ns);
	}
	return select_until((int)arg[0], user_sets, deadline_ns);
}

/* Linux sleeps in ticks. */
#define TICK_NS ((NSEC_PER_SEC + HZ / 2) / HZ)

static uint64_t ticks_up_from_ns(uint64_t ns)
{
	return ticks_from_ns(ns + (TICK_NS - 1));
}

/* Longer than any caller waits, some 73 years. */
#define SLEEP_MAX_NS ((uint64_t)INT64_MAX / 4)

/* Negative seconds become a very large unsigned number, which means the longest sleep: Linux's rule.
 * Microseconds may be any number. */
static uint64_t sleep_ns(const struct kernel_timespec *time)
{
	int64_t ns = time->tv_sec * (int64_t)NSEC_PER_SEC + time->tv_nsec;

	if (time->tv_sec < 0)
		return SLEEP_MAX_NS;
	return ns < 0 ? 0 : ticks_up_from_ns((uint64_t)ns) * TICK_NS;
}

/* A signal ends the sleep without an error. */
long alpha_osf_usleep_thread(const unsigned long arg[6])
{
	struct kernel_timespec time;
	uint64_t left_ns = 0;

	if (osf_timespec_get(arg[0], &time))
		return -EFAULT;
	uint64_t deadline_ns = clock_deadline(sleep_ns(&time));

	clock_sleep_until(deadline_ns);
	if (!arg[1])
		return 0;
	uint64_t now_ns = clock_ns();

	if (now_ns < deadline_ns)
		left_ns = ticks_up_from_ns(deadline_ns - now_ns) * TICK_NS;
	const struct kernel_timespec left = timespec_from_ns(left_ns);

	return osf_timespec_put(arg[1], &left);
}

/* --- resource usage of processes --- */

struct osf_rusage {
	struct osf_timeval user, system;
	char rest[sizeof(struct kernel_rusage) - offsetof(struct kernel_rusage, ru_maxrss)];
};

_Static_assert(sizeof(struct osf_rusage) == 128, "OSF/1's struct rusage");

/* Copies the status first: after its error the usage is not copied. The child is reaped in any case. */
long alpha_osf_wait4(const unsigned long arg[6])
{
	int status;
	struct kernel_rusage usage;
	pid_t pid =
		child_wait((pid_t)arg[0], (unsigned int)arg[2], &status, arg[3] ? &usage : NULL);

	if (pid <= 0)
		return pid;
	if (arg[1] && copy_to_user((void *)arg[1], &status, sizeof(status)))
		return -EFAULT;
	if (!arg[3])
		return pid;
	struct osf_rusage osf = { osf_timeval_of(&usage.ru_utime),
				  osf_timeval_of(&usage.ru_stime),
				  { 0 } };

	memcpy(osf.rest, &usage.ru_maxrss, sizeof(osf.rest));
	return copy_to_user((void *)arg[3], &osf, sizeof(osf)) ? -EFAULT : pid;
}

/* Rounds a time to whole ticks, and each tick count to microseconds. */
static struct osf_timeval in_ticks(const struct kernel_timeval *time)
{
	uint64_t ticks = ticks_from_ns((uint64_t)time->tv_sec * NSEC_PER_SEC +
				       (uint64_t)time->tv_usec * NSEC_PER_USEC);

	return (struct osf_timeval){ (int32_t)(ticks / HZ),
				     (int32_t)(ticks % HZ * (1000000 / HZ)) };
}

/* Reports only times and page faults. RUSAGE_SELF reports the calling thread alone. */
long alpha_osf_getrusage(const unsigned long arg[6])
{
	struct kernel_rusage usage, shown = { 0 };
	int who = (int)arg[0];

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN)
		return -EINVAL;
	int error = usage_get(who == RUSAGE_SELF ? RUSAGE_THREAD : who, &usage);

	if (error)
		return error;
	shown.ru_minflt = usage.ru_minflt;
	shown.ru_majflt = usage.ru_majflt;
	struct osf_rusage osf = { in_ticks(&usage.ru_utime), in_ticks(&usage.ru_stime), { 0 } };

	memcpy(osf.rest, &shown.ru_maxrss, sizeof(osf.rest));
	return copy_to_user((void *)arg[1], &osf, sizeof(osf));
}

/* --- files --- */

long alpha_osf_utimes(const unsigned long arg[6])
{
	struct kernel_timespec times[2];

	for (size_t i = 0; i < 2 && arg[1]; i++)
		if (osf_timespec_get(arg[1] + i * sizeof(struct osf_timeval), &times[i]))
			return -EFAULT;
	/* Seconds before 1970 are valid. */
	for (size_t i = 0; i < 2 && arg[1]; i++)
		if (times[i].tv_nsec < 0 || times[i].tv_nsec >= (int64_t)NSEC_PER_SEC)
			return -EINVAL;
	return attribute_set_times(AT_FDCWD, arg[0], arg[1] ? times : NULL);
}
