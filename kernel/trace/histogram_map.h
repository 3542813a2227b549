/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structure of a histogram, which the files histogram*.c share; histogram.c explains it.
 */
#ifndef KERNEL_TRACE_HISTOGRAM_MAP_H
#define KERNEL_TRACE_HISTOGRAM_MAP_H

#include <stdint.h>

#include <kernel/base/spinlock.h>
#include <kernel/sched/task.h>

#include "histogram.h"

enum { KEYS_MAX = 3, VALUES_MAX = 3, SORTS_MAX = 2 };
/* The longest string of a key, with its terminator. */
enum { STRING_ROOM = 256 };

enum modifier { PLAIN, HEX, SYM, SYM_OFFSET, EXECNAME, SYSCALL, LOG2, BUCKETS };

struct field {
	char name[32];
	enum modifier modifier;
	uint64_t bucket;
	bool is_hitcount, is_cpu; /* else a field of the record */
	bool is_string, is_elsewhere, is_signed;
	uint16_t offset, size;
	uint16_t room; /* of a key: bytes of an entry */
	uint16_t at;   /* offset in the entry's key */
};

struct sort {
	bool by_key, descending;
	unsigned int index; /* of the keys or values */
};

struct entry {
	uint64_t sums[VALUES_MAX];
	char comm[TASK_COMM_SIZE];
	unsigned char key[];
};

struct map {
	uint32_t *slots;	/* H: number + 1 of the entry; 0: none */
	unsigned char **chunks; /* constant */
	uint32_t used;		/* H: entries */
	uint64_t hits, drops;	/* H */
};

struct histogram {
	struct field keys[KEYS_MAX], values[VALUES_MAX]; /* the first value is the hit count */
	unsigned int key_count, value_count, sort_count, bits;
	struct sort sorts[SORTS_MAX];
	size_t key_size, entry_size, entries_in_chunk;
	_Atomic bool is_paused;
	struct spinlock lock;
	struct map map; /* H: lock */
};

/* Returns the greatest number of entries. */
static inline uint32_t entries_max(const struct histogram *histogram)
{
	return (uint32_t)1 << histogram->bits;
}

/* Returns entry NUMBER, which exists. */
static inline struct entry *entry_at(const struct histogram *histogram, uint32_t number)
{
	return (struct entry *)(histogram->map.chunks[number / histogram->entries_in_chunk] +
				number % histogram->entries_in_chunk * histogram->entry_size);
}

/* Locks HISTOGRAM's map; returns the state of interrupts for spin_unlock_irqrestore. Any context. */
static inline unsigned long histogram_lock(struct histogram *histogram)
{
	unsigned long state = arch_irq_save();

	spin_lock_untraced(&histogram->lock);
	return state;
}

#endif
