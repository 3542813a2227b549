/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NMIs that come for overflows served before they came: those that a driver of the counters owes one CPU.
 *
 * Each overflow raises an NMI, and the CPU remembers one NMI while it serves another. AMD's APIC does not mask
 * its entry at delivery. So an NMI can come for an overflow that was served before: by the NMI of another
 * counter, or by task context that stopped the counter while its NMI was under way. The next NMI that finds no
 * overflow is such a one. An NMI can also stand for two overflows, and then too many are owed. So what is owed expires
 * after a second: a later NMI has another source.
 */
#ifndef ARCH_X86_64_PMU_OWED_NMI_H
#define ARCH_X86_64_PMU_OWED_NMI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One CPU's; 0: none. Task context and NMIs change it, on that CPU. */
struct owed_nmi {
	_Atomic unsigned int count;
	_Atomic uint64_t raised_ns; /* when `count` was last raised */
};

/* COUNT overflows more, whose NMIs have not come, need no service. To be called before the NMI finds that out. On OWED's
 * CPU, task context or NMI, interrupts off. */
void owed_nmi_add(struct owed_nmi *owed, unsigned int count);

/* Takes COUNT of those back: their NMIs came before the NMI could find out. Also bounds what is owed. Context as
 * above. */
void owed_nmi_withdraw(struct owed_nmi *owed, unsigned int count);

/* The rest of owed_nmi_take. */
bool owed_nmi_settle(struct owed_nmi *owed, unsigned int served, uint64_t now_ns);

/* Accounts for one NMI, at NOW_NS, in which SERVED overflows were served: one of them or an owed one raised it.
 * Returns whether there was any. The NMI of a single overflow changes nothing that is owed. NMI context. */
static inline bool owed_nmi_take(struct owed_nmi *owed, unsigned int served, uint64_t now_ns)
{
	/* The overflow raised this NMI; those of the owed ones are still to come. */
	return served == 1 || owed_nmi_settle(owed, served, now_ns);
}

#endif
