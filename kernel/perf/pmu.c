/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of PMUs: which driver counts an event.
 *
 * PMUs are registered at start, on one CPU, and stay: readers of the lists need no lock.
 */
#include <kernel/perf/pmu.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/smp.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/rotation.h>
#include <kernel/pmu/reserve.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

static LIST_HEAD(, pmu) pmus = LIST_HEAD_INITIALIZER(pmus);
/* The PMUs of hardware events: usually one, and every change of a context disables and enables it. */
static LIST_HEAD(, pmu) hardware_pmus = LIST_HEAD_INITIALIZER(hardware_pmus);
static uint32_t next_type = PERF_TYPE_MAX;

struct pmu *perf_pmu_find(uint32_t type)
{
	struct pmu *pmu;

	LIST_FOREACH(pmu, &pmus, link)
		if (pmu->type == type)
			return pmu;
	return NULL;
}

struct pmu *perf_pmu_next(uint32_t type)
{
	struct pmu *pmu, *next = NULL;

	LIST_FOREACH(pmu, &pmus, link)
		if (pmu->type >= type && (!next || pmu->type < next->type))
			next = pmu;
	return next;
}

static void start_here(void *pmu)
{
	((struct pmu *)pmu)->start_cpu();
}

static void start_cpus(struct pmu *pmu)
{
	if (pmu->start_cpu)
		smp_call_all(start_here, pmu);
}

int perf_pmu_register(struct pmu *pmu, int type)
{
	struct pmu *other;

	ASSERT(!(pmu->capabilities & PMU_SOFTWARE) == (pmu->pmu_disable && pmu->pmu_enable));
	LIST_FOREACH(other, &pmus, link)
		if (other == pmu || (int64_t)other->type == type || !strcmp(other->name, pmu->name))
			return -EEXIST;

	pmu->mux_interval_ms = PERF_ROTATION_NS / NSEC_PER_MSEC;
	start_cpus(pmu);
	pmu->type = type < 0 ? next_type++ : (uint32_t)type;
	LIST_INSERT_HEAD(&pmus, pmu, link);
	if (pmu->pmu_disable)
		LIST_INSERT_HEAD(&hardware_pmus, pmu, hardware_link);
	return 0;
}

void perf_pmu_disable_all(void)
{
	struct pmu *pmu;

	LIST_FOREACH(pmu, &hardware_pmus, hardware_link)
		pmu->pmu_disable(pmu);
}

void perf_pmu_enable_all(void)
{
	struct pmu *pmu;

	LIST_FOREACH(pmu, &hardware_pmus, hardware_link)
		pmu->pmu_enable(pmu);
}

/* --- the counters' reservation --- */

static void start_pmus(void)
{
	struct pmu *pmu;

	LIST_FOREACH(pmu, &hardware_pmus, hardware_link)
		start_cpus(pmu);
}

static struct pmu_service service = { .name = "perf_event", .take = start_pmus };

/* --- which PMU counts an event --- */

static void destroy(struct perf_event *event)
{
	if (event->pmu->event_destroy)
		event->pmu->event_destroy(event);
}

void perf_pmu_release(struct perf_event *event)
{
	destroy(event);
	if (event->pmu->start_cpu)
		pmu_release(&service);
}

static int try_init(struct pmu *pmu, struct perf_event *event)
{
	event->pmu = pmu;
	int error = pmu->event_init(event);
	if (!error && pmu->start_cpu && pmu_reserve(&service)) {
		destroy(event);
		error = -EBUSY;
	}
	if (error)
		event->pmu = NULL;
	return error;
}

int perf_pmu_claim(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct pmu *pmu;

	/* The generic events belong to the CPU's PMU, whose type is RAW, unless the upper half of config
	 * names another PMU. */
	uint32_t type = attr->type;
	bool generic = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
	if (generic) {
		type = (uint32_t)(attr->config >> PERF_PMU_TYPE_SHIFT);
		if (type) {
			attr->config &= PERF_HW_EVENT_MASK;
			/* No PMU here announces that it takes them under its own type; a type without a PMU
			 * means that all PMUs are asked. */
			if (type != PERF_TYPE_RAW && perf_pmu_find(type))
				return -ENOENT;
		} else {
			type = PERF_TYPE_RAW;
		}
	}

	pmu = perf_pmu_find(type);
	if (pmu) {
		int error = try_init(pmu, event);
		if (error != -ENOENT || generic)
			return error;
	}

	/* The clocks have types of their own, but users ask for them as software events. */
	LIST_FOREACH(pmu, &pmus, link) {
		int error = try_init(pmu, event);
		if (error != -ENOENT)
			return error;
	}
	return -ENOENT;
}
