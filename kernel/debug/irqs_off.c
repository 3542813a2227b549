/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug build's watchdog of interrupts: panics when they were off for more than a millisecond. The
 * command line's word irqs-off-watchdog starts it, on a machine of one CPU whose time is virtual. On
 * any other machine an interrupt may be late because the host, or another CPU, used the time.
 *
 * A timer fires regularly, so that an interrupt is always due soon. A late interrupt was held off; the
 * frame that it interrupts shows where interrupts were enabled again.
 *
 * The time of NMIs is not counted, nor the gap between two close ones. A sampling event with a tiny
 * period interrupts each instruction of a section with interrupts off; throttling bounds that, 400
 * samples of an event in a tick (kernel/perf/throttle.c).
 */
#ifdef TALLY_LOCK_ORDER

#include <arch/task.h>
#include <kernel/base/boot.h>
#include <kernel/base/cpu.h>
#include <kernel/base/debug.h>
#include <kernel/base/log.h>
#include <kernel/time/time.h>

#define LIMIT_NS NSEC_PER_MSEC
#define BEAT_NS	 (LIMIT_NS / 8)
/* Greatest gap between NMIs that follow each other directly: entry and exit take a good part of it. */
#define STORM_NS 1000

/* Due time of the timer interrupt. Written with interrupts off, and by NMIs, which only delay it. */
static uint64_t due_ns = UINT64_MAX;
static uint64_t nmi_began_ns, nmi_ended_ns;
static struct timer beat_timer;
static bool watches;

static void beat(struct timer *timer)
{
	timer_arm(timer, clock_ns() + BEAT_NS);
}

void debug_irqs_off_start(void)
{
	if (!boot_word("irqs-off-watchdog"))
		return;
	if (cpu_count() > 1)
		boot_failure("irqs-off-watchdog: give the machine one CPU and virtual time");
	timer_init(&beat_timer, beat);
	unsigned long state = arch_irq_save();

	watches = true;
	beat(&beat_timer);
	arch_irq_restore(state);
}

void debug_timer_set(uint64_t deadline_ns)
{
	if (!watches)
		return;
	uint64_t now_ns = clock_ns();

	/* A timer that is due already waits for interrupts. */
	if (due_ns > now_ns)
		due_ns = deadline_ns > now_ns ? deadline_ns : now_ns;
}

void debug_timer_interrupt(void)
{
	if (!watches)
		return;
	uint64_t now_ns = clock_ns(), late_ns = now_ns > due_ns ? now_ns - due_ns : 0;

	due_ns = UINT64_MAX;
	if (late_ns > LIMIT_NS)
		panic_at(arch_interrupt_frame(), "interrupts were off for %lu us", late_ns / 1000);
}

void debug_nmi_begin(void)
{
	if (!watches)
		return;
	nmi_began_ns = clock_ns();
	if (nmi_began_ns - nmi_ended_ns < STORM_NS)
		nmi_began_ns = nmi_ended_ns;
}

void debug_nmi_end(void)
{
	if (!watches)
		return;
	uint64_t now_ns = clock_ns(), from_ns = nmi_began_ns > due_ns ? nmi_began_ns : due_ns;

	if (now_ns > from_ns)
		due_ns += now_ns - from_ns;
	nmi_ended_ns = now_ns;
}

#endif
