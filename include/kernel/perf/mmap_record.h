/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMAP records.
 */
#ifndef KERNEL_PERF_MMAP_RECORD_H
#define KERNEL_PERF_MMAP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a build id that a record has room for. */
#define PERF_BUILD_ID_SIZE_MAX 20

/* A mapping of the running task, with the data of its records. On the caller's stack. */
struct perf_mapping {
	uint64_t start, length; /* bytes */
	uint64_t offset;	/* into the file, or what anonymous memory has instead */
	unsigned int prot;	/* PROT_* */
	bool shared, locked;
	const char *name;		     /* a path, "[vdso]", "//anon" … */
	uint32_t device_major, device_minor; /* of the file; 0: none */
	uint64_t inode_number;		     /* 0: no file */
	uint8_t build_id[PERF_BUILD_ID_SIZE_MAX];
	unsigned int build_id_size; /* bytes; 0: it has none, or no event asks for it */
};

/* Writes the MMAP records of MAPPING. Task context. */
void perf_task_mapped(const struct perf_mapping *mapping);

#endif
