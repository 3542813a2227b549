// SPDX-License-Identifier: BSD-2-Clause
/*
 * precise.c - precise event-based sampling of Intel's CPUs, records in Skylake's format: what a record says, when the
 * counter starts again, where the records end, and when the interrupt comes.
 *
 * The area and the records are memory of this program, which the CPU writes while a counter of instructions in ring 3
 * overflows. The counter counts on the way to the work and back, too: the records of the work are those that name its
 * addresses, and in a few hundred passes they are most.
 */
#include "measure.h"

#include <inttypes.h>
#include <string.h>

#define RECORDS	  128 /* more than there are */
#define PERIOD	  7   /* prime to the 6 instructions of a pass */
#define PASSES	  60
#define THRESHOLD 5
#define ALIGNMENT 4096
#define SDM_PEBS  "Intel SDM vol. 3B, 20.3.1.1 and 20.3.8.1"
#define SDM_AREA  "Intel SDM vol. 3B, 18.4.9.2 and 20.3.1.1.1"

/* One record in format 3. */
struct record {
	uint64_t flags, ip;
	uint64_t ax, bx, cx, dx, si, di, bp, sp, r8_to_15[8];
	uint64_t counters, address, source, latency, eventing_ip, tsx, tsc;
};

/* The area of a CPU with 64-bit addresses. */
static struct {
	uint64_t trace[4];
	uint64_t base, index, maximum, threshold;
	uint64_t reset[8];
} area __attribute__((aligned(ALIGNMENT)));

static struct record records[RECORDS] __attribute__((aligned(ALIGNMENT)));
static struct measurement m;

/* The work: a branch not taken, one taken, a jump, sub, jnz. */
static const struct spin_path *const path = &spin_branches_path;

/* Samples the work with room for ROOM records and an interrupt at record THRESHOLD. False: a finding says why. */
static bool sample(struct finding *finding, unsigned int room, unsigned int threshold)
{
	const unsigned int i = first_counter();
	struct use *use;
	bool done;

	memset(records, 0, sizeof(records));
	memset(&area, 0, sizeof(area));
	area.base = area.index = (uintptr_t)records;
	area.maximum = area.base + room * sizeof(records[0]);
	area.threshold = area.base + threshold * sizeof(records[0]);
	area.reset[i] = (0 - (uint64_t)PERIOD) & shape_mask(shape.width);
	m = (struct measurement){ .deliver = true };
	use = use_instructions(&m, i, RING_USER);
	use->interrupt = true;
	use->start = area.reset[i];
	done = machine_write_msr(MSR_DS_AREA, (uintptr_t)&area) &&
	       machine_write_msr(MSR_PEBS_ENABLE, UINT64_C(1) << i) &&
	       measure_user(&m, spin_branches, PASSES, NULL);
	machine_write_msr(MSR_PEBS_ENABLE, 0);
	measure_clear();
	if (!done)
		find_broken(finding, "%s", m.failed ? m.message : "a register faults");
	return done;
}

/* Samples as often as there is room, without an interrupt. */
static bool sample_all(struct finding *finding)
{
	return sample(finding, RECORDS, RECORDS + 1);
}

/* The number of an instruction of the work; the path's length: it is none of them. */
static unsigned int place(uint64_t address)
{
	unsigned int i = 0;

	while (i < path->body_count && path->body[i] != address)
		i++;
	return i;
}

/* The next record from I on that is of the work, as the one after it is; RECORDS: none. */
static unsigned int next_pair(unsigned int i)
{
	while (i + 1 < RECORDS && (place(records[i].eventing_ip) == path->body_count ||
				   place(records[i + 1].eventing_ip) == path->body_count))
		i++;
	return i + 1 < RECORDS ? i : RECORDS;
}

static void writes(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample_all(finding) && records[0].ip == 0)
		find_broken(finding, "expected a record at the base, got none");
}

static void moves_index(struct finding *finding, unsigned int argument)
{
	uint64_t end = (uintptr_t)records;

	(void)argument;
	if (!sample_all(finding))
		return;
	for (unsigned int i = 0; i < RECORDS && records[i].ip; i++)
		end += sizeof(records[0]);
	if (area.index != end)
		find_broken(finding,
			    "expected the index after the last record, 0x%" PRIx64
			    ", got 0x%" PRIx64,
			    end, area.index);
}

/* The instruction after a record's own is where the program goes on. */
static void names_instruction(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!sample_all(finding))
		return;
	for (unsigned int i = next_pair(0); i < RECORDS; i = next_pair(i + 1)) {
		const struct record *r = &records[i];
		uint64_t next = path->body[(place(r->eventing_ip) + 1) % path->body_count];

		if (r->ip != next)
			find_broken(finding,
				    "expected 0x%" PRIx64 " after the instruction at 0x%" PRIx64
				    ", got 0x%" PRIx64,
				    next, r->eventing_ip, r->ip);
	}
}

/* Two records after each other are PERIOD instructions apart. */
static void starts_again(struct finding *finding, unsigned int argument)
{
	unsigned int pairs = 0;

	(void)argument;
	if (!sample_all(finding))
		return;
	for (unsigned int i = next_pair(0); i < RECORDS; i = next_pair(i + 1)) {
		unsigned int at = place(records[i].eventing_ip);
		unsigned int after = place(records[i + 1].eventing_ip);

		pairs++;
		if (after != (at + PERIOD) % path->body_count)
			find_broken(finding,
				    "expected instruction %u of the work %d instructions after "
				    "instruction %u, got %u",
				    (at + PERIOD) % path->body_count, PERIOD, at, after);
	}
	if (pairs == 0)
		find_broken(finding, "expected records of the work, got none");
}

/* How often SUB, the work's last instruction but one, is among the PERIOD instructions after number AT. */
static unsigned int subs_after(unsigned int at)
{
	unsigned int subs = 0;

	for (unsigned int i = at + 1; i <= at + PERIOD; i++)
		subs += i % path->body_count == path->body_count - 2;
	return subs;
}

/* %rdi is the passes that are left. */
static void has_registers(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!sample_all(finding))
		return;
	for (unsigned int i = next_pair(0); i < RECORDS; i = next_pair(i + 1)) {
		const unsigned int subs = subs_after(place(records[i].eventing_ip));

		if (records[i].di - records[i + 1].di != subs || records[i].di > PASSES)
			find_broken(
				finding,
				"expected RDI less by %u than in the record before, got %" PRIu64
				" and %" PRIu64,
				subs, records[i].di, records[i + 1].di);
	}
}

static void ends_at_maximum(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample(finding, THRESHOLD, RECORDS) &&
	    (records[THRESHOLD].ip || area.index != area.maximum))
		find_broken(finding, "expected %d records up to the maximum, got more", THRESHOLD);
}

static void status_is_clear(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample_all(finding) && m.status & UINT64_C(1) << first_counter())
		find_broken(
			finding,
			"expected no status bit of a counter that makes records, got 0x%" PRIx64,
			m.status);
}

static void none_below(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample_all(finding) && m.nmis)
		find_broken(finding, "expected no interrupt below the threshold, got %" PRIu64,
			    m.nmis);
}

static void interrupts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!sample(finding, RECORDS, THRESHOLD))
		return;
	if (m.nmis != 1)
		find_broken(finding, "expected one interrupt at the threshold, got %" PRIu64,
			    m.nmis);
	else if (!(m.status & STATUS_BUFFER))
		find_broken(finding, "expected status bit 62 at the threshold, got 0x%" PRIx64,
			    m.status);
}

static const struct rule rules[] = {
	{ "record_is_written", 0, "sampling.pebs_enable_exists sampling.pebs_area_exists", writes,
	  0, SDM_PEBS, "precise events have no samples" },
	{ "index_moves", 0, "precise.record_is_written", moves_index, 0, SDM_AREA,
	  "only the last precise sample is left" },
	{ "counter_starts_again", 0, "precise.index_moves", starts_again, 0, SDM_AREA,
	  "the period of precise events is another than asked for" },
	{ "record_names_the_instruction", 0, "precise.counter_starts_again", names_instruction, 0,
	  "Intel SDM vol. 3B, 20.3.6.2, EventingIP", "profiles blame the next instruction" },
	{ "record_has_registers", 0, "precise.record_names_the_instruction", has_registers, 0,
	  SDM_PEBS, "perf record --intr-regs shows registers of 0" },
	{ "records_end_at_the_maximum", 0, "precise.counter_starts_again", ends_at_maximum, 0,
	  SDM_AREA, "the CPU overwrites memory of the kernel after the records" },
	{ "counter_has_no_status", 0, "precise.record_is_written", status_is_clear, 0, SDM_PEBS,
	  "a driver counts each precise sample twice" },
	{ "no_interrupt_below_the_threshold", 0, "precise.counter_has_no_status", none_below, 0,
	  SDM_AREA, "each precise sample costs an interrupt" },
	{ "threshold_interrupts", 0,
	  "precise.no_interrupt_below_the_threshold precise.counter_starts_again "
	  "interrupt.comes_in_user_mode",
	  interrupts, 0, SDM_AREA, "precise samples are lost when their memory is full" },
};

const struct group precise_group = { "precise", NEED_PMU | NEED_STEPS | NEED_RECORDS, NULL, rules,
				     sizeof(rules) / sizeof(rules[0]) };
