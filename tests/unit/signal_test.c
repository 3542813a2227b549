// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals of events: SIGTRAP for the task that is counted (attr.sigtrap), deferred while it does not run, and notices to
 * the owner of an event's file.
 */
#include <kernel/task/signal.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

#include "family.h"

#define CODE	    1
#define ADDRESS	    0x5000
#define SIGTRAP_BIT ((uint64_t)1 << (SIGTRAP - 1))
#define TRAP_DATA   0x1122334455667788

static struct perf_event_attr trap_attr(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.sig_data = TRAP_DATA;
	return attr;
}

static void an_overflow_traps(void)
{
	start_machine(1, 4, NULL, 0);
	open_event(trap_attr(), 0, -1, -1);
	sim_pmu_count(CODE, 9);
	EXPECT_EQ(sim_task_signals(task_current()), 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(sim_task_signals(task_current()), SIGTRAP_BIT);
	EXPECT_EQ(sim_signal_last()->si_signo, SIGTRAP);
	EXPECT_EQ(sim_signal_last()->si_code, TRAP_PERF);
	EXPECT_EQ(sim_signal_last()->si_addr, 0);
	EXPECT_EQ(sim_signal_last()->si_perf_data, TRAP_DATA);
	EXPECT_EQ(sim_signal_last()->si_perf_type, PERF_TYPE_RAW);
	EXPECT_EQ(sim_signal_last()->si_perf_flags, 0);
	end_machine();
}

static void a_breakpoints_trap_has_its_address(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = trap_attr();

	attr.type = PERF_TYPE_BREAKPOINT;
	attr.config = 0;
	attr.sample_period = 1;
	attr.bp_type = 2; /* writes */
	attr.bp_addr = ADDRESS;
	attr.bp_len = 8;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	EXPECT_EQ(sim_task_signals(task_current()), SIGTRAP_BIT);
	EXPECT_EQ(sim_signal_last()->si_addr, ADDRESS);
	EXPECT_EQ(sim_signal_last()->si_perf_type, PERF_TYPE_BREAKPOINT);
	EXPECT_EQ(count_of(fd), 1);
	end_machine();
}

static void a_blocked_trap_says_so(void)
{
	start_machine(1, 4, NULL, 0);
	open_event(trap_attr(), 0, -1, -1);
	task_current()->signals.mask = SIGTRAP_BIT;
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_signal_last()->si_perf_flags, TRAP_PERF_FLAG_ASYNC);
	task_current()->signals.mask = ~SIGTRAP_BIT;
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_signal_last()->si_perf_flags, 0);
	sim_task_signals(task_current());
	end_machine();
}

/* TASK overflows COUNT events just before the CPU switches from it to NEXT, too late for a signal. */
static void overflow_in_switch(struct task *next, uint64_t count)
{
	arch_irq_disable();
	sim_pmu_count(CODE, count);
	sim_switch(next);
	arch_irq_enable();
}

static void a_trap_waits_for_its_task(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();

	open_event(trap_attr(), 0, -1, -1);
	overflow_in_switch(other, 10);
	EXPECT_EQ(sim_task_signals(self), 0);
	EXPECT_EQ(sim_task_signals(other), 0);
	sim_switch(self);
	EXPECT_EQ(sim_task_signals(self), SIGTRAP_BIT);
	EXPECT_EQ(sim_task_signals(other), 0);
	/* Once. */
	sim_switch(other);
	sim_switch(self);
	EXPECT_EQ(sim_task_signals(self), 0);

	/* On another CPU, too. */
	overflow_in_switch(other, 10);
	sim_cpu_set(1);
	struct task *idle = task_current();
	sim_switch(self);
	EXPECT_EQ(sim_task_signals(self), SIGTRAP_BIT);
	sim_switch(idle);
	sim_cpu_set(0);
	sim_switch(self);
	end_task(other);
	end_machine();
}

static void several_overflows_make_one_trap(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	struct perf_event_attr attr = trap_attr();

	open_event(attr, 0, -1, -1);
	attr.sig_data = 99;
	open_event(attr, 0, -1, -1);
	overflow_in_switch(other, 35);
	sim_switch(self);
	/* One of each event: the last one's is seen. */
	EXPECT_EQ(sim_task_signals(self), SIGTRAP_BIT);
	/* The next overflow traps again. */
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(sim_task_signals(self), SIGTRAP_BIT);
	end_task(other);
	end_machine();
}

static void a_trap_of_a_closed_event_is_forgotten(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(trap_attr(), 0, -1, -1);

	overflow_in_switch(other, 10);
	sim_fd_close(fd);
	sim_switch(self);
	EXPECT_EQ(sim_task_signals(self), 0);
	end_task(other);
	end_machine();
}

static void a_task_that_exited_gets_no_trap(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *child = sim_task_create();
	int fd = open_event(trap_attr(), child->tid, -1, -1);

	sim_switch(child);
	overflow_in_switch(self, 10);
	sim_switch(child);
	EXPECT_EQ(sim_task_signals(child), SIGTRAP_BIT);
	overflow_in_switch(self, 10);
	/* The task exits without another run in user mode. */
	arch_irq_disable();
	sim_switch(child);
	arch_irq_enable();
	sim_task_signals(child);
	sim_task_exit(child);
	sim_switch(self);
	EXPECT_EQ(sim_task_signals(child), 0);
	EXPECT_EQ(sim_task_signals(self), 0);
	sim_fd_close(fd);
	end_machine();
}

static void traps_need_a_task(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = trap_attr();

	EXPECT_EQ(open_event(attr, -1, 0, -1), -EINVAL);
	attr.remove_on_exec = 0;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	end_machine();
}

/* --- to the owner of the file --- */

static void owners_are_notified(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.disabled = 1;
	int fd = open_event(attr, 0, -1, -1);
	sim_file_notice();
	control_event(fd, PERF_EVENT_IOC_ENABLE, 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_file_notice(), 0); /* not asked for */
	sim_fd_file(fd)->flags |= FASYNC;
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_file_notice(), POLL_IN);
	sim_pmu_count(CODE, 9);
	EXPECT_EQ(sim_file_notice(), 0);
	/* The last one that was asked for. */
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 2), 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(sim_file_notice(), POLL_IN);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_file_notice(), POLL_HUP);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(sim_file_notice(), 0);
	EXPECT_EQ(count_of(fd), 40);
	end_machine();
}

static void a_child_notifies_its_parents_owner(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.inherit = 1;
	int fd = open_event(attr, 0, -1, -1);
	struct task *self = task_current(), *child = fork_task();
	sim_fd_file(fd)->flags |= FASYNC;
	sim_file_notice();
	sim_switch(child);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(sim_file_notice(), POLL_IN);
	sim_switch(self);
	end_task(child);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "an overflow sends SIGTRAP with the event's data and type", an_overflow_traps },
	{ "the SIGTRAP of a breakpoint has its address", a_breakpoints_trap_has_its_address },
	{ "a SIGTRAP that the task blocks says that it is late", a_blocked_trap_says_so },
	{ "a trap that comes while the task is switched out waits until it runs",
	  a_trap_waits_for_its_task },
	{ "several overflows before it runs make one trap of each event",
	  several_overflows_make_one_trap },
	{ "a waiting trap is forgotten when its event is closed",
	  a_trap_of_a_closed_event_is_forgotten },
	{ "a waiting trap is forgotten when its task exits", a_task_that_exited_gets_no_trap },
	{ "traps need a task and remove_on_exec", traps_need_a_task },
	{ "the file's owner is notified of each overflow, and of the last by POLL_HUP",
	  owners_are_notified },
	{ "a child's overflow notifies the owner of its parent's file",
	  a_child_notifies_its_parents_owner },
};

TAP_MAIN(rules)
