/* SPDX-License-Identifier: BSD-2-Clause */
/* NMIs that come for overflows served before: their number, and when it expires. */
#include "owed_nmi.h"

#include <kernel/time/time.h>

/* The CPU remembers one NMI, and the APIC may have another under way. */
#define OWED_MAX    2
/* An NMI is late by instructions, or by the time for which a hypervisor does not run the CPU. */
#define OWED_MAX_NS NSEC_PER_SEC

void owed_nmi_add(struct owed_nmi *owed, unsigned int count)
{
	atomic_store(&owed->raised_ns, clock_ns());
	atomic_fetch_add(&owed->count, count);
}

void owed_nmi_withdraw(struct owed_nmi *owed, unsigned int count)
{
	unsigned int present = atomic_load(&owed->count), next;

	/* The NMI may have taken some. */
	do {
		next = present < count ? 0 : present - count;
		if (next > OWED_MAX)
			next = OWED_MAX;
	} while (!atomic_compare_exchange_weak(&owed->count, &present, next));
}

bool owed_nmi_settle(struct owed_nmi *owed, unsigned int served, uint64_t now_ns)
{
	bool is_expired = now_ns > atomic_load(&owed->raised_ns) + OWED_MAX_NS;
	unsigned int raised = (is_expired ? 0 : atomic_load(&owed->count)) + served;

	if (!raised)
		return false;
	if (served)
		atomic_store(&owed->raised_ns, now_ns);
	atomic_store(&owed->count, raised - 1 < OWED_MAX ? raised - 1 : OWED_MAX);
	return true;
}
