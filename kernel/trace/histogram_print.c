/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms as text: the description, the state, and the entries in the requested order. Task context; the
 * caller holds instance->mutex.
 */
#include "histogram_print.h"

#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/symbol.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/trace/calls.h>

#include "histogram_map.h"

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

/* --- text --- */

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
	unsigned long state = histogram_lock(histogram);
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
