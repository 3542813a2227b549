/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/sys: the system's settings and limits, as sysctl(8) and programs read them. */
#include <kernel/process.h>
#include <kernel/text.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/utsname.h>

#include <kernel/perf/event.h>
#include <kernel/vm.h>

#include "proc.h"
#include <uapi/linux/stat.h>

#define TEXT(name, ...)                                         \
	static int show_##name(struct text *text, void *unused) \
	{                                                       \
		text_print(text, __VA_ARGS__);                  \
		return 0;                                       \
	}

TEXT(ostype, "%s\n", UTSNAME_SYSTEM)
TEXT(osrelease, "%s\n", UTSNAME_RELEASE)
TEXT(version, "%s\n", UTSNAME_VERSION)
TEXT(hostname, "%s\n", UTSNAME_NODE)
TEXT(domainname, "(none)\n")
TEXT(pid_max, "%d\n", PID_MAX)
TEXT(ngroups_max, "65536\n")
TEXT(cap_last_cap, "40\n")
/* Everything runs as root, which no level of these keeps from anything. */
TEXT(perf_event_paranoid, "2\n")
TEXT(perf_event_max_sample_rate, "%d\n", PERF_SAMPLE_RATE_MAX)
TEXT(perf_event_max_stack, "%d\n", PERF_MAX_STACK_DEPTH)
TEXT(max_map_count, "%d\n", VM_AREAS_MAX)
TEXT(overcommit_memory, "0\n")
TEXT(mmap_min_addr, "%d\n", USER_START)

#define FILE_ENTRY(file)                                                   \
	{                                                                  \
		.name = #file, .mode = S_IFREG | 0444, .show = show_##file \
	}

static const struct pseudo_entry kernel_entries[] = {
	FILE_ENTRY(ostype),
	FILE_ENTRY(osrelease),
	FILE_ENTRY(version),
	FILE_ENTRY(hostname),
	FILE_ENTRY(domainname),
	FILE_ENTRY(pid_max),
	FILE_ENTRY(ngroups_max),
	FILE_ENTRY(cap_last_cap),
	FILE_ENTRY(perf_event_paranoid),
	FILE_ENTRY(perf_event_max_sample_rate),
	FILE_ENTRY(perf_event_max_stack),
	{ .name = NULL },
};

static const struct pseudo_entry vm_entries[] = {
	FILE_ENTRY(max_map_count),
	FILE_ENTRY(overcommit_memory),
	FILE_ENTRY(mmap_min_addr),
	{ .name = NULL },
};

const struct pseudo_entry proc_sys_entries[] = {
	{ .name = "kernel", .mode = S_IFDIR | 0555, .children = kernel_entries },
	{ .name = "vm", .mode = S_IFDIR | 0555, .children = vm_entries },
	{ .name = NULL },
};
