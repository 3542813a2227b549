/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks that programs name, see <kernel/task/clock.h>.
 *
 * The real-time clocks are the machine's clock chip, read at boot, plus the offset of clock_settime.
 */
#include <kernel/task/clock.h>

#include <stdatomic.h>
#include <stddef.h>

#include <arch/clock.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/interval.h>
#include <kernel/task/process.h>
#include <kernel/task/vdso.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* The coarse clocks have the resolution of Linux's tick, 4 ms, though Tally reads them as finely. */
#define COARSE_NS 4000000

static const struct clock clocks[] = {
	[CLOCK_REALTIME] = { ORIGIN_EPOCH, true, true, true, 1, false, NULL },
	[CLOCK_MONOTONIC] = { ORIGIN_BOOT, true, true, false, 1, false, NULL },
	[CLOCK_PROCESS_CPUTIME_ID] = { ORIGIN_PROCESS, true, true, false, 1, false, NULL },
	[CLOCK_THREAD_CPUTIME_ID] = { ORIGIN_THREAD, false, true, false, 1, false, NULL },
	[CLOCK_MONOTONIC_RAW] = { ORIGIN_BOOT, false, false, false, 1, false, NULL },
	[CLOCK_REALTIME_COARSE] = { ORIGIN_EPOCH, false, false, false, COARSE_NS, false, NULL },
	[CLOCK_MONOTONIC_COARSE] = { ORIGIN_BOOT, false, false, false, COARSE_NS, false, NULL },
	[CLOCK_BOOTTIME] = { ORIGIN_BOOT, true, true, false, 1, false, NULL },
	/* The machine never sleeps so deeply that a timer has to wake it. */
	[CLOCK_REALTIME_ALARM] = { ORIGIN_EPOCH, true, true, false, 1, false, NULL },
	[CLOCK_BOOTTIME_ALARM] = { ORIGIN_BOOT, true, true, false, 1, false, NULL },
	[CLOCK_TAI] = { ORIGIN_EPOCH, true, true, false, 1, false, NULL },
};

#define CLOCK_COUNT	(sizeof(clocks) / sizeof(clocks[0]))

/* The id of another task's clock is ~pid << 3 and these bits: Linux's posix-timers.h. */
#define DYNAMIC_THREAD	4
#define DYNAMIC_KIND	3
#define DYNAMIC_USER	1 /* user mode alone */
#define DYNAMIC_RUNTIME 2 /* kind 0, the sum of both modes by ticks, reads the same on Tally */

static _Atomic uint64_t epoch_offset_ns;
struct wait_queue clock_was_set = { SPINLOCK_INITIALIZER,
				    TAILQ_HEAD_INITIALIZER(clock_was_set.entries) };

uint64_t clock_epoch_ns(void)
{
	return arch_boot_time_s() * NSEC_PER_SEC + epoch_offset_ns;
}

void clock_set_epoch_ns(uint64_t now_ns)
{
	epoch_offset_ns = now_ns - clock_ns() - arch_boot_time_s() * NSEC_PER_SEC;
	vdso_set_epoch(clock_epoch_ns());
	interval_clock_was_set();
	wait_queue_wake(&clock_was_set);
}

/* Finds the clock of another task or process. */
static int find_dynamic(int id, struct clock *clock)
{
	pid_t pid = ~(id >> 3);
	bool thread = id & DYNAMIC_THREAD;

	if ((id & DYNAMIC_KIND) > DYNAMIC_RUNTIME)
		return -EINVAL;
	*clock = clocks[thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID];
	if ((id & DYNAMIC_KIND) != DYNAMIC_RUNTIME)
		clock->resolution_ns = COARSE_NS;
	clock->user_only = (id & DYNAMIC_KIND) == DYNAMIC_USER;
	if (pid == 0)
		return 0;
	struct task *task = task_find(pid);
	bool usable = task && task->process &&
		      (thread ? task->process == task_current()->process : task->tgid == pid);

	if (!usable) {
		if (task)
			task_put(task);
		return -EINVAL;
	}
	clock->task = task;
	return 0;
}

int clock_find(int id, struct clock *clock)
{
	if (id < 0)
		return find_dynamic(id, clock);
	if ((unsigned int)id >= CLOCK_COUNT || !clocks[id].resolution_ns)
		return -EINVAL;
	*clock = clocks[id];
	return 0;
}

int clock_check_alarm(int id)
{
	bool alarm = id == CLOCK_REALTIME_ALARM || id == CLOCK_BOOTTIME_ALARM;

	return alarm && !capable(CAP_WAKE_ALARM) ? -EPERM : 0;
}

void clock_put(struct clock *clock)
{
	if (clock->task)
		task_put(clock->task);
}

uint64_t clock_cpu_ns(struct task *task, bool whole_process, bool user_only)
{
	if (!whole_process)
		return user_only ? task->ticks.user * CPU_TICK_NS : sched_run_time_ns(task);
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	uint64_t ns = user_only ? usage_of_process(task->process).user_ticks * CPU_TICK_NS :
				  process_run_time_ns(task->process);

	spin_unlock_irqrestore(&task_table_lock, state);
	return ns;
}

uint64_t clock_read(const struct clock *clock)
{
	struct task *task = clock->task ? clock->task : task_current();

	switch (clock->origin) {
	case ORIGIN_EPOCH:
		return clock_epoch_ns() + clock_ns();
	case ORIGIN_THREAD:
	case ORIGIN_PROCESS:
		return clock_cpu_ns(task, clock->origin == ORIGIN_PROCESS, clock->user_only);
	default:
		return clock_ns();
	}
}
