// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts raw events in user mode. Each argument is a selection, four hexadecimal digits as after perf's
 * "r": umask, event. A selection with a "-" before it is opened and never enabled. All count the same
 * loop one after the other; the status is 1 if one cannot be opened.
 */
#include <linux/perf_event.h>

#include "system_call.h"

enum { CALL_IOCTL = 16, CALL_PERF_EVENT_OPEN = 298 };

static long open_raw(const char *digit)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .disabled = 1, .exclude_kernel = 1
	};
	long result;
	register long group __asm__("r10") = -1;
	register long flags __asm__("r8") = 0;

	for (; *digit; digit++)
		attr.config = attr.config * 16 +
			      (unsigned int)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)CALL_PERF_EVENT_OPEN), "D"(&attr), "S"(0L), "d"(-1L),
			   "r"(group), "r"(flags)
			 : "rcx", "r11", "memory");
	return result;
}

int program_main(int argc, char **argv, char **env)
{
	(void)env;
	for (int i = 1; i < argc; i++) {
		int only_opened = argv[i][0] == '-';
		long fd = open_raw(argv[i] + only_opened);

		if (fd < 0)
			return 1;
		if (!only_opened)
			system_call(CALL_IOCTL, fd, PERF_EVENT_IOC_ENABLE, 0);
		for (volatile int n = 0; n < 1000; n++)
			continue;
		system_call(CALL_IOCTL, fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	return 0;
}
