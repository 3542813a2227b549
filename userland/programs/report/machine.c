// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine.c - the devices /dev/cpu/N/pmu and /dev/cpu/N/msr.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct machine machine;

static int steps_fd = -1, msr_fd = -1;
static bool leave_steps;

static int open_device(unsigned int cpu, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%u/%s", cpu, name);
	return open(path, O_RDWR);
}

static bool kernel_left_counters_alone(void)
{
	char line[1024] = "";
	int fd = open("/proc/cmdline", O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	for (char *word = strtok(length > 0 ? line : NULL, " \n"); word;
	     word = strtok(NULL, " \n")) {
		if (strcmp(word, "pmu=off") == 0)
			return true;
	}
	return false;
}

void machine_close(void)
{
	if (steps_fd >= 0)
		close(steps_fd);
	if (msr_fd >= 0)
		close(msr_fd);
	steps_fd = msr_fd = -1;
}

bool machine_move_to_cpu(unsigned int n)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(n, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

bool machine_use_cpu(unsigned int n)
{
	machine_close();
	if (!machine_move_to_cpu(n))
		return false;
	steps_fd = leave_steps ? -1 : open_device(n, "pmu");
	if (steps_fd < 0)
		msr_fd = open_device(n, "msr");
	return steps_fd >= 0 || msr_fd >= 0;
}

void machine_open(bool only_msr)
{
	int error;

	leave_steps = only_msr;
	machine.cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	machine.untouched = kernel_left_counters_alone();
	machine_use_cpu(0);
	error = errno;
	machine.access = steps_fd >= 0 ? ACCESS_STEPS : msr_fd >= 0 ? ACCESS_MSR : ACCESS_NONE;
	if (machine.access == ACCESS_MSR)
		snprintf(machine.reason, sizeof(machine.reason),
			 "this kernel has no /dev/cpu/0/pmu, only registers");
	else if (machine.access == ACCESS_NONE)
		snprintf(machine.reason, sizeof(machine.reason),
			 "neither /dev/cpu/0/pmu nor /dev/cpu/0/msr can be opened: %s",
			 strerror(error));
}

void list_clear(struct list *list)
{
	list->count = 0;
}

unsigned int list_add(struct list *list, uint32_t operation, uint32_t index, uint64_t value)
{
	if (list->count == PMU_STEPS_MAX) {
		printf("Bail out! A list of the report has more than %d steps\n", PMU_STEPS_MAX);
		exit(3);
	}
	list->steps[list->count] =
		(struct pmu_step){ .operation = operation, .index = index, .value = value };
	return list->count++;
}

unsigned int list_read(struct list *list, uint32_t msr)
{
	return list_add(list, PMU_STEP_RDMSR, msr, 0);
}

unsigned int list_write(struct list *list, uint32_t msr, uint64_t value)
{
	return list_add(list, PMU_STEP_WRMSR, msr, value);
}

/* Vector 13, #GP, in the form of a step's fault. */
#define FAULT_GP 14

static bool run_by_msr(struct list *list)
{
	for (unsigned int i = 0; i < list->count; i++) {
		struct pmu_step *step = &list->steps[i];
		ssize_t done;

		if (step->operation == PMU_STEP_RDMSR)
			done = pread(msr_fd, &step->value, sizeof(step->value), step->index);
		else if (step->operation == PMU_STEP_WRMSR)
			done = pwrite(msr_fd, &step->value, sizeof(step->value), step->index);
		else
			return false;
		step->fault = done == sizeof(step->value) ? 0 : FAULT_GP;
	}
	return true;
}

bool machine_run(struct list *list)
{
	struct pmu_steps steps = { .steps = (uintptr_t)list->steps, .count = list->count };

	if (steps_fd >= 0)
		return ioctl(steps_fd, PMU_IOC_RUN, &steps) == 0;
	return msr_fd >= 0 && run_by_msr(list);
}

bool list_has_fault(const struct list *list)
{
	for (unsigned int i = 0; i < list->count; i++) {
		if (list->steps[i].fault)
			return true;
	}
	return false;
}

static bool run_one(uint32_t operation, uint32_t index, uint64_t *value)
{
	struct pmu_step step = { .operation = operation, .index = index, .value = *value };
	struct pmu_steps steps = { .steps = (uintptr_t)&step, .count = 1 };
	ssize_t done;

	if (steps_fd >= 0) {
		if (ioctl(steps_fd, PMU_IOC_RUN, &steps) != 0)
			return false;
		*value = step.value;
		return step.fault == 0;
	}
	if (msr_fd < 0 || operation == PMU_STEP_RDPMC)
		return false;
	done = operation == PMU_STEP_RDMSR ? pread(msr_fd, value, sizeof(*value), index) :
					     pwrite(msr_fd, value, sizeof(*value), index);
	return done == sizeof(*value);
}

bool machine_read_msr(uint32_t msr, uint64_t *value)
{
	*value = 0;
	return run_one(PMU_STEP_RDMSR, msr, value);
}

bool machine_write_msr(uint32_t msr, uint64_t value)
{
	return run_one(PMU_STEP_WRMSR, msr, &value);
}

bool machine_rdpmc(uint32_t index, uint64_t *value)
{
	*value = 0;
	return run_one(PMU_STEP_RDPMC, index, value);
}

bool machine_set_handler(struct list *list)
{
	struct pmu_steps steps = { .steps = list ? (uintptr_t)list->steps : 0,
				   .count = list ? list->count : 0 };

	return steps_fd >= 0 && ioctl(steps_fd, PMU_IOC_HANDLER, &steps) == 0;
}

size_t machine_take_nmis(struct pmu_nmi *nmis, size_t room, uint64_t *more)
{
	struct pmu_nmis taken = { .nmis = (uintptr_t)nmis, .count = (uint32_t)room };

	*more = 0;
	if (steps_fd < 0 || ioctl(steps_fd, PMU_IOC_NMIS, &taken) != 0)
		return 0;
	*more = (uint64_t)taken.count + taken.lost;
	return taken.count;
}
