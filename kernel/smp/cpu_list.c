/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists of CPUs; see <kernel/base/cpu_list.h>. */
#include <kernel/base/cpu_list.h>

#include <string.h>

/* Above every CPU number. */
#define NUMBER_MAX 1000000u

struct reader {
	const char *at, *end;
};

static bool take(struct reader *reader, const char *token)
{
	size_t size = strlen(token);

	if ((size_t)(reader->end - reader->at) < size || strncmp(reader->at, token, size) != 0)
		return false;
	reader->at += size;
	return true;
}

static bool is_between(char c)
{
	return c == ',' || c == ' ' || (c >= '\t' && c <= '\r');
}

static bool read_number(struct reader *reader, unsigned int *number)
{
	const char *start = reader->at;

	if (take(reader, "N")) {
		*number = cpu_count() - 1;
		return true;
	}
	for (*number = 0; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
	     reader->at++)
		if ((*number = *number * 10 + (unsigned int)(*reader->at - '0')) > NUMBER_MAX)
			return false;
	return reader->at != start;
}

static bool read_range(struct reader *reader, cpumask_t *cpus)
{
	unsigned int first = 0, last = cpu_count() - 1, used, group;
	bool alone = false;

	if (!take(reader, "all")) {
		if (!read_number(reader, &first))
			return false;
		alone = !take(reader, "-");
		last = first;
		if (!alone && !read_number(reader, &last))
			return false;
	}
	used = group = last + 1;
	if (!alone && take(reader, ":") &&
	    (!read_number(reader, &used) || !take(reader, "/") || !read_number(reader, &group)))
		return false;
	if (reader->at < reader->end && !is_between(*reader->at))
		return false;
	if (first > last || last >= cpu_count() || group == 0 || used > group)
		return false;
	for (unsigned int cpu = first; cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			cpumask_add(cpus, cpu);
	return true;
}

bool cpu_list_parse(const char *text, size_t size, cpumask_t *cpus)
{
	struct reader reader = { text, text + size };

	*cpus = CPUMASK_NONE;
	for (;;) {
		while (reader.at < reader.end && is_between(*reader.at))
			reader.at++;
		if (reader.at == reader.end)
			return true;
		if (!read_range(&reader, cpus))
			return false;
	}
}
