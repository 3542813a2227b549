/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reservation of the CPUs' counters. One service at a time holds the counters of all CPUs; perf_event and perfctr
 * are the services.
 */
#ifndef KERNEL_PMU_RESERVE_H
#define KERNEL_PMU_RESERVE_H

#include <stdatomic.h>
#include <stdbool.h>

/* A user of the counters. Static. */
struct pmu_service {
	const char *name;
	/* Prepares the counters of every CPU, which another service has had. NULL: no action. The reservation's mutex held, task
	 * context, interrupts on. */
	void (*take)(void);
	bool refusal_is_logged;	    /* reservation_mutex */
	_Atomic unsigned int holds; /* changes from 0 and to 0 with reservation_mutex held */
};

/* Reserves the counters for SERVICE. Returns NULL, or the name of the service that holds them. A service may
 * reserve them many times and holds them until as many releases. Task context, no spin lock held. */
const char *pmu_reserve(struct pmu_service *service);

/* Takes back one reservation of SERVICE, whose counters no longer count after the last one. Context as above. */
void pmu_release(struct pmu_service *service);

/* Returns the name of the service that holds the counters, or NULL. Any context. */
const char *pmu_holder(void);

#endif
