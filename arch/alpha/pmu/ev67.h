/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The EV67's counters: arguments and results of PALcode's wrperfmon, and the declarations that the files of
 * their drivers share.
 *
 * Sources: HRM is the Alpha 21264/EV67 Hardware Reference Manual; wrperfmon's functions are in the Alpha
 * Architecture Reference Manual (4th edition), appendix E, "21264 Performance Monitoring".
 */
#ifndef ARCH_ALPHA_PMU_EV67_H
#define ARCH_ALPHA_PMU_EV67_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/pmu.h>

struct perf_event;
struct trap_frame;

/* wrperfmon's functions, in a0, with the two of <machine/perfmon.h>. COUNTERS in a1 is a set: bit n, counter
 * n. */
enum perfmon_function {
	PERFMON_ENABLE = 1,  /* a1: counters; they go on from their values */
	PERFMON_SELECT = 2,  /* a1: SL0 and SL1, as in PCTR_CTL */
	PERFMON_OPTIONS = 3, /* a1: bit 0: count only processes that have PME set */
	PERFMON_READ = 5,    /* v0: PCTR_CTL */
	PERFMON_WRITE = 6,   /* a1: counters, and their values as in PCTR_CTL */
	PERFMON_I_STAT = 8,  /* v0: I_STAT */
	PERFMON_PMPC = 9     /* v0: PMPC */
};

#define EV67_COUNTERS	   2
#define EV67_ALL_COUNTERS  3u
#define EV67_WIDTH_BITS	   20
#define EV67_COUNTER_MASK  0xffffful
/* PCTR_CTL (HRM 5.2.22): the place of each counter; SL1; SL0, which chooses ProfileMe. */
#define PCTR_CTL_SHIFT(n)  ((n) ? 6 : 28)
#define PCTR_CTL_SL1_SHIFT 2
#define PCTR_CTL_SL0	   (1u << 4)

/* hw.config, and attr.config of a raw event in its lowest 8 bits: Linux's numbers
 * (arch/alpha/kernel/perf_event.c). */
enum ev67_event {
	EV67_NOTHING,
	EV67_CYCLES,
	EV67_INSTRUCTIONS,
	EV67_BCACHE_MISSES,
	EV67_REPLAY_TRAPS,
	EV67_EVENTS,
	/* Not an event of attr.config: ProfileMe, with the SL1 that attr.config chooses. */
	EV67_PROFILE = EV67_EVENTS,
	EV67_PROFILE_END = EV67_PROFILE + 4
};

/* Whether CONFIG, hw.config, is a ProfileMe event's. */
static inline bool ev67_is_profile(uint64_t config)
{
	return config >= EV67_PROFILE;
}

/* A place for each of a set of events: the values of SL0 and SL1, as in PCTR_CTL, and a counter for each
 * event. */
struct ev67_placement {
	unsigned int select;
	uint8_t counter[EV67_COUNTERS];
};

/* ev67_events.c: places COUNT events (1 … EV67_COUNTERS) on counters that count them under one and
 * the same SL1; ProfileMe needs both. False: they cannot count at the same time. Any context. */
bool ev67_place(const uint64_t events[], unsigned int count, struct ev67_placement *placement);

/* ev67_events.c: translates EVENT's attr into hw.config and checks that its group could ever count.
 * 0; -ENOENT: not an event of this PMU; -EINVAL, -EPERM, -EOPNOTSUPP: as Linux 6.12. Task
 * context, event->leader set and the group's membership stable. */
int ev67_event_translate(struct perf_event *event);

/* ev67_events.c: the files in sysfs. */
extern const struct pmu_attribute ev67_formats[], ev67_event_names[];

/* ev67.c: registers the PMU if this CPU has it. False: it does not. Once, all CPUs running, task context. */
bool ev67_pmu_init(void);

/* ev67.c: registers PMU, whose name, attributes and event_init are set, with calls that work on these
 * counters; where two PMUs share them, disabling one disables the other. TYPE and the result as for
 * perf_pmu_register. Task context, at start. */
int ev67_pmu_register(struct pmu *pmu, int type);

/* The registers' description of a profiled instruction. */
struct ev67_profile {
	uint64_t pmpc, i_stat, pctr_ctl;
};

/* profileme.c: registers the PMU. Once, after ev67_pmu_init found the counters, task context. */
void profileme_pmu_init(void);

/* profileme.c: takes a sample of EVENT: a window has ended, and its period, too. True: the driver must stop
 * it. As perf_event_overflow. */
bool profileme_overflow(struct perf_event *event, const struct ev67_profile *profile,
			struct trap_frame *frame);

/*
 * ev67.c: serves the interrupt of counter COUNTER of this CPU, which overflowed. entInt calls it for its type
 * 4 (performance counter), with a2; FRAME has the interrupted registers. Any number is harmless, and so is an
 * interrupt that comes too late. IPL 6 or above; also in the middle of code that has interrupts off, if they
 * are off by a lower IPL.
 */
void ev67_pmu_interrupt(uint64_t counter, struct trap_frame *frame);

/* init.c: have HANDLER called for the counters' interrupt instead of ev67_pmu_interrupt, and undo that. No counter
 * counts. Task context. */
void ev67_lend_interrupt(bool (*handler)(struct trap_frame *frame));
void ev67_take_interrupt_back(bool (*handler)(struct trap_frame *frame));

/*
 * Events of user mode only (exclude_kernel). The counters count in every mode: arch/alpha/user_mode.c
 * disables them on the entry to the kernel and enables them on the exit path. The counts of the two paths
 * themselves are subtracted, so for all other code such a counter stands still in the kernel, at its value at
 * the end of user mode.
 */

/* The instructions and branches of a path into the kernel or out of it. */
struct user_path {
	uint64_t instructions, branches; /* each branch is a cycle more */
};

/* How to start these counters: wrperfmon's argument to write them and let them count. 0: there are none. */
struct user_start {
	uint64_t argument;
	unsigned int counters;
};

/* ev67.c: about to return to user mode; returns the counters to start. OUT: the instructions left on the exit
 * path. IPL 6, on the exit path. */
struct user_start ev67_user_start(struct user_path out);

/* ev67.c: reads these counters, which are disabled again, IN after user mode's last instruction.
 * IPL 6. */
void ev67_user_disabled(struct user_path in);

/* ev67.c: takes the samples of those that have overflowed in user mode. FRAME: user mode's. As an interrupt
 * of the counters (arch_in_nmi), after ev67_user_disabled. */
void ev67_user_overflows(struct trap_frame *frame);

#endif
