/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysinfo. Source: Linux's uapi/linux/sysinfo.h.
 */
#ifndef _UAPI_LINUX_SYSINFO_H
#define _UAPI_LINUX_SYSINFO_H

#include <stdint.h>

struct kernel_sysinfo {
	int64_t uptime; /* seconds */
	uint64_t loads[3];
	uint64_t totalram, freeram, sharedram, bufferram;
	uint64_t totalswap, freeswap;
	uint16_t procs;
	uint16_t padding;
	uint64_t totalhigh, freehigh;
	uint32_t mem_unit; /* unit of the sizes, bytes */
};

#endif
