/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks that programs name, CLOCK_*: what they read, and what can wait for them. Each is
 * clock_ns() with an origin, or the processor time of a task or a process.
 */
#ifndef KERNEL_CLOCK_H
#define KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/wait.h>
#include <uapi/linux/time.h>

struct task;

enum clock_origin { ORIGIN_BOOT, ORIGIN_EPOCH, ORIGIN_PROCESS, ORIGIN_THREAD };

/* A clock as a call named it. */
struct clock {
	enum clock_origin origin;
	bool can_sleep, can_time; /* clock_nanosleep; timer_create */
	bool settable;
	uint32_t resolution_ns;
	bool user_only; /* ORIGIN_PROCESS, ORIGIN_THREAD: only time in user mode, by ticks */
	/* Referenced: of which task or process; NULL: of the running one, or of none. */
	struct task *task;
};

/* The clock ID means. 0, or -EINVAL. After 0, clock_put. Task context. */
int clock_find(int id, struct clock *clock);
/* Whether the running task may have timers of the clock ID, which wake the machine if it is an alarm clock: 0 or
 * -EPERM (CAP_WAKE_ALARM). Any context. */
int clock_check_alarm(int id);
void clock_put(struct clock *clock);

/* What it says now. Task context; the processor time of TASK: interrupt context too. */
uint64_t clock_read(const struct clock *clock);
/* Sleeps until clock_ns() says DEADLINE_NS. Task context. 0, or -EINTR. */
int clock_sleep_until(uint64_t deadline_ns);
/* Woken after the real-time clock was set. */
extern struct wait_queue clock_was_set;

/* The processor time of TASK's process, or of TASK alone; that in user mode alone, as ticks tell it, if
 * USER_ONLY. Task and interrupt context, T not held. */
uint64_t clock_processor_ns(struct task *task, bool whole_process, bool user_only);

#endif
