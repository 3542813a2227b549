/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The strings of a new program: its arguments and environment, copied before its own memory exists.
 *
 * The strings lie one after another, each terminated, in chunks that are allocated as they fill. A
 * script replaces the first of them by its interpreter's words, which lie in `head`.
 *
 * The limits are Linux's (execve(2), "Limits on size of arguments and environment"): with the pointers
 * to them a quarter of the stack's limit, at least 128 KiB, at most 6 MiB; one string at most 128 KiB.
 */
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>

#include "exec.h"

#define LEAST_LIMIT	   ((size_t)128 << 10)
#define STRING_MAX	   ((size_t)128 << 10)
/* Room for the words that scripts put first: a path, and two words from each line. */
#define HEAD_SIZE	   8192
#define POINTERS_AT_A_TIME 512

struct exec_strings *exec_strings_create(void)
{
	const struct process *process = task_current()->process;
	struct exec_strings *strings = kzalloc(sizeof(*strings));

	if (!strings)
		return NULL;
	uint64_t limit = process ? process->limits[RLIMIT_STACK].rlim_cur / 4 : EXEC_SIZE_MAX;

	strings->room = limit < LEAST_LIMIT   ? LEAST_LIMIT :
			limit > EXEC_SIZE_MAX ? EXEC_SIZE_MAX :
						limit;
	return strings;
}

void exec_strings_free(struct exec_strings *strings)
{
	if (!strings)
		return;
	for (size_t i = 0; i < EXEC_CHUNKS_MAX; i++)
		kfree(strings->chunks[i]);
	kfree(strings->head);
	kfree(strings);
}

int exec_strings_reserve(struct exec_strings *strings, size_t size)
{
	if (size >= strings->room)
		return -E2BIG;
	strings->room -= size;
	return 0;
}

/* Returns the address of the next byte; *FREE: bytes free there. NULL: no memory or no room. */
static char *get_place(struct exec_strings *strings, size_t *free)
{
	size_t chunk = strings->size / EXEC_CHUNK_SIZE, used = strings->size % EXEC_CHUNK_SIZE;

	if (chunk >= EXEC_CHUNKS_MAX)
		return NULL;
	if (!strings->chunks[chunk])
		strings->chunks[chunk] = kzalloc(EXEC_CHUNK_SIZE);
	*free = EXEC_CHUNK_SIZE - used;
	return strings->chunks[chunk] ? strings->chunks[chunk] + used : NULL;
}

int exec_strings_add(struct exec_strings *strings, const char *text)
{
	size_t left = strlen(text) + 1, free;

	if (left > STRING_MAX || exec_strings_reserve(strings, left))
		return -E2BIG;
	while (left) {
		char *place = get_place(strings, &free);

		if (!place)
			return -ENOMEM;
		size_t piece = left < free ? left : free;

		memcpy(place, text, piece);
		strings->size += piece;
		text += piece;
		left -= piece;
	}
	return 0;
}

/* Adds the string at USER. */
static int add_from_user(struct exec_strings *strings, const char *user)
{
	size_t done = 0, free;

	for (;;) {
		char *place = get_place(strings, &free);

		if (!place)
			return strings->size >= EXEC_SIZE_MAX ? -E2BIG : -ENOMEM;
		long length = copy_string_from_user(place, user + done, free);
		size_t piece = length < 0 ? free : (size_t)length + 1;

		if (length < 0 && length != -ENAMETOOLONG)
			return (int)length;
		done += piece;
		strings->size += piece;
		if (done > STRING_MAX || exec_strings_reserve(strings, piece))
			return -E2BIG;
		if (length >= 0)
			return 0;
	}
}

int exec_strings_count(uintptr_t user_array, size_t *count)
{
	uint64_t pointer = 1;

	*count = 0;
	if (!user_array)
		return 0;
	for (;; (*count)++) {
		if (copy_from_user(&pointer, (void *)(user_array + *count * sizeof(pointer)),
				   sizeof(pointer)))
			return -EFAULT;
		if (!pointer)
			return 0;
		if (signal_is_fatal_pending(task_current()))
			return -EINTR;
	}
}

int exec_strings_add_array(struct exec_strings *strings, uintptr_t user_array, size_t count)
{
	uint64_t pointer;

	for (size_t i = 0; i < count; i++) {
		if (copy_from_user(&pointer, (void *)(user_array + i * sizeof(pointer)),
				   sizeof(pointer)))
			return -EFAULT;
		if (signal_is_fatal_pending(task_current()))
			return -EINTR;
		int error = add_from_user(strings, (const char *)pointer);

		if (error)
			return error;
	}
	return 0;
}

/* Returns the address of OFFSET in the sequence of all strings; *SIZE: contiguous bytes from there. */
static const char *piece_at(const struct exec_strings *strings, size_t offset, size_t *size)
{
	if (offset < strings->head_size) {
		*size = strings->head_size - offset;
		return strings->head + offset;
	}
	offset += strings->skipped - strings->head_size;
	size_t used = offset % EXEC_CHUNK_SIZE;

	*size = strings->size - offset;
	if (*size > EXEC_CHUNK_SIZE - used)
		*size = EXEC_CHUNK_SIZE - used;
	return strings->chunks[offset / EXEC_CHUNK_SIZE] + used;
}

size_t exec_strings_size(const struct exec_strings *strings)
{
	return strings->head_size + strings->size - strings->skipped;
}

/* Returns the bytes of the string at OFFSET, its end included. */
static size_t size_at(const struct exec_strings *strings, size_t offset)
{
	size_t done = 0, size;

	for (;;) {
		const char *piece = piece_at(strings, offset + done, &size);
		size_t length = strnlen(piece, size);

		done += length;
		if (length < size)
			return done + 1;
	}
}

int exec_strings_replace_first(struct exec_strings *strings, const char *const words[],
			       size_t count)
{
	size_t size = 0;

	if (!strings->head)
		strings->head = kzalloc(HEAD_SIZE);
	if (!strings->head)
		return -ENOMEM;
	if (strings->argument_count) {
		size_t old = size_at(strings, 0);

		strings->argument_count--;
		if (strings->head_size) {
			strings->head_size -= old;
			memmove(strings->head, strings->head + old, strings->head_size);
		} else {
			strings->skipped += old;
		}
	}
	for (size_t i = 0; i < count; i++)
		size += strlen(words[i]) + 1;
	if (strings->head_size + size > HEAD_SIZE || exec_strings_reserve(strings, size))
		return -E2BIG;
	memmove(strings->head + size, strings->head, strings->head_size);
	strings->head_size += size;
	strings->argument_count += count;
	char *at = strings->head;

	for (size_t i = 0; i < count; i++) {
		size = strlen(words[i]) + 1;
		memcpy(at, words[i], size);
		at += size;
	}
	return 0;
}

int exec_strings_write(const struct exec_strings *strings, struct vm_space *space,
		       uintptr_t address)
{
	size_t whole = exec_strings_size(strings), size;

	for (size_t done = 0; done < whole; done += size) {
		const char *piece = piece_at(strings, done, &size);
		int error = vm_write(space, address + done, piece, size);

		if (error)
			return error;
	}
	return 0;
}

/* A table of words that is written upwards, POINTERS_AT_A_TIME at a time. */
struct table {
	struct vm_space *space;
	uintptr_t at;
	uint64_t *words; /* POINTERS_AT_A_TIME */
	size_t count;
	int error;
};

static void flush(struct table *table)
{
	if (!table->error)
		table->error = vm_write(table->space, table->at, table->words,
					table->count * sizeof(*table->words));
	table->at += table->count * sizeof(*table->words);
	table->count = 0;
}

static void put(struct table *table, uint64_t word)
{
	table->words[table->count++] = word;
	if (table->count == POINTERS_AT_A_TIME)
		flush(table);
}

/* Puts pointers to COUNT strings, the first of which is at *OFFSET, and at BASE + *OFFSET in the
 * program. */
static void put_pointers(struct table *table, const struct exec_strings *strings, uintptr_t base,
			 size_t *offset, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(table, base + *offset);
		*offset += size_at(strings, *offset);
	}
	put(table, 0);
}

size_t exec_strings_table_size(const struct exec_strings *strings)
{
	return (1 + strings->argument_count + 1 + strings->environment_count + 1) *
	       sizeof(uint64_t);
}

int exec_strings_write_table(const struct exec_strings *strings, struct vm_space *space,
			     uintptr_t address, uintptr_t strings_at, uintptr_t *environment_at)
{
	struct table table = { .space = space,
			       .at = address,
			       .words = kzalloc(POINTERS_AT_A_TIME * sizeof(uint64_t)) };
	size_t offset = 0;

	if (!table.words)
		return -ENOMEM;
	put(&table, strings->argument_count);
	put_pointers(&table, strings, strings_at, &offset, strings->argument_count);
	*environment_at = strings_at + offset;
	put_pointers(&table, strings, strings_at, &offset, strings->environment_count);
	flush(&table);
	kfree(table.words);
	return table.error;
}
