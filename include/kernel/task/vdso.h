/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vDSO: a shared object that is mapped into every program (AT_SYSINFO_EHDR), with functions that read a
 * page of the kernel's data instead of making a system call.
 *
 * The page lies right below the object. Only single words in it change, so no sequence count is needed; the
 * object computes, to the nanosecond, the same results as the system call.
 */
#ifndef KERNEL_VDSO_H
#define KERNEL_VDSO_H

#include <stdint.h>

struct vm_space;

/* The page, shared by the kernel and the object. */
struct vdso_data {
	/* ns = offset_ns + (counter * mult >> shift): see <kernel/time/time.h>. mult 0: not possible, call
	 * the kernel. */
	uint32_t mult;
	uint16_t shift;
	uint16_t knows_cpu; /* the ISA can read the CPU's number in user mode */
	uint64_t offset_ns;
	uint64_t epoch_ns; /* ns since 1970 at 0; changes as a whole */
	/* The time zone of settimeofday, stored and reported only; changes as a whole, too. Two words, the
	 * first in the low half. */
	uint64_t zone;
};

/* Maps both into SPACE. Returns the address of the object's ELF header, 0: this ISA has none; or a negative
 * error. Task context. */
long vdso_map(struct vm_space *space);

/* Sets gettimeofday's zone: minutes west of Greenwich and kind of summer time. Any context. */
void vdso_set_zone(int32_t minutes_west, int32_t summer_time);

/* Sets the origin of the real-time clock to EPOCH_NS. Any context. */
void vdso_set_epoch(uint64_t epoch_ns);

#endif
