/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tick that divides CPU time into user and system time.
 *
 * It is a timer of its CPU: the scheduler starts it when a user task follows an idle or kernel one, and it
 * stops by itself when it finds none running. Its counts only divide the time that tasks ran
 * (kernel/task/usage.c), and never measure it.
 *
 * Lock: none; a CPU's tick and the counts of the task that runs there are its own.
 */
#include <kernel/sched/cpu_time.h>

#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>

struct tick {
	struct timer timer;
	bool running;
} CACHE_ALIGNED;

static PERCPU(struct tick, ticks);

static void on_tick(struct timer *timer)
{
	struct tick *tick = &this_cpu(ticks);
	struct task *self = task_current();
	const struct trap_frame *frame = arch_interrupt_frame();

	tick->running = self->process != NULL;
	if (!tick->running)
		return;
	if (frame && arch_frame_is_user(frame))
		self->ticks.user++;
	else
		self->ticks.system++;
	hook_cpu_tick(self->process);
	timer_arm(timer, clock_ns() + CPU_TICK_NS);
}

void cpu_tick_stop(void)
{
	struct tick *tick = &this_cpu(ticks);

	if (tick->running)
		timer_cancel(&tick->timer);
	tick->running = false;
}

void cpu_tick_start(void)
{
	struct tick *tick = &this_cpu(ticks);

	if (tick->running)
		return;
	timer_init(&tick->timer, on_tick);
	tick->running = true;
	timer_arm(&tick->timer, clock_ns() + CPU_TICK_NS);
}
