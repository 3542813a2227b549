/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide for samples: registers, stacks and memory of what was interrupted.
 *
 * Everything here may be called in an NMI: it takes no lock and never faults. Memory is looked at
 * through the page tables, by software; what is not present is not there.
 */
#ifndef ARCH_SAMPLE_H
#define ARCH_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/page.h>

struct trap_frame;

/* Whether attr.sample_regs_user or sample_regs_intr may be MASK: bits of the ISA's perf_regs.h that
 * a 64-bit program has, at least one; 0, or -EINVAL. Where there is no perf_regs.h, -ENOSYS unless it is nothing. Any
 * context. */
int arch_sample_registers_check(uint64_t mask);

/* Whether MASK has registers that only some PMUs can sample (x86: vector registers). Any context. */
bool arch_sample_registers_extended(uint64_t mask);

/* Register NUMBER of perf_regs.h in FRAME. Any context. */
uint64_t arch_sample_register(const struct trap_frame *frame, unsigned int number);

/* The user registers of the running task, which FRAME interrupted: FRAME itself, or what the entry
 * into the kernel saved. NULL: a kernel task, or an entry that has not saved them all yet. Any
 * context. */
const struct trap_frame *arch_sample_user_frame(const struct trap_frame *frame);

/* Makes of FRAME what an interrupt in the function would find that called the caller of this one,
 * right behind that call: instruction, stack and frame pointer. Any context. */
void arch_sample_here(struct trap_frame *frame);

/* Makes of FRAME, made by the former, that of the function's caller; if that is not to be seen, FRAME stays
 * as it is. Any context. */
void arch_sample_caller(struct trap_frame *frame);

/* Copies SIZE bytes from ADDRESS of the loaded user space; returns how many, less at the first page
 * that is not present or is none of the user's. Any context. */
size_t arch_user_peek(uintptr_t address, void *buffer, size_t size);

/* The physical address behind ADDRESS, of user space or the kernel, or 0; *PAGE_SIZE_BYTES becomes
 * the size of the page that maps it. Any context. */
paddr_t arch_peek_paddr(uintptr_t address, size_t *page_size_bytes);

/* One step of a walk of the kernel stack that FRAME, of the kernel, interrupted: *FRAME_POINTER,
 * at first arch_frame_pointer(), becomes that of the caller, and *RETURN_ADDRESS where the caller
 * goes on. False: no caller to be seen. Any context. */
bool arch_kernel_caller(const struct trap_frame *frame, uintptr_t *frame_pointer,
			uintptr_t *return_address);

/* The same for user space, where a frame may be anything. */
bool arch_user_caller(uintptr_t *frame_pointer, uintptr_t *return_address);

#endif
