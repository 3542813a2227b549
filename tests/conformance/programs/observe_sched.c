// SPDX-License-Identifier: BSD-2-Clause
/*
 * Scheduling policies and priorities: the calls, and inheritance by a child.
 */
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "sched_calls.h"
#include "child.h"

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
	uint64_t more;
};

static long set_attributes(const struct attributes *attributes)
{
	return syscall(SYS_sched_setattr, 0, attributes, 0);
}

/* "policy nice priority flags" of the caller. */
static const char *state(void)
{
	static char text[80];
	struct attributes now = { 0 };

	if (syscall(SYS_sched_getattr, 0, &now, 48, 0) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "%u %d %u %lx, %d", now.policy, now.nice, now.priority,
		 (unsigned long)now.flags, getpriority(PRIO_PROCESS, 0));
	return text;
}

static void see_policies(void)
{
	static const struct {
		const char *name;
		int policy, priority;
	} tries[] = {
		{ "batch", BATCH, 0 },
		{ "idle", IDLE, 0 },
		{ "other", OTHER, 0 },
		{ "other with a priority", OTHER, 1 },
		{ "fifo 1", FIFO, 1 },
		{ "fifo 99", FIFO, 99 },
		{ "fifo 0", FIFO, 0 },
		{ "fifo 100", FIFO, 100 },
		{ "fifo -1", FIFO, -1 },
		{ "round robin 50", RR, 50 },
		{ "round robin 0", RR, 0 },
		{ "policy 4", ISO, 0 },
		{ "deadline", DEADLINE, 0 },
		{ "policy 8", 8, 0 },
		{ "policy -1", -1, 0 },
		{ "batch, reset", BATCH | RESET_ON_FORK, 0 },
		{ "fifo, reset", FIFO | RESET_ON_FORK, 7 },
		{ "idle with a priority", IDLE, 3 },
		{ "other again", OTHER, 0 },
	};

	setpriority(PRIO_PROCESS, 0, 3);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		show(outcome(set(0, tries[i].policy, tries[i].priority)), "policy: %s",
		     tries[i].name);
		show(state(), "policy: %s: then", tries[i].name);
		show(outcome_value(syscall(SYS_sched_getscheduler, 0)), "policy: %s: reported",
		     tries[i].name);
	}
}

static void see_calls(void)
{
	int priority = 5;
	struct timespec slice = { 7, 7 };

	for (int policy = -1; policy < 7; policy++) {
		show(outcome_value(sched_get_priority_max(policy)), "greatest priority of %d",
		     policy);
		show(outcome_value(sched_get_priority_min(policy)), "least priority of %d", policy);
	}
	SEE(syscall(SYS_sched_setscheduler, 0, OTHER, NULL));
	SEE(syscall(SYS_sched_setscheduler, 0, OTHER, 1L));
	SEE(syscall(SYS_sched_setscheduler, -1, OTHER, &priority));
	SEE(syscall(SYS_sched_setscheduler, NO_PROCESS, OTHER, &priority));
	SEE(syscall(SYS_sched_setscheduler, NO_PROCESS, 77, &priority));
	SEE(syscall(SYS_sched_setparam, 0, NULL));
	SEE(syscall(SYS_sched_setparam, 0, &priority));
	SEE(syscall(SYS_sched_setparam, NO_PROCESS, &priority));
	SEE(syscall(SYS_sched_getparam, 0, NULL));
	SEE(syscall(SYS_sched_getparam, 0, 1L));
	SEE(syscall(SYS_sched_getparam, -1, &priority));
	SEE(syscall(SYS_sched_getparam, NO_PROCESS, &priority));
	SEE(syscall(SYS_sched_getscheduler, -1));
	SEE(syscall(SYS_sched_getscheduler, NO_PROCESS));
	SEE(set(0, RR, 20));
	SEE(sched_rr_get_interval(0, &slice));
	show(slice.tv_sec == 0 && slice.tv_nsec == 100000000 ? "100 ms" : "another",
	     "the slice of round robin");
	SEE(set_priority(0, 30));
	SEE(set_priority(0, 0));
	SEE(syscall(SYS_sched_getparam, 0, &priority));
	show(outcome_value(priority), "priority reported");
	SEE(set(0, FIFO, 20));
	slice = (struct timespec){ 7, 7 };
	SEE(syscall(SYS_sched_rr_get_interval, 0, &slice));
	show(slice.tv_sec == 0 && slice.tv_nsec == 0 ? "none" : "another", "the slice of fifo");
	SEE(syscall(SYS_sched_rr_get_interval, 0, 1L));
	SEE(syscall(SYS_sched_rr_get_interval, -1, &slice));
	SEE(syscall(SYS_sched_rr_get_interval, NO_PROCESS, &slice));
	SEE(sched_yield());
}

static void see_attributes(void)
{
	struct attributes all = { .size = 48, .policy = BATCH, .nice = 7 }, report;
	char text[64];

	SEE(set_attributes(&all));
	show(state(), "attributes: batch, nice 7");
	all = (struct attributes){ .size = 0, .policy = OTHER, .nice = -30 };
	show(outcome(set_attributes(&all)), "attributes: size 0");
	show(state(), "attributes: nice is cut");
	all.size = 47;
	show(outcome(set_attributes(&all)), "attributes: size 47");
	show(outcome_value(all.size), "attributes: the known size");
	all = (struct attributes){ .size = 64, .policy = OTHER };
	show(outcome(set_attributes(&all)), "attributes: size 64, zero");
	all.more = 1;
	show(outcome(set_attributes(&all)), "attributes: size 64, not zero");
	show(outcome_value(all.size), "attributes: the known size again");
	all = (struct attributes){ .size = 48, .policy = FIFO, .priority = 9, .nice = 5 };
	show(outcome(set_attributes(&all)), "attributes: fifo");
	show(state(), "attributes: fifo: then");
	all = (struct attributes){ .size = 48, .policy = IDLE, .flags = 0x08, .priority = 11 };
	show(outcome(set_attributes(&all)), "attributes: keep the policy");
	show(state(), "attributes: keep the policy: then");
	all = (struct attributes){ .size = 48, .policy = RR, .flags = 0x10 };
	show(outcome(set_attributes(&all)), "attributes: keep the parameters");
	show(state(), "attributes: keep the parameters: then");
	all = (struct attributes){ .size = 48, .policy = OTHER, .flags = 0x01, .nice = 4 };
	show(outcome(set_attributes(&all)), "attributes: reset on fork");
	show(state(), "attributes: reset on fork: then");
	all = (struct attributes){ .size = 48, .policy = OTHER, .flags = 0x1000 };
	show(outcome(set_attributes(&all)), "attributes: an unknown flag");
	all = (struct attributes){ .size = 48, .policy = (uint32_t)-1 };
	show(outcome(set_attributes(&all)), "attributes: policy -1");
	all = (struct attributes){ .size = 48, .policy = DEADLINE };
	show(outcome(set_attributes(&all)), "attributes: deadline without times");
	all = (struct attributes){ .size = 48, .policy = OTHER, .runtime = 20000000 };
	show(outcome(set_attributes(&all)), "attributes: a slice");
	syscall(SYS_sched_getattr, 0, &report, 48, 0);
	show(outcome_value((long)report.runtime), "attributes: the slice reported");
	all.runtime = 1;
	set_attributes(&all);
	syscall(SYS_sched_getattr, 0, &report, 48, 0);
	show(outcome_value((long)report.runtime), "attributes: a short slice reported");
	all.runtime = 1000000000;
	set_attributes(&all);
	syscall(SYS_sched_getattr, 0, &report, 48, 0);
	show(outcome_value((long)report.runtime), "attributes: a long slice reported");
	SEE(syscall(SYS_sched_setattr, 0, NULL, 0));
	SEE(syscall(SYS_sched_setattr, 0, 1L, 0));
	SEE(syscall(SYS_sched_setattr, 0, &all, 1));
	SEE(syscall(SYS_sched_setattr, -1, &all, 0));
	SEE(syscall(SYS_sched_setattr, NO_PROCESS, &all, 0));
	SEE(syscall(SYS_sched_getattr, 0, &report, 47, 0));
	SEE(syscall(SYS_sched_getattr, 0, &report, 5000, 0));
	SEE(syscall(SYS_sched_getattr, 0, &report, 48, 1));
	SEE(syscall(SYS_sched_getattr, 0, NULL, 48, 0));
	SEE(syscall(SYS_sched_getattr, 0, 1L, 48, 0));
	SEE(syscall(SYS_sched_getattr, -1, &report, 48, 0));
	SEE(syscall(SYS_sched_getattr, NO_PROCESS, &report, 48, 0));
	SEE(syscall(SYS_sched_getattr, 0, &report, 64, 0));
	snprintf(text, sizeof(text), "%u", report.size);
	show(text, "attributes: size reported of 64");
}

/* --- what a child inherits --- */

static const char *beginning;

static void report_state(void)
{
	show(state(), "child of one with %s", beginning);
}

static void see_inherited(void)
{
	beginning = "fifo";
	set(0, FIFO, 3);
	in_child(report_state);
	beginning = "fifo, reset";
	set(0, FIFO | RESET_ON_FORK, 3);
	in_child(report_state);
	beginning = "nice -5";
	set(0, OTHER, 0);
	setpriority(PRIO_PROCESS, 0, -5);
	in_child(report_state);
	beginning = "nice -5, reset";
	set(0, OTHER | RESET_ON_FORK, 0);
	in_child(report_state);
	beginning = "nice 5, batch, reset";
	setpriority(PRIO_PROCESS, 0, 5);
	set(0, BATCH | RESET_ON_FORK, 0);
	in_child(report_state);
}

int main(void)
{
	in_child(see_policies);
	in_child(see_calls);
	in_child(see_attributes);
	in_child(see_inherited);
	return 0;
}
