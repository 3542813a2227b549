/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers in a sample, and the user's stack that they point to.
 *
 * Runs in the PMI: takes no lock, and reads the stack without page faults: what is not present is not copied.
 */
#include <kernel/perf/sample_registers.h>

#include <string.h>

#include <arch/mmu.h>
#include <arch/sample.h>
#include <kernel/base/bits.h>
#include <kernel/perf/event.h>
#include <kernel/perf/record_field.h>
#include <kernel/perf/ring.h>
#include <uapi/linux/perf_event.h>

size_t perf_sample_registers_size(const struct trap_frame *frame, uint64_t mask)
{
	return sizeof(uint64_t) * (1 + (frame ? bits_count(mask) : 0)); /* which ABI; registers */
}

void perf_sample_write_registers(struct perf_output *output, const struct trap_frame *frame,
				 uint64_t mask)
{
	perf_record_write_word(output,
			       frame && mask ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (; frame && mask; mask &= mask - 1)
		perf_record_write_word(
			output, arch_sample_register(frame, (unsigned int)__builtin_ctzll(mask)));
}

size_t perf_sample_stack_size(const struct perf_moment *moment, size_t size)
{
	size_t bytes = moment->event->attr.sample_stack_user;
	uintptr_t sp = moment->user ? arch_frame_sp(moment->user) : USER_END;

	size += 2 * sizeof(uint64_t);
	if (sp >= USER_END)
		return 0;
	if (bytes > USER_END - sp)
		bytes = USER_END - sp;
	if (size + bytes > UINT16_MAX)
		bytes = UINT16_MAX + 1 - size - sizeof(uint64_t);
	return bytes & ~(sizeof(uint64_t) - 1);
}

void perf_sample_write_stack(struct perf_output *output, const struct perf_moment *moment)
{
	char bytes[256];
	size_t copied = 0, done = 0;
	bool readable = true;

	perf_record_write_word(output, moment->stack_size);
	if (!moment->stack_size)
		return;
	while (done < moment->stack_size) {
		size_t part = moment->stack_size - done, peeked = 0;

		if (part > sizeof(bytes))
			part = sizeof(bytes);
		if (readable)
			peeked = arch_user_peek(arch_frame_sp(moment->user) + done, bytes, part);
		readable = peeked == part;
		memset(bytes + peeked, 0, part - peeked);
		perf_ring_write(output, bytes, part);
		copied += peeked;
		done += part;
	}
	perf_record_write_word(output, copied);
}
