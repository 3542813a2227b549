/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of the command line that are the kernel's: NAME=value, up to "--". What comes after "--"
 * belongs to the first program (kernel/task/). Some loaders put the kernel's file name in front, so
 * the first word is never one of ours unless it has our form.
 */
#include <kernel/boot.h>

#include <string.h>

#include <kernel/log.h>

bool boot_option(const char *name, char *value, size_t size)
{
	size_t name_length = strlen(name);
	const char *word = boot_info.command_line;

	for (;;) {
		while (*word == ' ')
			word++;

		const char *end = word;

		while (*end && *end != ' ')
			end++;

		size_t length = (size_t)(end - word);

		if (length == 0 || (length == 2 && memcmp(word, "--", 2) == 0))
			return false;
		if (length > name_length && memcmp(word, name, name_length) == 0 &&
		    word[name_length] == '=') {
			const char *text = word + name_length + 1;
			size_t text_length = (size_t)(end - text);

			if (text_length >= size)
				boot_failure("%s=: value of %zu characters is too long (%zu)", name,
					     text_length, size - 1);
			memcpy(value, text, text_length);
			value[text_length] = '\0';
			return true;
		}
		word = end;
	}
}
