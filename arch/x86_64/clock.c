/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time: the time-stamp counter as the clock, the local APIC's timer for deadlines.
 *
 * CPUID gives the counter's frequency on some CPUs and hypervisors. Otherwise the kernel measures it
 * against a timer, for 2 ms: in QEMU's emulator the local APIC's timer, which is exact in virtual time;
 * elsewhere the power-management timer, the interval timer, or, without both, the local APIC's timer. That
 * is enough for 1 part in 1000, and nothing here promises more about wall time. Every
 * conversion is one multiplication with at most 32 bits of fraction. User space can do the same
 * multiplication (clock_user_conversion), and the results are equal.
 *
 * Sources: SDM vol. 3B 18.17 "Time-Stamp Counter", 18.7.3 "Determining the Processor Base Frequency",
 * vol. 3A 11.5.4 "APIC Timer"; ACPI Specification 6.5, 4.8.3.3 "Power Management Timer"; Intel 8254
 * data sheet; the hypervisors' leaf 0x40000010 as VMware proposed it to the Linux kernel list on
 * 2008-10-01.
 */
#include "clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <arch/clock.h>
#include <arch/port.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/drivers/clock_chip.h>
#include <kernel/time/time.h>
#include <machine/apic.h>
#include <machine/msr.h>
#include <machine/trap.h>

#include "acpi.h"
#include "features.h"
#include "hypervisor.h"

/* clock_ns() = offset_ns + (tsc * mult >> shift). Constant after clock_init. */
static struct clock_conversion conversion;
/* mult << (FRACTION_BITS - shift): the same factor for a constant shift, which compiles to shorter code
 * than a variable shift of 128 bits. */
static uint64_t ns_per_tick;
#define FRACTION_BITS 32
static uint64_t tsc_hz, apic_hz;
static uint64_t tsc_start;
static uint64_t boot_time_s;

static uint64_t multiply_divide(uint64_t value, uint64_t by, uint64_t divisor)
{
	unsigned __int128 product = (unsigned __int128)value * by;
	uint64_t quotient, remainder;

	/* The compiler's 128-bit division would need a library. No caller's quotient exceeds 64 bits. */
	__asm__("divq %4"
		: "=a"(quotient), "=d"(remainder)
		: "a"((uint64_t)product), "d"((uint64_t)(product >> 64)), "r"(divisor)
		: "cc");
	return quotient;
}

/*
 * Frequencies from CPUID; 0: CPUID has none.
 */
static uint64_t tsc_hz_of_cpuid(void)
{
	uint32_t max = cpuid_max(0);

	if (max >= 0x15) {
		struct cpuid leaf = cpuid_read(0x15, 0);

		/* The crystal's frequency, and the ratio of the counter to it. */
		if (leaf.eax && leaf.ebx && leaf.ecx)
			return (uint64_t)leaf.ecx * leaf.ebx / leaf.eax;
		/* A ratio without the crystal's frequency: the counter runs at the base frequency. */
		if (leaf.eax && leaf.ebx && max >= 0x16 && (cpuid_read(0x16, 0).eax & 0xffff))
			return (cpuid_read(0x16, 0).eax & 0xffff) * 1000000ull;
	}
	return 0;
}

static bool hypervisor_frequencies(uint64_t *tsc, uint64_t *apic)
{
	if (cpuid_hypervisor_max() < 0x40000010)
		return false;

	struct cpuid leaf = cpuid_read(0x40000010, 0);

	*tsc = leaf.eax * 1000ull;
	*apic = leaf.ebx * 1000ull;
	return leaf.eax && leaf.ebx;
}

/* Returns whether QEMU's emulator (TCG) runs this. */
static bool is_emulated(void)
{
	struct cpuid leaf = cpuid_read(CPUID_HYPERVISOR_LEAF, 0);

	return cpuid_hypervisor_max() &&
	       memcmp(&leaf.ebx, "TCGTCGTCGTCG", 3 * sizeof(leaf.ebx)) == 0;
}

/*
 * Measurement against a counter of known frequency.
 */
#define PM_TIMER_HZ 3579545
#define PIT_HZ	    1193182
#define MEASURE_MS  2

static uint32_t read_pm_timer(void)
{
	return arch_port_read32(acpi_info.pm_timer);
}

/* The interval timer's channel 2, which belongs to the loudspeaker. It counts down from 65535 with the
 * speaker off. */
#define PIT_COMMAND	0x43
#define PIT_CHANNEL_2	0x42
#define PIT_MODE_0_LOAD 0xb0
#define PIT_LATCH	0x80
#define SPEAKER		0x61
#define SPEAKER_GATE	0x01
#define SPEAKER_ON	0x02

static void start_pit(void)
{
	uint8_t speaker = arch_port_read8(SPEAKER) & (uint8_t)~SPEAKER_ON;

	arch_port_write8(SPEAKER, speaker | SPEAKER_GATE);
	arch_port_write8(PIT_COMMAND, PIT_MODE_0_LOAD);
	arch_port_write8(PIT_CHANNEL_2, 0xff);
	arch_port_write8(PIT_CHANNEL_2, 0xff);
}

/* Counts up, as the power-management timer does. */
static uint32_t read_pit(void)
{
	arch_port_write8(PIT_COMMAND, PIT_LATCH);

	uint32_t low = arch_port_read8(PIT_CHANNEL_2);

	return 0xffff - (low | (uint32_t)arch_port_read8(PIT_CHANNEL_2) << 8);
}

/* The local APIC's timer: in QEMU's emulator, where it runs at exactly 1 GHz (hw/i386/apic_common.c), so that virtual time has
 * no error that depends on the moment of the measurement; and as the last resort where a hypervisor gives nothing else, since
 * KVM lets it run at 1 GHz, too (APIC_BUS_CYCLE_NS). */
#define APIC_TIMER_HZ 1000000000

static uint32_t read_apic_timer(void)
{
	return UINT32_MAX - apic_timer_count();
}

enum { PM_TIMER, INTERVAL_TIMER, APIC_TIMER };

/* In the order of preference, but for the emulator (measure()). */
static const struct reference {
	const char *name;
	uint64_t hz;
	uint32_t mask;
	void (*start)(void);
	uint32_t (*read)(void);
} references[] = {
	[PM_TIMER] = { "power-management timer", PM_TIMER_HZ, 0xffffff, NULL, read_pm_timer },
	[INTERVAL_TIMER] = { "interval timer", PIT_HZ, 0xffff, start_pit, read_pit },
	[APIC_TIMER] = { "APIC timer, taken for 1 GHz", APIC_TIMER_HZ, UINT32_MAX, NULL,
			 read_apic_timer },
};

/* Reads of a reference in which it has to change; each takes longer than a tick of a real one. */
#define READS_MAX 1000

/* Returns whether REFERENCE counts: a port without a device never changes. */
static bool is_alive(const struct reference *reference)
{
	uint32_t first = reference->read();

	for (unsigned int i = 0; i < READS_MAX; i++)
		if (reference->read() != first)
			return true;
	return false;
}

/* A reading of all three counters at (nearly) one moment: of several tries, the one that took the least
 * time. */
struct moment {
	uint64_t tsc;
	uint32_t apic, reference;
};

static struct moment take_moment(const struct reference *reference)
{
	struct moment best = { 0 };
	uint64_t best_span = UINT64_MAX;

	for (unsigned int i = 0; i < 4; i++) {
		struct moment now;
		uint64_t before = tsc_read();

		now.reference = reference->read();
		now.apic = apic_timer_count();
		now.tsc = tsc_read();
		if (now.tsc - before < best_span) {
			best_span = now.tsc - before;
			best = now;
		}
	}
	return best;
}

/* Sets what is not known of tsc_hz and apic_hz. Returns the reference's name. */
static const char *measure(void)
{
	const struct reference *reference = &references[is_emulated()	   ? APIC_TIMER :
							acpi_info.pm_timer ? PM_TIMER :
									     INTERVAL_TIMER];

	/* In deadline mode the APIC's timer does not count. */
	apic_timer_set_deadline(false);
	apic_timer_one_shot(UINT32_MAX);
	for (;; reference++) {
		if (reference->start)
			reference->start();
		if (reference->read == read_apic_timer || is_alive(reference))
			break;
	}

	uint64_t wait = reference->hz * MEASURE_MS / 1000;
	struct moment start = take_moment(reference), end;
	uint32_t passed;

	do {
		arch_cpu_relax();
		end = take_moment(reference);
		passed = (end.reference - start.reference) & reference->mask;
	} while (passed < wait);
	apic_timer_one_shot(0);
	apic_timer_set_deadline(cpu_features.tsc_deadline);
	if (!tsc_hz)
		tsc_hz = multiply_divide(end.tsc - start.tsc, reference->hz, passed);
	apic_hz = multiply_divide(start.apic - end.apic, reference->hz, passed);
	return reference->name;
}

/*
 * The clock.
 */
static void on_timer(unsigned int vector)
{
	apic_eoi();
	timer_interrupt();
}

void clock_start(void)
{
	tsc_start = tsc_read();
}

void clock_init(void)
{
	const char *source = "CPUID";
	uint64_t hypervisor_tsc_hz, hypervisor_apic_hz;

	tsc_hz = tsc_hz_of_cpuid();
	if (hypervisor_frequencies(&hypervisor_tsc_hz, &hypervisor_apic_hz)) {
		tsc_hz = hypervisor_tsc_hz;
		apic_hz = hypervisor_apic_hz;
	}
	/* In deadline mode the APIC's own frequency is not used. */
	if (!tsc_hz || (!apic_hz && !cpu_features.tsc_deadline)) {
		bool has_tsc_hz = tsc_hz;
		const char *reference = measure();

		if (!has_tsc_hz)
			source = reference;
	}

	/* Choose the largest shift that leaves mult in 32 bits, and at most 31, like Linux. */
	conversion.shift = 31;
	while (multiply_divide(NSEC_PER_SEC, 1ull << conversion.shift, tsc_hz) > UINT32_MAX)
		conversion.shift--;
	conversion.mult = (uint32_t)multiply_divide(NSEC_PER_SEC, 1ull << conversion.shift, tsc_hz);
	conversion.offset_ns =
		-(uint64_t)((unsigned __int128)tsc_start * conversion.mult >> conversion.shift);
	ns_per_tick = (uint64_t)conversion.mult << (FRACTION_BITS - conversion.shift);
	boot_time_s = clock_chip_read_s();
	trap_set_interrupt(VECTOR_TIMER, on_timer);
	log_debug("clock: %lu kHz by %s, timer %lu kHz%s", tsc_hz / 1000, source, apic_hz / 1000,
		  cpu_features.tsc_deadline ? " (deadline mode)" : "");
}

uint64_t clock_tsc_hz(void)
{
	return tsc_hz;
}

uint64_t clock_ns(void)
{
	return conversion.offset_ns +
	       (uint64_t)((unsigned __int128)tsc_read() * ns_per_tick >> FRACTION_BITS);
}

bool clock_user_conversion(struct clock_conversion *result)
{
	*result = conversion;
	return true;
}

uint64_t arch_boot_time_s(void)
{
	return boot_time_s;
}

/* Later deadlines are reached in steps: the interrupt comes early, and kernel/time/ sets the timer
 * again. */
#define STEP_NS_MAX (1000 * NSEC_PER_MSEC)

void arch_timer_set(uint64_t deadline_ns)
{
	if (deadline_ns == UINT64_MAX) {
		if (cpu_features.tsc_deadline)
			apic_timer_deadline(0);
		else
			apic_timer_one_shot(0);
		return;
	}

	uint64_t now_ns = clock_ns();
	uint64_t wait_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

	if (wait_ns > STEP_NS_MAX)
		wait_ns = STEP_NS_MAX;
	/* Add one tick to the quotient: the interrupt is then never early, and the value is never 0,
	 * which would disarm the timer. */
	if (cpu_features.tsc_deadline) {
		apic_timer_deadline(tsc_read() + multiply_divide(wait_ns, tsc_hz, NSEC_PER_SEC) +
				    1);
	} else {
		uint64_t ticks = multiply_divide(wait_ns, apic_hz, NSEC_PER_SEC) + 1;

		apic_timer_one_shot(ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX);
	}
}

/*
 * Check that the counters of two CPUs are synchronous. Both take the same lock alternately and look for
 * a step back in time.
 */
static struct spinlock check_lock;
static uint64_t check_last; /* check_lock */

uint64_t clock_check_side(unsigned int rounds)
{
	uint64_t worst = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		spin_lock(&check_lock);

		uint64_t now = tsc_read();

		if (now < check_last && check_last - now > worst)
			worst = check_last - now;
		check_last = now;
		spin_unlock(&check_lock);
	}
	return worst;
}
