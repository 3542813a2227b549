/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: samples, the registers, stacks and memory of interrupted code.
 *
 * Everything here may be called in an NMI: it takes no lock and never faults. It reads memory through
 * the page tables, by software; pages that are not present cannot be read.
 */
#ifndef ARCH_SAMPLE_H
#define ARCH_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/mm/page.h>

struct trap_frame;

/* Checks MASK for attr.sample_regs_user and sample_regs_intr: bits of the ISA's perf_regs.h that a
 * 64-bit program has, at least one; 0, or -EINVAL. An ISA without perf_regs.h returns -ENOSYS unless
 * MASK is 0. Any context. */
int arch_sample_registers_check(uint64_t mask);

/* Returns whether MASK has registers that only some PMUs can sample (x86: vector registers). Any
 * context. */
bool arch_sample_registers_extended(uint64_t mask);

/* Returns register NUMBER of perf_regs.h in FRAME. Any context. */
uint64_t arch_sample_register(const struct trap_frame *frame, unsigned int number);

/* Returns the user registers of the running task, which FRAME interrupted: FRAME itself, or the frame
 * that the entry into the kernel saved. NULL: a kernel task, or an entry that has not saved them all
 * yet. Any context. */
const struct trap_frame *arch_sample_user_frame(const struct trap_frame *frame);

/* Fills FRAME as if an interrupt had come in the function that called the caller of this one, right
 * after that call: instruction, stack and frame pointer. Any context. */
void arch_sample_here(struct trap_frame *frame);

/* Changes FRAME, filled by arch_sample_here, to the function's caller; leaves FRAME unchanged if the
 * caller cannot be found. Any context. */
void arch_sample_caller(struct trap_frame *frame);

/* Copies SIZE bytes from ADDRESS of the loaded user space; returns how many: it stops at the first page
 * that is not present or is not the user's. Any context. */
size_t arch_user_peek(uintptr_t address, void *buffer, size_t size);

/* Returns the physical address that ADDRESS, of user space or the kernel, maps to, or 0; sets
 * *PAGE_SIZE_BYTES to the size of its page. Any context. */
paddr_t arch_peek_paddr(uintptr_t address, size_t *page_size_bytes);

/* Takes one step of a walk of the kernel stack, which FRAME, of the kernel, interrupted.
 * *FRAME_POINTER, initially arch_frame_pointer(), becomes the caller's, *RETURN_ADDRESS the address at
 * which the caller continues. False: no caller found. Any context. */
bool arch_kernel_caller(const struct trap_frame *frame, uintptr_t *frame_pointer,
			uintptr_t *return_address);

/* The same for user space, where a frame may contain any value. */
bool arch_user_caller(uintptr_t *frame_pointer, uintptr_t *return_address);

#endif
