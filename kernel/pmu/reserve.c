/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reservation of the CPUs' counters: which service holds them.
 *
 * A service that comes second gets the name of the holder. The log has the first refusal of each service, and
 * /proc/sys/kernel/perf_pmu_holder has the holder. A service finds the counters as it left them: `take`
 * runs only if another service has had them since.
 *
 * Lock: reservation_mutex, for the holder. A service that holds the counters reserves and releases them without
 * it, but for the first time and the last.
 */
#include <kernel/pmu/reserve.h>

#include <stdbool.h>
#include <stddef.h>

#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/sched/wait.h>

static struct mutex reservation_mutex = MUTEX_INITIALIZER(reservation_mutex);
static struct pmu_service *_Atomic holder; /* reservation_mutex; pmu_holder reads it without */
static struct pmu_service *last_holder;	   /* reservation_mutex */

/* Adds CHANGE to the holds of SERVICE unless the result or the present number is 0. */
static bool change_holds(struct pmu_service *service, int change)
{
	unsigned int holds = atomic_load(&service->holds);

	do {
		if (holds == 0 || holds + (unsigned int)change == 0)
			return false;
	} while (!atomic_compare_exchange_weak(&service->holds, &holds,
					       holds + (unsigned int)change));
	return true;
}

static void become_holder(struct pmu_service *service)
{
	if (last_holder != service) {
		last_holder = service;
		if (service->take)
			service->take();
	}
	atomic_store(&holder, service);
	atomic_store(&service->holds, 1);
}

/* Once for each service: programs can cause it as often as they like. */
static void log_refusal(struct pmu_service *service, const struct pmu_service *other)
{
	if (!service->refusal_is_logged)
		log_info("PMU: %s gets no counters: %s holds them", service->name, other->name);
	service->refusal_is_logged = true;
}

const char *pmu_reserve(struct pmu_service *service)
{
	struct pmu_service *other;

	if (change_holds(service, 1))
		return NULL;
	mutex_lock(&reservation_mutex);
	other = atomic_load(&holder);
	if (!other)
		become_holder(service);
	else if (other == service)
		atomic_fetch_add(&service->holds, 1);
	else
		log_refusal(service, other);
	mutex_unlock(&reservation_mutex);
	return other && other != service ? other->name : NULL;
}

void pmu_release(struct pmu_service *service)
{
	if (change_holds(service, -1))
		return;
	mutex_lock(&reservation_mutex);
	ASSERT(atomic_load(&holder) == service);
	if (atomic_fetch_sub(&service->holds, 1) == 1)
		atomic_store(&holder, NULL);
	mutex_unlock(&reservation_mutex);
}

const char *pmu_holder(void)
{
	const struct pmu_service *service = atomic_load(&holder);

	return service ? service->name : NULL;
}
