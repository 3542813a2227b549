/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The needs of the tracepoints of system calls: a machine without system calls has no
 * listeners to them, and no arguments.
 */
#include <arch/task.h>
#include <kernel/base/hooks.h>

#include <string.h>

#include "internal.h"

_Atomic unsigned int hook_listeners[HOOK_COUNT];
_Atomic bool hook_switch_on_cpu[CPUS_MAX];

void arch_syscall_arguments(const struct trap_frame *frame, unsigned long arg[6])
{
	memset(arg, 0, 6 * sizeof(arg[0]));
}

/* newlib's, which the kernel has; not every host's library does. */
size_t strlcpy(char *to, const char *from, size_t size);

size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t length = strlen(from);

	if (size) {
		size_t copied = length < size ? length : size - 1;

		memcpy(to, from, copied);
		to[copied] = '\0';
	}
	return length;
}
