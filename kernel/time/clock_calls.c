/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about time: reading clocks and sleeping.
 *
 * All clocks are clock_ns() with an origin: the machine's clock chip for the real-time ones, the
 * time that a task or process has had a processor for the CPU-time ones. Nobody can set a clock.
 */
#include <arch/clock.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>

enum clock_origin { ORIGIN_BOOT, ORIGIN_EPOCH, ORIGIN_PROCESS, ORIGIN_THREAD };

static const struct clock {
	bool exists;
	bool can_sleep;
	enum clock_origin origin;
} clocks[] = {
	[CLOCK_REALTIME] = { true, true, ORIGIN_EPOCH },
	[CLOCK_MONOTONIC] = { true, true, ORIGIN_BOOT },
	[CLOCK_PROCESS_CPUTIME_ID] = { true, false, ORIGIN_PROCESS },
	[CLOCK_THREAD_CPUTIME_ID] = { true, false, ORIGIN_THREAD },
	[CLOCK_MONOTONIC_RAW] = { true, false, ORIGIN_BOOT },
	[CLOCK_REALTIME_COARSE] = { true, false, ORIGIN_EPOCH },
	[CLOCK_MONOTONIC_COARSE] = { true, false, ORIGIN_BOOT },
	[CLOCK_BOOTTIME] = { true, true, ORIGIN_BOOT },
};

#define CLOCK_COUNT (sizeof(clocks) / sizeof(clocks[0]))

static const struct clock *find_clock(unsigned long id)
{
	unsigned int number = (unsigned int)id;

	return number < CLOCK_COUNT && clocks[number].exists ? &clocks[number] : NULL;
}

uint64_t clock_epoch_ns(void)
{
	return arch_boot_time_s() * NSEC_PER_SEC;
}

static uint64_t read_clock(const struct clock *clock)
{
	struct task *self = task_current();
	uint64_t now;

	switch (clock->origin) {
	case ORIGIN_EPOCH:
		return clock_epoch_ns() + clock_ns();
	case ORIGIN_THREAD:
		return sched_run_time_ns(self);
	case ORIGIN_PROCESS: {
		unsigned long state = spin_lock_irqsave(&task_table_lock);

		now = process_run_time_ns(self->process);
		spin_unlock_irqrestore(&task_table_lock, state);
		return now;
	}
	default:
		return clock_ns();
	}
}

static long put_time(unsigned long user_time, uint64_t ns)
{
	struct kernel_timespec time = timespec_from_ns(ns);

	return copy_to_user((void *)user_time, &time, sizeof(time));
}

long sys_clock_gettime(const unsigned long arg[6])
{
	const struct clock *clock = find_clock(arg[0]);

	return clock ? put_time(arg[1], read_clock(clock)) : -EINVAL;
}

long sys_clock_getres(const unsigned long arg[6])
{
	if (!find_clock(arg[0]))
		return -EINVAL;
	return arg[1] ? put_time(arg[1], 1) : 0;
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

long sys_clock_nanosleep(const unsigned long arg[6])
{
	const struct clock *clock = find_clock(arg[0]);
	struct kernel_timespec time;

	if (!clock)
		return -EINVAL;
	if (!clock->can_sleep)
		return clock->origin == ORIGIN_THREAD ? -EINVAL : -EOPNOTSUPP;
	if (copy_from_user(&time, (const void *)arg[2], sizeof(time)))
		return -EFAULT;
	if (!timespec_is_valid(&time))
		return -EINVAL;
	uint64_t ns = timespec_to_ns(&time);

	if (!(arg[1] & TIMER_ABSTIME))
		return sleep_for(ns, arg[3]);
	if (clock->origin == ORIGIN_EPOCH)
		ns = ns > clock_epoch_ns() ? ns - clock_epoch_ns() : 0;
	return sleep_until(ns);
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
