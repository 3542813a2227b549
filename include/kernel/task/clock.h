/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks of programs, CLOCK_*: reading them, and waiting for them. Each is clock_ns() with an origin, or
 * the CPU time of a task or a process.
 */
#ifndef KERNEL_CLOCK_H
#define KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/sched/wait.h>
#include <uapi/linux/time.h>

struct task;

enum clock_origin { ORIGIN_BOOT, ORIGIN_EPOCH, ORIGIN_PROCESS, ORIGIN_THREAD };

/* A clock that a call named. */
struct clock {
	enum clock_origin origin;
	bool can_sleep, can_time; /* clock_nanosleep; timer_create */
	bool settable;
	uint32_t resolution_ns;
	bool user_only; /* ORIGIN_PROCESS, ORIGIN_THREAD: only time in user mode, by ticks */
	/* Referenced: its task; NULL: the current one, or none. */
	struct task *task;
};

/* Finds the clock ID. 0, or -EINVAL. After 0, clock_put. Task context. */
int clock_find(int id, struct clock *clock);
/* Checks whether the current task may have timers of clock ID, which wake the machine if it is an alarm
 * clock: 0 or -EPERM (CAP_WAKE_ALARM). Any context. */
int clock_check_alarm(int id);
void clock_put(struct clock *clock);

/* Reads CLOCK. Task context; for the CPU time of TASK, interrupt context too. */
uint64_t clock_read(const struct clock *clock);
/* Sleeps until clock_ns() reaches DEADLINE_NS. Task context. 0, or -EINTR. */
int clock_sleep_until(uint64_t deadline_ns);
/* Woken after the real-time clock was set. */
extern struct wait_queue clock_was_set;

/* Returns the CPU time of TASK's process, or of TASK alone; USER_ONLY: only that in user mode, by ticks. Task
 * and interrupt context, T not held. */
uint64_t clock_cpu_ns(struct task *task, bool whole_process, bool user_only);

#endif
