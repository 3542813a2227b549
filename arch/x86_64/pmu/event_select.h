/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event-select register of x86's general counters: its bits, their counterparts for fixed counters, and the
 * rules that both vendors' drivers have for events.
 *
 * Bits 31:0 are the same on Intel's CPUs (SDM vol. 3B, 20.2.1.1, figure 20-1) and on AMD's (APM vol. 2,
 * 13.2.1, "Core Performance Event-Select Registers"), except that AMD has no EVENTSEL_ANY.
 */
#ifndef ARCH_X86_64_PMU_EVENT_SELECT_H
#define ARCH_X86_64_PMU_EVENT_SELECT_H

#include <stdint.h>

struct perf_event;
struct pmu_attribute;

#define EVENTSEL_EVENT	    (0xffull << 0)
#define EVENTSEL_UMASK	    (0xffull << 8)
#define EVENTSEL_USR	    (1ull << 16)
#define EVENTSEL_OS	    (1ull << 17)
#define EVENTSEL_EDGE	    (1ull << 18)
#define EVENTSEL_INT	    (1ull << 20)
#define EVENTSEL_ANY	    (1ull << 21) /* Intel, version 3 on, unless CPUID.0AH:EDX[15] */
#define EVENTSEL_EN	    (1ull << 22)
#define EVENTSEL_INV	    (1ull << 23)
#define EVENTSEL_CMASK	    (0xffull << 24)
#define EVENTSEL_EVENT_HIGH (0xfull << 32) /* AMD: bits 11:8 of the event's code */

/* Bits of a raw config that select the event on both vendors' CPUs; the driver sets the others itself. */
#define EVENTSEL_RAW \
	(EVENTSEL_EVENT | EVENTSEL_UMASK | EVENTSEL_EDGE | EVENTSEL_INV | EVENTSEL_CMASK)

/* One fixed counter's field of the register of fixed control (SDM vol. 3B, 20.2.2, figure 20-2). */
#define FIXED_CTRL_OS	    1ull
#define FIXED_CTRL_USR	    2ull
#define FIXED_CTRL_ANY	    4ull
#define FIXED_CTRL_PMI	    8ull
#define FIXED_CTRL_FIELD    0xfull
#define FIXED_CTRL_SHIFT(n) (4 * (n))

/* Returns the field of a fixed counter that counts where, and interrupts as, a general one with SELECT would. Any
 * context. */
static inline uint64_t fixed_ctrl_field(uint64_t select)
{
	return (select & EVENTSEL_OS ? FIXED_CTRL_OS : 0) |
	       (select & EVENTSEL_USR ? FIXED_CTRL_USR : 0) |
	       (select & EVENTSEL_ANY ? FIXED_CTRL_ANY : 0) |
	       (select & EVENTSEL_INT ? FIXED_CTRL_PMI : 0);
}

/*
 * Finishes the translation of EVENT, whose attr asks for EVENT_BITS: refuses attr fields that need hardware
 * which no driver here has, and sets hw.config to EVENT_BITS with the interrupt and the rings. ERROR: the
 * answer for the event itself, 0 or negative; Linux 6.12 reports some refusals before it and some after.
 * Returns 0, ERROR, -EINVAL or -EOPNOTSUPP. Task context.
 */
int event_select_finish(struct perf_event *event, int error, uint64_t event_bits);

/* The three functions below take CODES: the event bits of each generic event (PERF_COUNT_HW_*), 0 where the
 * PMU has none; PERF_COUNT_HW_MAX numbers. */

/* Finds the code of the generic event NUMBER. 0; -EINVAL: there is no such event; -ENOENT: the PMU has none.
 * Any context. */
int generic_event_find(const uint64_t *codes, uint64_t number, uint64_t *event_bits);

/* Returns the generic events as files of sysfs, named as Linux names them, and after them MORE (NULL: none), at most
 * MORE_EVENTS_MAX, and those of the emulator. Constant; call once, at start. */
#define MORE_EVENTS_MAX 8
const struct pmu_attribute *generic_events_list(const uint64_t *codes,
						const struct pmu_attribute *more);

/* Writes the names of the generic events into BUFFER of SIZE bytes, for the log. Any context. */
void generic_events_describe(const uint64_t *codes, char *buffer, unsigned int size);

#endif
