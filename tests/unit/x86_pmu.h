/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the tests of the x86 drivers (arch/x86_64/pmu): the driver runs against a simulated
 * register file, and the test is the perf core. It calls the driver as <kernel/perf/pmu.h>
 * allows, and takes the samples.
 *
 * The core's functions that the driver calls are defined here, so one file of a test includes
 * this.
 */
#ifndef TESTS_UNIT_X86_PMU_H
#define TESTS_UNIT_X86_PMU_H

#include <arch/pmu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "../../arch/x86_64/pmu/amd.h"
#include "../../arch/x86_64/pmu/amd_probe.h"
#include "../../arch/x86_64/pmu/amd_registers.h"
#include "../../arch/x86_64/pmu/event_select.h"
#include "../../arch/x86_64/pmu/intel.h"
#include "../../arch/x86_64/pmu/intel_probe.h"
#include "../../arch/x86_64/pmu/intel_registers.h"
#include "sim/sim.h"
#include "tap.h"

#define CYCLES	     0x003c
#define INSTRUCTIONS 0x00c0
#define BRANCHES     0x00c4
#define REFERENCE    0x0300

static struct pmu *cpu_pmu, *msr_pmu;
static bool name_taken; /* the core does not take the PMU "cpu" */

int perf_pmu_register(struct pmu *pmu, int type)
{
	if (name_taken && strcmp(pmu->name, "cpu") == 0)
		return -EEXIST;
	*(strcmp(pmu->name, "msr") == 0 ? &msr_pmu : &cpu_pmu) = pmu;
	pmu->type = (uint32_t)type;
	sim_start_pmu(pmu);
	return 0;
}

static uint64_t happened; /* what the test has made happen: the moment of a sample */
static uint64_t samples, last_sample_at;
static struct perf_event *last_sampled;
static bool throttle;

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	EXPECT(frame == sim_frame());
	samples++;
	last_sample_at = happened;
	last_sampled = event;
	return throttle;
}

/* The contents of the event's page: its counter and the offset. */
static struct {
	struct perf_event *event;
	uint32_t index;
	uint64_t offset;
} last_page;

void perf_userpage_update_counter(struct perf_event *event)
{
	last_page.event = event;
	last_page.index = cpu_pmu->user_index(event);
	last_page.offset = atomic_load(&event->hw.offset);
}

/* The page of EVENT, last updated, is right. */
#define EXPECT_PAGE(event_)                                                     \
	do {                                                                    \
		EXPECT(last_page.event == (event_));                            \
		EXPECT_EQ(last_page.index, cpu_pmu->user_index(event_));        \
		EXPECT_EQ(last_page.offset, atomic_load(&(event_)->hw.offset)); \
	} while (0)

void perf_interrupt_took(uint64_t start_ns)
{
	EXPECT_EQ(start_ns, clock_ns());
}

static const struct sim_x86_model usual = {
	.version = 5,
	.general_count = 4,
	.general_width_bits = 48,
	.fixed_count = 3,
	.fixed_width_bits = 48,
	.full_width_writes = true,
	.any_thread_deprecated = true,
};

/* Whether MODEL has an overflow status that outlives the event. */
static inline bool has_status(const struct sim_x86_model *model)
{
	return model->vendor == SIM_AMD_V2 || model->version >= 2;
}

/* Whether counters are set by writes of 32 bits or have no more. */
static inline bool is_narrow(const struct sim_x86_model *model)
{
	return model->vendor == SIM_INTEL &&
	       (!model->full_width_writes || model->general_width_bits == 32);
}

/* One of each kind of machine. */
static const struct sim_x86_model counting_models[] = {
	{ .version = 1, .general_count = 2, .general_width_bits = 40 },
	{ .version = 1, .general_count = 2, .general_width_bits = 32, .full_width_writes = true },
	{ .version = 2,
	  .general_count = 2,
	  .general_width_bits = 40,
	  .fixed_count = 3,
	  .fixed_width_bits = 40 },
	{ .version = 3,
	  .general_count = 4,
	  .general_width_bits = 48,
	  .fixed_count = 3,
	  .fixed_width_bits = 48,
	  .full_width_writes = true },
	{ .version = 4,
	  .general_count = 8,
	  .general_width_bits = 48,
	  .fixed_count = 3,
	  .fixed_width_bits = 48 },
	{ .version = 5,
	  .general_count = 1,
	  .general_width_bits = 32,
	  .fixed_count = 3,
	  .fixed_width_bits = 32,
	  .full_width_writes = true },
	{ .version = 5,
	  .general_count = 8,
	  .general_width_bits = 64,
	  .fixed_count = 3,
	  .fixed_width_bits = 48,
	  .full_width_writes = true },
	{ .vendor = SIM_AMD_LEGACY, .family = 0xf, .model = 0x6b },
	{ .vendor = SIM_AMD_CORE },
	{ .vendor = SIM_AMD_V2, .general_count = 6 },
	{ .vendor = SIM_AMD_V2, .general_count = 15 },
};
#define MODELS (sizeof(counting_models) / sizeof(counting_models[0]))

static inline void start(const struct sim_x86_model *model)
{
	sim_start(2);
	sim_x86_set(model);
	samples = last_sample_at = happened = 0;
	last_sampled = NULL;
	throttle = false;
	cpu_pmu = NULL;
	arch_pmu_init();
	sim_frame_set(0x401000, true);
}

static inline void end(void)
{
	EXPECT_EQ(sim_end(), 0);
}

/* An event for CONFIG, its own leader; the driver's answer. */
static inline int init_event(struct perf_event *event, uint32_t type, uint64_t config,
			     uint64_t period)
{
	memset(event, 0, sizeof(*event));
	TAILQ_INIT(&event->siblings);
	event->leader = event;
	event->pmu = cpu_pmu;
	event->state = EVENT_INACTIVE;
	event->attr.type = type;
	event->attr.config = config;
	event->attr.sample_period = period;
	event->sampling.period = period;
	event->sampling.next_at = period;
	return cpu_pmu->event_init(event);
}

static inline int add(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	int error = cpu_pmu->add(event, PMU_START);
	cpu_pmu->pmu_enable(cpu_pmu);
	if (!error)
		event->state = EVENT_ACTIVE;
	return error;
}

static inline void del(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->del(event, 0);
	cpu_pmu->pmu_enable(cpu_pmu);
	event->state = EVENT_INACTIVE;
}

static inline uint64_t read_count(struct perf_event *event)
{
	cpu_pmu->read(event);
	return atomic_load(&event->count);
}

/* The count that a user program computes from the mapped page. */
static inline uint64_t user_count(struct perf_event *event)
{
	uint32_t index = cpu_pmu->user_index(event);

	return atomic_load(&event->hw.offset) +
	       (uint64_t)perf_sign_extend(pmc_read(index - 1), cpu_pmu->user_width(event));
}

/* The text of the file NAME among FILES, "" if there is none; how many FILES there are. */
static inline const char *text_of(const struct pmu_attribute *files, const char *name)
{
	for (; files && files->name; files++)
		if (strcmp(files->name, name) == 0)
			return files->text;
	return "";
}

static inline unsigned int count_of(const struct pmu_attribute *files)
{
	unsigned int count = 0;

	while (files[count].name)
		count++;
	return count;
}

#endif
