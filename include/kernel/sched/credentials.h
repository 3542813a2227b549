/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials as the core needs them: what they are, and the current task's. <kernel/task/credentials.h> has
 * their rules. kernel/sched/task.c.
 */
#ifndef KERNEL_SCHED_CREDENTIALS_H
#define KERNEL_SCHED_CREDENTIALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <uapi/linux/capability.h>

struct group_list;
struct user_account;

struct credentials {
	_Atomic unsigned int references;
	uint32_t uid, euid, suid, fsuid; /* real, effective, saved, for files */
	uint32_t gid, egid, sgid, fsgid;
	uint64_t effective, permitted, inheritable, bounding, ambient; /* bits of 1 << CAP_* */
	uint32_t securebits;
	struct group_list *groups;    /* NULL: none */
	struct user_account *account; /* of uid */
};

/* Returns the current task's credentials. Any context. */
const struct credentials *credentials_current(void);

/* Takes another reference. Any context. */
const struct credentials *credentials_share(const struct credentials *credentials);

/* Returns whether CREDENTIALS have capability CAP in effect. Any context. */
static inline bool credentials_have(const struct credentials *credentials, unsigned int cap)
{
	return credentials->effective >> cap & 1;
}

/* Returns whether the current task has capability CAP in effect. Any context. */
bool capable(unsigned int cap);

#endif
