/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: a hash table of entries. An entry is created at the first record with its key, and stays until
 * all are cleared. See histogram.h for the whole; histogram_request.c parses a text, histogram_print.c shows
 * the entries.
 *
 * All memory is allocated at the start, since records come from any context: slots, twice as many as entries,
 * which hold an entry's number plus one, and the entries in chunks. Once all entries are used, records of
 * other keys are dropped, and counted.
 *
 * An entry has its sums, the name of the first task if some key is by name, and its key: a word for each
 * number, the bytes of each string. A key's function (log2, buckets) is applied before the lookup.
 *
 * Lock: histogram->lock (H), irqsave, innermost like those of the rings; taken with spin_lock_untraced.
 */
#include <stdatomic.h>
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/trace/event.h>
#include <uapi/linux/errno.h>

#include "histogram_map.h"
#include "histogram_request.h"
#include "memory.h"

enum { CHUNK_SIZE = 64 << 10, BITS_DEFAULT = 11 };

/* --- memory --- */

static size_t slots_size(const struct histogram *histogram)
{
	return 2 * entries_max(histogram) * sizeof(uint32_t);
}

static size_t chunk_count(const struct histogram *histogram)
{
	return (entries_max(histogram) + histogram->entries_in_chunk - 1) /
	       histogram->entries_in_chunk;
}

static void free_map(const struct histogram *histogram, struct map *map)
{
	for (size_t i = 0; map->chunks && i < chunk_count(histogram); i++)
		trace_memory_put(map->chunks[i], CHUNK_SIZE);
	trace_memory_put(map->chunks, chunk_count(histogram) * sizeof(map->chunks[0]));
	trace_memory_put(map->slots, slots_size(histogram));
}

static int make_map(const struct histogram *histogram, struct map *map)
{
	*map = (struct map){ .slots = trace_memory_get(slots_size(histogram)),
			     .chunks = trace_memory_get(chunk_count(histogram) *
							sizeof(map->chunks[0])) };
	bool failed = !map->slots || !map->chunks;

	for (size_t i = 0; !failed && i < chunk_count(histogram); i++) {
		map->chunks[i] = trace_memory_get(CHUNK_SIZE);
		failed = !map->chunks[i];
	}
	if (!failed)
		return 0;
	free_map(histogram, map);
	return -ENOMEM;
}

int histogram_make(const struct trace_event *event, char *text, struct histogram **result,
		   struct histogram_request *request)
{
	struct histogram *histogram = kzalloc(sizeof(*histogram));

	*request = (struct histogram_request){ .pause = false };
	if (!histogram)
		return -ENOMEM;
	spin_init(&histogram->lock);
	histogram->bits = BITS_DEFAULT;
	histogram->value_count = 1;
	strlcpy(histogram->values[0].name, "hitcount", sizeof(histogram->values[0].name));
	int error = histogram_parse(histogram, event, text, request);

	histogram->entry_size = sizeof(struct entry) + histogram->key_size;
	histogram->entries_in_chunk = CHUNK_SIZE / histogram->entry_size;
	histogram->is_paused = request->pause;
	if (!error)
		error = make_map(histogram, &histogram->map);
	if (error) {
		kfree(histogram);
		return error;
	}
	*result = histogram;
	return 0;
}

void histogram_free(struct histogram *histogram)
{
	if (!histogram)
		return;
	free_map(histogram, &histogram->map);
	kfree(histogram);
}

static bool field_equals(const struct field *a, const struct field *b)
{
	return !strcmp(a->name, b->name) && a->modifier == b->modifier && a->bucket == b->bucket;
}

bool histogram_equals(const struct histogram *a, const struct histogram *b)
{
	bool equal = a->key_count == b->key_count && a->value_count == b->value_count &&
		     a->sort_count == b->sort_count;

	for (unsigned int i = 0; equal && i < a->key_count; i++)
		equal = field_equals(&a->keys[i], &b->keys[i]);
	for (unsigned int i = 0; equal && i < a->value_count; i++)
		equal = field_equals(&a->values[i], &b->values[i]);
	for (unsigned int i = 0; equal && i < a->sort_count; i++)
		equal = a->sorts[i].by_key == b->sorts[i].by_key &&
			a->sorts[i].index == b->sorts[i].index &&
			a->sorts[i].descending == b->sorts[i].descending;
	return equal;
}

int histogram_change(struct histogram *histogram, const struct histogram_request *request)
{
	struct map map;
	int error = request->clear ? make_map(histogram, &map) : 0;

	if (error)
		return error;
	if (request->pause)
		histogram->is_paused = true;
	if (request->resume)
		histogram->is_paused = false;
	if (!request->clear)
		return 0;
	/* A new map replaces the old one, so that no record waits while the old one is emptied. */
	unsigned long state = histogram_lock(histogram);
	struct map old = histogram->map;

	histogram->map = map;
	spin_unlock_irqrestore(&histogram->lock, state);
	free_map(histogram, &old);
	return 0;
}

/* --- records --- */

static uint64_t load(const struct field *field, const void *record)
{
	uint64_t value = 0;

	if (field->is_cpu)
		return cpu_id();
	memcpy(&value, (const unsigned char *)record + field->offset, field->size);
	if (field->is_signed && field->size < sizeof(value)) {
		unsigned int shift = 64 - 8 * field->size;

		value = (uint64_t)((int64_t)(value << shift) >> shift);
	}
	return value;
}

/* Returns the logarithm of VALUE, rounded up to a power of two. */
static uint64_t log2_of(uint64_t value)
{
	return value > 1 ? 64 - (unsigned int)__builtin_clzll(value - 1) : 0;
}

static void put_key(const struct field *field, const void *record, unsigned char *key)
{
	const char *string = (const char *)record + field->offset;
	size_t size = field->size;
	uint32_t where;
	uint64_t value;

	if (field->is_elsewhere) {
		memcpy(&where, string, sizeof(where));
		string = (const char *)record + (where & 0xffff);
		size = where >> 16;
	}
	if (field->is_string) {
		/* A terminator always has room. */
		size = strnlen(string, size < field->room ? size : field->room - 1u);
		memcpy(key, string, size);
		memset(key + size, 0, field->room - size);
		return;
	}
	value = load(field, record);
	if (field->modifier == LOG2)
		value = log2_of(value);
	else if (field->modifier == BUCKETS)
		value -= value % field->bucket;
	memcpy(key, &value, sizeof(value));
}

/* FNV-1a, with the upper half, whose bits are better, mixed into the lower. */
static uint64_t hash(const unsigned char *key, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ key[i]) * 0x100000001b3;
	return sum ^ sum >> 32;
}

/* Finds the entry of KEY, or creates it; NULL: no room. histogram->lock held. */
static struct entry *find_entry(struct histogram *histogram, const unsigned char *key)
{
	struct map *map = &histogram->map;
	uint32_t mask = 2 * entries_max(histogram) - 1;
	uint32_t slot = (uint32_t)hash(key, histogram->key_size) & mask;

	/* At least half of the slots are empty. */
	for (; map->slots[slot]; slot = (slot + 1) & mask) {
		struct entry *entry = entry_at(histogram, map->slots[slot] - 1);

		if (!memcmp(entry->key, key, histogram->key_size))
			return entry;
	}
	if (map->used == entries_max(histogram))
		return NULL;
	struct entry *entry = entry_at(histogram, map->used);

	memcpy(entry->key, key, histogram->key_size);
	memcpy(entry->comm, task_current()->comm, TASK_COMM_SIZE - 1);
	map->slots[slot] = ++map->used;
	return entry;
}

void histogram_add(struct histogram *histogram, const void *record)
{
	unsigned char key[KEYS_MAX * STRING_ROOM];

	if (atomic_load_explicit(&histogram->is_paused, memory_order_relaxed))
		return;
	for (unsigned int i = 0; i < histogram->key_count; i++)
		put_key(&histogram->keys[i], record, key + histogram->keys[i].at);
	spin_lock_untraced(&histogram->lock);
	struct entry *entry = find_entry(histogram, key);

	if (entry) {
		histogram->map.hits++;
		entry->sums[0]++;
		for (unsigned int i = 1; i < histogram->value_count; i++)
			entry->sums[i] += load(&histogram->values[i], record);
	} else {
		histogram->map.drops++;
	}
	spin_unlock(&histogram->lock);
}
