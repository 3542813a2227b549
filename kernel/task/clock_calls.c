/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about time: reading clocks, and sleeping. Not here: the clocks (clock.c), setting them
 * (wall_clock_calls.c). */
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/clock.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

static long put_time(unsigned long user_time, uint64_t ns)
{
	struct kernel_timespec time = timespec_from_ns(ns);

	return copy_to_user((void *)user_time, &time, sizeof(time));
}

long sys_clock_gettime(const unsigned long arg[6])
{
	struct clock clock;

	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	uint64_t now = clock_read(&clock);

	clock_put(&clock);
	return put_time(arg[1], now);
}

long sys_clock_getres(const unsigned long arg[6])
{
	struct clock clock;

	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	clock_put(&clock);
	return arg[1] ? put_time(arg[1], clock.resolution_ns) : 0;
}

int clock_sleep_until(uint64_t deadline_ns)
{
	int result;

	do {
		result = wait_sleep(deadline_ns);
	} while (result == 0);
	return result == -ETIMEDOUT ? 0 : result;
}

/* Sleeps for DURATION_NS; the time left at a signal goes to USER_LEFT unless that is NULL. */
static long sleep_for(uint64_t duration_ns, unsigned long user_left)
{
	uint64_t deadline_ns = signal_call_deadline(clock_deadline(duration_ns));
	long error = signal_call_ended(clock_sleep_until(deadline_ns));

	if (error && user_left) {
		uint64_t now = clock_ns();

		if (put_time(user_left, now < deadline_ns ? deadline_ns - now : 0))
			return -EFAULT;
	}
	return error;
}

long sys_nanosleep(const unsigned long arg[6])
{
	uint64_t ns;
	int error = timespec_from_user(arg[0], &ns);

	return error ? error : sleep_for(ns, arg[1]);
}

/* Sleeps until CLOCK, of CPU time, reads ENDS_NS. 0 or -EINTR. */
static int sleep_on_cpu_time(const struct clock *clock, uint64_t ends_ns)
{
	int result = 0;

	for (;;) {
		uint64_t now = clock_read(clock);

		if (now >= ends_ns)
			return 0;
		uint64_t left = ends_ns - now;

		/* The clock moves while other tasks run: poll it, as interval timers do. */
		result = wait_sleep(clock_deadline(left > NSEC_PER_MSEC ? left : NSEC_PER_MSEC));
		if (result == -EINTR)
			return result;
	}
}

/* Sleeps until the real-time clock reads NS, even if it is set meanwhile. 0 or -EINTR. */
static int sleep_on_real_time(uint64_t ns)
{
	struct wait_entry entry;
	int result = 0;

	wait_queue_add(&clock_was_set, &entry);
	while (result != -EINTR && clock_epoch_ns() + clock_ns() < ns)
		result = wait_sleep(ns > clock_epoch_ns() ? ns - clock_epoch_ns() : 0);
	wait_queue_remove(&clock_was_set, &entry);
	return result == -EINTR ? result : 0;
}

static long sleep_on(const struct clock *clock, bool absolute, uint64_t ns, unsigned long user_left)
{
	if (clock->origin == ORIGIN_PROCESS || clock->origin == ORIGIN_THREAD) {
		uint64_t ends = absolute ? ns : clock_read(clock) + ns;
		long result = sleep_on_cpu_time(clock, ends);

		if (result && !absolute && user_left &&
		    put_time(user_left, ends - clock_read(clock)))
			return -EFAULT;
		return result;
	}
	if (!absolute)
		return sleep_for(ns, user_left);
	return clock->origin == ORIGIN_EPOCH ? sleep_on_real_time(ns) : clock_sleep_until(ns);
}

long sys_clock_nanosleep(const unsigned long arg[6])
{
	struct clock clock;
	uint64_t ns;

	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	long result;

	if (!clock.can_sleep)
		result = (int)arg[0] < 0 ? -EINVAL : -EOPNOTSUPP;
	else
		result = timespec_from_user(arg[2], &ns);
	if (!result)
		result = clock_check_alarm((int)arg[0]);
	if (!result)
		result = sleep_on(&clock, arg[1] & TIMER_ABSTIME, ns, arg[3]);
	clock_put(&clock);
	return result;
}
