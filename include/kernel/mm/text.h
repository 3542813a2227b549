/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts that grow as they are written: the contents of files that are made when they are read.
 */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <kernel/base/cpu.h>

/* Zeroed: an empty text. */
struct text {
	char *bytes; /* allocated */
	size_t size, room;
	bool failed; /* there was no memory for all of it */
};

/* Appends a formatted text; formats as log_write's. Task context. */
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);
/* Appends SIZE bytes unchanged. */
void text_append(struct text *text, const char *bytes, size_t size);
/* Append CPUS as a mask ("f") and as a list ("0-2,5"), in Linux's form, without a newline. */
void text_print_cpu_mask(struct text *text, const cpumask_t *cpus);
void text_print_cpu_list(struct text *text, const cpumask_t *cpus);
/* Frees the bytes; the text is empty again. */
void text_clear(struct text *text);

#endif
