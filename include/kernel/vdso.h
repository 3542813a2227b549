/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vDSO: a shared object that every program finds in its memory (AT_SYSINFO_EHDR), with functions that
 * answer without a system call what can be read from a page of the kernel's data.
 *
 * The page lies right below the object. What changes in it are single words, so no sequence count is
 * needed; what the object computes from it is, to the nanosecond, what the system call says.
 */
#ifndef KERNEL_VDSO_H
#define KERNEL_VDSO_H

#include <stdint.h>

struct vm_space;

/* The page, as kernel and object see it. */
struct vdso_data {
	/* ns = offset_ns + (counter * mult >> shift): see <kernel/time.h>. mult 0: not possible, ask the
	 * kernel. */
	uint32_t mult;
	uint16_t shift;
	uint16_t knows_cpu; /* the ISA's means to tell the processor's number are there */
	uint64_t offset_ns;
	uint64_t epoch_ns; /* ns since 1970 at 0; changes as a whole */
	/* What settimeofday made of the time zone, which nothing here uses; likewise. Its two words,
	 * the first in the low half. */
	uint64_t zone;
};

/* Maps both into SPACE. The address of the object's ELF header, 0: this ISA has none; or a negative
 * error. Task context. */
long vdso_map(struct vm_space *space);

/* Minutes west of Greenwich and kind of summer time: what gettimeofday says of them. Any context. */
void vdso_set_zone(int32_t minutes_west, int32_t summer_time);

/* The real-time clock's origin is now EPOCH_NS. Any context. */
void vdso_set_epoch(uint64_t epoch_ns);

#endif
