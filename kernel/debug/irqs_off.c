/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug build's watchdog of interrupts: panics when they were off for more than a millisecond. The
 * command line's word irqs-off-watchdog starts it, on a machine of one CPU whose time is virtual. On
 * any other machine an interrupt may be late because the host, or another CPU, used the time.
 *
 * A timer fires regularly, so that an interrupt is always due soon. A late interrupt was held off; the
 * frame that it interrupts shows where interrupts were enabled again.
 */
#ifdef TALLY_LOCK_ORDER

#include <arch/task.h>
#include <kernel/boot.h>
#include <kernel/cpu.h>
#include <kernel/debug.h>
#include <kernel/log.h>
#include <kernel/time.h>

#define LIMIT_NS NSEC_PER_MSEC
#define BEAT_NS	 (LIMIT_NS / 8)

/* Due time of this CPU's timer interrupt. Interrupts off. */
static uint64_t due_ns = UINT64_MAX;
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

#endif
