/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a ring buffer that was read last, for the observing programs that look at its words. */
#ifndef TESTS_OBSERVE_RECORD_H
#define TESTS_OBSERVE_RECORD_H

#include "buffer.h"

static unsigned char record[65536];
static const struct perf_event_header *header = (void *)record;

static inline uint32_t word32(size_t offset)
{
	uint32_t value;

	memcpy(&value, record + offset, sizeof(value));
	return value;
}

static inline uint64_t word64(size_t offset)
{
	uint64_t value;

	memcpy(&value, record + offset, sizeof(value));
	return value;
}

#endif
