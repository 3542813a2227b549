/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's words of the command line: NAME=value, up to "--". The words after "--" belong to the
 * first program (kernel/task/). Some loaders put the kernel's file name in front.
 */
#include "boot.h"

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/log.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Every name that callers pass to boot_option. */
static const char *const names[] = { "console", "dmatest", "end", "log",   "loglevel",
				     "net",	"panic",   "pmu", "trace", "virtio_mmio.device",
				     "window" };
/* Every word that callers pass to boot_word. */
static const char *const words[] = { "fixed-random",	"idxd.kernel_queue", "idxd.tc_override",
				     "idxd.user_queue", "init-check",	     "irqs-off-watchdog",
				     "noinput",		"norandom" };

struct word {
	const char *start;
	size_t length; /* 0: there is none */
};

/* Returns the kernel's first word at or after TEXT. */
static struct word next_word(const char *text)
{
	struct word word;

	while (*text == ' ')
		text++;
	word.start = text;
	while (*text && *text != ' ')
		text++;
	word.length = (size_t)(text - word.start);
	if (word.length == 2 && memcmp(word.start, "--", 2) == 0)
		word.length = 0;
	return word;
}

/* Returns whether WORD is NAME=something. */
static bool has_name(struct word word, const char *name)
{
	size_t length = strlen(name);

	return word.length > length && memcmp(word.start, name, length) == 0 &&
	       word.start[length] == '=';
}

static bool is_word(struct word word, const char *name)
{
	return word.length == strlen(name) && memcmp(word.start, name, word.length) == 0;
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

bool boot_word(const char *name)
{
	ASSERT(is_listed(name, words, COUNT(words)));
	struct word word = next_word(boot_info.command_line);

	while (word.length > 0 && !is_word(word, name))
		word = next_word(word.start + word.length);
	return word.length > 0;
}

bool boot_option_at(const char *name, unsigned int index, char *value, size_t size)
{
	ASSERT(is_listed(name, names, COUNT(names)));
	struct word word = next_word(boot_info.command_line);

	while (word.length > 0 && (!has_name(word, name) || index-- > 0))
		word = next_word(word.start + word.length);
	if (word.length == 0)
		return false;

	size_t skipped = strlen(name) + 1;
	size_t length = word.length - skipped;

	if (length >= size)
		boot_failure("%s=: value of %zu characters is too long (%zu)", name, length,
			     size - 1);
	memcpy(value, word.start + skipped, length);
	value[length] = '\0';
	return true;
}

bool boot_option(const char *name, char *value, size_t size)
{
	return boot_option_at(name, 0, value, size);
}

void boot_options_check(void)
{
	struct word word = next_word(boot_info.command_line);

	/* Skip a kernel's file name. */
	if (!memchr(word.start, '=', word.length))
		word = next_word(word.start + word.length);
	for (; word.length > 0; word = next_word(word.start + word.length)) {
		bool known = false;

		for (size_t i = 0; i < COUNT(names); i++)
			known = known || has_name(word, names[i]);
		for (size_t i = 0; i < COUNT(words); i++)
			known = known || is_word(word, words[i]);
		if (!known)
			log_warning(
				"command line: \"%.*s\" means nothing to the kernel; a program's "
				"words come after --",
				(int)word.length, word.start);
	}
}
