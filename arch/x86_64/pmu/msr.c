// SPDX-License-Identifier: BSD-2-Clause
/*
 * The `msr` PMU: counters that the CPU keeps anyway, that never stop and that software does not set:
 * time-stamp counter, APERF, MPERF, AMD's IRPERF. An event on one counts by how much it has moved while the
 * event was active.
 *
 * Numbers, names and errors are those of Linux's driver of the same name. These counters cannot interrupt, or
 * tell user mode from the kernel. Any number of events may be active, so they join every group.
 */
#include "msr.h"

#include <stdatomic.h>

#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "intel_models.h"

/* SDM vol. 3B 15.2: counters of the clock at work and of a reference clock, while not halted. */
#define MSR_IA32_MPERF		   0x0e7
#define MSR_IA32_APERF		   0x0e8

/* SDM vol. 2A, CPUID: leaf 6 has a bit for both. */
#define CPUID_POWER		   6
#define CPUID_POWER_ECX_APERFMPERF (1u << 0)

/* APM vol. 2, 13.2.1 "Instructions Retired Performance Counter": counts while HWCR's bit is set. CPUID: APM vol. 3,
 * appendix E. */
#define MSR_AMD_IRPERF		   0xc00000e9
#define MSR_AMD_HWCR		   0xc0010015
#define HWCR_IRPERF_ENABLE	   (1ull << 30)
#define CPUID_EXTENDED		   0x80000000
#define CPUID_SIZES		   0x80000008
#define CPUID_SIZES_EBX_IRPERF	   (1u << 1)

/* SDM vol. 4, table 2-20 and 2-39: system management interrupts since reset (bits 31:0), and cycles in which the CPU's
 * work did not wait for memory. No bit of CPUID has them: the model does. */
#define MSR_SMI_COUNT		   0x034
#define MSR_PPERF		   0x64e

/* attr.config. Linux knows three more; none of them is here. */
enum msr_event {
	MSR_EVENT_TSC = 0,
	MSR_EVENT_APERF = 1,
	MSR_EVENT_MPERF = 2,
	MSR_EVENT_PPERF = 3,
	MSR_EVENT_SMI = 4,
	MSR_EVENT_IRPERF = 6,
	MSR_EVENTS
};

/* A reason for which a CPU may lack an event: bits. */
enum msr_need {
	NEEDS_NOTHING = 0,
	NEEDS_APERFMPERF = 1,
	NEEDS_IRPERF = 2,
	NEEDS_PPERF = 4,
	NEEDS_SMI = 8
};

#define WIDTH_BITS     64
#define SMI_WIDTH_BITS 32

static uint64_t read_tsc(struct perf_event *event)
{
	return tsc_read();
}

static uint64_t read_aperf(struct perf_event *event)
{
	return msr_read(MSR_IA32_APERF);
}

static uint64_t read_mperf(struct perf_event *event)
{
	return msr_read(MSR_IA32_MPERF);
}

static uint64_t read_pperf(struct perf_event *event)
{
	return msr_read(MSR_PPERF);
}

static uint64_t read_smi(struct perf_event *event)
{
	return (uint32_t)msr_read(MSR_SMI_COUNT);
}

static uint64_t read_irperf(struct perf_event *event)
{
	return msr_read(MSR_AMD_IRPERF);
}

static const struct {
	struct pmu_attribute
		attribute; /* without a name: Linux's number of an event that is not here */
	uint64_t (*read_raw)(struct perf_event *event);
	enum msr_need needs;
} msr_events[MSR_EVENTS] = {
	[MSR_EVENT_TSC] = { { "tsc", "event=0x00" }, read_tsc, NEEDS_NOTHING },
	[MSR_EVENT_APERF] = { { "aperf", "event=0x01" }, read_aperf, NEEDS_APERFMPERF },
	[MSR_EVENT_MPERF] = { { "mperf", "event=0x02" }, read_mperf, NEEDS_APERFMPERF },
	[MSR_EVENT_PPERF] = { { "pperf", "event=0x03" }, read_pperf, NEEDS_PPERF },
	[MSR_EVENT_SMI] = { { "smi", "event=0x04" }, read_smi, NEEDS_SMI },
	[MSR_EVENT_IRPERF] = { { "irperf", "event=0x06" }, read_irperf, NEEDS_IRPERF },
};

static const struct pmu_attribute formats[] = { { "event", "config:0-63" }, { NULL, NULL } };
/* Those that this CPU has, and the end. Constant after start. */
static struct pmu_attribute events[MSR_EVENTS + 1];
static unsigned int has; /* enum msr_need */

static bool is_there(uint64_t config)
{
	return config < MSR_EVENTS && msr_events[config].read_raw &&
	       !(msr_events[config].needs & ~has);
}

/* The needs whose registers answer, of those that CPUID announces. */
struct trial {
	_Atomic unsigned int answered;
};

/* Tries the announced registers on this CPU, and lets IRPERF count. */
static void try_here(void *argument)
{
	struct trial *trial = argument;
	uint64_t value;

	if ((has & NEEDS_APERFMPERF) &&
	    !(msr_read_try(MSR_IA32_APERF, &value) && msr_read_try(MSR_IA32_MPERF, &value)))
		atomic_fetch_and(&trial->answered, ~(unsigned int)NEEDS_APERFMPERF);
	if ((has & NEEDS_PPERF) && !msr_read_try(MSR_PPERF, &value))
		atomic_fetch_and(&trial->answered, ~(unsigned int)NEEDS_PPERF);
	if ((has & NEEDS_SMI) && !msr_read_try(MSR_SMI_COUNT, &value))
		atomic_fetch_and(&trial->answered, ~(unsigned int)NEEDS_SMI);
	if ((has & NEEDS_IRPERF) && !(msr_read_try(MSR_AMD_HWCR, &value) &&
				      msr_write_try(MSR_AMD_HWCR, value | HWCR_IRPERF_ENABLE) &&
				      msr_read_try(MSR_AMD_IRPERF, &value)))
		atomic_fetch_and(&trial->answered, ~(unsigned int)NEEDS_IRPERF);
}

/* Leaves out of `has` what faults on a CPU. */
static void try_registers(void)
{
	struct trial trial = { .answered = has };

	smp_call_all(try_here, &trial);
	if (has & ~trial.answered & (NEEDS_APERFMPERF | NEEDS_IRPERF))
		log_warning("PMU: CPUID announces%s%s, but they fault: not used",
			    has & ~trial.answered & NEEDS_APERFMPERF ? " APERF and MPERF" : "",
			    has & ~trial.answered & NEEDS_IRPERF ? " IRPERF" : "");
	has = trial.answered;
}

static int msr_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	return attr->sample_period || !is_there(attr->config) ? -EINVAL : 0;
}

static unsigned int width_of(uint64_t config)
{
	return config == MSR_EVENT_SMI ? SMI_WIDTH_BITS : WIDTH_BITS;
}

static void msr_event_read(struct perf_event *event)
{
	if (!(event->hw.flags & HW_STOPPED))
		pmu_event_update(event, msr_events[event->attr.config].read_raw,
				 width_of(event->attr.config));
}

static void msr_event_start(struct perf_event *event, int flags)
{
	event->hw.offset =
		atomic_load(&event->count) - msr_events[event->attr.config].read_raw(event);
	event->hw.flags = 0;
}

static void msr_event_stop(struct perf_event *event, int flags)
{
	msr_event_read(event);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
}

static int msr_event_add(struct perf_event *event, int flags)
{
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	if (flags & PMU_START)
		msr_event_start(event, flags);
	return 0;
}

static void msr_event_del(struct perf_event *event, int flags)
{
	msr_event_stop(event, PMU_UPDATE);
}

static struct pmu msr_pmu = {
	.name = "msr",
	.capabilities = PMU_NO_INTERRUPT | PMU_NO_EXCLUDE | PMU_SOFTWARE,
	.formats = formats,
	.events = events,
	.event_init = msr_event_init,
	.add = msr_event_add,
	.del = msr_event_del,
	.start = msr_event_start,
	.stop = msr_event_stop,
	.read = msr_event_read,
};

void msr_pmu_init(void)
{
	const struct intel_model *model = intel_model_here();
	unsigned int count = 0;

	has = NEEDS_NOTHING;
	if (cpuid_max(0) >= CPUID_POWER &&
	    (cpuid_read(CPUID_POWER, 0).ecx & CPUID_POWER_ECX_APERFMPERF))
		has |= NEEDS_APERFMPERF;
	if (cpuid_max(CPUID_EXTENDED) >= CPUID_SIZES &&
	    (cpuid_read(CPUID_SIZES, 0).ebx & CPUID_SIZES_EBX_IRPERF))
		has |= NEEDS_IRPERF;
	if (model && model->has_smi_and_pperf)
		has |= NEEDS_SMI | NEEDS_PPERF;
	if (has)
		try_registers();
	for (uint64_t config = 0; config < MSR_EVENTS; config++)
		if (is_there(config))
			events[count++] = msr_events[config].attribute;
	events[count] = (struct pmu_attribute){ NULL, NULL };
	perf_pmu_register(&msr_pmu, -1);
}
