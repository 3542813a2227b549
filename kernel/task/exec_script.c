/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripts: files that begin with "#!" and the path of the program that interprets them, which may
 * be a script again. Behaviour: execve(2), "Interpreter scripts"; Linux's load_script.
 */
#include <string.h>

#include <kernel/fs/file.h>
#include <uapi/linux/errno.h>

#include "exec.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the first word of LINE, terminated, and moves *LINE past it; NULL: there is none. */
static char *take_word(char **line)
{
	char *word = *line;

	while (is_blank(*word))
		word++;
	if (!*word)
		return NULL;
	char *end = word;

	while (*end && !is_blank(*end))
		end++;
	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

int exec_read_script(struct file *file, const char *path, struct exec_strings *strings, char *line)
{
	ssize_t size = file_read_for_kernel(file, line, EXEC_LINE_SIZE - 1, 0);

	if (size < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[size] = '\0';
	char *end = memchr(line, '\n', (size_t)size), *rest = line + 2;

	/* A line longer than the buffer must at least end its first word here. */
	if (!end && size == EXEC_LINE_SIZE - 1) {
		char *at = rest;

		while (is_blank(*at))
			at++;
		while (*at && !is_blank(*at))
			at++;
		if (!*at)
			return -ENOEXEC;
	}
	if (end)
		*end = '\0';
	for (end = line + strlen(line); end > rest && is_blank(end[-1]); end--)
		end[-1] = '\0';
	char *interpreter = take_word(&rest), *argument = rest;

	if (!interpreter)
		return -ENOEXEC;
	while (is_blank(*argument))
		argument++;
	const char *const words[] = { interpreter, *argument ? argument : path, path };
	int error = exec_strings_replace_first(strings, words, *argument ? 3 : 2);

	memmove(line, interpreter, strlen(interpreter) + 1);
	return error ? error : 1;
}
