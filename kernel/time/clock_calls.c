/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about time: reading and setting clocks, and sleeping. The clocks are clock.c's. */
#include <kernel/clock.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
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

long sys_clock_settime(const unsigned long arg[6])
{
	struct kernel_timespec time;
	struct clock clock;

	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	clock_put(&clock);
	if (!clock.settable)
		return (int)arg[0] < 0 ? -EPERM : -EINVAL;
	if (copy_from_user(&time, (const void *)arg[1], sizeof(time)))
		return -EFAULT;
	/* Linux's timespec64_valid_settod: so that nobody overflows soon; and never before boot. */
	if (!timespec_is_valid(&time) || time.tv_sec > INT64_MAX / (int64_t)NSEC_PER_SEC / 2 ||
	    timespec_to_ns(&time) < clock_ns())
		return -EINVAL;
	clock_set_epoch_ns(timespec_to_ns(&time));
	return 0;
}

long sys_settimeofday(const unsigned long arg[6])
{
	struct kernel_timeval time;

	if (!arg[0])
		return 0;
	if (copy_from_user(&time, (const void *)arg[0], sizeof(time)))
		return -EFAULT;
	if (time.tv_sec < 0 || time.tv_usec < 0 || time.tv_usec >= 1000000 ||
	    time.tv_sec > INT64_MAX / (int64_t)NSEC_PER_SEC / 2 ||
	    (uint64_t)time.tv_sec * NSEC_PER_SEC < clock_ns())
		return -EINVAL;
	clock_set_epoch_ns((uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_usec * 1000);
	return 0;
}

/* Sleeps until DEADLINE_NS of clock_ns(). 0 or -EINTR. */
static int sleep_until(uint64_t deadline_ns)
{
	int result;

	do {
		result = wait_sleep(deadline_ns);
	} while (result == 0);
	return result == -ETIMEDOUT ? 0 : result;
}

/* Relative sleep; what is left at a signal goes to USER_LEFT unless that is NULL. */
static long sleep_for(uint64_t duration_ns, unsigned long user_left)
{
	uint64_t deadline_ns = clock_deadline(duration_ns);
	int error = sleep_until(deadline_ns);

	if (error && user_left) {
		uint64_t now = clock_ns();

		if (put_time(user_left, now < deadline_ns ? deadline_ns - now : 0))
			return -EFAULT;
	}
	return error;
}

long sys_nanosleep(const unsigned long arg[6])
{
	struct kernel_timespec time;

	if (copy_from_user(&time, (const void *)arg[0], sizeof(time)))
		return -EFAULT;
	if (!timespec_is_valid(&time))
		return -EINVAL;
	return sleep_for(timespec_to_ns(&time), arg[1]);
}

/* Sleeps until CLOCK, of processor time, says ENDS_NS. 0 or -EINTR. */
static int sleep_on_processor_time(const struct clock *clock, uint64_t ends_ns)
{
	int result = 0;

	for (;;) {
		uint64_t now = clock_read(clock);

		if (now >= ends_ns)
			return 0;
		uint64_t left = ends_ns - now;

		/* It moves when others run: as interval timers do. */
		result = wait_sleep(clock_deadline(left > NSEC_PER_MSEC ? left : NSEC_PER_MSEC));
		if (result == -EINTR)
			return result;
	}
}

static long sleep_on(const struct clock *clock, bool absolute, uint64_t ns, unsigned long user_left)
{
	if (clock->origin == ORIGIN_PROCESS || clock->origin == ORIGIN_THREAD) {
		uint64_t ends = absolute ? ns : clock_read(clock) + ns;
		long result = sleep_on_processor_time(clock, ends);

		if (result && !absolute && user_left &&
		    put_time(user_left, ends - clock_read(clock)))
			return -EFAULT;
		return result;
	}
	if (!absolute)
		return sleep_for(ns, user_left);
	if (clock->origin == ORIGIN_EPOCH)
		ns = ns > clock_epoch_ns() ? ns - clock_epoch_ns() : 0;
	return sleep_until(ns);
}

long sys_clock_nanosleep(const unsigned long arg[6])
{
	struct kernel_timespec time;
	struct clock clock;

	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	long result = 0;

	if (!clock.can_sleep)
		result = -EOPNOTSUPP;
	else if (copy_from_user(&time, (const void *)arg[2], sizeof(time)))
		result = -EFAULT;
	else if (!timespec_is_valid(&time))
		result = -EINVAL;
	else
		result = sleep_on(&clock, arg[1] & TIMER_ABSTIME, timespec_to_ns(&time), arg[3]);
	clock_put(&clock);
	return result;
}

long sys_gettimeofday(const unsigned long arg[6])
{
	uint64_t ns = clock_epoch_ns() + clock_ns();
	struct kernel_timeval time = { (int64_t)(ns / NSEC_PER_SEC),
				       (int64_t)(ns % NSEC_PER_SEC / 1000) };
	static const int32_t zone[2]; /* minutes west, kind of summer time: none */

	if (arg[0] && copy_to_user((void *)arg[0], &time, sizeof(time)))
		return -EFAULT;
	return arg[1] && copy_to_user((void *)arg[1], zone, sizeof(zone)) ? -EFAULT : 0;
}

long sys_time(const unsigned long arg[6])
{
	int64_t seconds = (int64_t)((clock_epoch_ns() + clock_ns()) / NSEC_PER_SEC);

	if (arg[0] && copy_to_user((void *)arg[0], &seconds, sizeof(seconds)))
		return -EFAULT;
	return seconds;
}
