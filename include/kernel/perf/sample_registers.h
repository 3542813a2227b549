/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers in a sample, and the user's stack. All functions: any context, NMI included; those that write
 * between perf_ring_begin and perf_ring_end.
 */
#ifndef KERNEL_PERF_SAMPLE_REGISTERS_H
#define KERNEL_PERF_SAMPLE_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

struct perf_moment;
struct perf_output;
struct trap_frame;

/* Returns the bytes of the registers of MASK that FRAME (NULL: none) has in a sample. */
size_t perf_sample_registers_size(const struct trap_frame *frame, uint64_t mask);

/* Writes them, after the word that names their ABI. */
void perf_sample_write_registers(struct perf_output *output, const struct trap_frame *frame,
				 uint64_t mask);

/* Returns the bytes of the user's stack in a record that has SIZE bytes without the stack and the two words
 * around it: as many as the attribute asks for, the address space has, and the header's 16 bits can hold; in
 * the last case a word less (Linux: perf_sample_ustack_size). */
size_t perf_sample_stack_size(const struct perf_moment *moment, size_t size);

/* Writes the size, the bytes, and how many of them are really the stack's; without bytes only the size. */
void perf_sample_write_stack(struct perf_output *output, const struct perf_moment *moment);

#endif
