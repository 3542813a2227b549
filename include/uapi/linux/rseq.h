/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences. Source: Linux's uapi/linux/rseq.h.
 */
#ifndef _UAPI_LINUX_RSEQ_H
#define _UAPI_LINUX_RSEQ_H

#include <stdint.h>

#define RSEQ_FLAG_UNREGISTER	  1
#define RSEQ_CPU_ID_UNINITIALIZED 0xffffffffu

/* The structure that a thread registers. */
struct rseq_area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs; /* address of a struct rseq_section, 0: in none */
	uint32_t flags;
	uint32_t node_id;
	uint32_t mm_cid;
} __attribute__((packed, aligned(4)));

/* End of the fields above, and the structure's original size. */
#define RSEQ_FEATURE_SIZE  28
#define RSEQ_ORIGINAL_SIZE 32
#define RSEQ_ALIGN	   32

/* A sequence: [start_ip, start_ip + post_commit_offset). */
struct rseq_section {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	uint64_t abort_ip;
};

#endif
