/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of day as the calls about it deal with it, once their structures are in the kernel's form: for the calls of
 * an ISA that has other structures for it. In task context. Behaviour: gettimeofday(2), settimeofday(2), adjtimex(2).
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

/* What time it is, as CLOCK_REALTIME has it; the zone as it was set last. */
struct kernel_timespec wall_clock_now(void);
struct wall_clock_zone wall_clock_get_zone(void);

/* Sets the clock to TIME and the zone to ZONE, each unless it is NULL. 0; -EINVAL: TIME is none, or before the machine
 * started, or ZONE is too far away; -EPERM. */
int wall_clock_set(const struct kernel_timespec *time, const struct wall_clock_zone *zone);

/* adjtimex: does what STATE asks for, and tells there how the clock stands. TIME_ERROR (nobody keeps it right), or
 * -EINVAL, -EPERM, -EOPNOTSUPP: then STATE is as it was. */
int wall_clock_adjust(struct kernel_timex *state);

#endif
