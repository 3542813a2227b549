/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities and users of this process.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_CREDENTIALS_H
#define TESTS_CREDENTIALS_H

#include <sys/fsuid.h>

#include "observe.h"

enum { USER = 1000, ANOTHER = 2000, THIRD = 3000 };

struct header {
	uint32_t version;
	int pid;
};

struct sets {
	uint32_t effective, permitted, inheritable;
};

#define VERSION_3 0x20080522

static long get_capabilities(uint32_t version, struct sets sets[2])
{
	struct header header = { version, 0 };

	return syscall(SYS_capget, &header, sets);
}

/* "real effective saved files" of users and of groups, and the sets of capabilities. */
static const char *identity(void)
{
	static char text[160];
	uid_t uid[3];
	gid_t gid[3];
	struct sets sets[2] = { { 0 } };

	getresuid(&uid[0], &uid[1], &uid[2]);
	getresgid(&gid[0], &gid[1], &gid[2]);
	get_capabilities(VERSION_3, sets);
	snprintf(text, sizeof(text), "%u %u %u %u, %u %u %u %u, %x%08x %x%08x %x%08x", uid[0],
		 uid[1], uid[2], (unsigned int)setfsuid((uid_t)-1), gid[0], gid[1], gid[2],
		 (unsigned int)setfsgid((gid_t)-1), sets[1].effective, sets[0].effective,
		 sets[1].permitted, sets[0].permitted, sets[1].inheritable, sets[0].inheritable);
	return text;
}

#endif
