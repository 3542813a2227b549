/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: a hash table of entries. An entry is created at the first record with its key, and stays until
 * all are cleared. See histogram.h.
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
#include "histogram.h"

#include <stdatomic.h>
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/base/symbol.h>
#include <kernel/sched/task.h>
#include <kernel/mm/text.h>
#include <kernel/trace/event.h>
#include <uapi/linux/errno.h>

#include "memory.h"
#include "number.h"
#include "trace.h"

enum {
	KEYS_MAX = 3,
	VALUES_MAX = 3,
	SORTS_MAX = 2,
	BITS_MIN = 7,
	BITS_MAX = 17,
	BITS_DEFAULT = 11
};
enum { CHUNK_SIZE = 64 << 10, STRING_ROOM = 256 };

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

static uint32_t entries_max(const struct histogram *histogram)
{
	return (uint32_t)1 << histogram->bits;
}

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

static struct entry *entry_at(const struct histogram *histogram, uint32_t number)
{
	return (struct entry *)(histogram->map.chunks[number / histogram->entries_in_chunk] +
				number % histogram->entries_in_chunk * histogram->entry_size);
}

static unsigned long lock_map(struct histogram *histogram)
{
	unsigned long state = arch_irq_save();

	spin_lock_untraced(&histogram->lock);
	return state;
}

/* --- the request --- */

/* Returns the part of *TEXT before END or its end, terminated; *TEXT moves past it. NULL: no part is left. */
static char *next_part(char **text, char end)
{
	char *part = *text, *at = part ? strchr(part, end) : NULL;

	if (at)
		*at = '\0';
	*text = at ? at + 1 : NULL;
	return part;
}

static bool find_field(struct field *field, const struct trace_event *event)
{
	struct trace_place place;

	if (!strcmp(field->name, "hitcount")) {
		field->is_hitcount = true;
		return true;
	}
	if (!strcmp(field->name, "common_cpu") || !strcmp(field->name, "cpu")) {
		field->is_cpu = true;
		return true;
	}
	for (unsigned int i = 0; trace_field_get(event, i, &place); i++) {
		if (strcmp(place.name, field->name) != 0)
			continue;
		field->offset = place.offset;
		field->size = place.size;
		field->is_signed = place.is_signed;
		field->is_elsewhere = !strcmp(place.type, "__data_loc char[]");
		field->is_string = field->is_elsewhere ||
				   (place.array[0] && !strcmp(place.type, "char"));
		/* Other arrays are no numbers, and a text after the record has no size. */
		return field->size && (field->is_string || !place.array[0]);
	}
	return false;
}

static int parse_modifier(struct field *field, const char *word)
{
	static const char *const words[] = {
		[HEX] = "hex",		 [SYM] = "sym",		[SYM_OFFSET] = "sym-offset",
		[EXECNAME] = "execname", [SYSCALL] = "syscall", [LOG2] = "log2"
	};

	for (enum modifier i = HEX; i <= LOG2; i++)
		if (!strcmp(word, words[i]))
			field->modifier = i;
	if (!strncmp(word, "buckets=", 8)) {
		if (trace_parse_number(word + 8, &field->bucket) || !field->bucket)
			return -EINVAL;
		field->modifier = BUCKETS;
	}
	if (field->modifier == PLAIN ||
	    (field->modifier == EXECNAME && strcmp(field->name, "common_pid") != 0))
		return -EINVAL;
	return 0;
}

/* Sets FIELD from TEXT, "name.modifier". */
static int parse_field(struct field *field, const struct trace_event *event, char *text)
{
	char *name = next_part(&text, '.');

	if (strlen(name) >= sizeof(field->name))
		return -EINVAL;
	strlcpy(field->name, name, sizeof(field->name));
	if (!find_field(field, event))
		return -EINVAL;
	return text ? parse_modifier(field, text) : 0;
}

static int parse_keys(struct histogram *histogram, const struct trace_event *event, char *text)
{
	char *word;

	while ((word = next_part(&text, ','))) {
		if (histogram->key_count == KEYS_MAX)
			return -EINVAL;
		struct field *key = &histogram->keys[histogram->key_count++];
		int error = parse_field(key, event, word);

		/* An entry's count cannot be part of its key. */
		if (error || key->is_hitcount)
			return -EINVAL;
		key->room = sizeof(uint64_t);
		if (key->is_string)
			key->room = key->is_elsewhere ? STRING_ROOM :
							(uint16_t)((key->size + 7) & ~7);
		key->at = (uint16_t)histogram->key_size;
		histogram->key_size += key->room;
	}
	return 0;
}

static int parse_values(struct histogram *histogram, const struct trace_event *event, char *text)
{
	char *word;

	while ((word = next_part(&text, ','))) {
		struct field value = { .modifier = PLAIN };
		int error = parse_field(&value, event, word);

		if (error || value.is_string || value.modifier > HEX ||
		    (value.is_hitcount && value.modifier))
			return -EINVAL;
		if (value.is_hitcount)
			continue;
		if (histogram->value_count == VALUES_MAX)
			return -EINVAL;
		histogram->values[histogram->value_count++] = value;
	}
	return 0;
}

/* Returns the index of the field NAME among COUNT FIELDS; COUNT: not found. */
static unsigned int index_of(const struct field *fields, unsigned int count, const char *name)
{
	unsigned int i = 0;

	while (i < count && strcmp(fields[i].name, name) != 0)
		i++;
	return i;
}

/* A name of both a value and a key means the value, as on Linux. */
static int parse_sort(struct histogram *histogram, char *text)
{
	char *name = next_part(&text, '.');

	if (histogram->sort_count == SORTS_MAX)
		return -EINVAL;
	if (text && strcmp(text, "ascending") != 0 && strcmp(text, "descending") != 0)
		return -EINVAL;
	struct sort *sort = &histogram->sorts[histogram->sort_count++];

	sort->descending = text && text[0] == 'd';
	sort->index = index_of(histogram->values, histogram->value_count, name);
	sort->by_key = sort->index == histogram->value_count;
	if (sort->by_key)
		sort->index = index_of(histogram->keys, histogram->key_count, name);
	return sort->by_key && sort->index == histogram->key_count ? -EINVAL : 0;
}

static int parse_sorts(struct histogram *histogram, char *text)
{
	char *word;
	int error = 0;

	while (!error && (word = next_part(&text, ',')))
		error = parse_sort(histogram, word);
	return error;
}

static int parse_size(struct histogram *histogram, const char *text)
{
	uint64_t size;
	int error = trace_parse_number(text, &size);

	if (error)
		return error;
	for (histogram->bits = 0; histogram->bits <= BITS_MAX; histogram->bits++)
		if (size <= entries_max(histogram))
			break;
	return histogram->bits < BITS_MIN || histogram->bits > BITS_MAX ? -EINVAL : 0;
}

/* The parts of a text, which are parsed in another order than they are written. */
struct parts {
	char *keys, *values, *sort, *size;
};

static int split(char *text, struct parts *parts, struct histogram_request *request)
{
	char *part;

	while ((part = next_part(&text, ':'))) {
		char *value = strchr(part, '=');

		if (value) {
			*value++ = '\0';
			if (!*value)
				return -EINVAL;
		}
		if (value && (!strcmp(part, "keys") || !strcmp(part, "key")))
			parts->keys = value;
		else if (value &&
			 (!strcmp(part, "vals") || !strcmp(part, "val") || !strcmp(part, "values")))
			parts->values = value;
		else if (value && !strcmp(part, "sort"))
			parts->sort = value;
		else if (value && !strcmp(part, "size"))
			parts->size = value;
		else if (!value && !strcmp(part, "pause"))
			request->pause = true;
		else if (!value && (!strcmp(part, "cont") || !strcmp(part, "continue")))
			request->resume = true;
		else if (!value && !strcmp(part, "clear"))
			request->clear = true;
		else
			return -EINVAL;
	}
	return parts->keys ? 0 : -EINVAL;
}

static int parse(struct histogram *histogram, const struct trace_event *event, char *text,
		 struct histogram_request *request)
{
	struct parts parts = { .keys = NULL };
	int error = split(text, &parts, request);

	if (!error && parts.size)
		error = parse_size(histogram, parts.size);
	if (!error)
		error = parse_keys(histogram, event, parts.keys);
	if (!error)
		error = parse_values(histogram, event, parts.values);
	if (!error)
		error = parse_sorts(histogram, parts.sort);
	if (!error && !histogram->sort_count)
		histogram->sort_count = 1;
	return error;
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
	int error = parse(histogram, event, text, request);

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
	unsigned long state = lock_map(histogram);
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

/* --- order --- */

static int compare_words(uint64_t a, uint64_t b, bool is_signed)
{
	if (a == b)
		return 0;
	return (is_signed ? (int64_t)a < (int64_t)b : a < b) ? -1 : 1;
}

static uint64_t word_of(const struct entry *entry, const struct field *key)
{
	uint64_t word;

	memcpy(&word, entry->key + key->at, sizeof(word));
	return word;
}

static int compare_by(const struct histogram *histogram, const struct sort *sort,
		      const struct entry *a, const struct entry *b)
{
	const struct field *key = &histogram->keys[sort->index];

	if (!sort->by_key)
		return compare_words(a->sums[sort->index], b->sums[sort->index], false);
	if (key->is_string)
		return strcmp((const char *)a->key + key->at, (const char *)b->key + key->at);
	return compare_words(word_of(a, key), word_of(b, key), key->is_signed);
}

/* True if entry A comes before entry B; equal entries come in the order of their creation. */
static bool is_before(const struct histogram *histogram, uint32_t a, uint32_t b)
{
	for (unsigned int i = 0; i < histogram->sort_count; i++) {
		const struct sort *sort = &histogram->sorts[i];
		int order =
			compare_by(histogram, sort, entry_at(histogram, a), entry_at(histogram, b));

		if (order)
			return (order < 0) != sort->descending;
	}
	return a < b;
}

/* Restores the heap NUMBERS[ROOT … END), in which only ROOT may be at the wrong place. */
static void sift(const struct histogram *histogram, uint32_t *numbers, uint32_t root, uint32_t end)
{
	for (uint32_t child; (child = 2 * root + 1) < end; root = child) {
		if (child + 1 < end && is_before(histogram, numbers[child], numbers[child + 1]))
			child++;
		if (!is_before(histogram, numbers[root], numbers[child]))
			return;
		uint32_t number = numbers[root];

		numbers[root] = numbers[child];
		numbers[child] = number;
	}
}

/* A heap sort: sums that change meanwhile can only make the order wrong. */
static void sort_entries(const struct histogram *histogram, uint32_t *numbers, uint32_t count)
{
	for (uint32_t i = count / 2; i > 0; i--)
		sift(histogram, numbers, i - 1, count);
	for (uint32_t end = count; end > 1; end--) {
		uint32_t last = numbers[end - 1];

		numbers[end - 1] = numbers[0];
		numbers[0] = last;
		sift(histogram, numbers, 0, end - 1);
	}
}

/* --- showing --- */

static void print_field(const struct field *field, struct text *text)
{
	static const char *const ends[] = { [PLAIN] = "",
					    [HEX] = ".hex",
					    [SYM] = ".sym",
					    [SYM_OFFSET] = ".sym-offset",
					    [EXECNAME] = ".execname",
					    [SYSCALL] = ".syscall",
					    [LOG2] = ".log2",
					    [BUCKETS] = ".buckets=" };

	text_print(text, "%s%s", field->is_cpu ? "common_cpu" : field->name, ends[field->modifier]);
	if (field->modifier == BUCKETS)
		text_print(text, "%lu", (unsigned long)field->bucket);
}

static void print_fields(const struct field *fields, unsigned int count, struct text *text)
{
	for (unsigned int i = 0; i < count; i++) {
		if (i)
			text_print(text, ",");
		print_field(&fields[i], text);
	}
}

void histogram_print_keys(const struct histogram *histogram, struct text *text)
{
	text_print(text, "keys=");
	print_fields(histogram->keys, histogram->key_count, text);
	text_print(text, ":vals=");
	print_fields(histogram->values, histogram->value_count, text);
	text_print(text, ":sort=");
	for (unsigned int i = 0; i < histogram->sort_count; i++) {
		const struct sort *sort = &histogram->sorts[i];

		if (i)
			text_print(text, ",");
		print_field(sort->by_key ? &histogram->keys[sort->index] :
					   &histogram->values[sort->index],
			    text);
		if (sort->descending)
			text_print(text, ".descending");
	}
	text_print(text, ":size=%u", entries_max(histogram));
}

void histogram_print_state(const struct histogram *histogram, struct text *text)
{
	text_print(text, histogram->is_paused ? " [paused]" : " [active]");
}

static void print_symbol(struct text *text, uint64_t address, bool with_offset)
{
	size_t offset = 0;
	const char *name = symbol_find((uintptr_t)address, &offset);
	char words[128];

	if (!name)
		format_string(words, sizeof(words), "0x%lx", (unsigned long)address);
	else if (with_offset)
		format_string(words, sizeof(words), "%s+0x%lx", name, (unsigned long)offset);
	else
		strlcpy(words, name, sizeof(words));
	text_print(text, with_offset ? "[%lx] %-55s" : "[%lx] %-45s", (unsigned long)address,
		   words);
}

static void print_key(struct text *text, const struct field *key, const struct entry *entry)
{
	unsigned long word = word_of(entry, key);
	const char *call;

	text_print(text, "%s: ", key->is_cpu ? "common_cpu" : key->name);
	if (key->is_string) {
		text_print(text, "%-50s", (const char *)entry->key + key->at);
		return;
	}
	switch (key->modifier) {
	case HEX:
		text_print(text, "%lx", word);
		break;
	case SYM:
	case SYM_OFFSET:
		print_symbol(text, word, key->modifier == SYM_OFFSET);
		break;
	case EXECNAME:
		text_print(text, "%-16s[%10lu]", word ? entry->comm : "<idle>", word);
		break;
	case SYSCALL:
		call = trace_call_name(word);
		/* Linux's names of its functions. */
		if (call) {
			char name[64];

			format_string(name, sizeof(name), "sys_%s", call);
			text_print(text, "%-30s[%3lu]", name, word);
		} else {
			text_print(text, "%-30s[%3lu]", "unknown_syscall", word);
		}
		break;
	case LOG2:
		text_print(text, "~ 2^%-2lu", word);
		break;
	case BUCKETS:
		text_print(text, "~ %lu-%lu", word, word + (unsigned long)key->bucket - 1);
		break;
	default:
		text_print(text, "%10lu", word);
	}
}

static void print_entry(const struct histogram *histogram, struct text *text,
			const struct entry *entry)
{
	text_print(text, "{ ");
	for (unsigned int i = 0; i < histogram->key_count; i++) {
		if (i)
			text_print(text, ", ");
		print_key(text, &histogram->keys[i], entry);
	}
	text_print(text, " }");
	for (unsigned int i = 0; i < histogram->value_count; i++) {
		const struct field *value = &histogram->values[i];

		text_print(text, i ? "  " : " ");
		text_print(text, value->modifier == HEX ? "%s: %10lx" : "%s: %10lu",
			   value->is_cpu ? "common_cpu" : value->name,
			   (unsigned long)entry->sums[i]);
	}
	text_print(text, "\n");
}

void histogram_print(struct histogram *histogram, struct text *text)
{
	unsigned long state = lock_map(histogram);
	struct map map = histogram->map;

	spin_unlock_irqrestore(&histogram->lock, state);
	/* The entries stay as long as the histogram does not change: the caller holds instance->mutex. */
	uint32_t *numbers = map.used ? kzalloc(map.used * sizeof(*numbers)) : NULL;

	for (uint32_t i = 0; numbers && i < map.used; i++)
		numbers[i] = i;
	if (numbers)
		sort_entries(histogram, numbers, map.used);
	for (uint32_t i = 0; numbers && i < map.used && !text->failed; i++)
		print_entry(histogram, text, entry_at(histogram, numbers[i]));
	text->failed |= map.used && !numbers;
	kfree(numbers);
	text_print(text, "\nTotals:\n    Hits: %lu\n    Entries: %u\n    Dropped: %lu\n",
		   (unsigned long)map.hits, map.used, (unsigned long)map.drops);
}
