/* SPDX-License-Identifier: BSD-2-Clause */
/* The targets of tracefs's files, and what its files do with simple writes. See target.h. */
#include "target.h"

#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>

#include "instance.h"

static bool is_of_root(const void *target)
{
	return !((uintptr_t)target & PAGE_MASK);
}

void trace_target_get(void *target)
{
	if (!is_of_root(target))
		trace_instance_get(trace_target_instance(target));
}

void trace_target_put(void *target)
{
	if (!is_of_root(target))
		trace_instance_put(trace_target_instance(target));
}

bool trace_target_is_there(void *target)
{
	return !trace_target_instance(target)->is_gone;
}

int trace_target_open(void *target)
{
	return trace_instance_open(trace_target_instance(target));
}

void trace_target_close(void *target)
{
	trace_instance_close(trace_target_instance(target));
}

int trace_parse_switch(const char *bytes, size_t size)
{
	while (size && (bytes[size - 1] == '\n' || bytes[size - 1] == ' '))
		size--;
	if (size != 1 || (bytes[0] != '0' && bytes[0] != '1'))
		return -EINVAL;
	return bytes[0] - '0';
}

ssize_t trace_refuse_write(void *target, const char *bytes, size_t size)
{
	return -EINVAL;
}
