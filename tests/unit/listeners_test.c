// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of kernel/perf/listeners.c: what each hook of the kernel does to events. The hooks are called as kernel/hooks.c calls
 * them, one listener at a time.
 */
#include <kernel/base/hooks.h>
#include <kernel/perf/mapped_area.h>
#include <kernel/perf/settings.h>
#include <uapi/linux/sched.h>

#include "family.h"
#include "mapping.h"

#define CODE 1

static struct mapping mapping;
static uint64_t record[16];

/* The areas that the listeners have passed on. */
static const struct vm_area *mapped, *unmapped;

void perf_area_mapped(const struct vm_area *area)
{
	mapped = area;
}

void perf_area_unmapped(const struct vm_area *area)
{
	unmapped = area;
}

/* Returns the type of the next record of the mapped event, which is then in record; 0: there is none. */
static uint32_t next_type(void)
{
	if (!next_record(&mapping, record, sizeof(record)))
		return 0;
	return ((struct perf_event_header *)record)->type;
}

static int state_of(int fd)
{
	return event_of(fd)->state;
}

/* --- software events --- */

static void context_switch(void)
{
	unsigned long irqs = arch_irq_save();

	hook_task_out_2(task_current(), task_current());
	arch_irq_restore(irqs);
}

static void begun(void)
{
	hook_fault_begun_1(sim_frame(), 0x1000);
}

static void served(void)
{
	hook_fault_served_1(sim_frame(), 0x2000);
}

static void unaligned(void)
{
	hook_unaligned_1(sim_frame(), 0x3000);
}

/* An occurrence, the software event that counts it, the address of its sample, and whether that is of an interrupted place. */
static const struct {
	const char *what;
	void (*happens)(void);
	uint64_t id, address;
	bool has_frame;
} occurrences[] = {
	{ "a context switch", context_switch, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, false },
	{ "a migration", hook_task_migrated_1, PERF_COUNT_SW_CPU_MIGRATIONS, 0, false },
	{ "a fault", begun, PERF_COUNT_SW_PAGE_FAULTS, 0x1000, true },
	{ "a fault that is served", served, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0x2000, true },
	{ "an unaligned access", unaligned, PERF_COUNT_SW_ALIGNMENT_FAULTS, 0x3000, true },
};
#define OCCURRENCES (sizeof(occurrences) / sizeof(occurrences[0]))

static void each_occurrence_has_its_event(void)
{
	int fds[OCCURRENCES];

	for (size_t i = 0; i < OCCURRENCES; i++) {
		start_machine(1, 4, NULL, 0);
		for (size_t j = 0; j < OCCURRENCES; j++)
			fds[j] = open_event(software_attr(occurrences[j].id), 0, -1, -1);
		occurrences[i].happens();
		for (size_t j = 0; j < OCCURRENCES; j++)
			EXPECT_EQ_AT(count_of(fds[j]), i == j, "%s, counted as %s",
				     occurrences[i].what, occurrences[j].what);
		end_machine();
	}
}

static void samples_have_place_and_address(void)
{
	for (size_t i = 0; i < OCCURRENCES; i++) {
		struct perf_event_attr attr = software_attr(occurrences[i].id);

		start_machine(1, 4, NULL, 0);
		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
		int fd = open_event(attr, 0, -1, -1);
		EXPECT_EQ_AT(map_event(&mapping, fd, 1), 0, "%s", occurrences[i].what);
		sim_frame_set(0x4321, true);
		occurrences[i].happens();
		EXPECT_EQ_AT(next_type(), PERF_RECORD_SAMPLE, "%s", occurrences[i].what);
		if (occurrences[i].has_frame)
			EXPECT_EQ_AT(record[1], 0x4321, "%s", occurrences[i].what);
		EXPECT_EQ_AT(record[2], occurrences[i].address, "%s", occurrences[i].what);
		unmap_event(&mapping);
		end_machine();
	}
}

/* --- context switches --- */

static void a_task_counts_between_its_switches(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);
	unsigned long irqs = arch_irq_save();

	sim_pmu_count(CODE, 1);
	hook_switch_out(self, other);
	sim_pmu_count(CODE, 10);
	hook_switch_in(self);
	sim_pmu_count(CODE, 100);
	arch_irq_restore(irqs);
	EXPECT_EQ(count_of(fd), 101);
	end_machine();
}

/* --- tasks --- */

static void clone_flags_say_what_is_inherited(void)
{
	static const struct {
		const char *what;
		uint64_t flags;
		bool thread_event, trap_event;
	} rows[] = {
		{ "a process", 0, false, true },
		{ "a thread", CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, true, true },
		{ "a process without handlers", CLONE_CLEAR_SIGHAND, false, false },
		{ "a process with the parent's memory", CLONE_VM | CLONE_VFORK, false, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_machine(1, 4, NULL, 0);
		struct perf_event_attr threads = inherited_attr_of(CODE),
				       trap = inherited_attr_of(CODE);

		threads.inherit_thread = 1;
		trap.inherit_thread = 0;
		trap.sigtrap = trap.remove_on_exec = 1;
		int of_threads = open_event(threads, 0, -1, -1);
		int of_trap = open_event(trap, 0, -1, -1);
		struct task *self = task_current(), *child = sim_task_create();

		EXPECT_EQ_AT(hook_task_copied(self, child, rows[i].flags), 0, "%s", rows[i].what);
		sim_switch(child);
		sim_pmu_count(CODE, 7);
		sim_switch(self);
		EXPECT_EQ_AT(timed_count_of(of_threads).value, rows[i].thread_event ? 7 : 0,
			     "%s, inherit_thread", rows[i].what);
		EXPECT_EQ_AT(timed_count_of(of_trap).value, rows[i].trap_event ? 7 : 0,
			     "%s, sigtrap", rows[i].what);
		end_task(child);
		end_machine();
	}
}

static void without_memory_there_is_no_child(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *child = sim_task_create();

	open_event(inherited_attr_of(CODE), 0, -1, -1);
	sim_allocation_fail(1);
	EXPECT_EQ(hook_task_copied(task_current(), child, 0), -ENOMEM);
	hook_task_freed_2(child);
	end_machine();
}

/* A task that was copied and never ran leaves nothing. */
static void a_freed_task_leaves_nothing(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *child = sim_task_create();
	int fd = open_event(inherited_attr_of(CODE), 0, -1, -1);

	EXPECT_EQ(hook_task_copied(task_current(), child, 0), 0);
	EXPECT(atomic_load(&child->perf));
	hook_task_freed_2(child);
	EXPECT(!perf_context_get_of_task(child));
	EXPECT_EQ(timed_count_of(fd).value, 0);
	end_machine();
}

/* Opens and maps an event for the records of this CPU's tasks. */
static void watch(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	attr.task = attr.comm = attr.comm_exec = 1;
	EXPECT_EQ(map_event(&mapping, open_event(attr, -1, 0, -1), 1), 0);
}

static void records_name_the_task(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *child = sim_task_create();

	watch();
	hook_task_forked_1(self, child, 0);
	EXPECT_EQ(next_type(), PERF_RECORD_FORK);
	EXPECT_EQ((uint32_t)record[1], child->tgid);
	hook_task_renamed_1(self);
	EXPECT_EQ(next_type(), PERF_RECORD_COMM);
	EXPECT_EQ(((struct perf_event_header *)record)->misc & PERF_RECORD_MISC_COMM_EXEC, 0);
	hook_task_changes_program_1(self, true);
	EXPECT_EQ(next_type(), PERF_RECORD_COMM);
	EXPECT_EQ(((struct perf_event_header *)record)->misc & PERF_RECORD_MISC_COMM_EXEC,
		  PERF_RECORD_MISC_COMM_EXEC);
	EXPECT_EQ(next_type(), 0);
	hook_task_exits_1(self);
	EXPECT_EQ(next_type(), PERF_RECORD_EXIT);
	EXPECT_EQ((uint32_t)record[1], self->tgid);
	unmap_event(&mapping);
	end_machine();
}

static void an_exit_ends_events(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);

	sim_pmu_count(CODE, 3);
	hook_task_exits_1(task_current());
	sim_pmu_count(CODE, 10);
	EXPECT(!perf_context_get_of_task(task_current()));
	EXPECT_EQ(count_of(fd), 3);
	end_machine();
}

static void a_new_program_enables_and_removes(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr enabled = hardware_attr(CODE), removed = hardware_attr(CODE);

	enabled.disabled = enabled.enable_on_exec = 1;
	removed.remove_on_exec = 1;
	int begins = open_event(enabled, 0, -1, -1), ends = open_event(removed, 0, -1, -1);
	int stays = open_event(hardware_attr(CODE), 0, -1, -1);

	/* A prctl or a new name is no new program. */
	hook_task_renamed_1(task_current());
	EXPECT_EQ(state_of(begins), EVENT_OFF);
	sim_pmu_count(CODE, 1);
	hook_task_changes_program_1(task_current(), true);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(count_of(begins), 10);
	EXPECT_EQ(count_of(ends), 1);
	EXPECT_EQ(count_of(stays), 11);
	end_machine();
}

static void a_program_that_others_may_not_inspect(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.enable_on_exec = attr.disabled = 1;
	int stays = open_event(hardware_attr(CODE), 0, -1, -1),
	    begins = open_event(attr, 0, -1, -1);

	sim_pmu_count(CODE, 1);
	hook_task_changes_program_1(task_current(), false);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(count_of(stays), 1);
	EXPECT_EQ(count_of(begins), 0);
	/* The events that the task opened are not its own any more. */
	EXPECT_EQ(hook_task_events_set(true), 0);
	EXPECT_EQ(count_of(stays), 1);
	end_machine();
}

static void prctl_enables_and_disables(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT_EQ(hook_task_events_set(false), 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(hook_task_events_set(true), 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(count_of(fd), 1);
	end_machine();
}

/* --- settings, memory, CPUs --- */

static void addresses_are_hidden_above_1(void)
{
	static const struct {
		int paranoid;
		bool hidden;
	} rows[] = { { -1, false }, { 0, false }, { 1, false }, { 2, true }, { 3, true } };

	start_machine(1, 4, NULL, 0);
	int before = perf_paranoid;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		perf_paranoid = rows[i].paranoid;
		EXPECT_EQ_AT(hook_addresses_are_hidden(), rows[i].hidden, "perf_event_paranoid %d",
			     rows[i].paranoid);
	}
	perf_paranoid = before;
	end_machine();
}

static void areas_are_recorded(void)
{
	static const struct vm_area one = { .start = 0x1000 }, two = { .start = 0x2000 };

	start_machine(1, 4, NULL, 0);
	mapped = unmapped = NULL;
	hook_area_mapped_1(&one);
	EXPECT(mapped == &one && !unmapped);
	hook_area_unmapped_1(&two);
	EXPECT(mapped == &one && unmapped == &two);
	end_machine();
}

static void start_here(void *unused)
{
	hook_cpu_starts_1();
}

static void a_cpu_goes_and_comes(void)
{
	start_machine(3, 4, NULL, 0);
	int on_1 = open_event(hardware_attr(CODE), -1, 1, -1);
	int on_2 = open_event(hardware_attr(CODE), -1, 2, -1);

	hook_cpu_goes_offline_1(1, 0);
	cpumask_shared_add(&cpus_offline, 1);
	EXPECT_EQ(state_of(on_1), EVENT_OFF);
	EXPECT_EQ(state_of(on_2), EVENT_ACTIVE);
	cpumask_shared_remove(&cpus_offline, 1);
	smp_call(1, start_here, NULL);
	int fresh = open_event(hardware_attr(CODE), -1, 1, -1);

	sim_cpu_set(1);
	sim_pmu_count(CODE, 4);
	sim_cpu_set(0);
	EXPECT_EQ(count_of(fresh), 4);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "each occurrence counts as its own event alone", each_occurrence_has_its_event },
	{ "a sample has the interrupted place and the address", samples_have_place_and_address },
	{ "a task counts between its switches", a_task_counts_between_its_switches },
	{ "the flags of clone say which events a child inherits",
	  clone_flags_say_what_is_inherited },
	{ "a child without memory for its events is refused", without_memory_there_is_no_child },
	{ "a task that never ran leaves nothing", a_freed_task_leaves_nothing },
	{ "records say which task forks, is renamed, executes and exits", records_name_the_task },
	{ "an exit ends a task's events", an_exit_ends_events },
	{ "a new program enables and removes events", a_new_program_enables_and_removes },
	{ "a program that others may not inspect ends all events",
	  a_program_that_others_may_not_inspect },
	{ "prctl enables and disables the events of the caller", prctl_enables_and_disables },
	{ "perf_event_paranoid above 1 hides addresses", addresses_are_hidden_above_1 },
	{ "areas that are mapped and unmapped are recorded", areas_are_recorded },
	{ "a CPU off line revokes its events, and one that starts counts again",
	  a_cpu_goes_and_comes },
};

TAP_MAIN(rules)
