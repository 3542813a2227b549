// SPDX-License-Identifier: BSD-2-Clause
/*
 * ProfileMe, the EV67's mode that profiles single instructions (HRM 6.10.3), as a PMU of its own.
 *
 * Its events can only be sampled: every sample is of one instruction, the last of a period, and carries as
 * raw data the contents of the profile registers (uapi/asm-alpha/profileme.h). Peter Zijlstra's mail
 * (docs/glossary.md) proposes this form for such units, and Linux shows AMD's IBS, their grandchild, in this
 * form. The sample's own instruction pointer is the point of the interrupt: after the instruction, or in the
 * handler of its trap.
 *
 * It needs both counters, so it rotates with the events of aggregate mode. ev67.c drives the counters.
 */
#include "profileme.h"

#include <kernel/base/log.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <uapi/asm-alpha/profileme.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "ev67.h"

static const struct pmu_attribute formats[] = { { "select", "config:0-1" }, { NULL, NULL } };

static const struct pmu_attribute names[] = {
	{ "retired-cycles", "select=0x0" },
	{ "cycles-delay", "select=0x1" },
	{ "retired-misses", "select=0x2" },
	{ "cycles-replays", "select=0x3" },
	{ NULL, NULL },
};

/* Whether another member of EVENT's group needs the counters. */
static bool has_rival(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;

	if (leader == event)
		return false;
	if (leader->pmu == event->pmu)
		return true;
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		if (sibling != event && sibling->pmu == event->pmu && sibling->state > EVENT_OFF)
			return true;
	return false;
}

static int profileme_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (attr->config > PROFILEME_CYCLES_REPLAYS || !perf_event_is_sampling(event) ||
	    has_rival(event))
		return -EINVAL;
	event->hw.config = EV67_PROFILE + attr->config;
	event->hw.counter.index = -1;
	return 0;
}

bool profileme_overflow(struct perf_event *event, const struct ev67_profile *profile,
			struct trap_frame *frame)
{
	struct profileme_raw registers = { .select = (uint32_t)event->attr.config,
					   .pmpc = profile->pmpc,
					   .i_stat = profile->i_stat,
					   .pctr_ctl = profile->pctr_ctl };
	struct perf_raw raw = { &registers, sizeof(registers) };
	bool stop;

	event->sampling.raw = &raw;
	stop = perf_event_overflow(event, frame);
	event->sampling.raw = NULL;
	return stop;
}

static struct pmu profileme_pmu = {
	.name = "profileme",
	.capabilities = PMU_NO_EXCLUDE,
	.formats = formats,
	.events = names,
	.event_init = profileme_event_init,
};

void profileme_pmu_init(void)
{
	if (ev67_pmu_register(&profileme_pmu, -1) < 0)
		log_info("PMU: profileme cannot be registered");
}
