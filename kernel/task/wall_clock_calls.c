/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about the time of day: reading it, setting it, and the queries of a program that synchronizes
 * clocks. The clock's rate cannot change: adjtimex reports the clock's state and sets the clock by an offset
 * at once, but refuses to slew it.
 *
 * The time zone is only stored and reported; the kernel's own clock is UTC.
 */
#include <stdatomic.h>

#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/clock.h>
#include <kernel/task/credentials.h>
#include <kernel/task/vdso.h>
#include <kernel/task/wall_clock.h>
#include <kernel/time/time.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/timex.h>

#define SEC_PER_MINUTE	 60
#define USEC_PER_SEC	 1000000
/* Linux's limits and its initial values. */
#define ZONE_MINUTES_MAX (15 * 60)
#define TICK_USEC	 10000
#define TICK_USEC_MIN	 9000
#define TICK_USEC_MAX	 11000
#define ERROR_MAX_USEC	 16000000
#define FREQUENCY_MAX	 32768000
#define TIME_CONSTANT	 2

static _Atomic struct wall_clock_zone zone;

/* Sets the clock to TIME. Linux's timespec64_valid_settod: no overflow in the near future; and never before
 * the machine started. */
static int set_clock(const struct kernel_timespec *time)
{
	if (!timespec_is_valid(time) || time->tv_sec > INT64_MAX / (int64_t)NSEC_PER_SEC / 2)
		return -EINVAL;
	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (timespec_to_ns(time) < clock_ns())
		return -EINVAL;
	clock_set_epoch_ns(timespec_to_ns(time));
	return 0;
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
	return set_clock(&time);
}

/* Sets the zone to NEW. If the first call has no time of day, it also corrects the clock, which had local
 * time until then. */
static int set_zone(const struct wall_clock_zone *new, bool with_time)
{
	static _Atomic bool known;

	if (new->minutes_west > ZONE_MINUTES_MAX || new->minutes_west < -ZONE_MINUTES_MAX)
		return -EINVAL;
	zone = *new;
	vdso_set_zone(new->minutes_west, new->summer_time);
	if (!atomic_exchange(&known, true) && !with_time && new->minutes_west)
		clock_set_epoch_ns(clock_epoch_ns() + clock_ns() +
				   (uint64_t)((int64_t) new->minutes_west *SEC_PER_MINUTE *(
					   int64_t)NSEC_PER_SEC));
	return 0;
}

int wall_clock_set(const struct kernel_timespec *time, const struct wall_clock_zone *new)
{
	if (time && !timespec_is_valid(time))
		return -EINVAL;
	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	int error = new ? set_zone(new, time) : 0;

	return error || !time ? error : set_clock(time);
}

long sys_settimeofday(const unsigned long arg[6])
{
	struct kernel_timeval time;
	struct kernel_timespec spec = { 0, 0 };
	struct wall_clock_zone new;

	if (arg[0]) {
		if (copy_from_user(&time, (const void *)arg[0], sizeof(time)))
			return -EFAULT;
		if (time.tv_usec < 0 || time.tv_usec > USEC_PER_SEC)
			return -EINVAL;
		spec = (struct kernel_timespec){ time.tv_sec, time.tv_usec * 1000 };
	}
	if (arg[1] && copy_from_user(&new, (const void *)arg[1], sizeof(new)))
		return -EFAULT;
	return wall_clock_set(arg[0] ? &spec : NULL, arg[1] ? &new : NULL);
}

struct kernel_timespec wall_clock_now(void)
{
	return timespec_from_ns(clock_epoch_ns() + clock_ns());
}

struct wall_clock_zone wall_clock_get_zone(void)
{
	return zone;
}

long sys_gettimeofday(const unsigned long arg[6])
{
	struct kernel_timespec spec = wall_clock_now();
	struct kernel_timeval time = { spec.tv_sec, spec.tv_nsec / 1000 };
	struct wall_clock_zone now = wall_clock_get_zone();

	if (arg[0] && copy_to_user((void *)arg[0], &time, sizeof(time)))
		return -EFAULT;
	return arg[1] && copy_to_user((void *)arg[1], &now, sizeof(now)) ? -EFAULT : 0;
}

long sys_time(const unsigned long arg[6])
{
	int64_t seconds = wall_clock_now().tv_sec;

	if (arg[0] && copy_to_user((void *)arg[0], &seconds, sizeof(seconds)))
		return -EFAULT;
	return seconds;
}

/* Moves the clock by the offset in STATE. */
static int add_offset(const struct kernel_timex *state)
{
	int64_t unit = state->modes & ADJ_NANO ? 1 : 1000;
	int64_t part_ns = state->time.tv_usec * unit;

	if (state->time.tv_usec < 0 || state->time.tv_usec >= (int64_t)NSEC_PER_SEC / unit ||
	    state->time.tv_sec > INT32_MAX || state->time.tv_sec < -INT32_MAX)
		return -EINVAL;
	int64_t now_ns = (int64_t)(clock_epoch_ns() + clock_ns()) +
			 state->time.tv_sec * (int64_t)NSEC_PER_SEC + part_ns;

	if (now_ns < (int64_t)clock_ns())
		return -EINVAL;
	clock_set_epoch_ns((uint64_t)now_ns);
	return 0;
}

/* Makes the adjustment of STATE: Linux's rules, in its order. */
static int adjust(const struct kernel_timex *state)
{
	uint32_t modes = state->modes;

	if (modes & ADJ_ADJTIME) {
		if (!(modes & ADJ_OFFSET_ONCE))
			return -EINVAL;
		if (modes & ADJ_OFFSET_READ)
			return 0;
	}
	if (!modes)
		return 0;
	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if ((modes & ADJ_TICK) && (state->tick < TICK_USEC_MIN || state->tick > TICK_USEC_MAX))
		return -EINVAL;
	if (modes & ~(uint32_t)(ADJ_SETOFFSET | ADJ_NANO))
		return -EOPNOTSUPP;
	return modes & ADJ_SETOFFSET ? add_offset(state) : 0;
}

int wall_clock_adjust(struct kernel_timex *state)
{
	int error = adjust(state);

	if (error)
		return error;
	struct kernel_timespec now = wall_clock_now();

	*state = (struct kernel_timex){
		.modes = state->modes,
		.maxerror = ERROR_MAX_USEC,
		.esterror = ERROR_MAX_USEC,
		.status = STA_UNSYNC,
		.constant = TIME_CONSTANT,
		.precision = 1,
		.tolerance = FREQUENCY_MAX,
		.time = { now.tv_sec, now.tv_nsec / 1000 },
		.tick = TICK_USEC,
	};
	return TIME_ERROR;
}

static long adjust_clock(unsigned long user_state)
{
	struct kernel_timex state;

	if (copy_from_user(&state, (const void *)user_state, sizeof(state)))
		return -EFAULT;
	int result = wall_clock_adjust(&state);

	if (result < 0)
		return result;
	return copy_to_user((void *)user_state, &state, sizeof(state)) ? -EFAULT : result;
}

long sys_adjtimex(const unsigned long arg[6])
{
	return adjust_clock(arg[0]);
}

long sys_clock_adjtime(const unsigned long arg[6])
{
	struct kernel_timex state;
	struct clock clock;

	if (copy_from_user(&state, (const void *)arg[1], sizeof(state)))
		return -EFAULT;
	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	clock_put(&clock);
	return clock.settable ? adjust_clock(arg[1]) : -EOPNOTSUPP;
}
