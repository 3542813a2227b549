/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that grow; see <kernel/mm/text.h>. */
#include <kernel/mm/text.h>

#include <stdarg.h>
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>

#define ROOM_FIRST 512
/* Longest piece that one text_print appends. */
#define PIECE_MAX  512

void text_append(struct text *text, const char *bytes, size_t size)
{
	size_t room = text->room ? text->room : ROOM_FIRST;

	while (room - text->size < size)
		room *= 2;
	if (room != text->room && !text->failed) {
		char *larger = room <= KMALLOC_MAX ? kzalloc(room) : NULL;

		if (larger) {
			if (text->bytes)
				memcpy(larger, text->bytes, text->size);
			kfree(text->bytes);
			text->bytes = larger;
			text->room = room;
		} else {
			text->failed = true;
		}
	}
	if (text->failed)
		return;
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

void text_print(struct text *text, const char *format, ...)
{
	char piece[PIECE_MAX];
	va_list args;

	va_start(args, format);
	format_string_v(piece, sizeof(piece), format, args);
	va_end(args);
	text_append(text, piece, strlen(piece));
}

/* A mask has as many digits as the machine's CPUs need, in groups of 32 bits. */
void text_print_cpu_mask(struct text *text, const cpumask_t *cpus)
{
	for (unsigned int digit = (cpu_count() + 3) / 4; digit-- > 0;)
		text_print(text, digit && digit % 8 == 0 ? "%x," : "%x",
			   (unsigned int)(cpus->words[digit / 16] >> digit % 16 * 4 & 15));
}

void text_print_cpu_list(struct text *text, const cpumask_t *cpus)
{
	const char *separator = "";

	for (unsigned int cpu = cpumask_next(cpus, 0); cpu < CPUS_MAX;
	     cpu = cpumask_next(cpus, cpu + 1)) {
		unsigned int last = cpu;

		while (last + 1 < CPUS_MAX && cpumask_has(cpus, last + 1))
			last++;
		text_print(text, last > cpu ? "%s%u-%u" : "%s%u", separator, cpu, last);
		separator = ",";
		cpu = last;
	}
}

void text_clear(struct text *text)
{
	kfree(text->bytes);
	*text = (struct text){ 0 };
}
