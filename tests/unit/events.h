/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the tests of the perf core: opening an event, reading it, its ioctls, on the
 * simulated machine. Results are the system calls': negative is an error.
 */
#ifndef TESTS_UNIT_EVENTS_H
#define TESTS_UNIT_EVENTS_H

#include <kernel/fs/file.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/init.h>
#include <kernel/perf/mmap_record.h>
#include <kernel/perf/open.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/software.h>
#include <kernel/perf/task.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>
#include <kernel/trace/pmu.h>
#include <kernel/mm/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "sim/sim.h"
#include "tap.h"

/* A machine of CPUS CPUs whose PMU has COUNTERS counters, 48 bits wide, and the
 * constraints of TABLE (COUNT rows). */
static inline void start_machine(unsigned int cpus, unsigned int counters,
				 const struct sim_constraint *table, unsigned int count)
{
	const struct sim_pmu_model model = { counters, 48, table, count, false };

	sim_start(cpus);
	perf_init();
	perf_tracepoint_init();
	sim_pmu_register(&model);
}

/* TASK, which runs nowhere, ends on this CPU. */
static inline void end_task(struct task *task)
{
	struct task *self = task_current();

	sim_switch(task);
	sim_task_exit(task);
	sim_switch(self);
}

/* Every descriptor is closed, every running task ends, the last timers find nothing to do; then
 * nothing may be left behind. */
static inline void end_machine(void)
{
	for (int fd = 0; fd < SIM_FILES_MAX; fd++)
		sim_fd_close(fd);
	sim_clock_advance(PERF_ROTATION_NS);
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		sim_cpu_set(cpu);
		if (atomic_load(&task_current()->state) != TASK_ZOMBIE)
			sim_task_exit(task_current());
	}
	EXPECT_EQ(sim_end(), 0);
}

/* A counting event of the simulated PMU for CODE, on at once. */
static inline struct perf_event_attr hardware_attr(uint64_t code)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_RAW,
					 .size = sizeof(struct perf_event_attr),
					 .config = code };
}

static inline struct perf_event_attr software_attr(uint64_t id)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(struct perf_event_attr),
					 .config = id };
}

static inline int open_event(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd)
{
	return (int)perf_event_open(&attr, pid, cpu, group_fd, 0);
}

static inline struct perf_event *event_of(int fd)
{
	return sim_fd_file(fd)->private;
}

static inline long read_event(int fd, void *buffer, size_t size)
{
	struct file *file = sim_fd_file(fd);

	return file->ops->read(file, buffer, size, &file->position);
}

static inline long control_event(int fd, unsigned int command, unsigned long argument)
{
	struct file *file = sim_fd_file(fd);

	return file->ops->ioctl(file, command, argument);
}

/* The value of an event opened with read_format 0. */
static inline uint64_t count_of(int fd)
{
	uint64_t value = UINT64_MAX;

	EXPECT_EQ(read_event(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* The layout that read_format = TIMES returns. */
#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct timed_count {
	uint64_t value, enabled_ns, running_ns;
};

static inline struct timed_count timed_count_of(int fd)
{
	struct timed_count count = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

	EXPECT_EQ(read_event(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

/* The address space of every test's tasks. */
static struct vm_space user_space __attribute__((unused));

/* Maps DATA_PAGES data pages of FD into AREA, as mmap does; 0 or an error. */
static inline int map_area(int fd, struct vm_area *area, uint64_t data_pages, unsigned int prot)
{
	struct file *file = sim_fd_file(fd);

	*area = (struct vm_area){ .start = 0x10000,
				  .end = 0x10000 + (data_pages + 1) * PAGE_SIZE,
				  .prot = prot,
				  .shared = true,
				  .file = file,
				  .space = &user_space };
	int error = file->ops->mmap(file, area);
	if (!error)
		file_get(file);
	return error;
}

static inline void unmap_area(struct vm_area *area)
{
	area->ops->close(area);
	file_put(area->file);
}

/* The same event with times. */
static inline struct perf_event_attr timed(struct perf_event_attr attr)
{
	attr.read_format = TIMES;
	return attr;
}

#endif
