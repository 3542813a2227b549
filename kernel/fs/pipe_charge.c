/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory in each user's pipes, and its limit (pipe-user-pages-soft of /proc/sys/fs): beyond it a user
 * without privileges gets small pipes and cannot enlarge any, pipe(7).
 */
#include "pipe_charge.h"

#include <kernel/fs/pipe.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>

/* Linux's default. */
_Atomic int pipe_user_pages_soft = 16384;

int pipe_charge(struct user_account *account, long pages)
{
	size_t limit = (size_t)pipe_user_pages_soft;
	size_t before = atomic_fetch_add(&account->pipe_pages, (size_t)pages);

	if (pages <= 0 || !limit || before + (size_t)pages <= limit || capable(CAP_SYS_RESOURCE) ||
	    capable(CAP_SYS_ADMIN))
		return 0;
	atomic_fetch_sub(&account->pipe_pages, (size_t)pages);
	return -EPERM;
}

void pipe_charge_least(struct user_account *account, long pages)
{
	atomic_fetch_add(&account->pipe_pages, (size_t)pages);
}
