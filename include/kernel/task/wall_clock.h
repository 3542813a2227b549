/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls about the time of day with structures in the kernel's form: for an ISA that has further calls
 * with other structures. Task context. Behaviour: gettimeofday(2), settimeofday(2), adjtimex(2).
 */
#ifndef KERNEL_WALL_CLOCK_H
#define KERNEL_WALL_CLOCK_H

#include <stdint.h>

#include <uapi/linux/time.h>
#include <uapi/linux/timex.h>

/* gettimeofday's and settimeofday's second structure. */
struct wall_clock_zone {
	int32_t minutes_west, summer_time;
};

/* Return the time of CLOCK_REALTIME, and the zone that was set last. */
struct kernel_timespec wall_clock_now(void);
struct wall_clock_zone wall_clock_get_zone(void);

/* Sets the clock to TIME and the zone to ZONE, each unless it is NULL. 0; -EINVAL: TIME is invalid, or before
 * the machine started, or ZONE is out of range; -EPERM. */
int wall_clock_set(const struct kernel_timespec *time, const struct wall_clock_zone *zone);

/* adjtimex: makes the adjustment of STATE, and reports the clock's state there. TIME_ERROR (the clock is not
 * synchronized), or -EINVAL, -EPERM, -EOPNOTSUPP: then STATE is unchanged. */
int wall_clock_adjust(struct kernel_timex *state);

#endif
